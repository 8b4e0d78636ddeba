package checker

import (
	"github.com/anishathalye/porcupine"

	"simrun/sim"
)

// The two ways to a verdict, which the checks combine, each by itself.

// WitnessLosesNothing reports whether the order in which the resource applied
// the writes is a linearization.
func WitnessLosesNothing(h *sim.History) bool { return nextLoss(h, 0) < 0 }

// WitnessesFork reports whether two updates are known to have replaced one value.
func WitnessesFork(h *sim.History) bool {
	ops, _ := updates(h, h.Ended, h.Final)
	return fork(ops)
}

// SearchLosesNothing reports whether porcupine finds a linearization.
func SearchLosesNothing(h *sim.History) bool {
	ops, _ := updates(h, h.Ended, h.Final)
	return porcupine.CheckOperations(updateModel, ops)
}

// SearchLock reports whether porcupine finds a linearization of the grants.
func SearchLock(h *sim.History, fenced bool) bool {
	return porcupine.CheckOperations(lockModel(fenced), lockOperations(h))
}
