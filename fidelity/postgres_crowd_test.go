//go:build linux

package fidelity

import (
	"strings"

	"simrun/nodes"
	"simrun/sim"
)

// Who waits for a row that another changes has to look for its new version when
// the change is committed. Where several wait, each does so by itself, and which
// one finds it first is chance; so it is with several that wait for one inserter.
// Those who wait for a row that is merely locked, or whose change is rolled back,
// are served as they came, as the simulated server always serves. So scripts keep
// out of such crowds.

// A pgRow is a row for which statements can wait, or a key that must be unique.
type pgRow int

const (
	pgNoRow pgRow = iota
	pgInventoryRow
	pgInvoiceRow
	pgSentKey
	pgRows // how many there are
)

// pgRowOf returns the row that a statement locks, and whether it changes it.
func pgRowOf(r sim.Request) (row pgRow, changes bool) {
	switch r := r.(type) {
	case nodes.LockRow:
		return pgInventoryRow, false
	case nodes.ReadRow:
		if r.Guard == nodes.Unguarded {
			return pgNoRow, false
		}
		return pgInventoryRow, true
	case nodes.WriteRow, nodes.ClaimRow, nodes.WriteClaimed:
		return pgInventoryRow, true
	case nodes.SendInvoice:
		return pgInvoiceRow, true
	case nodes.RecordSent:
		return pgSentKey, true
	}
	return pgNoRow, false
}

// A pgQueue is what is known of one row: who may have it, and who may wait.
type pgQueue struct {
	holds   [pgClients]bool
	changed [pgClients]bool
	waiting int
	toWrite bool // one that waits will change it
}

// crowds reports whether a step would make for a crowd.
func (p pgScript) crowds(step pgStep) bool {
	row, changes := pgRowOf(step.request)
	if row == pgNoRow {
		return false
	}
	q := p.queues()[row]
	if q.holds[step.client] {
		return changes && q.waiting > 1
	}
	return q.waiting > 0 && (changes || q.toWrite || q.changed != [pgClients]bool{})
}

// queues returns what is known of each row.
func (p pgScript) queues() (rows [pgRows]pgQueue) {
	var block [pgClients]bool // who is in a transaction block
	for i, s := range p.steps {
		row, changes := pgRowOf(s.request)
		q, answer := &rows[row], p.answers[i].text
		switch {
		case s.act == pgCrashes:
			block = [pgClients]bool{}
		case s.act == pgLeaves, s.act == pgAsks && answer == "":
			q.waiting++
			q.toWrite = q.toWrite || changes
		case s.act == pgAsks && s.request == nodes.Begin:
			block[s.client] = true
		case block[s.client] && s.act == pgAsks && !pgInVain(answer):
			q.holds[s.client] = true
			q.changed[s.client] = q.changed[s.client] || changes
		}
		if s.act != pgAsks || answer == pgLost || s.request == nodes.Commit || s.request == nodes.Rollback {
			block[s.client] = false
		}
		for r := range rows {
			rows[r].leave(block)
		}
	}
	return rows
}

// pgInVain reports whether a statement was answered that it changed nothing.
func pgInVain(answer string) bool {
	return answer == nodes.Rows(0).String() || strings.HasPrefix(answer, "ERROR")
}

// leave removes who is in no block, and where nobody is, all who may wait.
func (q *pgQueue) leave(block [pgClients]bool) {
	if block == [pgClients]bool{} {
		*q = pgQueue{}
	}
	for client, in := range block {
		q.holds[client] = q.holds[client] && in
		q.changed[client] = q.changed[client] && in
	}
}
