package nodes

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"simrun/sim"
)

// Etcd is an etcd cluster: keys with revisions, transactions, leases and
// watches (etcd-io/etcd at c34dc7e: server/lease, server/storage/mvcc). One
// server speaks for all members, since that Raft agrees is taken for granted:
// every request is a single step, what is answered is never lost, and reads are
// linearizable. What clients feel of the members is the time without a leader.
//
// Until there is a new leader, proposals get no answer and are not applied;
// keep-alives, which require a leader, are refused. The new leader gives
// every lease its full TTL and an election timeout on top, and so does the
// first leader after a crash. Compaction and the checkpoints of long leases
// are not modelled.
//
// Use [NewEtcd] to make one.
type Etcd struct {
	ensemble
	revision int64
	deleted  []deletion
}

// A deletion is an event of the past that a watch can ask for.
type deletion struct {
	key string
	at  int64 // revision
}

// NewEtcd returns a cluster whose timings suit leases of the given TTL as those
// of a real one suit a lease of ten seconds: it looks for expired leases every
// 500 ms, and its election timeout is a second.
func NewEtcd(ttl time.Duration) *Etcd {
	e := &Etcd{ensemble: ensemble{step: max(ttl/20, 1), election: max(ttl/10, 1)}}
	e.Reset()
	return e
}

// MinTTL is the least TTL of a lease, one and a half election timeouts. A lease
// that is asked to be shorter is made as long.
func (e *Etcd) MinTTL() time.Duration { return e.election * 3 / 2 }

// Reset implements [sim.Server].
func (e *Etcd) Reset() {
	e.reset()
	e.revision, e.deleted = 1, e.deleted[:0]
}

// Serve implements [sim.Server].
func (e *Etcd) Serve(m *sim.Machine, c sim.Call) {
	if e.leaderless {
		if _, ok := c.Request.(LeaseKeepAlive); ok {
			m.Answer(c, ErrNoLeader)
		}
		return
	}
	switch r := c.Request.(type) {
	case LeaseGrant:
		ttl := max(r.TTL, e.MinTTL())
		m.Answer(c, LeaseGranted{ID: e.grant(m, ttl), TTL: ttl})
	case LeaseKeepAlive:
		m.Answer(c, e.keepAlive(m, c.By, r.ID))
	case LeaseRevoke:
		m.Answer(c, e.revoke(m, c.By, r.ID, sim.Removed))
	case EtcdOp:
		m.Answer(c, e.single(m, c.By, r))
	case EtcdTxn:
		m.Answer(c, e.transact(m, c.By, r))
	case EtcdWatch:
		e.watch(m, c, r)
	default:
		m.Answer(c, Error(fmt.Sprintf("unknown method %s for service etcdserverpb.KV", r)))
	}
}

// keepAlive gives a lease its TTL again. Of a lease that it does not know the
// server says that no time is left.
func (e *Etcd) keepAlive(m *sim.Machine, by sim.Holder, id int64) sim.Reply {
	l := e.find(id)
	if l == nil {
		return LeaseAlive{ID: id}
	}
	e.renew(m, l, 0)
	e.prolonged(m, by, id)
	return LeaseAlive{ID: id, TTL: l.ttl}
}

// revoke ends a lease and deletes its keys, all in one revision.
func (e *Etcd) revoke(m *sim.Machine, by sim.Holder, id int64, kind sim.ChangeKind) sim.Reply {
	if e.find(id) == nil {
		return ErrLeaseNotFound
	}
	e.drop(id)
	at := e.revision + 1
	for i := e.leased(id); i >= 0; i = e.leased(id) {
		e.delete(m, i, kind, by, at)
	}
	return LeaseRevoked{ID: id}
}

func (e *Etcd) delete(m *sim.Machine, i int, kind sim.ChangeKind, by sim.Holder, at int64) {
	name := e.keys[i].name
	e.revision = at
	e.deleted = append(e.deleted, deletion{name, at})
	e.remove(m, i, kind, by, at, EtcdDeleted{Key: name, Revision: at})
}

func (e *Etcd) single(m *sim.Machine, by sim.Holder, op EtcdOp) sim.Reply {
	if !e.applies(op) {
		return ErrLeaseNotFound
	}
	return e.apply(m, by, op, e.revision+1)
}

// transact applies one of two lists of operations, in one revision and as a
// whole or not at all.
func (e *Etcd) transact(m *sim.Machine, by sim.Holder, txn EtcdTxn) sim.Reply {
	if writesTwice(txn.Then) || writesTwice(txn.Else) {
		return ErrDuplicateKey
	}
	succeeded := !slices.ContainsFunc(txn.If, func(c EtcdCompare) bool { return !e.holds(c) })
	ops := txn.Then
	if !succeeded {
		ops = txn.Else
	}
	if slices.ContainsFunc(ops, func(op EtcdOp) bool { return !e.applies(op) }) {
		return ErrLeaseNotFound
	}
	reply := EtcdTxnReply{Succeeded: succeeded}
	at := e.revision + 1
	for _, op := range ops {
		reply.Replies = append(reply.Replies, e.apply(m, by, op, at))
	}
	reply.Revision = e.revision
	return reply
}

// writesTwice reports whether operations put a key that another of them puts or
// deletes. A deletion of all keys passes unnoticed.
func writesTwice(ops []EtcdOp) bool {
	for i, put := range ops {
		if put.Verb != EtcdPutVerb {
			continue
		}
		for j, other := range ops {
			again := other.Verb == EtcdPutVerb && j < i || other.Verb == EtcdDelVerb && other.Key != ""
			if again && other.names(put.Key) {
				return true
			}
		}
	}
	return false
}

// holds compares a key. One that does not exist has revisions of 0, and no
// value.
func (e *Etcd) holds(c EtcdCompare) bool {
	i := e.index(c.Key)
	if i < 0 {
		return c.Target != EtcdValue && c.Revision == 0
	}
	switch k := &e.keys[i]; c.Target {
	case CreateRevision:
		return k.created == c.Revision
	case ModRevision:
		return k.modified == c.Revision
	default:
		return k.value == c.Value
	}
}

// applies reports whether the lease of a put exists.
func (e *Etcd) applies(op EtcdOp) bool {
	return op.Verb != EtcdPutVerb || op.Lease == 0 || e.find(op.Lease) != nil
}

// apply executes one operation; what it writes has the revision at.
func (e *Etcd) apply(m *sim.Machine, by sim.Holder, op EtcdOp, at int64) sim.Reply {
	switch op.Verb {
	case EtcdPutVerb:
		e.put(m, by, op, at)
		return EtcdDone{Revision: e.revision}
	case EtcdDelVerb:
		return EtcdDone{Deleted: e.deleteAll(m, by, op, at), Deletes: true, Revision: e.revision}
	default:
		return e.get(op)
	}
}

func (e *Etcd) put(m *sim.Machine, by sim.Holder, op EtcdOp, at int64) {
	e.revision = at
	if i := e.index(op.Key); i >= 0 {
		k := &e.keys[i]
		k.value, k.modified, k.lease = op.Value, at, op.Lease
		return
	}
	e.add(m, leasedKey{name: op.Key, value: op.Value, created: at, modified: at, lease: op.Lease, owner: by})
}

func (e *Etcd) deleteAll(m *sim.Machine, by sim.Holder, op EtcdOp, at int64) int {
	n := 0
	for i := 0; i < len(e.keys); {
		if op.names(e.keys[i].name) {
			e.delete(m, i, sim.Removed, by, at)
			n++
		} else {
			i++
		}
	}
	return n
}

func (e *Etcd) get(op EtcdOp) sim.Reply {
	r := EtcdRange{Revision: e.revision}
	for _, k := range e.keys {
		if op.names(k.name) && (op.MaxCreate == 0 || k.created <= op.MaxCreate) {
			r.KVs = append(r.KVs, EtcdKV{Key: k.name, Value: k.value, Create: k.created, Mod: k.modified, Lease: k.lease})
		}
	}
	slices.SortFunc(r.KVs, func(a, b EtcdKV) int { return strings.Compare(a.Key, b.Key) })
	if op.Sort != ByKey && len(r.KVs) > 0 {
		r.KVs[0] = outermost(r.KVs, op.Sort)
		r.KVs = r.KVs[:1]
	}
	return r
}

// outermost returns the key that was created first or last. Of those that one
// transaction has created, it is the first by name either way.
func outermost(kvs []EtcdKV, sort EtcdSort) EtcdKV {
	byCreation := func(a, b EtcdKV) int { return cmp.Compare(a.Create, b.Create) }
	if sort == FirstCreate {
		return slices.MinFunc(kvs, byCreation)
	}
	return slices.MaxFunc(kvs, byCreation)
}

// watch answers when the key is deleted, or at once if it has been, at the
// revision asked for or after.
func (e *Etcd) watch(m *sim.Machine, c sim.Call, w EtcdWatch) {
	for _, d := range e.deleted {
		if d.key == w.Key && w.From > 0 && d.at >= w.From {
			m.Answer(c, EtcdDeleted{Key: d.key, Revision: d.at})
			return
		}
	}
	e.watchers = append(e.watchers, watcher{key: w.Key, from: w.From, call: c})
}

// Ring implements [sim.Timed]: an election is over, or a lease may be.
func (e *Etcd) Ring(m *sim.Machine, tag int64) {
	switch {
	case e.elected(tag):
		e.renewAll(m, e.election)
	case e.over(m, tag):
		e.revoke(m, sim.Nobody, tag, sim.Expired)
	}
}

// Elect implements [sim.Elector].
func (e *Etcd) Elect(m *sim.Machine, d time.Duration) { e.elect(m, d) }

// Start implements [sim.Starter].
func (e *Etcd) Start(m *sim.Machine) { e.start(m) }

// Closed implements [sim.SessionServer]: a watch ends with its stream, a lease
// does not.
func (e *Etcd) Closed(_ *sim.Machine, c sim.Conn) { e.closed(c) }

// Crash implements [sim.Server]: all members go down together.
func (e *Etcd) Crash(m *sim.Machine, keep bool) {
	e.crash(m, keep)
	if !keep {
		e.revision, e.deleted = 1, e.deleted[:0]
	}
}

// Settle implements [sim.Server]. Leases end when their alarms ring.
func (e *Etcd) Settle(*sim.Machine) {}
