package fidelity

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"simrun/nodes"
	"simrun/sim"
)

// The ticks in which both servers count timeouts: the real one's own, with which
// a session outlasts whatever keeps the machine busy, and one with which it can
// be waited for that a session expires.
const (
	zooTick      = 3 * time.Second
	zooShortTick = 600 * time.Millisecond
)

// zooJar is where Debian's package has the server.
const zooJar = "/usr/share/java/zookeeper.jar"

// zooPatience is how long the real server may take for an answer, and to start.
const zooPatience = 30 * time.Second

// A realZooKeeper is a ZooKeeper server in a process of its own.
//
// It serves one sequence of requests after another. Each has nodes of its own,
// and begins at what is zxid 0 to the simulated server and to whoever reads the
// accounts.
type realZooKeeper struct {
	t         testing.TB
	address   string
	keeper    *zooClient // makes the parents of nodes
	sequences int

	root    string // where the nodes of this sequence are
	before  int64  // the last zxid before this sequence
	clients []*zooClient
}

func startZooKeeper(t testing.TB, tick time.Duration) *realZooKeeper {
	t.Helper()
	java := need(t, "java")
	need(t, "zkServer.sh")
	dir := t.TempDir()
	host, port := freeAddress(t)
	settings := filepath.Join(dir, "zoo.cfg")
	err := os.WriteFile(settings, fmt.Appendf(nil, "tickTime=%d\ndataDir=%s\nclientPortAddress=%s\nclientPort=%s\nadmin.enableServer=false\n",
		tick.Milliseconds(), dir, host, port), 0o644)
	if err != nil {
		t.Fatal(err)
	}
	server := exec.Command(java, "-Dzookeeper.forceSync=no", "-Dzookeeper.jmx.log4j.disable=true",
		"-cp", zooJar+":/usr/share/java/slf4j-nop.jar", "org.apache.zookeeper.server.ZooKeeperServerMain", settings)
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		server.Process.Kill()
		server.Wait()
	})
	z := &realZooKeeper{t: t, address: net.JoinHostPort(host, port)}
	z.await()
	z.keeper = z.connect(zooLong)
	z.keeper.plug()
	return z
}

// await waits until the server serves sessions. It may take no notice of who
// comes before, so that the client must not be patient.
func (z *realZooKeeper) await() {
	z.t.Helper()
	c := z.connect(zooShort)
	defer c.close()
	c.plug()
}

// freeAddress returns where nobody listens on loopback.
func freeAddress(t testing.TB) (host, port string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	host, port, err = net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return host, port
}

// answers returns what the server answers to a sequence of requests.
func (z *realZooKeeper) answers(requests []sim.Request) []sim.Reply {
	z.t.Helper()
	z.begin()
	replies := make([]sim.Reply, len(requests))
	watches := map[int]<-chan zk.Event{}
	for i, r := range requests {
		switch r := r.(type) {
		case wait:
			time.Sleep(time.Duration(r))
		case silence:
			z.clients[r-1].cut()
		case nodes.ZooRequest:
			if r.Verb != nodes.ZooExistsWatch {
				replies[i] = z.ask(r)
			} else if told := z.watch(r); told != nil {
				watches[i] = told
			} else {
				replies[i] = z.reply(r, zk.ErrNoNode, nil)
			}
		}
	}
	for i, told := range watches {
		select {
		case e := <-told:
			replies[i] = z.told(e)
		case <-time.After(zooPatience):
			z.t.Fatalf("%s: nothing is told", requests[i])
		}
	}
	for _, c := range z.clients {
		c.close()
	}
	return replies
}

// begin makes the parents of a sequence's nodes.
func (z *realZooKeeper) begin() {
	z.t.Helper()
	z.sequences++
	z.root, z.clients = fmt.Sprintf("/%d", z.sequences), nil
	for _, path := range []string{z.root, z.root + "/lock", z.root + "/other"} {
		if _, err := z.keeper.conn.Create(path, nil, 0, zk.WorldACL(zk.PermAll)); err != nil {
			z.t.Fatal(err)
		}
	}
	_, last, err := z.keeper.conn.Exists(z.root + "/other")
	if err != nil {
		z.t.Fatal(err)
	}
	z.before = last.Czxid
}

func (z *realZooKeeper) ask(r nodes.ZooRequest) sim.Reply {
	z.t.Helper()
	if r.Verb == nodes.ZooConnect && r.Session == 0 {
		c := z.connect(r.Timeout)
		z.clients = append(z.clients, c)
		return nodes.ZooConnected{Session: int64(len(z.clients)), Timeout: c.plug()}
	}
	c := z.clients[r.Session-1]
	switch r.Verb {
	case nodes.ZooConnect:
		c.cut()
		if timeout := c.plug(); timeout > 0 {
			return nodes.ZooConnected{Session: r.Session, Timeout: timeout}
		}
		return nodes.ErrSessionExpired
	case nodes.ZooCreate:
		path, err := c.conn.Create(z.root+r.Path, nil, zk.FlagEphemeral|zk.FlagSequence, zk.WorldACL(zk.PermAll))
		return z.reply(r, err, nodes.ZooCreated(strings.TrimPrefix(path, z.root)))
	case nodes.ZooChildren:
		names, _, err := c.conn.Children(z.root + r.Path)
		return z.reply(r, err, nodes.ZooNames(names))
	case nodes.ZooExists:
		found, stat, err := c.conn.Exists(z.root + r.Path)
		if err == nil && !found {
			err = zk.ErrNoNode
		}
		return z.reply(r, err, nodes.ZooStat{Czxid: stat.Czxid - z.before})
	case nodes.ZooDelete:
		return z.reply(r, c.conn.Delete(z.root+r.Path, -1), nodes.Status("deleted"))
	case nodes.ZooClose:
		c.close()
		return nodes.Status("closed")
	}
	z.t.Fatalf("%s: a request that ZooKeeper does not know", r)
	return nil
}

// watch returns where the end of a node will be told, or nil if there is no such
// node.
func (z *realZooKeeper) watch(r nodes.ZooRequest) <-chan zk.Event {
	z.t.Helper()
	c := z.clients[r.Session-1]
	found, _, told, err := c.conn.ExistsW(z.root + r.Path)
	if err != nil {
		z.t.Fatalf("%s: %v", r, err)
	}
	if !found {
		return nil
	}
	c.change(func() { c.watches = append(c.watches, told) })
	return told
}

// told translates what is told who watches.
func (z *realZooKeeper) told(e zk.Event) sim.Reply {
	if e.Type == zk.EventNodeDeleted {
		return nodes.ZooDeleted(strings.TrimPrefix(e.Path, z.root))
	}
	return nodes.ErrConnectionLoss
}

// reply returns the reply to a request, or the error that the server answers.
func (z *realZooKeeper) reply(r nodes.ZooRequest, err error, reply sim.Reply) sim.Reply {
	z.t.Helper()
	switch err {
	case nil:
		return reply
	case zk.ErrNoNode:
		return nodes.Error("KeeperErrorCode = NoNode for " + r.Path)
	}
	z.t.Fatalf("%s: %v", r, err)
	return nil
}
