package checker

import (
	"fmt"

	"github.com/anishathalye/porcupine"

	"simrun/sim"
)

var noLostUpdate = &Check{
	Name:   "no-lost-update",
	Breaks: "the critical sections, as read-modify-writes of the resource, are not linearizable",
	Judge:  judgeNoLostUpdate,
}

// judgeNoLostUpdate tries the order in which the resource applied the writes
// first: where every writer had read what the write before it wrote, that
// order is a linearization and nothing need be searched.
func judgeNoLostUpdate(h *sim.History) Verdict {
	lost := firstLoss(h)
	if lost == nil {
		return held()
	}
	return searchUpdates(h, lost)
}

// firstLoss returns the first write, in the order of the resource, whose
// writer had not read the value that it replaced, or nil.
func firstLoss(h *sim.History) *sim.Change {
	for i := range h.Changes {
		c := &h.Changes[i]
		if c.Kind != sim.Wrote {
			continue
		}
		if read := readOf(h, c.By); read == nil || read.Seen != c.Owner {
			return c
		}
	}
	return nil
}

func readOf(h *sim.History, holder sim.Holder) *sim.Access {
	for i := len(h.Accesses) - 1; i >= 0; i-- {
		a := &h.Accesses[i]
		if a.Holder == holder && a.Kind == sim.ReadAccess && a.Outcome == sim.Accepted {
			return a
		}
	}
	return nil
}

// An update is a critical section as the clients saw it: it replaced the value
// of one writer by its own. The read at the end of a run is an update that
// writes nothing.
type update struct {
	seen, wrote sim.Holder
	unknown     bool // the write was not answered, so it may never be applied
}

// maxUnknown bounds the updates of unknown outcome in a search, since the time
// it takes doubles with each.
const maxUnknown = 12

// searchUpdates lets porcupine look for any linearization of the updates. The
// value at the end of the run is read by everybody.
func searchUpdates(h *sim.History, lost *sim.Change) Verdict {
	ops, unknown := updates(h)
	if unknown > maxUnknown {
		return Verdict{State: Unknown, Why: fmt.Sprintf("%d updates have an unknown outcome, too many to search", unknown)}
	}
	if porcupine.CheckOperations(updateModel, ops) {
		return held()
	}
	why := fmt.Sprintf("%s replaced %s without having read it", lost.By, lost.Owner.Value())
	events := []int32{lost.At.Index}
	if read := readOf(h, lost.By); read != nil {
		why = fmt.Sprintf("%s, which had read %s, replaced %s", lost.By, read.Seen.Value(), lost.Owner.Value())
		events = []int32{read.Return.Index, lost.At.Index}
	}
	return violated(lost.At, why, events...)
}

func updates(h *sim.History) (ops []porcupine.Operation, unknown int) {
	for i := range h.Accesses {
		w := &h.Accesses[i]
		if w.Kind != sim.WriteAccess || w.Outcome == sim.Refused {
			continue
		}
		read := readOf(h, w.Holder)
		if read == nil {
			continue
		}
		u := update{seen: read.Seen, wrote: w.Holder, unknown: w.Outcome == sim.Unknown}
		if u.unknown {
			unknown++
		}
		ops = append(ops, porcupine.Operation{
			ClientId: i, // unknown operations outlast the client's next ones
			Input:    u,
			Call:     int64(read.Call.Index),
			Return:   int64(w.Return.Index),
		})
	}
	end := int64(h.Ended.Index)
	return append(ops, porcupine.Operation{
		ClientId: len(h.Accesses),
		Input:    update{seen: h.Final, wrote: h.Final},
		Call:     end + 1,
		Return:   end + 2,
	}), unknown
}

// updateModel is a register that updates replace by compare and set.
var updateModel = (&porcupine.NondeterministicModel{
	Init: func() []any { return []any{sim.Nobody} },
	Step: func(state, input, _ any) []any {
		u := input.(update)
		var next []any
		if state.(sim.Holder) == u.seen {
			next = append(next, u.wrote)
		}
		if u.unknown {
			next = append(next, state)
		}
		return next
	},
}).ToModel()
