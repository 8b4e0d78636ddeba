//go:build linux

package fidelity

import (
	"testing"

	"simrun/nodes"
	"simrun/sim"
)

// The check of the check: servers that are wrong in the ways that matter to a lock.
func TestAWrongPostgresIsCaught(t *testing.T) {
	const few = 6
	right := func() *nodes.Postgres { return &nodes.Postgres{Keepalive: pgSilence} }
	tests := []struct {
		name   string
		topic  pgTopic
		server sim.Server
	}{
		{"whose advisory locks end with the transaction", pgLocks, pgMisled{right(), func(r sim.Request) sim.Request {
			if a, ok := r.(nodes.Advisory); ok && a.Function == nodes.TryAdvisoryLock {
				return nodes.Advisory{Function: nodes.TryXactLock, Key: a.Key}
			}
			return r
		}}},
		{"whose conditional update asks for no condition", pgInvoice, pgMisled{right(), func(r sim.Request) sim.Request {
			if s, ok := r.(nodes.SendInvoice); ok {
				return nodes.SendInvoice{By: s.By}
			}
			return r
		}}},
		{"whose FOR UPDATE locks nothing", pgLockedRow, pgMisled{right(), func(r sim.Request) sim.Request {
			if r == (nodes.LockRow{}) {
				return nodes.ReadRow{}
			}
			return r
		}}},
	}
	real := startPostgres(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := newPGDuel(t, real, tt.server, tt.topic)
			if caught(t, 0, d.check) == "" {
				t.Fatal("it is not caught")
			}
			err := d.follow(fewest(d.simulated.steps, func(steps []pgStep) bool { return d.follow(steps) != nil }))
			if err == nil || len(d.told) > few {
				t.Errorf("it is caught with %d steps, want at most %d:\n%v", len(d.told), few, err)
			}
		})
	}
}

// pgMisled takes requests for others.
type pgMisled struct {
	*nodes.Postgres
	takes func(sim.Request) sim.Request
}

func (p pgMisled) Serve(m *sim.Machine, c sim.Call) {
	c.Request = p.takes(c.Request)
	p.Postgres.Serve(m, c)
}
