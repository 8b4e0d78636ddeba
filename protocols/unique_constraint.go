package protocols

import (
	"simrun/nodes"
	"simrun/sim"
)

var uniqueConstraint = &Protocol{
	Name:    "unique-constraint",
	Brief:   "no lock: a row of invoice_sent, one for each invoice, in the same transaction as the effect",
	Source:  `"Distributed locks and their limits", the design that does not need the lock`,
	Keeps:   []Promise{once},
	Nodes:   1,
	Service: postgres,
	Job:     sendOnceRecorded,
}

// sendOnceRecorded claims the invoice by inserting its row, and has it sent in
// the same transaction: a second insert waits for the end of the first
// transaction, and fails if that is committed.
func sendOnceRecorded(t *sim.Thread, e *Env, l Lease) sim.End {
	t.For(sim.Acquire)
	if e.query(t, e.Locks[0], nodes.Begin).Reply != nodes.Status(nodes.Begin) {
		return sim.Released
	}
	switch e.query(t, e.Locks[0], nodes.RecordSent{By: l.Value}).Reply {
	case nodes.Rows(1):
	case nil, nodes.ConnectionLost:
		return sim.Released // the transaction is gone with the connection
	default:
		e.query(t, e.Locks[0], nodes.Rollback)
		return sim.Released
	}
	t.For(sim.Work)
	t.Work()
	t.For(sim.Write)
	if e.query(t, e.Locks[0], nodes.SendInvoice{By: l.Value}).Reply == nodes.Rows(1) {
		e.query(t, e.Locks[0], nodes.Commit)
	}
	return sim.Released
}
