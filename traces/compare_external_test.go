package traces_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"simrun/checker"
	"simrun/sim"
	"simrun/traces"
)

func TestCompare(t *testing.T) {
	events := func(texts ...string) []sim.Event {
		var list []sim.Event
		for i, text := range texts {
			list = append(list, sim.Event{At: 1_000_000, Actor: "A", Kind: sim.EventSend, Peer: "n1", Msg: int32(i + 1), Text: text})
		}
		return list
	}
	verdict := func(states ...checker.State) []traces.Judgement {
		var list []traces.Judgement
		for i, state := range states {
			list = append(list, traces.Judgement{Check: checker.All[i].Name, State: state})
		}
		return list
	}
	file := traces.Trace{Events: events("GET a", "GET b"), Verdict: verdict("held", "violated")}
	tests := []struct {
		name string
		here traces.Trace
		want *traces.Difference
	}{
		{"the same", traces.Trace{Events: events("GET a", "GET b"), Verdict: verdict("held", "violated")}, nil},
		{"an event differs", traces.Trace{Events: events("GET a", "GET c"), Verdict: verdict("held", "violated")},
			&traces.Difference{Event: 1, File: "1000000 A send n1 #2 GET b", Here: "1000000 A send n1 #2 GET c"}},
		{"the first of two that differ", traces.Trace{Events: events("GET x", "GET y")},
			&traces.Difference{Event: 0, File: "1000000 A send n1 #1 GET a", Here: "1000000 A send n1 #1 GET x"}},
		{"a shorter run", traces.Trace{Events: events("GET a"), Verdict: verdict("held", "violated")},
			&traces.Difference{Event: 1, File: "1000000 A send n1 #2 GET b", Here: "the end of the run"}},
		{"a longer run", traces.Trace{Events: events("GET a", "GET b", "GET c"), Verdict: verdict("held", "violated")},
			&traces.Difference{Event: 2, File: "the end of the run", Here: "1000000 A send n1 #3 GET c"}},
		{"a verdict differs", traces.Trace{Events: events("GET a", "GET b"), Verdict: verdict("held", "held")},
			&traces.Difference{Event: -1, File: "own-release violated", Here: "own-release held"}},
		{"a verdict is missing", traces.Trace{Events: events("GET a", "GET b"), Verdict: verdict("held")},
			&traces.Difference{Event: -1, File: "own-release violated", Here: "own-release not judged"}},
		{"a verdict more", traces.Trace{Events: events("GET a", "GET b"), Verdict: verdict("held", "violated", "violated")}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, file.Compare(&tt.here)); diff != "" {
				t.Errorf("difference (-want +got):\n%s", diff)
			}
		})
	}
}

func TestARunComparesEqualToItself(t *testing.T) {
	if d := small(t).Compare(small(t)); d != nil {
		t.Errorf("event %d: %q in one run, %q in the next", d.Event, d.File, d.Here)
	}
}

func TestVerdictsInAnyOrderAreTheSame(t *testing.T) {
	trace, turned := small(t), small(t)
	slices.Reverse(turned.Verdict)
	if d := trace.Compare(turned); d != nil {
		t.Errorf("event %d: %q, then %q", d.Event, d.File, d.Here)
	}
}

// The story of a trace is that of the check that it was found for, else that
// of the worst.
func TestViolated(t *testing.T) {
	trace := small(t)
	for _, tt := range []struct {
		found *traces.Found
		want  string
	}{
		{&traces.Found{Check: "own-release"}, "own-release"},
		{&traces.Found{Check: "progress"}, "effect-once"}, // it is held
		{nil, "effect-once"},
	} {
		trace.Found = tt.found
		if j := trace.Violated(); j == nil || j.Check != tt.want {
			t.Errorf("found for %v: the violated check is %v, want %s", tt.found, j, tt.want)
		}
	}
	trace.Verdict = nil
	if j := trace.Violated(); j != nil {
		t.Errorf("%s is violated, want nothing", j.Check)
	}
}
