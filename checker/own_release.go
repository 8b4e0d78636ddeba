package checker

import (
	"fmt"

	"simrun/sim"
)

var ownRelease = &Check{
	Name:   "own-release",
	Breaks: "a release, renewal or takeover removes or prolongs a lock that its caller does not hold",
	Judge:  judgeOwnRelease,
}

func judgeOwnRelease(h *sim.History) Verdict {
	for i := range h.Changes {
		c := &h.Changes[i]
		switch c.Kind {
		case sim.Removed, sim.Prolonged, sim.Overwritten:
			if c.By != c.Owner && c.By != sim.Nobody {
				why := fmt.Sprintf("%s's lock on %s was %s by %s", c.Owner, c.Server, c.Kind, c.By)
				return violated(c.At, why, c.At.Index)
			}
		}
	}
	return held()
}
