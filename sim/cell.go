package sim

import (
	"fmt"

	"simrun/clock"
)

// A Cell is a word of memory that the threads of one process share. The zero
// Cell is no cell.
type Cell struct{ number int }

// NewCell returns a cell of the thread's process that holds 0.
func (t *Thread) NewCell() Cell {
	p := t.process
	p.cells = append(p.cells, 0)
	return Cell{number: len(p.cells)}
}

// Load returns what the cell holds.
func (t *Thread) Load(c Cell) int64 {
	t.step()
	t.inner = true
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
	t.inner = true
	if v == 0 {
		return
	}
	for _, id := range p.threads {
		if other := w.threads[id]; other.stop.On == c && !other.ended {
			t.inner = false
			w.queue.push(event{at: w.now, kind: toldToStop, ref: id, gen: other.stopGen})
		}
	}
}

// A Stop says when the waits of a critical section end early: when the
// client's monotonic clock reads At, or when the cell On is set, whichever
// comes first. The zero Stop is never.
type Stop struct {
	At clock.Monotonic
	On Cell
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
