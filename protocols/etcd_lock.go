package protocols

import (
	"fmt"

	"simrun/nodes"
	"simrun/sim"
)

var etcdLock = &Protocol{
	Name:    "etcd-lock",
	Brief:   "the lock of etcd's client: a key bound to a lease, the lowest create revision owns; no fencing",
	Source:  "etcd-io/etcd, client/v3/concurrency: session.go, mutex.go; client/v3/lease.go",
	Keeps:   []Promise{exclusiveWhileAnswered, ownRelease},
	Nodes:   1,
	Service: etcdCluster,
	Lock:    withoutToken(EtcdLock{Recheck: true}.Lock),
	Release: revokeLease,
}

// exclusiveWhileAnswered is what a lease promises whose client counts it from
// the answers that it receives.
var exclusiveWhileAnswered = Promise{"mutual-exclusion", "no client pauses, clocks run at the same rate, and the last answer before a client is cut off was not late"}

// etcdPrefix is the directory of the keys that queue for the lock.
const etcdPrefix = lockKey + "/"

func etcdCluster(params Params) []sim.ServerSpec {
	return []sim.ServerSpec{{Name: "etcd", Server: nodes.NewEtcd(params.TTL), Durable: true}}
}

// withoutToken leaves out the fencing token that a lock gives.
func withoutToken(lock Lock) Lock {
	return func(t *sim.Thread, e *Env, value string) (Lease, bool) {
		l, ok := lock(t, e, value)
		l.Fence = 0
		return l, ok
	}
}

// EtcdLock is the recipe. Its token is the create revision of the lock's key.
type EtcdLock struct {
	// Recheck says that who had to wait reads its own key before it believes
	// to hold the lock (etcd-io/etcd#11456): its lease may have expired in the
	// queue. Who need not wait never looks again.
	Recheck bool
}

// Lock grants itself a lease, queues with a key that is bound to it, and waits
// until every key created before is deleted.
func (x EtcdLock) Lock(t *sim.Thread, e *Env, value string) (Lease, bool) {
	granted, ok := e.request(t, nodes.LeaseGrant{TTL: e.TTL}).(nodes.LeaseGranted)
	if !ok {
		return Lease{}, false
	}
	l := Lease{Value: value, Session: e.session(t, granted.ID, keepLease)}
	key := fmt.Sprintf("%s%x", etcdPrefix, granted.ID)
	mine, owner, ok := e.enqueue(t, key, value, granted.ID)
	if ok && (owner == mine || x.awaitTurn(t, e, key, mine)) {
		l.Fence = mine
		return l, true
	}
	t.For(sim.Release)
	revokeLease(t, e, l)
	return Lease{}, false
}

// enqueue creates the key unless it is there already, and returns its create
// revision and that of the key which has the lock.
func (e *Env) enqueue(t *sim.Thread, key, value string, lease int64) (mine, owner int64, ok bool) {
	first := nodes.EtcdOp{Key: etcdPrefix, Sort: nodes.FirstCreate}
	reply, ok := e.request(t, nodes.EtcdTxn{
		If:   []nodes.EtcdCompare{{Target: nodes.CreateRevision, Key: key}},
		Then: []nodes.EtcdOp{nodes.EtcdPut(key, value, lease), first},
		Else: []nodes.EtcdOp{nodes.EtcdGet(key), first},
	}).(nodes.EtcdTxnReply)
	if !ok {
		return 0, 0, false
	}
	mine = reply.Revision
	if !reply.Succeeded {
		mine = reply.Replies[0].(nodes.EtcdRange).KVs[0].Create
	}
	return mine, reply.Replies[1].(nodes.EtcdRange).KVs[0].Create, true
}

// awaitTurn waits for the deletion of the key created last before the client's
// own, until there is none.
func (x EtcdLock) awaitTurn(t *sim.Thread, e *Env, key string, mine int64) bool {
	end := t.Monotonic().Add(e.TurnTimeout())
	for {
		last := nodes.EtcdOp{Key: etcdPrefix, Sort: nodes.LastCreate, MaxCreate: mine - 1}
		before, ok := e.request(t, last).(nodes.EtcdRange)
		if !ok {
			return false
		}
		if len(before.KVs) == 0 {
			return !x.Recheck || e.exists(t, key)
		}
		left := end.Sub(t.Monotonic())
		if left <= 0 {
			return false
		}
		t.Call(e.Locks[0], nodes.EtcdWatch{Key: before.KVs[0].Key, From: before.Revision}, min(left, e.WatchTimeout()))
	}
}

func (e *Env) exists(t *sim.Thread, key string) bool {
	own, ok := e.request(t, nodes.EtcdGet(key)).(nodes.EtcdRange)
	return ok && len(own.KVs) > 0
}

// keepLease prolongs the lease every third of its TTL, and oftener while no
// answer comes. The lease is lost when the server says so, or a TTL after the
// last answer was received: not after that keep-alive was sent.
func keepLease(t *sim.Thread, e *Env, s Session) {
	deadline := t.Monotonic().Add(e.TTL)
	for next := e.TTL / 3; t.Sleep(next); {
		left := deadline.Sub(t.Monotonic())
		if left <= 0 {
			break
		}
		alive, ok := t.Call(e.Locks[0], nodes.LeaseKeepAlive{ID: s.id}, min(left, e.CallTimeout())).Reply.(nodes.LeaseAlive)
		if ok && alive.TTL == 0 {
			break
		}
		now := t.Monotonic()
		if ok {
			next, deadline = e.TTL/3, now.Add(e.TTL)
		} else {
			next = min(e.RetryPause(), deadline.Sub(now))
		}
	}
	if t.Stopped() == "" {
		t.Store(s.Lost, 1)
	}
}

// revokeLease deletes the key together with its lease.
func revokeLease(t *sim.Thread, e *Env, l Lease) {
	t.Store(l.Session.over, 1)
	e.request(t, nodes.LeaseRevoke{ID: l.Session.id})
}
