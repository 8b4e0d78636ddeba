package sim

import (
	"fmt"
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
	routine *coroutine
	ended   bool

	holder    Holder
	acquiring Stamp // when the present attempt began
	purpose   Purpose

	// What the thread waits for. A signal with another generation is stale.
	gen     uint32
	waiting bool
	timer   clock.Monotonic // when its timer fires, 0 if none is set
	expired bool            // the timer has fired
	missing int             // replies still to come, -1 if it waits for none
	results []Reception
	sent    []ServerID   // where each of them comes from
	conns   []connection // by server

	stop    Stop
	stopGen uint32
	stopped End
}

// A Stop says when the waits of a critical section end early: when the
// client's monotonic clock reads At, or when the cell On is set, whichever
// comes first. The zero Stop is never.
type Stop struct {
	At clock.Monotonic
	On Cell
}

// A Cell is a word of memory that the threads of one process share. The zero
// Cell is no cell.
type Cell struct{ number int }

func (w *World) startThread(p *process, b birth) {
	if w.started == len(w.threads) {
		w.threads = append(w.threads, new(Thread))
	}
	t := w.threads[w.started]
	*t = Thread{
		world: w, process: p, id: int32(w.started), name: b.name, holder: b.holder, acquiring: b.acquiring,
		results: t.results[:0], sent: t.sent[:0], conns: resized(t.conns, len(w.machines)),
	}
	clear(t.conns)
	w.started++
	p.threads = append(p.threads, t.id)
	w.note(func() Event { return Event{Actor: b.name, Kind: EventStart} })
	t.routine = w.borrow()
	t.routine.start(func() {
		b.body(t)
		w.note(func() Event { return Event{Actor: b.name, Kind: EventFinish} })
	})
	w.reap(t)
}

func (w *World) borrow() *coroutine {
	if n := len(w.spare); n > 0 {
		c := w.spare[n-1]
		w.spare = w.spare[:n-1]
		return c
	}
	return newCoroutine()
}

// resume lets a waiting thread go on until it waits again or ends.
func (w *World) resume(t *Thread) {
	t.routine.next()
	w.reap(t)
}

// reap takes back the coroutine of a thread that has ended.
func (w *World) reap(t *Thread) {
	if t.routine != nil && t.routine.finished {
		t.ended = true
		w.spare = append(w.spare, t.routine)
		t.routine = nil
	}
}

// release unwinds a thread at the end of a run. A coroutine whose body
// panicked is of no further use.
func (w *World) release(t *Thread) {
	if t.routine.finished {
		t.routine.stop()
		t.routine = nil
		return
	}
	t.routine.end()
	w.reap(t)
}

// Go starts another thread of the same process, which acts for the same
// attempt. It first runs when the calling thread next waits.
func (t *Thread) Go(name string, body func(*Thread)) {
	t.step()
	w := t.world
	w.births = append(w.births, birth{process: t.process.index, name: t.process.name + "/" + name, holder: t.holder, acquiring: t.acquiring, body: body})
	w.queue.push(event{at: w.now, kind: threadStarts, ref: int32(len(w.births) - 1)})
}

// A birth is a thread that is about to start. It goes through the event queue,
// since one coroutine cannot resume another.
type birth struct {
	process   int32
	name      string
	holder    Holder
	acquiring Stamp // when the present attempt began
	body      func(*Thread)
}

func (w *World) bear(id int32) {
	b := &w.births[id]
	p := &w.processes[b.process]
	switch {
	case p.dead:
	case p.frozen:
		p.pending = append(p.pending, wakeup{cause: threadStarts, ref: id})
	default:
		w.startThread(p, *b)
	}
}

// For says what the thread's next steps are for, until it says otherwise.
func (t *Thread) For(p Purpose) { t.purpose = p }

// Client returns the number of the thread's client, 0 for client A.
func (t *Thread) Client() int { return int(t.process.client) - 1 }

// Rounds returns how often the client is to run its job.
func (t *Thread) Rounds() int { return t.process.plan.Rounds }

// Round says that the client begins its n-th round, counted from 1.
func (t *Thread) Round(n int) { t.process.round = n }

// step counts a step and lets the faults strike that are armed before it.
func (t *Thread) step() {
	w, p := t.world, t.process
	if t.routine.unwind {
		panic(unwinding{})
	}
	if w.steps++; w.steps > MaxSteps {
		panic(defect(fmt.Sprintf("%s took more than %d steps without an end of the run", t.name, MaxSteps)))
	}
	p.steps[t.purpose]++
	if !p.stepsSet {
		return
	}
	w.strikeStep(p, t.purpose, int(p.steps[t.purpose]))
	if p.dead {
		panic(unwinding{})
	}
	if p.frozen {
		// What came earlier waits already; this thread goes on in its turn.
		p.pending = append(p.pending, wakeup{thread: t.id, gen: t.gen, cause: clientThaws})
		t.routine.park()
	}
}

// label names the step that was counted last.
func (t *Thread) label() string {
	return t.purpose.String() + " " + strconv.Itoa(int(t.process.steps[t.purpose]))
}

// wake delivers a signal to a thread whose process is not frozen.
func (w *World) wake(u wakeup) {
	t := w.threads[u.thread]
	if t.ended {
		return
	}
	switch u.cause {
	case clientThaws:
		w.resume(t)
		return
	case replyArrives:
		w.receive(t, u)
	case timerFires:
		if t.gen != u.gen || t.timer == 0 || t.process.clock.Monotonic(w.now) < t.timer {
			return
		}
		t.expired, t.timer = true, 0
	case deadlinePasses:
		if t.stopGen != u.gen || t.stopped != "" || t.process.clock.Monotonic(w.now) < t.stop.At {
			return
		}
		t.stopped = Deadline
	case toldToStop:
		if t.stopGen != u.gen || t.stopped != "" {
			return
		}
		t.stopped = Told
	}
	if t.waiting && t.due() {
		w.resume(t)
	}
}

// due reports whether what the thread waits for has come.
func (t *Thread) due() bool { return t.expired || t.missing == 0 || t.stopped != "" }

// wait begins a new wait for the given number of replies (-1 for none) or, if
// d is not negative, for d of the client's own time.
func (t *Thread) wait(d time.Duration) {
	w := t.world
	if d >= 0 {
		t.timer = max(1, t.process.clock.Monotonic(w.now).Add(d))
		w.queue.push(event{at: t.process.clock.When(w.now, t.timer), kind: timerFires, ref: t.id, gen: t.gen})
	}
	t.step()
	for !t.due() {
		t.waiting = true
		t.routine.park()
		t.waiting = false
	}
	t.timer = 0
	t.gen++
}

// Sleep waits for d of the client's own time. It reports whether the thread
// slept to the end: false where its [Stop] came first.
func (t *Thread) Sleep(d time.Duration) bool {
	t.step()
	w := t.world
	w.stamp()
	if w.recording {
		w.log(Event{Actor: t.name, Kind: EventWait, Step: t.label(), Text: d.String()})
	}
	t.expired, t.missing = false, -1
	t.wait(max(d, 0))
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

// NewCell returns a cell of the thread's process that holds 0.
func (t *Thread) NewCell() Cell {
	p := t.process
	p.cells = append(p.cells, 0)
	return Cell{number: len(p.cells)}
}

// Load returns what the cell holds.
func (t *Thread) Load(c Cell) int64 {
	t.step()
	v := t.process.cells[c.number-1]
	t.world.note(func() Event {
		return Event{Actor: t.name, Kind: EventCell, Step: t.label(), Text: fmt.Sprintf("cell %d holds %d", c.number, v)}
	})
	return v
}

// Store sets what the cell holds. Setting it to anything but 0 stops the
// threads that asked to be stopped by it.
func (t *Thread) Store(c Cell, v int64) {
	t.step()
	w, p := t.world, t.process
	p.cells[c.number-1] = v
	w.note(func() Event {
		return Event{Actor: t.name, Kind: EventCell, Step: t.label(), Text: fmt.Sprintf("sets cell %d to %d", c.number, v)}
	})
	if v == 0 {
		return
	}
	for _, id := range p.threads {
		if other := w.threads[id]; other.stop.On == c && !other.ended {
			w.queue.push(event{at: w.now, kind: toldToStop, ref: id, gen: other.stopGen})
		}
	}
}

// StopWhen sets when the thread's waits end early, from now on. While stopped,
// a wait returns at once and a call is not sent. StopWhen(Stop{}) ends it.
func (t *Thread) StopWhen(s Stop) {
	t.stopGen++
	t.stop, t.stopped = s, ""
	now, own := t.world.now, &t.process.clock
	switch {
	case s.On != (Cell{}) && t.process.cells[s.On.number-1] != 0:
		t.stopped = Told
	case s.At != 0 && own.Monotonic(now) >= s.At:
		t.stopped = Deadline
	case s.At != 0:
		t.world.queue.push(event{at: own.When(now, s.At), kind: deadlinePasses, ref: t.id, gen: t.stopGen})
	}
}

// Stopped returns why the thread was stopped, Deadline or Told, or "" if it
// was not.
func (t *Thread) Stopped() End { return t.stopped }
