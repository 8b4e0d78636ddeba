package traces_test

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"simrun/protocols"
	"simrun/sim"
	"simrun/traces"
)

var update = flag.Bool("update", false, "write the golden files of testdata anew")

// A golden file holds a remark, a protocol, the check whose story is told (or
// "timeline"), a schedule, a blank line, and what is told of it.
func TestNarration(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden files: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			head, want, _ := strings.Cut(string(data), "\n\n")
			got := told(t, strings.Split(strings.TrimSpace(head), "\n"))
			if *update {
				if err := os.WriteFile(file, []byte(strings.TrimSpace(head)+"\n\n"+got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("told otherwise than in %s (-want +got):\n%s", file, diff)
			}
		})
	}
}

func told(t *testing.T, head []string) string {
	t.Helper()
	p := protocols.Named(head[1])
	if head[1] == fragile.Name {
		p = fragile
	}
	if p == nil {
		t.Fatalf("unknown protocol %q", head[1])
	}
	trace := record(t, p, parse(t, head[3:]...))
	tell := traces.Timeline
	if check := head[2]; check != "timeline" {
		trace.Found = &traces.Found{Check: check}
		if j := trace.Violated(); j == nil || j.Check != check {
			t.Fatalf("the schedule does not violate %s", check)
		}
		tell = traces.Story
	}
	var out strings.Builder
	if err := tell(&out, trace); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestStoryOfAHarmlessRunIsItsTimeline(t *testing.T) {
	trace := record(t, protocols.Named("setnx"), parse(t, quiet, onlyA))
	var story, timeline strings.Builder
	if err := errors.Join(traces.Story(&story, trace), traces.Timeline(&timeline, trace)); err != nil {
		t.Fatal(err)
	}
	if story.String() != timeline.String() || story.Len() == 0 {
		t.Errorf("story:\n%s\nwant the timeline:\n%s", &story, &timeline)
	}
}

// Traces made by hand need not make sense, but must not crash who looks at
// them.
func TestNarrationOfNonsense(t *testing.T) {
	violated := []traces.Judgement{{Check: "progress", State: "violated", Why: "nobody knows", Events: []int32{99}}}
	send := sim.Event{Actor: "A", Kind: sim.EventSend, Peer: "n1", Msg: 1, Text: "GET lock"}
	serve := sim.Event{Actor: "n1", Kind: sim.EventServe, Peer: "A", Msg: 1, Text: "GET lock"}
	tests := []struct {
		name  string
		trace traces.Trace
		want  string
	}{
		{"nothing", traces.Trace{}, ""},
		{"a violation by nothing", traces.Trace{Verdict: violated}, "             progress is broken: nobody knows\n"},
		{"a reply to nobody", traces.Trace{Events: []sim.Event{{Actor: "A", Kind: sim.EventReceive, Peer: "n1", Msg: 7, Text: "GET lock -> nil"}}}, ""},
		{"a timeout of nothing", traces.Trace{Events: []sim.Event{{Actor: "A", Kind: sim.EventTimeout, Peer: "n1"}}}, ""},
		{"an answer before its question", traces.Trace{Events: []sim.Event{{Actor: "n1", Kind: sim.EventAnswer, Peer: "A", Msg: 1, Text: "GET lock -> nil"}, send, serve}},
			"[    0.0 ms] n1: answers A's GET lock -> nil\n[    0.0 ms] A: sends GET lock to n1\n[    0.0 ms] n1: A's GET lock, sent at 0.0 ms -> nil\n"},
		{"a violation after the end", traces.Trace{Verdict: violated, Events: []sim.Event{send}},
			"[    0.0 ms] A: sends GET lock to n1\n             progress is broken: nobody knows\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var out strings.Builder
			if err := traces.Story(&out, &tt.trace); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, out.String()); diff != "" {
				t.Errorf("story (-want +got):\n%s", diff)
			}
		})
	}
}

// broken fails after some writes.
type broken struct{ left int }

var errBroken = errors.New("broken pipe")

func (b *broken) Write(p []byte) (int, error) {
	if b.left--; b.left < 0 {
		return 0, errBroken
	}
	return len(p), nil
}

func TestNarrationReportsFailedWrites(t *testing.T) {
	trace := small(t)
	var whole strings.Builder
	if err := traces.Story(&whole, trace); err != nil {
		t.Fatal(err)
	}
	for n := range strings.Count(whole.String(), "\n") {
		if err := traces.Story(&broken{left: n}, trace); !errors.Is(err, errBroken) {
			t.Errorf("after %d lines: error %v, want %v", n, err, errBroken)
		}
	}
}
