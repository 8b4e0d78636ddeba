package page_test

import (
	"bytes"
	"math"
	"regexp"
	"strings"
	"testing"

	"simrun/checker"
	"simrun/explore"
	"simrun/protocols"
	"simrun/scenarios"
	"simrun/sim"
	"simrun/traces"
	"simrun/traces/page"
)

// scenario returns the trace of a recorded scenario.
func scenario(t testing.TB, name string) *traces.Trace {
	t.Helper()
	run, err := scenarios.Named(name).Run()
	if err != nil {
		t.Fatal(err)
	}
	return run.Trace
}

// inPlaceOf returns the trace of a scenario's schedule with another lock.
func inPlaceOf(t testing.TB, name, protocol string) *traces.Trace {
	t.Helper()
	s := scenarios.Named(name)
	trace, _, err := explore.Record(protocols.Named(protocol), s.Params, s.Schedule, checker.All)
	if err != nil {
		t.Fatal(err)
	}
	return trace
}

func pageOf(t testing.TB, runs ...*traces.Trace) string {
	t.Helper()
	var b bytes.Buffer
	if err := page.Write(&b, runs...); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A page is to be sent around: no scenario's takes half a megabyte, and none
// names anything outside of itself.
func TestAPageOfAnyScenarioIsSmallAndWhole(t *testing.T) {
	outside := regexp.MustCompile(`//\w|\ssrc=|@import|url\([^#]`)
	for _, s := range scenarios.All() {
		html := pageOf(t, scenario(t, s.Name))
		if len(html) > 500_000 {
			t.Errorf("%s: the page has %d bytes, want 500 000 at most", s.Name, len(html))
		}
		markup, _, _ := strings.Cut(html, "<script>")
		if found := outside.FindString(markup); found != "" {
			t.Errorf("%s: the page reaches outside of itself: %q", s.Name, found)
		}
	}
}

func TestTheSamePageIsWrittenEveryTime(t *testing.T) {
	first, second := scenario(t, "two-majorities"), scenario(t, "two-majorities")
	if pageOf(t, first) != pageOf(t, second) {
		t.Error("two pages of one trace differ")
	}
}

// hostile is markup that would run a script in every place where a page could
// take it for its own.
const hostile = `</script></title></svg>"'><img src=x onerror="window.harmed=1"><script>window.harmed=1</script>{{.}}`

// harm returns a trace that has markup in every text that a file can hold.
func harm(t testing.TB) *traces.Trace {
	trace := scenario(t, "demo-5-fencing")
	trace.Protocol = hostile
	trace.Defect = hostile
	trace.Hash = hostile
	for i := range trace.Events {
		e := &trace.Events[i]
		e.Text += hostile
		e.Step += hostile
		if e.Actor == "db" {
			e.Actor = hostile
		}
		if e.Peer == "db" {
			e.Peer = hostile
		}
	}
	for i := range trace.Verdict {
		trace.Verdict[i].Why = hostile
	}
	for i := range trace.History.Changes {
		if c := &trace.History.Changes[i]; c.Server == "db" {
			c.Server = hostile
		}
	}
	return trace
}

func TestMarkupInATraceIsEscaped(t *testing.T) {
	html := pageOf(t, harm(t))
	if strings.Contains(html, "<img") || strings.Contains(html, "<script>window") {
		t.Error("the page has the trace's markup as its own")
	}
	if got := strings.Count(html, "</script>"); got != 2 {
		t.Errorf("the page has the ends of %d scripts, want those of its data and of its own script", got)
	}
}

// Files can be written by hand: times from one end of the world to the other,
// actors that nobody knows, messages that nobody sent.
func TestAStrangeTraceIsDrawnAllTheSame(t *testing.T) {
	trace := scenario(t, "two-majorities")
	trace.Schedule = sim.Schedule{}
	for i := range trace.Events {
		e := &trace.Events[i]
		switch i % 7 {
		case 0:
			e.At = math.MaxInt64
		case 1:
			e.At = math.MinInt64
		case 2:
			e.Actor = sim.WorldName
		case 3:
			e.Peer = e.Actor
		case 4:
			e.Kind = "nonsense"
		case 5:
			e.Msg = 1
		}
	}
	pageOf(t, trace)

	for i := range trace.Events {
		trace.Events[i].Actor, trace.Events[i].Kind = sim.WorldName, sim.EventNote
	}
	trace.History.Changes = nil
	pageOf(t, trace)
}
