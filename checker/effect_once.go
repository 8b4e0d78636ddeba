package checker

import (
	"fmt"

	"simrun/sim"
)

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
				why := fmt.Sprintf("%s and then %s did the outside effect for %s", first.Holder, second.Holder, second.Key.Value())
				return violated(second.At, why, first.At.Index, second.At.Index)
			}
		}
	}
	return Verdict{State: Held, Empty: len(h.Effects) == 0}
}
