package checker

import (
	"fmt"
	"slices"

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

// LockOperations returns the grants of a history and the ends of beliefs as
// operations, with event indices for times, and the model that judges them:
// that of owner-mutex or, where there are fencing tokens, of fenced-mutex.
// Clients are numbered from 0 in the order of their first grants.
func LockOperations(h *sim.History) (porcupine.Model, []porcupine.Operation) {
	fenced := func(g sim.Grant) bool { return g.Fence != 0 }
	return lockModel(slices.ContainsFunc(h.Grants, fenced)), lockOperations(h)
}

func lockOperations(h *sim.History) []porcupine.Operation {
	var ops []porcupine.Operation
	var clients []int32
	for i := range h.Grants {
		g := &h.Grants[i]
		client := slices.Index(clients, g.Holder.Client)
		if client < 0 {
			client = len(clients)
			clients = append(clients, g.Holder.Client)
		}
		ops = append(ops, porcupine.Operation{
			ClientId: client,
			Input:    lockOperation{holder: g.Holder, acquire: true, fence: g.Fence},
			Call:     int64(g.Call.Index),
			Return:   int64(g.From.Index),
		})
		if g.End != sim.Open {
			ops = append(ops, porcupine.Operation{
				ClientId: client,
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
			op := input.(lockOperation)
			switch {
			case !op.acquire:
				return fmt.Sprintf("%s stops believing", op.holder)
			case op.fence != 0:
				return fmt.Sprintf("%s acquires with token %d", op.holder, op.fence)
			}
			return fmt.Sprintf("%s acquires", op.holder)
		},
		DescribeState: func(state any) string {
			s := state.(lockState)
			text := "free"
			if s.owner != sim.Nobody {
				text = "held by " + s.owner.String()
			}
			if s.fence != 0 {
				text += fmt.Sprintf(", last token %d", s.fence)
			}
			return text
		},
	}
}
