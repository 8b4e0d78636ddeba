package sim

import (
	"fmt"
	"strconv"
	"time"
)

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
	if w.surveying {
		w.reachStep(t)
	}
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
		t.park()
	}
}

// label names the step that was counted last.
func (t *Thread) label() string {
	return t.purpose.String() + " " + strconv.Itoa(int(t.process.steps[t.purpose]))
}

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
		t.park()
		t.waiting = false
	}
	t.timer = 0
	t.gen++
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
