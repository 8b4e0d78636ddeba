package sim

import "time"

// strike makes a fault happen, unless the calm phase has begun.
func (w *World) strike(a *armed) {
	if w.calm || a.struck {
		return
	}
	a.struck, a.at = true, Stamp{Index: w.index, At: w.now}
	w.note(func() Event { return Event{Actor: a.Actor.String(), Kind: EventFault, Text: a.Kind.Tell(a.Fault)} })
	if a.Kind.strike != nil {
		a.Kind.strike(w, a)
	}
}

func (w *World) strikeStep(p *process, purpose Purpose, n int) {
	for i := range w.armed {
		a := &w.armed[i]
		if a.Point.Place == BeforeStep && a.from == endpoint(p.index) && a.Point.Purpose == purpose && a.Point.N == n {
			w.strike(a)
		}
	}
}

func (w *World) strikeRequest(m *Machine) {
	for i := range w.armed {
		a := &w.armed[i]
		if a.Point.Place == BeforeRequest && a.from == m.end && a.Point.N == int(m.handled) {
			w.strike(a)
		}
	}
}

// meddle returns how much later a message arrives, and whether it is lost, by
// the faults that strike it.
func (w *World) meddle(from, to endpoint, number int32, place Place) (late time.Duration, lost bool) {
	if !w.meddled {
		return 0, false
	}
	return w.strikeMessage(from, to, number, place)
}

func (w *World) strikeMessage(from, to endpoint, number int32, place Place) (late time.Duration, lost bool) {
	if !w.link(from, to).armed || w.calm {
		return 0, false
	}
	for i := range w.armed {
		a := &w.armed[i]
		if a.Point.Place != place || a.Point.N != int(number) || !a.concerns(from, to) {
			continue
		}
		w.strike(a)
		if a.Kind == loss {
			lost = true
		} else {
			late += time.Duration(a.Amount)
		}
	}
	return late, lost
}

// overrunOf returns how much longer than planned a client works in its present
// round.
func (w *World) overrunOf(p *process) time.Duration {
	if w.surveying && p.client != probeClient && p.round > 0 {
		w.reach(Actor{From: p.name}, Point{Place: InRound, N: p.round}, 0)
	}
	var more time.Duration
	for i := range w.armed {
		a := &w.armed[i]
		if a.Point.Place == InRound && a.from == endpoint(p.index) && a.Point.N == p.round && !w.calm && !a.struck {
			w.strike(a)
			more += time.Duration(a.Amount)
		}
	}
	return more
}

// reorderWakeups lets the wake-up that the schedule picks go first after a
// pause.
func (w *World) reorderWakeups(p *process) {
	for i := range w.armed {
		a := &w.armed[i]
		if a.Point.Place == AfterPause && a.from == endpoint(p.index) && a.Point.N == int(p.freezes) && int(a.Amount) <= len(p.pending) {
			w.strike(a)
			first := p.pending[a.Amount-1]
			copy(p.pending[1:a.Amount], p.pending[:a.Amount-1])
			p.pending[0] = first
		}
	}
}
