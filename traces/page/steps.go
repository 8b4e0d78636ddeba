package page

import (
	"slices"

	"simrun/clock"
	"simrun/traces"
)

// A step is a line of the timeline, which the page can be moved to. Where
// several runs are compared, a step may be of one of them or of all.
type step struct {
	At     clock.Instant
	Who    string
	Text   string
	Of     []bool  // which runs it is of
	Only   string  // the name of the run that it is of, unless it is of all
	Events []int   // for each run, the last event up to here
	Now    []state // for each run
}

// Time returns when the step happens.
func (s *step) Time() string { return millis(s.At) }

// name gives a step that is not of all runs the name of the one that it is of.
func (s *step) name(runs []string) {
	if slices.Contains(s.Of, false) {
		s.Only = runs[slices.Index(s.Of, true)]
	}
}

// stepsOf returns the steps of all runs in the order of true time. What happens
// alike in several runs is one step.
func stepsOf(runs []*traces.Trace) []*step {
	var steps []*step
	for r, t := range runs {
		for _, l := range traces.Lines(t) {
			s := alike(steps, l, r)
			if s == nil {
				s = &step{At: l.At, Who: l.Who, Text: l.Text, Of: make([]bool, len(runs)), Events: make([]int, len(runs))}
				steps = slices.Insert(steps, placeOf(steps, l.At), s)
			}
			s.Of[r], s.Events[r] = true, l.Event
		}
	}
	for r, t := range runs {
		o, event := newHistorian(t), 0
		for _, s := range steps {
			event = max(event, s.Events[r])
			s.Events[r] = event
			s.Now = append(s.Now, o.stateAt(s.At, event))
		}
	}
	return steps
}

// alike returns the step of another run that a line repeats, or nil.
func alike(steps []*step, l traces.Line, run int) *step {
	for i := placeOf(steps, l.At) - 1; i >= 0 && steps[i].At == l.At; i-- {
		if s := steps[i]; s.Who == l.Who && s.Text == l.Text && !s.Of[run] {
			return s
		}
	}
	return nil
}

// placeOf returns where a step of an instant goes: behind all others of it.
func placeOf(steps []*step, at clock.Instant) int {
	i := len(steps)
	for i > 0 && steps[i-1].At > at {
		i--
	}
	return i
}
