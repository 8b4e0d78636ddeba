package protocols

import (
	"simrun/nodes"
	"simrun/sim"
)

var advisoryLock = &Protocol{
	Name:   "advisory-lock",
	Brief:  "pg_try_advisory_lock of PostgreSQL, held by the connection on which the job works",
	Source: `postgresql.org/docs/current/explicit-locking.html#ADVISORY-LOCKS; "Distributed locks with Redis", core concepts`,
	Keeps: []Promise{
		{"mutual-exclusion", "the server never drops the connection of a holder that does not notice: no pause is as long as the keepalive, no query waits as long, and the server does not crash"},
		ownRelease,
		{"no-lost-update", "always: a write on the lock's own connection fails once the lock is lost"},
	},
	Nodes:   1,
	Service: postgres,
	Lock:    tryAdvisoryLock,
	Release: advisoryUnlock,
	Job:     updateOnConnection,
}

// advisoryLockPooled is advisoryLock through a pooler that lends server
// connections by the transaction. The statements of one client, and their
// locks, end up on different ones.
var advisoryLockPooled = &Protocol{
	Name:   "advisory-lock-pooled",
	Brief:  "advisory-lock through a transaction pooler: the unlock runs on another connection than the lock",
	Source: "goauthentik/authentik#23876, Viren070/AIOStreams#975; pgbouncer.org/features.html, transaction pooling",
	Keeps:  []Promise{{"mutual-exclusion", "no statement of another client happens to run on the server connection that has the lock"}},
	Nodes:  1,
	Service: func(params Params) []sim.ServerSpec {
		return []sim.ServerSpec{{Name: "postgres", Server: &nodes.Postgres{Keepalive: params.TTL, Pool: 20}, Durable: true}}
	},
	Lock:    tryAdvisoryLock,
	Release: advisoryUnlock,
	Job:     updateOnConnection,
}

func tryAdvisoryLock(t *sim.Thread, e *Env, value string) (Lease, bool) {
	r := e.query(t, e.Locks[0], nodes.Advisory{Function: nodes.TryAdvisoryLock, Key: nodes.Invoice})
	return Lease{Value: value}, r.Reply == nodes.Bool(true)
}

// advisoryUnlock frees the lock, as code in a finally clause does: also where
// the connection is another by then, and the server says no.
func advisoryUnlock(t *sim.Thread, e *Env, _ Lease) {
	e.query(t, e.Locks[0], nodes.Advisory{Function: nodes.AdvisoryUnlock, Key: nodes.Invoice})
}

// updateOnConnection is the read-modify-write of the inventory's row on the
// connection that has the lock. A query that fails means that the connection is
// lost, and the lock with it.
func updateOnConnection(t *sim.Thread, e *Env, _ Lease) sim.End {
	t.For(sim.Read)
	row, ok := e.readFrom(t, e.Locks[0], nodes.ReadRow{})
	if !ok {
		return sim.Told
	}
	t.For(sim.Work)
	t.Work()
	t.Effect(row.Writer)
	t.For(sim.Write)
	if !e.writeTo(t, e.Locks[0], nodes.WriteRow{Qty: row.Qty + 1}) {
		return sim.Told
	}
	return sim.Released
}
