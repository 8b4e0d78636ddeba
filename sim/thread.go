package sim

import (
	"strconv"
	"time"

	"simrun/clock"
)

// A Thread is one thread of a client, and all that its code may touch: clocks,
// servers, time, and the cells that it shares with its process's other
// threads. Every use of it is a step, before which a fault can strike; the
// code between two steps takes no time.
//
// A thread's behaviour must be a function of what it observed through its
// Thread and of nothing else.
type Thread struct {
	world   *World
	process *process
	id      int32
	name    string
	body    func(*Thread)
	routine *coroutine
	ended   bool

	holder    Holder
	acquiring Stamp // when the present attempt began
	purpose   Purpose

	// What the thread waits for. A signal with another generation is stale.
	gen     uint32
	waiting bool
	hosts   bool            // it serves events meanwhile
	timer   clock.Monotonic // when its timer fires, 0 if none is set
	expired bool            // the timer has fired
	missing int             // replies still to come, -1 if it waits for none
	results []Reception
	sent    []ServerID   // where each of them comes from
	conns   []connection // by server

	stop    Stop
	stopGen uint32
	stopped End

	inner bool          // its last step was one with its own memory
	slept time.Duration // as the only thread and without a deadline, right before now
}

// For says what the thread's next steps are for, until it says otherwise.
func (t *Thread) For(p Purpose) { t.purpose = p }

// Client returns the number of the thread's client, 0 for client A.
func (t *Thread) Client() int { return int(t.process.client) - 1 }

// Rounds returns how often the client is to run its job.
func (t *Thread) Rounds() int { return t.process.plan.Rounds }

// Round says that the client begins its n-th round, counted from 1.
func (t *Thread) Round(n int) { t.process.round = n }

// Go starts another thread of the same process, which acts for the same
// attempt. It first runs when the calling thread next waits.
func (t *Thread) Go(name string, body func(*Thread)) {
	t.step()
	w := t.world
	if w.surveying {
		w.shows(t.process)
	}
	t.process.living++
	w.births = append(w.births, birth{process: t.process.index, name: t.process.name + "/" + name, holder: t.holder, acquiring: t.acquiring, body: body})
	w.queue.push(event{at: w.now, kind: threadStarts, ref: int32(len(w.births) - 1)})
}

// Sleep waits for d of the client's own time. It reports whether the thread
// slept to the end: false where its [Stop] came first.
func (t *Thread) Sleep(d time.Duration) bool {
	freezes := t.process.freezes
	t.step()
	w := t.world
	w.stamp()
	if w.recording {
		w.log(Event{Actor: t.name, Kind: EventWait, Step: t.label(), Text: d.String()})
	}
	t.expired, t.missing = false, -1
	undisturbed := t.process.living == 1 && t.stop == Stop{} && t.process.freezes == freezes
	t.wait(max(d, 0))
	if undisturbed {
		t.slept = d
	}
	w.stamp()
	if w.recording {
		w.log(Event{Actor: t.name, Kind: EventWake, Step: t.label(), Text: string(t.stopped)})
	}
	return t.stopped == ""
}

// Work works for as long as the client's plan says, and longer where the
// schedule makes the job overrun. It reports whether it came to the end.
func (t *Thread) Work() bool {
	return t.Sleep(t.process.plan.Work + t.world.overrunOf(t.process))
}

// Monotonic reads the client's monotonic clock.
func (t *Thread) Monotonic() clock.Monotonic {
	t.step()
	w := t.world
	m := t.process.clock.Monotonic(w.now)
	w.stamp()
	if w.recording {
		w.log(Event{Actor: t.name, Kind: EventClock, Step: t.label(), Text: "monotonic " + time.Duration(m).String()})
	}
	return m
}

// Wall reads the client's wall clock.
func (t *Thread) Wall() clock.Wall {
	t.step()
	w := t.world
	t.process.heeds = theTime
	wall := t.process.clock.Wall(w.now)
	w.stamp()
	if w.recording {
		w.log(Event{Actor: t.name, Kind: EventClock, Step: t.label(), Text: "wall " + strconv.FormatInt(wall.Millis(), 10) + " ms"})
	}
	return wall
}

// Jitter returns a duration from low to high that looks random: it depends on
// the schedule's noise, the client and the number of its earlier draws alone.
func (t *Thread) Jitter(low, high time.Duration) time.Duration {
	p := t.process
	p.draws++
	return spread(mix(t.world.noise.Seed, uint64(p.client)<<32|uint64(p.draws)), low, high)
}
