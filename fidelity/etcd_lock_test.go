//go:build !386

package fidelity

import (
	"context"
	"testing"
	"time"

	etcdversion "go.etcd.io/etcd/api/v3/version"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
	"pgregory.net/rapid"

	"simrun/nodes"
	"simrun/sim"
)

// The lock of etcd's own client is granted in the order in which it is granted
// in the simulation, with the same tokens.
func TestEtcdLockIsGrantedAsTheRealOneIs(t *testing.T) {
	real := startEtcd(t)
	revoke := func(session int64) sim.Request { return nodes.LeaseRevoke{ID: session} }
	scripts := moves()
	checks(t, 40)
	compared := tally{}
	rapid.Check(t, func(t *rapid.T) {
		script := scripts.Draw(t, "moves")
		simulated, counts := playSimulated(real.t, newEtcd(), "etcd-lock-fenced", revoke, script)
		mustAgree(t, simulated, real.play(script, counts))
		compared.count(script)
	})
	etcdTable.record(t, etcdversion.Version, compared)
}

// An etcdQueue is the lock recipe of etcd's client.
type etcdQueue struct {
	realQueue
	etcd     *realEtcd
	ctx      context.Context
	sessions []*concurrency.Session
}

func (e *realEtcd) play(script []move, counts []int) account {
	ctx, cancel := context.WithTimeout(context.Background(), etcdPatience)
	defer cancel()
	e.begin(ctx)
	q := &etcdQueue{etcd: e, ctx: ctx, realQueue: realQueue{granted: make(chan grant, len(script)), counts: counts}}
	return play(q, script)
}

func (q *etcdQueue) ask(n int) {
	s, err := concurrency.NewSession(q.etcd.client, concurrency.WithContext(q.ctx))
	if err != nil {
		q.etcd.t.Fatal(err)
	}
	q.sessions = append(q.sessions, s)
	go q.lock(n, concurrency.NewMutex(s, "lock"))
	for {
		r, err := q.etcd.client.Get(q.ctx, "lock/", clientv3.WithPrefix())
		if err != nil {
			q.etcd.t.Fatal(err)
		}
		for _, kv := range r.Kvs {
			if kv.Lease == int64(s.Lease()) {
				return
			}
		}
		time.Sleep(time.Millisecond)
	}
}

func (q *etcdQueue) lock(n int, m *concurrency.Mutex) {
	if m.Lock(q.ctx) != nil {
		return
	}
	r, err := q.etcd.client.Get(q.ctx, m.Key())
	if err == nil && len(r.Kvs) == 1 {
		q.granted <- grant{n, r.Kvs[0].CreateRevision - q.etcd.before}
	}
}

func (q *etcdQueue) end(n int) {
	if _, err := q.etcd.client.Revoke(q.ctx, q.sessions[n-1].Lease()); err != nil {
		q.etcd.t.Fatal(err)
	}
}
