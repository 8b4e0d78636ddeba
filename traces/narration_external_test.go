package traces_test

import (
	"slices"
	"strings"
	"testing"

	"simrun/checker"
	"simrun/protocols"
	"simrun/sim"
	"simrun/traces"
)

func stepsOf(n *traces.Narration) string {
	var b strings.Builder
	for _, s := range n.Steps {
		b.WriteString(s.Who + ": " + s.Text + "\n")
	}
	return b.String()
}

func TestNarrationTellsApartWhatMessagesDoNotShow(t *testing.T) {
	const want = `A: holds the lock as A#1
A: works for 30ms
B: does not get the lock
A: does its outside effect for the first value
A: pause of 330ms begins
B: does not get the lock (after 1 more like it)
A: its lock expires, unknown to it
B: holds the lock as B#4
: => A and B both believe that they hold the lock
B: works for 30ms
A: wakes up
`
	if got := stepsOf(traces.Narrate(small(t))); got != want {
		t.Errorf("steps\n%swant\n%s", got, want)
	}
}

func TestStepsStandInTheOrderOfTheirEvents(t *testing.T) {
	n := traces.Narrate(small(t))
	for i, s := range n.Steps {
		if s.Event >= len(n.Events) || n.Events[s.Event].At > s.At || i > 0 && n.Steps[i-1].Event > s.Event {
			t.Errorf("step %d, %q, is told after event %d at %d", i, s.Text, s.Event, s.At)
		}
	}
}

// B asks for the lock at 20 ms, three times in all before A's lease is over.
func TestNarrationKnowsTheMessagesThatRepeatOthers(t *testing.T) {
	trace := small(t)
	var asked []int32
	for _, e := range trace.Events {
		if e.Kind == sim.EventSend && e.Actor == "B" && strings.HasPrefix(e.Text, "SET ") {
			asked = append(asked, e.Msg)
		}
	}
	repeated := traces.Narrate(trace).Repeated
	if len(repeated) != 1 || !repeated[asked[1]] {
		t.Errorf("repeated: %v, want the second of %v alone", repeated, asked)
	}
}

func TestNarrationEndsWithWhatItIsAbout(t *testing.T) {
	trace := small(t)
	calm := slices.IndexFunc(trace.Events, func(e sim.Event) bool { return e.Kind == sim.EventCalm })
	ofStory := len(traces.Narrate(trace).Events)
	if last := trace.Violated().Events; ofStory <= int(slices.Max(last)) || ofStory > calm {
		t.Errorf("a story of %d events, want it to end soon after event %d", ofStory, slices.Max(last))
	}
	trace.Found = nil
	if n := len(traces.Narrate(trace).Events); n != calm {
		t.Errorf("without a check: %d events, want the %d before the calm phase", n, calm)
	}
	trace.Verdict = append(trace.Verdict, traces.Judgement{Check: "progress", State: checker.Violated, Events: []int32{int32(calm + 3)}})
	if n := len(traces.Narrate(trace).Events); n <= calm+3 {
		t.Errorf("with progress broken at event %d: %d events", calm+3, n)
	}
	quiet := record(t, protocols.Named("setnx"), parse(t, quiet, onlyA))
	if n := traces.Narrate(quiet); n.Events[len(n.Events)-1].Kind == sim.EventCalm || len(n.Steps) == 0 {
		t.Errorf("a quiet run ends with %v, and tells\n%s", n.Events[len(n.Events)-1], stepsOf(n))
	}
}
