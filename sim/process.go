package sim

import (
	"time"

	"simrun/clock"
)

// A process is a client: a pod with its threads, its two clocks and the memory
// that the threads share. A pause freezes all of it.
type process struct {
	index  int32
	client int32 // of its holders
	name   string
	clock  clock.Clock
	plan   Plan

	threads []int32 // every thread that it ever started in this run
	living  int32   // of them, those to come included
	cells   []int64
	dead    bool
	frozen  bool
	freezes uint32        // how often it was frozen
	until   clock.Instant // when the present freeze ends
	pending []wakeup      // what waits for the end of the freeze

	steps    [Purposes]int32
	stepsSet bool // a fault is armed at one of its steps
	round    int
	attempts int32
	draws    uint32
	values   []string // of its attempts, kept from run to run

	heeds   heed
	reached int32 // the last of its steps among the points of a survey
}

// A wakeup is a signal for a waiting thread: the timer it set, a reply, a
// deadline, a word from another thread, or the end of a freeze.
type wakeup struct {
	thread int32
	gen    uint32
	cause  eventKind
	ref    int32 // the message, where the cause is replyArrives
}

func (p *process) reset(index int32, name string, client int32, plan Plan) {
	if p.client != client {
		p.values = nil
	}
	*p = process{
		index: index, client: client, name: name, plan: plan,
		threads: p.threads[:0], cells: p.cells[:0], pending: p.pending[:0], values: p.values,
	}
}

func (w *World) startProcess(p *process) {
	if p.dead {
		return
	}
	if p.frozen {
		p.pending = append(p.pending, wakeup{cause: clientStarts})
		return
	}
	body := w.setup.Program
	if p.client == probeClient {
		body = w.setup.Probe
	}
	p.living = 1
	w.startThread(p, birth{name: p.name, body: body})
}

// signal hands a wakeup to its thread, now or when the freeze of its process
// is over.
func (w *World) signal(u wakeup) {
	p := w.threads[u.thread].process
	switch {
	case p.dead:
	case p.frozen:
		p.pending = append(p.pending, u)
	default:
		w.wake(u)
	}
}

// freeze stops every thread of p for d.
func (w *World) freeze(p *process, d time.Duration) {
	until := w.now.Add(d)
	if p.dead || p.frozen && p.until >= until {
		return
	}
	p.frozen, p.until = true, until
	p.freezes++
	w.queue.push(event{at: until, kind: clientThaws, ref: p.index, gen: p.freezes})
}

// thaw ends a freeze and delivers what came in the meantime, in the order in
// which it came unless the schedule chose another.
func (w *World) thaw(p *process) {
	p.frozen = false
	w.note(func() Event { return Event{Actor: p.name, Kind: EventHeal, Text: "wakes up"} })
	if w.surveying && len(p.pending) > 1 {
		w.reach(Actor{From: p.name}, Point{Place: AfterPause, N: int(p.freezes)}, len(p.pending))
	}
	w.reorderWakeups(p)
	w.guarded = true
	for len(p.pending) > 0 && !p.frozen && !p.dead {
		u := p.pending[0]
		p.pending = append(p.pending[:0], p.pending[1:]...)
		switch u.cause {
		case clientStarts:
			w.startProcess(p)
		case threadStarts:
			w.bear(u.ref)
		default:
			w.wake(u)
		}
	}
	w.guarded = false
}

// kill ends a client without a word to anybody. Its system closes its
// connections, unless it is gone too.
func (w *World) kill(p *process) {
	if p.dead {
		return
	}
	p.dead, p.frozen = true, false
	if !w.mainEnded(p) {
		w.working--
	}
	for i := range w.history.Grants {
		g := &w.history.Grants[i]
		if g.End == Open && g.Holder.Client == p.client {
			w.endBelief(g, p.name, Died)
		}
	}
}

func (w *World) mainEnded(p *process) bool {
	return len(p.threads) > 0 && w.threads[p.threads[0]].ended
}

// setRate changes the rate of p's clocks and re-arms the timers that it has
// set, since these count its own time.
func (w *World) setRate(p *process, ppm int64) {
	if p.clock.Rate() == ppm {
		return
	}
	p.clock.SetRate(w.now, ppm)
	for _, id := range p.threads {
		t := w.threads[id]
		if t.timer != 0 {
			w.queue.push(event{at: p.clock.When(w.now, t.timer), kind: timerFires, ref: id, gen: t.gen})
		}
		if t.stop.At != 0 {
			w.queue.push(event{at: p.clock.When(w.now, t.stop.At), kind: deadlinePasses, ref: id, gen: t.stopGen})
		}
	}
}
