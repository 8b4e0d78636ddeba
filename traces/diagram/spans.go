package diagram

import (
	"cmp"
	"slices"
	"time"

	"simrun/clock"
	"simrun/sim"
)

// A span is a stretch of a lane, from one moment to another.
type span struct {
	lane   string // the thread or the server
	kind   spanKind
	holder sim.Holder // whose belief or lock it is
	text   string     // what struck the lane, for a fault
	from   moment
	until  moment // the end of the scene if it has not ended by then
}

// A moment is an event of the scene, or an instant after it and before the next.
type moment struct {
	event int
	at    clock.Instant
}

func (m moment) compare(n moment) int {
	return cmp.Or(cmp.Compare(m.event, n.event), cmp.Compare(m.at, n.at))
}

// moment returns the moment of an event, or the start or the end of the scene if
// the event is not of it.
func (s *scene) moment(event int) moment {
	event = max(0, min(event, len(s.Events)-1))
	return moment{event, s.Events[event].At}
}

// A spanKind says what a span stands for.
type spanKind uint8

const (
	belief spanKind = iota // a client believes that it holds the lock
	truth                  // a server has the lock down as somebody's
	struck                 // a fault has not healed
)

// label says what the span stands for, in a word or two.
func (p *span) label() string {
	switch p.kind {
	case belief:
		return p.holder.String() + " believes"
	case truth:
		return p.holder.String()
	}
	return lane{name: p.lane}.title() + ": " + p.text
}

// during says from when until when a span lasts.
func (s *scene) during(p span) string {
	return instant(p.from.at) + " to " + instant(p.until.at)
}

// spans returns what lasts within the scene: beliefs, locks on servers, and
// faults from when they strike until they heal.
func (s *scene) spans() []span {
	return slices.Concat(s.beliefs(), s.truths(), s.faults())
}

func (s *scene) beliefs() []span {
	var list []span
	for _, g := range s.trace.History.Grants {
		from := int(g.From.Index)
		if from >= 0 && from < len(s.Events) && g.From.Before(g.Until) {
			list = append(list, span{
				lane: s.Events[from].Actor, kind: belief, holder: g.Holder,
				from: s.moment(from), until: s.moment(int(g.Until.Index)),
			})
		}
	}
	return list
}

// truths pairs what servers did: who took a lock has it until it is gone.
func (s *scene) truths() []span {
	var list []span
	open := make(map[string]int) // by server and holder
	for _, c := range s.trace.History.Changes {
		key := c.Server + " " + c.Owner.String()
		switch c.Kind {
		case sim.Took:
			if from := int(c.At.Index); from >= 0 && from < len(s.Events) {
				open[key] = len(list)
				list = append(list, span{lane: c.Server, kind: truth, holder: c.Owner, from: s.moment(from), until: s.moment(len(s.Events))})
			}
		case sim.Removed, sim.Expired, sim.Forgotten, sim.Overwritten:
			if k, ok := open[key]; ok {
				if gone := s.effective(c.At); gone.compare(list[k].from) >= 0 {
					list[k].until = gone
				}
				delete(open, key)
			}
		}
	}
	return list
}

// effective returns the moment at which a change takes effect, which for an
// expiry lies before that at which the server notices.
func (s *scene) effective(at sim.Stamp) moment {
	end := s.moment(int(at.Index))
	m := moment{end.event, min(at.At, end.at)}
	for m.event > 0 && s.Events[m.event].At > m.at {
		m.event--
	}
	return m
}

// faults returns the faults that last: from the event with which they strike
// until that with which they are over. Those that strike one message or one
// clock are steps alone.
func (s *scene) faults() []span {
	var list []span
	for i, e := range s.Events {
		if e.Kind != sim.EventFault {
			continue
		}
		for _, f := range s.trace.Schedule.Faults {
			if f.Actor.String() == e.Actor && f.Kind.Tell(f) == e.Text && lasts(f) {
				list = append(list, span{lane: e.Actor, kind: struck, text: e.Text, from: s.moment(i), until: s.healed(i, f)})
				break
			}
		}
	}
	return list
}

// lasts reports whether a fault keeps its actor from something for a while, or
// for good.
func lasts(f sim.Fault) bool {
	switch f.Point.Place {
	case sim.AtInstant, sim.BeforeStep, sim.BeforeRequest:
		return f.Kind.Unit == sim.Length && f.Amount > 0 || f.Kind.Unit == sim.NoAmount && f.Kind.Actors == sim.Clients
	}
	return false
}

// healed returns the moment at which a fault that struck with an event is over.
// The dead do not come back.
func (s *scene) healed(struck int, f sim.Fault) moment {
	if f.Kind.Unit == sim.NoAmount {
		return s.moment(len(s.Events))
	}
	over := s.Events[struck].At.Add(time.Duration(f.Amount))
	for i := struck + 1; i < len(s.Events); i++ {
		e := &s.Events[i]
		if e.Kind == sim.EventHeal && e.Actor == s.Events[struck].Actor && e.At >= over {
			return s.moment(i)
		}
	}
	return s.moment(len(s.Events))
}
