package checker

import (
	"fmt"

	"github.com/anishathalye/porcupine"

	"simrun/sim"
)

// The models of locks that Jepsen checks with Knossos (jepsen.io/analyses/
// hazelcast-3.8.3). A lease's expiry is no operation of a client, so that a
// plain mutex would reject correct leases: what releases the lock is the
// holder's own end of belief.
var (
	ownerMutex = &Check{
		Name:   "owner-mutex",
		Breaks: "the grants are not linearizable as a mutex that its owner alone releases",
		Judge:  func(h *sim.History) Verdict { return judgeLock(h, false) },
	}
	fencedMutex = &Check{
		Name:   "fenced-mutex",
		Breaks: "the grants are not linearizable as a mutex whose fencing tokens increase",
		Judge:  func(h *sim.History) Verdict { return judgeLock(h, true) },
	}
)

// judgeLock tries the order of the clients' own events first; it is a
// linearization if beliefs do not overlap and, for a fenced lock, tokens
// increase.
func judgeLock(h *sim.History, fenced bool) Verdict {
	witness := judgeMutualExclusion(h)
	if witness.State == Held && fenced {
		witness = judgeTokenOrder(h)
	}
	if witness.State == Held || porcupine.CheckOperations(lockModel(fenced), lockOperations(h)) {
		return held()
	}
	return witness
}

// A lockOperation is an acquire or a release.
type lockOperation struct {
	holder  sim.Holder
	acquire bool
	fence   int64
}

func lockOperations(h *sim.History) []porcupine.Operation {
	var ops []porcupine.Operation
	for i := range h.Grants {
		g := &h.Grants[i]
		ops = append(ops, porcupine.Operation{
			ClientId: i,
			Input:    lockOperation{holder: g.Holder, acquire: true, fence: g.Fence},
			Call:     int64(g.Call.Index),
			Return:   int64(g.From.Index),
		})
		if g.End != sim.Open {
			ops = append(ops, porcupine.Operation{
				ClientId: i,
				Input:    lockOperation{holder: g.Holder},
				Call:     int64(g.Until.Index),
				Return:   int64(g.Until.Index),
			})
		}
	}
	return ops
}

type lockState struct {
	owner sim.Holder
	fence int64
}

func lockModel(fenced bool) porcupine.Model {
	return porcupine.Model{
		Init: func() any { return lockState{} },
		Step: func(state, input, _ any) (bool, any) {
			s, op := state.(lockState), input.(lockOperation)
			if !op.acquire {
				return s.owner == op.holder, lockState{fence: s.fence}
			}
			if s.owner != sim.Nobody || fenced && op.fence != 0 && op.fence <= s.fence {
				return false, s
			}
			return true, lockState{owner: op.holder, fence: max(s.fence, op.fence)}
		},
		DescribeOperation: func(input, _ any) string {
			if op := input.(lockOperation); op.acquire {
				return fmt.Sprintf("%s acquires", op.holder)
			}
			return fmt.Sprintf("%s releases", input.(lockOperation).holder)
		},
	}
}
