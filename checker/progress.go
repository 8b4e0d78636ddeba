package checker

import (
	"fmt"

	"simrun/sim"
)

var progress = &Check{
	Name:   "progress",
	Breaks: "after the last fault has healed, nobody can get the lock within a bound",
	Judge:  judgeProgress,
}

func judgeProgress(h *sim.History) Verdict {
	if h.HealedAt == (sim.Stamp{}) {
		return Verdict{State: Unknown, Why: "the run ended before the faults had healed"}
	}
	if h.Attempts == 0 {
		return Verdict{State: Held, Empty: true}
	}
	for i := len(h.Grants) - 1; i >= 0; i-- {
		g := &h.Grants[i]
		if h.HealedAt.Before(g.From) && g.From.At.Sub(h.HealedAt.At) <= h.Patience {
			return held()
		}
	}
	why := fmt.Sprintf("nobody got the lock within %v after the last fault had healed", h.Patience)
	return violated(h.Ended, why, h.HealedAt.Index, h.Ended.Index)
}
