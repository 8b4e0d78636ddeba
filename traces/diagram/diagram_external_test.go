package diagram_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"simrun/checker"
	"simrun/scenarios"
	"simrun/sim"
	"simrun/traces"
)

// scenario returns the trace of a scenario that comes with simrun.
func scenario(t testing.TB, name string) *traces.Trace {
	t.Helper()
	s := scenarios.Named(name)
	if s == nil {
		t.Fatalf("unknown scenario %q", name)
	}
	r, err := s.Run()
	if err != nil {
		t.Fatal(err)
	}
	return r.Trace
}

// drawn returns what a drawing function makes of a trace.
func drawn(t testing.TB, draw func(io.Writer, *traces.Trace) error, trace *traces.Trace) string {
	t.Helper()
	var out strings.Builder
	if err := draw(&out, trace); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// nasty is text that a notation could take for something else than text.
var nasty = []string{
	"end", "a; b", "a # b", "%% comment", "<script>alert(1)</script>", `"quoted" & 'so'`, "a\nactivate p1\r\n\tend",
	"wrap: A->>B: c", "A-->>B", "$$x^2$$", "`code`", "participant p9 as X", "]]>-->", "#quot;", "\x00\x1b[31m", "{{.}}", "0\u202e1", "",
}

// hostile is a trace in which every text is the given one.
func hostile(text string) *traces.Trace {
	a, n := "A/"+text, "n"+text
	holder := sim.Holder{Client: 1, Attempt: 1}
	stamp := func(i int32) sim.Stamp { return sim.Stamp{Index: i} }
	return &traces.Trace{
		Protocol: text,
		Events: []sim.Event{
			{Actor: a, Kind: sim.EventStart},
			{Actor: a, Kind: sim.EventAcquire, Text: text},
			{Actor: a, Kind: sim.EventSend, Peer: n, Msg: 1, Text: text},
			{Actor: n, Kind: sim.EventServe, Peer: a, Msg: 1, Text: text},
			{Actor: n, Kind: sim.EventAnswer, Peer: a, Msg: 1, Text: text + " -> " + text},
			{Actor: a, Kind: sim.EventReceive, Peer: n, Msg: 1, Text: text + " -> " + text},
			{Actor: a, Kind: sim.EventGrant, Text: text},
			{Actor: a, Kind: sim.EventSend, Peer: n, Msg: 2, Text: text},
			{Actor: a, Kind: sim.EventDrop, Peer: n, Msg: 2, Text: text},
			{Actor: n, Kind: sim.EventFault, Text: text},
			{Actor: a, Kind: sim.EventFault, Text: text},
			{Actor: n, Kind: sim.EventNote, Text: text},
			{Actor: a, Kind: sim.EventHeal, Text: text},
			{Actor: n, Kind: sim.EventHeal, Text: text},
		},
		History: sim.History{
			Quorum:  1,
			Grants:  []sim.Grant{{Holder: holder, Call: stamp(1), From: stamp(6), Until: stamp(13), End: sim.Open}},
			Changes: []sim.Change{{Kind: sim.Took, Server: n, By: holder, Owner: holder, At: stamp(3)}},
			Ended:   stamp(13),
		},
		Verdict: []traces.Judgement{{Check: text, State: checker.Violated, At: stamp(11), Why: text, Events: []int32{11}}},
	}
}

// broken fails after some bytes.
type broken struct{ left int }

var errBroken = errors.New("broken pipe")

func (b *broken) Write(p []byte) (int, error) {
	if b.left -= len(p); b.left < 0 {
		return 0, errBroken
	}
	return len(p), nil
}

// Traces made by hand need not make sense, but must not crash who draws them.
var nonsense = map[string]*traces.Trace{
	"nothing":     {},
	"a violation": {Verdict: []traces.Judgement{{Check: "progress", State: checker.Violated, Events: []int32{99}}}},
	"a violation before the start": {
		Events:  []sim.Event{{Actor: "A", Kind: sim.EventStart}},
		Verdict: []traces.Judgement{{Check: "progress", State: checker.Violated, At: sim.Stamp{Index: -1}}},
	},
	"an answer before its question": {Events: []sim.Event{
		{Actor: "n1", Kind: sim.EventAnswer, Peer: "A", Msg: 1, Text: "GET"},
		{Actor: "A", Kind: sim.EventReceive, Peer: "n1", Msg: 1, Text: "GET"},
		{Actor: "A", Kind: sim.EventSend, Peer: "n1", Msg: 1, Text: "GET"},
	}},
	"a grant that ends before it begins": {
		Events:  []sim.Event{{Actor: "A", Kind: sim.EventStart}, {At: 5, Actor: "A", Kind: sim.EventGrant, Text: "A#1"}},
		History: sim.History{Grants: []sim.Grant{{From: sim.Stamp{Index: 1, At: 5}, Until: sim.Stamp{Index: 0}}, {From: sim.Stamp{Index: -3}, Until: sim.Stamp{Index: 900, At: 3}}}},
	},
	"a change by nobody of nothing": {
		Events:  []sim.Event{{Actor: "n1", Kind: sim.EventChange, Text: "took"}},
		History: sim.History{Changes: []sim.Change{{Kind: sim.Took, Server: "elsewhere", At: sim.Stamp{Index: 70, At: 9}}, {Kind: sim.Expired, Server: "n1", At: sim.Stamp{Index: -1, At: -9}}}},
	},
	"time that runs backward": {Events: []sim.Event{
		{At: 90, Actor: "A", Kind: sim.EventStart}, {At: 10, Actor: "A", Kind: sim.EventFault, Text: "pause"}, {At: 5, Actor: "A", Kind: sim.EventHeal, Text: "wakes up"},
	}},
}
