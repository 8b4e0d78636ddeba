package checker

import "simrun/sim"

var noStaleWrite = &Check{
	Name:   "no-stale-write",
	Breaks: "the resource accepts a write of an older grant after one of a newer grant",
	Judge:  judgeNoStaleWrite,
}

// judgeNoStaleWrite goes through the accepted writes in the order in which the
// resource applied them. A grant is older than another if its acquire had
// returned before the other's began; a write is thus stale if it comes after
// one whose acquire began after this one's had returned, and of the writes so
// far only the one with the latest such beginning need be remembered.
func judgeNoStaleWrite(h *sim.History) Verdict {
	var newest *sim.Grant
	var newestWrite sim.Stamp
	for i := range h.Changes {
		c := &h.Changes[i]
		if c.Kind != sim.Wrote {
			continue
		}
		g := grantOf(h, c.By)
		if g == nil {
			continue
		}
		if newest != nil && g.From.Before(newest.Call) {
			why := "the write of " + g.Holder.String() + " was accepted after that of " + newest.Holder.String() + ", which was granted the lock later"
			return violated(c.At, why, newestWrite.Index, c.At.Index)
		}
		if newest == nil || newest.Call.Before(g.Call) {
			newest, newestWrite = g, c.At
		}
	}
	return Verdict{State: Held, Empty: newest == nil}
}

// grantOf returns the grant of a holder. Writes come soon after their grants,
// so the latest grants are looked at first.
func grantOf(h *sim.History, holder sim.Holder) *sim.Grant {
	for i := len(h.Grants) - 1; i >= 0; i-- {
		if h.Grants[i].Holder == holder {
			return &h.Grants[i]
		}
	}
	return nil
}
