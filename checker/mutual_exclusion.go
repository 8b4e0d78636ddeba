package checker

import "simrun/sim"

var mutualExclusion = &Check{
	Name:   "mutual-exclusion",
	Breaks: "two clients believe at one instant that they hold the lock",
	Lasts:  true,
	Judge:  judgeMutualExclusion,
}

// judgeMutualExclusion sweeps over the grants in the order in which beliefs
// began, keeping those beliefs that have not ended.
func judgeMutualExclusion(h *sim.History) Verdict {
	verdict := Verdict{State: Held, Empty: h.Attempts == 0}
	open := make([]int, 0, 8)
	for i := range h.Grants {
		g := &h.Grants[i]
		still := open[:0]
		for _, j := range open {
			other := &h.Grants[j]
			if !g.From.Before(other.Until) {
				continue
			}
			still = append(still, j)
			end := other.Until
			if g.Until.Before(end) {
				end = g.Until
			}
			if verdict.State == Held {
				verdict = violated(g.From, overlap(other, g), other.From.Index, g.From.Index, end.Index)
			}
			verdict.Length = max(verdict.Length, end.At.Sub(g.From.At))
		}
		open = append(still, i)
	}
	return verdict
}

func overlap(first, second *sim.Grant) string {
	return first.Holder.Name() + " still believes that it holds the lock when " + second.Holder.Name() + " is granted it"
}
