package traces_test

import (
	"fmt"
	"strings"
	"testing"

	"simrun/traces"
)

func TestLinesAreThoseOfTheTimeline(t *testing.T) {
	trace, err := traces.Load(smallFile)
	if err != nil {
		t.Fatal(err)
	}
	var timeline strings.Builder
	if err := traces.Timeline(&timeline, trace); err != nil {
		t.Fatal(err)
	}
	var lines strings.Builder
	for _, l := range traces.Lines(trace) {
		fmt.Fprintf(&lines, "[%7.1f ms] %s\n", float64(l.At)/1e6, l)
		if at := trace.Events[l.Event].At; at > l.At {
			t.Errorf("%q at %d tells of an event at %d", l, l.At, at)
		}
	}
	if lines.String() != timeline.String() {
		t.Errorf("the lines are\n%sand the timeline is\n%s", &lines, &timeline)
	}
}

// A call and the grant that it decides are one line, which ends with the grant.
func TestALineTellsOfItsLastEvent(t *testing.T) {
	trace, err := traces.Load(smallFile)
	if err != nil {
		t.Fatal(err)
	}
	first := traces.Lines(trace)[0]
	if !strings.Contains(first.Text, "holds the lock") || trace.Events[first.Event].Kind != "grant" {
		t.Errorf("%q ends with %v, want a grant", first, trace.Events[first.Event])
	}
}
