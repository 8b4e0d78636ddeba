//go:build linux

package fidelity

import (
	"strings"

	"simrun/nodes"
	"simrun/sim"
)

// tally counts the last step of a script.
func (d *pgDuel) tally(p pgScript) {
	last := len(p.steps) - 1
	d.count[p.steps[last].name()]++
	if p.steps[last].act == pgAsks && p.answers[last].text == "" {
		d.count["a statement waits"]++
	}
	if strings.Contains(p.last(), "deadlock detected") {
		d.count["a deadlock"]++
	}
}

// name returns the name of the step's row in the table.
func (s pgStep) name() string {
	switch s.act {
	case pgAsks:
		return pgNameOf(s.request)
	case pgLeaves:
		return "a client is gone before its answer"
	case pgHangsUp:
		return "a client closes its connection"
	case pgIsEnded:
		return "the server ends a connection"
	}
	return "the server crashes"
}

func pgNameOf(r sim.Request) string {
	switch r := r.(type) {
	case nodes.Transaction:
		return "BEGIN, COMMIT, ROLLBACK"
	case nodes.SendInvoice:
		return "UPDATE on a condition"
	case nodes.RecordSent:
		return "INSERT of a unique key"
	case nodes.LockRow:
		return "SELECT … FOR UPDATE"
	case nodes.NextToken:
		return "nextval"
	case nodes.Advisory:
		if r.Function == nodes.XactLock || r.Function == nodes.TryXactLock {
			return "advisory locks of transactions"
		}
		return "advisory locks of sessions"
	case nodes.WriteRow:
		if r.Guard == nodes.Unguarded {
			return "UPDATE of the row"
		}
	}
	if _, changes := pgRowOf(r); changes {
		return "UPDATE with a token"
	}
	return "SELECT"
}
