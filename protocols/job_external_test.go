package protocols_test

import (
	"testing"
	"time"

	"simrun/clock"
	"simrun/protocols"
	"simrun/sim"
)

func TestWritesEndAsTheirRepliesSay(t *testing.T) {
	tests := []struct {
		name  string
		fault string
		want  sim.Outcome
	}{
		{"touched the row", "overrun A round 1 for 1ms", sim.Accepted},
		{"touched no row", "pause A before write 1 for 330ms", sim.Refused},
		{"the reply is lost", "loss db->A reply 2", sim.Unknown},
		{"the request is lost", "loss A->db request 2", sim.Unknown},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := protocols.Named("fencing")
			params := p.Defaults()
			params.Clients, params.Rounds = 2, 1
			h := run(t, p, params,
				"noise seed 1 from 500µs to 500µs",
				"client A starts at 0s works 60ms rounds 1",
				"client B starts at 305ms works 1ms rounds 1",
				test.fault,
			)
			for _, a := range h.Accesses {
				if a.Holder.String() != "A#1" || a.Kind != sim.WriteAccess {
					continue
				}
				if a.Outcome != test.want || (a.Return == h.Ended) != (a.Outcome == sim.Unknown) {
					t.Errorf("the write is %s and returns at %v, want %s", a.Outcome, a.Return, test.want)
				}
				return
			}
			t.Error("A never writes")
		})
	}
}

// A client believes for as long as it waits for the database, which is a TTL.
func TestWriteWithoutAReplyIsGivenUpAfterATTL(t *testing.T) {
	p := protocols.Named("lua-release")
	params := p.Defaults()
	params.Clients, params.Rounds = 1, 1
	h := run(t, p, params,
		"noise seed 1 from 500µs to 500µs",
		"client A starts at 0s works 60ms rounds 1",
		"loss A->db request 2",
	)
	// The lock takes a millisecond, and so does the read.
	if got := h.Grants[0]; got.Until.At != clock.Instant(362*ms) || got.End != sim.Released {
		t.Errorf("belief ends at %v, %s, want 362ms, released", time.Duration(got.Until.At), got.End)
	}
}
