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

// judgeNoLostUpdate looks for a witness first. Where every writer had read what the
// write before it wrote, the order in which the resource applied the writes is a
// linearization; where two had read the same, there is none. Only what neither
// decides is searched.
func judgeNoLostUpdate(h *sim.History) Verdict {
	lost := nextLoss(h, 0)
	if lost < 0 {
		return held()
	}
	ops, unknown := updates(h, h.Ended, h.Final)
	if unknown > maxUnknown {
		return Verdict{State: Unknown, Why: fmt.Sprintf("%d updates have an unknown outcome, too many to search", unknown)}
	}
	if linearizable(ops) {
		return held()
	}
	// The culprit is the first loss that a reader would have noticed at once.
	// Losses before it are only of writes that may never have happened.
	for next := nextLoss(h, lost+1); next >= 0; next = nextLoss(h, lost+1) {
		c := &h.Changes[lost]
		if ops, _ := updates(h, c.At, c.By); !linearizable(ops) {
			break
		}
		lost = next
	}
	return lostUpdate(h, &h.Changes[lost])
}

// nextLoss returns the index of the first change, from the given one on, that
// is a write whose writer had not read the value that it replaced, or -1.
func nextLoss(h *sim.History, from int) int {
	for i := from; i < len(h.Changes); i++ {
		c := &h.Changes[i]
		if c.Kind != sim.Wrote {
			continue
		}
		if read := readOf(h, c.By); read == nil || read.Seen != c.Owner {
			return i
		}
	}
	return -1
}

func lostUpdate(h *sim.History, lost *sim.Change) Verdict {
	why := lost.By.String() + " replaced " + lost.Owner.Value() + " without having read it"
	events := []int32{lost.At.Index}
	if read := readOf(h, lost.By); read != nil {
		why = lost.By.String() + ", which had read " + read.Seen.Value() + ", replaced " + lost.Owner.Value()
		events = []int32{read.Return.Index, lost.At.Index}
	}
	return violated(lost.At, why, events...)
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

func writeOf(h *sim.History, holder sim.Holder) *sim.Access {
	for i := len(h.Accesses) - 1; i >= 0; i-- {
		if a := &h.Accesses[i]; a.Holder == holder && a.Kind == sim.WriteAccess {
			return a
		}
	}
	return nil
}

// An update is a critical section as the clients saw it: it replaced the value
// of one writer by its own. The read at the end is an update that writes
// nothing.
type update struct {
	seen, wrote sim.Holder
	unknown     bool // the write was not answered, so for all clients know it never happened
}

// maxUnknown bounds the updates of unknown outcome in a search, since the time
// it takes doubles with each.
const maxUnknown = 12

// updates returns the updates that the resource had applied up to a moment, and
// a read by everybody of the value that it held then. A write that was never
// applied has left no trace for any linearization to explain.
func updates(h *sim.History, until sim.Stamp, value sim.Holder) (ops []porcupine.Operation, unknown int) {
	for i := range h.Changes {
		c := &h.Changes[i]
		if c.Kind != sim.Wrote || until.Before(c.At) {
			continue
		}
		w := writeOf(h, c.By)
		if w == nil {
			continue // no client knows of it
		}
		// One that has read nothing has not read what it replaced, whatever
		// that was: no value is its own before it wrote it.
		u, call := update{seen: c.By, wrote: c.By, unknown: w.Outcome == sim.Unknown}, w.Call
		if read := readOf(h, c.By); read != nil {
			u.seen, call = read.Seen, read.Call
		}
		if u.unknown {
			unknown++
		}
		ops = append(ops, porcupine.Operation{
			ClientId: i, // unknown operations outlast the client's next ones
			Input:    u,
			Call:     int64(call.Index),
			Return:   int64(w.Return.Index),
		})
	}
	end := int64(until.Index)
	return append(ops, porcupine.Operation{
		ClientId: len(h.Changes),
		Input:    update{seen: value, wrote: value},
		Call:     end + 1,
		Return:   end + 2,
	}), unknown
}

func linearizable(ops []porcupine.Operation) bool {
	return !fork(ops) && porcupine.CheckOperations(updateModel, ops)
}

// fork reports whether two updates that are known to have happened had seen the
// same value, although none was written twice: the first of them in any order
// replaced it for good. The read at the end replaces nothing.
func fork(ops []porcupine.Operation) bool {
	forked := false
	for i := range ops[:len(ops)-1] {
		u := ops[i].Input.(update)
		for j := range ops[:i] {
			v := ops[j].Input.(update)
			if u.wrote == v.wrote {
				return false
			}
			forked = forked || u.seen == v.seen && !u.unknown && !v.unknown
		}
	}
	return forked
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
