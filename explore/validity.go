package explore

import (
	"time"

	"simrun/sim"
)

// Validity returns how long after it began to acquire the lock a client stops by
// itself if its job goes on and on, as measured in a quiet run, and false if it
// does not.
func (sp *Space) Validity() (time.Duration, bool) {
	s := sp.Quiet()
	s.Faults = []sim.Fault{{
		Kind:   sim.KindNamed("overrun"),
		Actor:  sim.Actor{From: sp.clients[0]},
		Point:  sim.Point{Place: sim.InRound, N: 1},
		Amount: int64(2 * sp.Params.TTL),
	}}
	judge := sp.NewJudge(nil)
	defer judge.Close()
	out, err := judge.Run(s)
	if err != nil {
		panic(err) // the first client has a first round
	}
	if len(out.History.Grants) == 0 {
		return 0, false // there is no lock
	}
	first := out.History.Grants[0] // that of the client that starts first
	return time.Duration(first.Until.At - first.Call.At), first.End == sim.Deadline
}
