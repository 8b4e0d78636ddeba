package protocols

import (
	"simrun/nodes"
	"simrun/sim"
)

var rowLock = &Protocol{
	Name:   "row-lock",
	Brief:  "SELECT … FOR UPDATE, the job, the write and COMMIT in one transaction of PostgreSQL",
	Source: `postgresql.org/docs/current/explicit-locking.html#LOCKING-ROWS; "Distributed locks with Redis", summary`,
	Keeps: []Promise{
		{"no-lost-update", "always: the write and the lock are of one transaction, and end together"},
		ownRelease,
	},
	Nodes:   1,
	Service: postgres,
	Lock:    lockRow,
	Release: endedWithTheJob,
	Job:     updateInTransaction,
}

// lockRow begins the transaction and waits for the row's lock.
func lockRow(t *sim.Thread, e *Env, value string) (Lease, bool) {
	if e.query(t, e.Locks[0], nodes.Begin).Reply != nodes.Status(nodes.Begin) {
		return Lease{}, false
	}
	_, ok := e.query(t, e.Locks[0], nodes.LockRow{}).Reply.(nodes.Row)
	return Lease{Value: value}, ok
}

// updateInTransaction is the read-modify-write of the inventory's row. Whatever
// fails has ended the connection and with it the transaction: what comes after
// must not go on outside of it, on another connection. To commit is to give the
// lock back, so that belief ends before.
func updateInTransaction(t *sim.Thread, e *Env, _ Lease) sim.End {
	t.For(sim.Read)
	row, ok := e.readFrom(t, e.Locks[0], nodes.ReadRow{})
	if !ok {
		return sim.Told
	}
	t.For(sim.Work)
	t.Work()
	t.Effect(row.Writer)
	t.For(sim.Write)
	access := t.BeginAccess(sim.WriteAccess)
	if e.query(t, e.Locks[0], nodes.WriteRow{Qty: row.Qty + 1}).Reply != nodes.Rows(1) {
		t.EndAccess(access, sim.Refused, sim.Nobody)
		return sim.Told
	}
	t.For(sim.Release)
	t.EndBelief(sim.Released)
	r := e.query(t, e.Locks[0], nodes.Commit)
	t.EndAccess(access, written(r, nodes.Status(nodes.Commit)), sim.Nobody)
	return sim.Released
}

// endedWithTheJob releases nothing: the transaction is over.
func endedWithTheJob(*sim.Thread, *Env, Lease) {}
