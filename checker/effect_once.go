package checker

import "simrun/sim"

var effectOnce = &Check{
	Name:   "effect-once",
	Breaks: "an outside effect that must happen once for each value of the resource happens twice",
	Judge:  judgeEffectOnce,
}

func judgeEffectOnce(h *sim.History) Verdict {
	for i := range h.Effects {
		second := &h.Effects[i]
		for j := range h.Effects[:i] {
			if first := &h.Effects[j]; first.Key == second.Key {
				why := first.Holder.String() + " and then " + second.Holder.String() + " did the outside effect for " + second.Key.Value()
				return violated(second.At, why, first.At.Index, second.At.Index)
			}
		}
	}
	return Verdict{State: Held, Empty: len(h.Effects) == 0}
}
