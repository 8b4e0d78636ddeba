package sim

import (
	"slices"
	"time"

	"simrun/clock"
)

// A Reached is a point that a run came to, at which a fault could have struck.
type Reached struct {
	Actor Actor
	Point Point
	Among int  // for AfterPause, how many signals wait to be handled
	Shows bool // for BeforeStep, the step is one that others can see
	Inner bool // for BeforeStep, the step concerns the client's own memory, and its thread takes another at once

	// Asleep is, for BeforeStep, what is left of a sleep of the client's only thread,
	// which nothing else ends; Slept is how long such a sleep was that ended with the
	// step, if the thread set no deadline to it either.
	Asleep, Slept time.Duration

	// Wanted is, for OnReply, for how long the client goes on waiting for the
	// reply, if it waits no more than so long. Lone tells that it does nothing else
	// meanwhile and does not stand still.
	Wanted time.Duration
	Lone   bool

	At clock.Instant

	index int32 // of the next event then
}

// A Survey is a run together with all the points that it reached before the
// calm phase, in order, and the moments at which leases began and ended, between
// its last fault and the calm phase. Of the messages between servers, those alone
// are points that a client's request has led to: their heartbeats go on by
// themselves.
//
// A survey is valid until its world's next run.
type Survey struct {
	Result
	Points  []Reached
	Moments []clock.Instant
	Strikes []int32 // for each fault, the number of the event with which it struck, -1 if it did not

	world *World
}

// A heed says what of its clocks a machine has looked at.
type heed uint8

const (
	theTime heed = 1 << iota // what its wall clock says
	itsPace                  // how fast its clocks run
)

// After returns the points that the run reached after its last fault struck:
// up to there, a run with one fault more is the same.
func (s *Survey) After() []Reached {
	last := int32(-1)
	for _, at := range s.Strikes {
		last = max(last, at)
	}
	for i, p := range s.Points {
		if p.index >= last {
			return s.Points[i:]
		}
	}
	return nil
}

// Sent returns how many requests one actor had sent to another by the time that
// a fault struck.
func (s *Survey) Sent(from, to string, fault int) int {
	n := 0
	for _, p := range s.Points {
		if p.index >= s.Strikes[fault] {
			break
		}
		if p.Point.Place == OnRequest && p.Actor.From == from && p.Actor.To == to {
			n++
		}
	}
	return n
}

// HeedsTheTime reports whether a machine has looked at its wall clock.
func (s *Survey) HeedsTheTime(name string) bool { return s.heeds(name)&theTime != 0 }

// HeedsItsPace reports whether it matters to a machine how fast its clocks run.
func (s *Survey) HeedsItsPace(name string) bool { return s.heeds(name)&itsPace != 0 }

func (s *Survey) heeds(name string) heed {
	w := s.world
	for i := range w.processes {
		if p := &w.processes[i]; p.name == name {
			return p.heeds | itsPace // every client has timers
		}
	}
	for i := range w.machines {
		if m := &w.machines[i]; m.spec.Name == name {
			return m.heeds
		}
	}
	return 0
}

// Survey runs a schedule and reports the points that it reached.
func (w *World) Survey(s Schedule) (Survey, error) {
	w.surveying = true
	result, err := w.Watch(s)
	w.surveying = false
	if err != nil {
		return Survey{}, err
	}
	return Survey{Result: result, Points: w.reached, Moments: w.moments(), Strikes: w.Strikes(), world: w}, nil
}

// moments returns the start and the instants at which leases began and ended, of
// those at which one fault more would strike, and as the last of all.
func (w *World) moments() []clock.Instant {
	moments := []clock.Instant{0}
	for _, g := range w.history.Grants {
		moments = append(moments, g.From.At+1) // with the lock in hand
	}
	for _, c := range w.history.Changes {
		if c.Kind == Expired {
			moments = append(moments, c.At.At)
		}
	}
	first := w.afterLast()
	return slices.DeleteFunc(moments, func(at clock.Instant) bool { return at < first || at > w.history.HealedAt.At })
}

// afterLast returns the first instant at which a fault strikes later than those of
// the run. What strikes at an instant comes before all else that happens then.
func (w *World) afterLast() clock.Instant {
	last := armed{at: Stamp{Index: -1}}
	for _, a := range w.armed {
		if last.at.Before(a.at) {
			last = a
		}
	}
	if last.at.Index >= 0 && last.Point.Place != AtInstant {
		return last.at.At + 1
	}
	return last.at.At
}

// Strikes returns for each fault of the world's last run the number of the event
// with which it struck, -1 if it did not.
func (w *World) Strikes() []int32 {
	w.strikes = w.strikes[:0]
	for i := range w.armed {
		w.strikes = append(w.strikes, w.armed[i].at.Index)
	}
	return w.strikes
}

// reach notes a point, if the calm phase has not begun.
func (w *World) reach(actor Actor, p Point, among int) {
	if !w.calm {
		w.reached = append(w.reached, Reached{Actor: actor, Point: p, Among: among, At: w.now, index: w.index})
	}
}

// reachStep notes a step of t, and what it says of the one before.
func (w *World) reachStep(t *Thread) {
	p := t.process
	if w.calm || p.client == probeClient {
		return
	}
	if t.inner {
		w.reached[p.reached].Inner = true
	}
	p.reached = int32(len(w.reached))
	w.reach(Actor{From: p.name}, Point{Place: BeforeStep, Purpose: t.purpose, N: int(p.steps[t.purpose])}, 0)
	w.reached[p.reached].Asleep, w.reached[p.reached].Slept = t.sleepLeft(), t.slept
	t.inner, t.slept = false, 0
}

// sleepLeft returns what is left of a sleep that the thread has begun as the only
// one of its process.
func (t *Thread) sleepLeft() time.Duration {
	p, now := t.process, t.world.now
	if t.timer == 0 || t.missing >= 0 || t.due() || p.living > 1 {
		return 0
	}
	wakes := t.timer
	if t.stop.At != 0 {
		wakes = min(wakes, t.stop.At)
	}
	return p.clock.When(now, wakes).Sub(now)
}

// reachMessage notes a point on a message from one endpoint to another.
func (w *World) reachMessage(place Place, from, to endpoint, number int32) {
	w.reach(Actor{From: w.nameOf(from), Link: OneWay, To: w.nameOf(to)}, Point{Place: place, N: int(number)}, 0)
}

// reachReply notes a point on a reply to a thread of p that waits for it.
func (w *World) reachReply(server, client endpoint, number int32, t *Thread) {
	if w.calm {
		return
	}
	w.reachMessage(OnReply, server, client, number)
	r := &w.reached[len(w.reached)-1]
	r.Lone = t.process.living == 1 && !t.process.frozen
	if t.timer != 0 {
		r.Wanted = t.process.clock.When(w.now, t.timer).Sub(w.now)
	}
}

// shows notes that others can see the last step of p.
func (w *World) shows(p *process) {
	if !w.calm && p.client != probeClient {
		w.reached[p.reached].Shows = true
	}
}
