package traces

import (
	"slices"
	"strings"

	"simrun/checker"
	"simrun/sim"
)

// A Narration is what a timeline tells of a trace, in a form to draw from.
type Narration struct {
	Events   []sim.Event    // the first events of the trace, those that are told
	Steps    []Line         // what is told besides the messages of calls, in the order of their events
	Repeated map[int32]bool // messages of calls that only repeat others, by number
}

// Narrate narrates a trace for a picture: up to the moment that broke the check
// that it was found for. Without one, it leaves out the calm phase, unless that
// breaks a check.
func Narrate(t *Trace) *Narration {
	n := &Narration{Events: shown(t), Repeated: make(map[int32]bool)}
	told, repeated := narrate(&t.History, n.Events)
	for _, l := range repeated {
		for _, p := range l.call.parts {
			n.Repeated[p.msg] = true
		}
	}
	for _, l := range told {
		if text := l.apart(); text != "" {
			n.Steps = append(n.Steps, Line{Event: l.event, At: l.at, Who: l.who, Text: text})
		}
	}
	return n
}

// shown returns the events that belong to a picture of the trace.
func shown(t *Trace) []sim.Event {
	if j := t.Violated(); j != nil && t.Found != nil {
		return eventsUpTo(t, j)
	}
	events := t.Events
	if calm := slices.IndexFunc(events, func(e sim.Event) bool { return e.Kind == sim.EventCalm }); calm >= 0 {
		events = events[:calm]
	}
	for i := range t.Verdict {
		if j := &t.Verdict[i]; j.State == checker.Violated {
			if up := eventsUpTo(t, j); len(up) > len(events) {
				events = up
			}
		}
	}
	return events
}

// apart returns what a line tells that messages, drawn as such, do not show.
func (l *line) apart() string {
	switch {
	case l.message:
		return ""
	case l.call == nil:
		return l.what + l.whom + l.rest
	case l.call.complete():
		return strings.TrimLeft(l.rest, ", ")
	}
	return l.call.outcome() + l.rest
}
