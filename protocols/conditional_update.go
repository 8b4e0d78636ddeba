package protocols

import (
	"simrun/nodes"
	"simrun/sim"
)

var conditionalUpdate = &Protocol{
	Name:    "conditional-update",
	Brief:   "no lock: UPDATE invoices SET status = 'SENT' … WHERE status = 'PENDING', which one of many gets 1 row of",
	Source:  `"Distributed locks and their limits", the design that does not need the lock`,
	Keeps:   []Promise{once},
	Nodes:   1,
	Service: patientPostgres,
	Job:     sendIfPending,
}

// once is what the designs promise that need no lock.
var once = Promise{"effect-once", "always"}

// sendIfPending looks for work, does it, and has the database decide whether it
// was first. The committed change of the row is the effect.
func sendIfPending(t *sim.Thread, e *Env, l Lease) sim.End {
	t.For(sim.Read)
	if e.query(t, e.Locks[0], nodes.ReadInvoice{}).Reply != (nodes.InvoiceRow{}) {
		return sim.Released
	}
	t.For(sim.Work)
	t.Work()
	t.For(sim.Write)
	e.query(t, e.Locks[0], nodes.SendInvoice{By: l.Value, Pending: true})
	return sim.Released
}
