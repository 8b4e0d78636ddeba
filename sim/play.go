package sim

import (
	"fmt"

	"simrun/clock"
)

// play runs events until nothing is left to do, and returns the defect that
// broke it off, if any.
func (w *World) play(s Schedule) (broken string) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case defect:
			broken = string(r)
		default:
			panic(r)
		}
	}()
	for i := range w.machines {
		w.machines[i].start()
	}
	for i, plan := range s.Clients {
		w.queue.push(event{at: clock.Instant(plan.Start), kind: clientStarts, ref: int32(i)})
	}
	for {
		for w.goesOn() {
			w.serve()
			if w.broken != nil {
				panic(w.broken)
			}
		}
		if w.calm {
			w.finish()
			return ""
		}
		w.becomeCalm()
	}
}

// goesOn reports whether the present phase has another event.
func (w *World) goesOn() bool {
	return !w.queue.empty() && w.queue.next() <= w.end && (w.working > 0 || w.calm && w.inFlight > 0)
}

// finish ends a run that has not come to its end by itself when its time is over.
func (w *World) finish() {
	if (w.working > 0 || w.inFlight > 0) && !w.queue.empty() {
		w.now = w.end
	}
}

// serve serves the next event.
func (w *World) serve() {
	e := w.queue.pop()
	w.served++
	if e.at < w.now {
		panic(fmt.Sprintf("sim: event of %d after %d", e.at, w.now))
	}
	w.now = e.at
	w.dispatch(e)
}

func (w *World) dispatch(e event) {
	switch e.kind {
	case timerFires, deadlinePasses, toldToStop:
		w.signal(wakeup{thread: e.ref, gen: e.gen, cause: e.kind})
	case replyArrives:
		w.replyArrives(e.ref)
	case requestArrives:
		w.requestArrives(e.ref)
	case clientThaws:
		if p := &w.processes[e.ref]; p.frozen && p.freezes == e.gen {
			w.thaw(p)
		}
	case serverThaws:
		if m := &w.machines[e.ref]; m.frozen && m.freezes == e.gen {
			m.thaw()
		}
	case alarmRings:
		w.machines[w.alarms[e.ref].server].deliver(delivery{kind: alarmRings, ref: e.ref})
	case connectionCloses:
		w.machines[w.closings[e.ref].server].deliver(delivery{kind: connectionCloses, ref: e.ref})
	case serverRestarts:
		if m := &w.machines[e.ref]; m.down && m.crashes == e.gen {
			m.restart()
		}
	case faultStrikes:
		w.strike(&w.armed[e.ref])
	case partitionEnds:
		w.reconnect(&w.armed[e.ref])
	case clientStarts:
		w.startProcess(&w.processes[e.ref])
	case threadStarts:
		w.bear(e.ref)
	}
}

// becomeCalm heals every fault, lets no further one strike, and sends in the
// probe. Clocks keep their offsets, since a step is over the moment it has
// happened, but run at the true rate from now on.
func (w *World) becomeCalm() {
	if w.now < clock.Instant(w.setup.Limit) && w.working > 0 {
		w.now = clock.Instant(w.setup.Limit)
	}
	w.calm = true
	w.history.HealedAt = w.stamp()
	if w.recording {
		w.log(Event{Actor: WorldName, Kind: EventCalm, Text: "calm: no further fault strikes"})
	}
	for i := range w.links {
		w.links[i].cut = 0
	}
	w.cuts = 0
	for i := range w.machines {
		m := &w.machines[i]
		w.history.Patience += m.setBack + m.heal()
	}
	w.end = w.now.Add(w.history.Patience)
	w.working++
	w.queue.push(event{at: w.now, kind: clientStarts, ref: int32(len(w.processes) - 1)})
	for i := range w.processes {
		p := &w.processes[i]
		w.setRate(p, 0)
		if p.frozen {
			w.thaw(p)
		}
	}
}
