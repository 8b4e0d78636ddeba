package protocols

import (
	"strings"
	"time"

	"simrun/nodes"
	"simrun/sim"
)

var zookeeperLock = &Protocol{
	Name:    "zookeeper-lock",
	Brief:   "Curator's InterProcessMutex: an ephemeral sequential node, the lowest owns; no fencing",
	Source:  "apache/curator, LockInternals and StandardLockInternalsDriver; zookeeper.apache.org/doc/current/recipes.html, Locks",
	Keeps:   []Promise{exclusiveWhileKept, ownRelease},
	Nodes:   1,
	Service: zookeeperEnsemble,
	Lock:    ZooKeeperLock{Protected: true, Heedful: true}.Lock,
	Release: closeSession,
}

// exclusiveWhileKept is what a session promises whose client gives up well
// before the server does.
var exclusiveWhileKept = Promise{"mutual-exclusion", "no client pauses, and clocks run at about the same rate"}

// zooParent is the node under which those are that queue for the lock.
const zooParent = "/" + lockKey

func zookeeperEnsemble(params Params) []sim.ServerSpec {
	return []sim.ServerSpec{{Name: "zk", Server: nodes.NewZooKeeper(params.TTL), Durable: true}}
}

// ZooKeeperLock is the recipe. Its token, if it takes one, is the zxid that
// created its node.
type ZooKeeperLock struct {
	// Protected puts a value of its own into the node's name, by which a client
	// finds its node again when the reply to the create is lost. Without it the
	// orphan stays in the queue, before the node that the client creates next.
	Protected bool

	// Heedful stops the job when the connection is SUSPENDED, that is after two
	// thirds of the timeout without a word from the server. Curator leaves it
	// to the application. Without it the job goes on until the client has
	// reconnected and is told that its session has expired.
	Heedful bool

	Token bool // the node's czxid is read when the lock is had
}

// Lock opens a session, queues with a node of it, and waits until every node
// created before is gone.
func (z ZooKeeperLock) Lock(t *sim.Thread, e *Env, value string) (Lease, bool) {
	c, ok := e.request(t, nodes.ZooRequest{Verb: nodes.ZooConnect, Timeout: e.TTL}).(nodes.ZooConnected)
	if !ok {
		return Lease{}, false
	}
	l := Lease{Value: value, Session: e.session(t, c.Session, z.ping)}
	if node, ok := z.enqueue(t, e, l); ok && e.awaitNode(t, l.Session, node) && z.token(t, e, &l, node) {
		return l, true
	}
	t.For(sim.Release)
	closeSession(t, e, l)
	return Lease{}, false
}

// enqueue creates the client's node, and returns its name. It tries twice.
func (z ZooKeeperLock) enqueue(t *sim.Thread, e *Env, l Lease) (string, bool) {
	prefix := "lock-"
	if z.Protected {
		prefix = "_c_" + l.Value + "-lock-"
	}
	create := nodes.ZooRequest{Verb: nodes.ZooCreate, Session: l.Session.id, Path: zooParent + "/" + prefix}
	for range 2 {
		if path, ok := e.request(t, create).(nodes.ZooCreated); ok {
			return strings.TrimPrefix(string(path), zooParent+"/"), true
		}
		if !z.Protected {
			continue
		}
		for _, name := range e.children(t, l.Session) {
			if strings.HasPrefix(name, prefix) {
				return name, true
			}
		}
	}
	return "", false
}

// children returns the nodes in the queue, none if no reply came.
func (e *Env) children(t *sim.Thread, s Session) nodes.ZooNames {
	names, _ := e.request(t, nodes.ZooRequest{Verb: nodes.ZooChildren, Session: s.id, Path: zooParent}).(nodes.ZooNames)
	return names
}

// awaitNode waits until the node is the lowest. It watches the one before it,
// so that a release wakes a single client.
func (e *Env) awaitNode(t *sim.Thread, s Session, node string) bool {
	end := t.Monotonic().Add(e.TurnTimeout())
	for {
		before, ok := predecessor(e.children(t, s), node)
		if !ok || before == "" {
			return ok
		}
		left := end.Sub(t.Monotonic())
		if left <= 0 {
			return false
		}
		watch := nodes.ZooRequest{Verb: nodes.ZooExistsWatch, Session: s.id, Path: zooParent + "/" + before}
		t.Call(e.Locks[0], watch, min(left, e.WatchTimeout()))
	}
}

// predecessor returns the node right before a node in the queue, "" if that is
// the first; it reports false if the node is not there.
func predecessor(names nodes.ZooNames, node string) (before string, found bool) {
	for _, name := range names {
		switch {
		case name == node:
			found = true
		case turn(name) < turn(node) && (before == "" || turn(before) < turn(name)):
			before = name
		}
	}
	return before, found
}

// turn returns the number with which a sequential node's name ends: ten digits.
func turn(name string) string { return name[max(0, len(name)-10):] }

// token reads the node's czxid, if it is wanted.
func (z ZooKeeperLock) token(t *sim.Thread, e *Env, l *Lease, node string) bool {
	if !z.Token {
		return true
	}
	t.For(sim.Token)
	stat, ok := e.request(t, nodes.ZooRequest{Verb: nodes.ZooExists, Session: l.Session.id, Path: zooParent + "/" + node}).(nodes.ZooStat)
	l.Fence = stat.Czxid
	return ok
}

// ping lets the server hear from the client every third of the timeout. When
// the client has not heard from the server for two thirds it gives the
// connection up and makes another; that the session has expired it learns no
// sooner.
func (z ZooKeeperLock) ping(t *sim.Thread, e *Env, s Session) {
	heard := t.Monotonic()
	for t.Sleep(e.TTL / 3) {
		left := heard.Add(e.TTL * 2 / 3).Sub(t.Monotonic())
		if left > 0 && e.heard(t, s, left) {
			heard = t.Monotonic()
			continue
		}
		if t.Stopped() != "" {
			return
		}
		if z.Heedful {
			t.Store(s.Lost, 1)
		}
		if !e.reconnect(t, s) {
			t.Store(s.Lost, 1)
			return
		}
		heard = t.Monotonic()
	}
}

func (e *Env) heard(t *sim.Thread, s Session, timeout time.Duration) bool {
	return t.Call(e.Locks[0], nodes.ZooRequest{Verb: nodes.ZooPing, Session: s.id}, timeout).Reply == nodes.Status("alive")
}

// reconnect makes a new connection for the session. It reports false if the
// session has expired.
func (e *Env) reconnect(t *sim.Thread, s Session) bool {
	for {
		reply := e.request(t, nodes.ZooRequest{Verb: nodes.ZooConnect, Session: s.id})
		if reply == nodes.ErrSessionExpired {
			return false
		}
		if _, ok := reply.(nodes.ZooConnected); ok || !t.Sleep(e.RetryPause()) {
			return true
		}
	}
}

// closeSession ends the session, and the node with it. A client that finds its
// connection closed learns why when it makes another.
func closeSession(t *sim.Thread, e *Env, l Lease) {
	t.Store(l.Session.over, 1)
	if e.request(t, nodes.ZooRequest{Verb: nodes.ZooClose, Session: l.Session.id}) == nodes.ErrConnectionLoss {
		e.request(t, nodes.ZooRequest{Verb: nodes.ZooConnect, Session: l.Session.id})
	}
}
