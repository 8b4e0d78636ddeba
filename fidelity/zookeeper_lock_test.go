package fidelity

import (
	"testing"
	"time"

	"github.com/go-zookeeper/zk"
	"pgregory.net/rapid"

	"simrun/nodes"
	"simrun/sim"
)

// The lock of a ZooKeeper client is granted in the order in which it is granted
// in the simulation, with the same tokens.
func TestZooKeeperLockIsGrantedAsTheRealOneIs(t *testing.T) {
	real := startZooKeeper(t, zooTick)
	end := func(session int64) sim.Request { return nodes.ZooRequest{Verb: nodes.ZooClose, Session: session} }
	scripts := moves()
	checks(t, 40)
	compared := tally{}
	rapid.Check(t, func(t *rapid.T) {
		script := scripts.Draw(t, "moves")
		simulated, counts := playSimulated(real.t, newZooKeeper(zooTick), "zookeeper-lock-fenced", end, script)
		mustAgree(t, simulated, real.play(script, counts))
		compared.count(script)
	})
	zookeeperTable.record(t, zooVersion(t), compared)
}

// A zooQueue is the lock recipe of a ZooKeeper client.
type zooQueue struct {
	realQueue
	server *realZooKeeper
}

func (z *realZooKeeper) play(script []move, counts []int) account {
	z.begin()
	return play(&zooQueue{realQueue{granted: make(chan grant, len(script)), counts: counts}, z}, script)
}

func (q *zooQueue) ask(n int) {
	c := q.server.connect(zooLong)
	c.plug()
	q.server.clients = append(q.server.clients, c)
	go q.lock(n, c)
	for q.token(c) == 0 {
		time.Sleep(time.Millisecond)
	}
}

func (q *zooQueue) lock(n int, c *zooClient) {
	l := zk.NewLock(c.conn, q.server.root+"/lock", zk.WorldACL(zk.PermAll))
	if l.Lock() == nil {
		q.granted <- grant{n, q.token(c)}
	}
}

// token returns the zxid that created a client's node, 0 if it has none.
func (q *zooQueue) token(c *zooClient) int64 {
	parent := q.server.root + "/lock"
	names, _, _ := c.conn.Children(parent)
	for _, name := range names {
		_, stat, err := c.conn.Exists(parent + "/" + name)
		if err == nil && stat.EphemeralOwner == c.conn.SessionID() {
			return stat.Czxid - q.server.before
		}
	}
	return 0
}

func (q *zooQueue) end(n int) { q.server.clients[n-1].close() }
