package protocols

import (
	"fmt"

	"simrun/nodes"
	"simrun/sim"
)

var failover = &Protocol{
	Name:     "failover",
	Brief:    "lua-release on a master with a replica, which Sentinel promotes when the master seems dead",
	Source:   `"Distributed locks with Redis", "Failover: the replica never received the lock key"; redis.io/docs/latest/operate/oss_and_stack/management/sentinel`,
	Keeps:    []Promise{exclusiveWhileReplicated, ownRelease},
	Nodes:    2,
	Service:  sentinelSet,
	Failover: nodes.GetMaster{},
	Lock:     setWithExpiry,
	Release:  compareAndDelete,
}

// exclusiveWhileReplicated is what a lease on a replicated Redis promises.
var exclusiveWhileReplicated = Promise{"mutual-exclusion", "every holder is done before its lease ends, no clock is moved, and the master neither restarts nor is replaced while a lock is held"}

// sentinelSet is a master, its replicas and a Sentinel. Their times are scaled so
// that the TTL stands for ten seconds: a second to them is a tenth of it. The
// Sentinel pings every second, takes a master for dead after five
// (down-after-milliseconds 5000), acts a second later, and demotes an old master
// that it has seen for eight (SENTINEL_PUBLISH_PERIOD * 4). Persistence is that
// of redis.conf as shipped, which saves nothing of a lock.
func sentinelSet(params Params) []sim.ServerSpec {
	second := params.TTL / 10
	return replicatedSet(params, "sentinel",
		nodes.Replication{Second: second, Persistence: nodes.SavePoints(second)},
		&nodes.Sentinel{Second: second, DownAfter: 5 * second, Election: second, Demotion: 8 * second})
}

// replicatedSet is as many servers as there are nodes, the first of them the
// master, and one that watches them under the given name.
func replicatedSet(params Params, watcher string, replication nodes.Replication, sentinel *nodes.Sentinel) []sim.ServerSpec {
	var names []string
	for i := range params.Nodes {
		names = append(names, fmt.Sprintf("n%d", i+1))
	}
	var specs []sim.ServerSpec
	for i, server := range replication.Servers(0, names...) {
		specs = append(specs, sim.ServerSpec{Name: names[i], Server: server})
		sentinel.Members = append(sentinel.Members, nodes.Member{ID: sim.ServerID(i), Name: names[i]})
	}
	return append(specs, sim.ServerSpec{Name: watcher, Server: sentinel, Durable: true})
}

// connect returns what a client knows, with the cell in which its threads
// remember who the master is.
func (e *Env) connect(t *sim.Thread) *Env {
	if e.Failover == nil {
		return e
	}
	own := *e
	own.master = t.NewCell()
	return &own
}

// askMaster calls whom the client takes for the master. As clients of Sentinel
// do, it asks who that is at the start and after every call that failed, and
// trusts the answer until the next one does.
func (e *Env) askMaster(t *sim.Thread, r sim.Request) sim.Reply {
	master, ok := e.findMaster(t)
	if !ok {
		return nil
	}
	call := t.Call(master, r, e.CallTimeout())
	if _, refused := call.Reply.(nodes.Error); refused || call.Sent && call.Reply == nil {
		t.Store(e.master, 0)
	}
	return call.Reply
}

// findMaster returns the master that the client remembers, or that the Sentinel
// names.
func (e *Env) findMaster(t *sim.Thread) (sim.ServerID, bool) {
	if known := t.Load(e.master); known != 0 {
		return sim.ServerID(known - 1), true
	}
	watcher := e.Locks[len(e.Locks)-1]
	named, ok := t.Call(watcher, e.Failover, e.CallTimeout()).Reply.(nodes.Member)
	if ok {
		t.Store(e.master, int64(named.ID)+1)
	}
	return named.ID, ok
}
