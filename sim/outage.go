package sim

import "simrun/clock"

// An outage is a fault during which messages are lost: a partition, or a crash of a
// server. It leads to the same run as another that loses the same messages.

// A passage is a message that is sent or arrives.
type passage struct {
	from, to endpoint
	at       clock.Instant
}

// passes notes that a message is sent from one endpoint to another, or arrives.
func (w *World) passes(from, to endpoint) {
	if w.watching && !w.calm {
		w.notePassage(from, to)
	}
}

func (w *World) notePassage(from, to endpoint) {
	if w.surveying || w.armed[len(w.armed)-1].stops(from, to) {
		w.passed = append(w.passed, passage{from: from, to: to, at: w.now})
	}
}

// stops reports whether an outage stops what passes from one endpoint to another.
func (a *armed) stops(from, to endpoint) bool {
	if a.Actor.Link == NoLink {
		return to == a.from
	}
	return a.concerns(from, to)
}

// Watch runs a schedule whose last fault is an outage as [World.Run] does, and notes
// what it would stop, for [World.LosesTheSame].
func (w *World) Watch(s Schedule) (Result, error) {
	w.watching = true
	result, err := w.run(s, false)
	w.watching = false
	return result, err
}

// Loses reports whether the run has messages that a partition would stop.
func (s *Survey) Loses(f Fault) bool {
	a, err := s.world.resolve(f)
	if err != nil {
		return false
	}
	for _, p := range s.world.passed {
		if f.spanFrom(f.Point.At).covers(p.at) && a.stops(p.from, p.to) {
			return true
		}
	}
	return false
}

// LosesTheSame reports whether the world's last run, a watched one, would have been
// the same with another outage in the place of its last fault: a partition of the
// same link, or a crash at the same point of a server that does nothing but answer.
// No server of the world may mind connections.
func (w *World) LosesTheSame(other Fault) bool {
	own := &w.armed[len(w.armed)-1]
	if other.Kind != own.Kind || other.Actor != own.Actor || own.at.Index < 0 {
		return false
	}
	begins := own.at.At
	if own.Point.Place == AtInstant {
		begins = other.Point.At
	} else if other.Point != own.Point {
		return false
	}
	a, b := own.spanFrom(own.at.At), other.spanFrom(begins)
	for _, p := range w.passed {
		// What passes at the very end may come before it or after.
		if a.covers(p.at) != b.covers(p.at) || p.at == a.end || p.at == b.end {
			return false
		}
	}
	return true
}

// A span is how long an outage lasts.
type span struct{ begin, end clock.Instant }

func (f Fault) spanFrom(at clock.Instant) span { return span{at, at.Add(f.length())} }

func (s span) covers(at clock.Instant) bool { return s.begin <= at && at <= s.end }
