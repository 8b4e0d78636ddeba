package protocols_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"simrun/checker"
	"simrun/protocols"
	"simrun/sim"
	"simrun/traces"
)

var update = flag.Bool("update", false, "tell the stories in testdata anew")

// TestStories runs the schedule of every story in testdata. A story is
//
//	# what it shows
//	protocol setnx ttl 1s work 500ms
//	breaks mutual-exclusion, own-release
//	noise seed 1 from 1ms to 1ms
//	client A starts at 0s works 500ms rounds 1
//	overrun A round 1 for 1s
//	---
//
// followed by the timeline of the run and its verdicts, which the flag -update
// writes anew. What is above the line is for people to write: a story that
// breaks another set of checks than it says fails even then.
func TestStories(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no stories in testdata: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			script, _, ok := strings.Cut(string(want), "---\n")
			if !ok {
				t.Fatal("no line --- after the schedule")
			}
			got := script + "---\n" + tell(t, script)
			if *update {
				err = os.WriteFile(file, []byte(got), 0o666)
			} else if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("the run went otherwise (-story +run):\n%s", diff)
			}
			if err != nil {
				t.Fatal(err)
			}
		})
	}
}

// Every protocol has a quiet story, so that a new one cannot go untold.
func TestEveryProtocolHasAQuietStory(t *testing.T) {
	for _, name := range protocols.Names() {
		story, err := os.ReadFile(filepath.Join("testdata", "quiet_"+strings.ReplaceAll(name, "-", "_")+".txt"))
		if err != nil {
			t.Error(err)
		} else if !strings.Contains(string(story), "\nprotocol "+name+" ") || !strings.Contains(string(story), "\nbreaks nothing\n") {
			t.Errorf("the quiet story of %s is of another protocol, or breaks something", name)
		}
	}
}

// tell runs a script and narrates what happened.
func tell(t *testing.T, script string) string {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(script), "\n")
	for strings.HasPrefix(lines[0], "#") {
		lines = lines[1:]
	}
	p, params := parameters(t, strings.Fields(lines[0]))
	breaks, ok := strings.CutPrefix(lines[1], "breaks ")
	if !ok {
		t.Fatalf("second line %q, want what the story breaks", lines[1])
	}
	schedule, err := sim.ParseSchedule(lines[2:])
	if err != nil {
		t.Fatal(err)
	}
	trace := record(t, p, params, schedule)

	var told strings.Builder
	if err := traces.Timeline(&told, trace); err != nil {
		t.Fatal(err)
	}
	told.WriteString("\n")
	var broken []string
	for _, j := range trace.Verdict {
		fmt.Fprintf(&told, "%s: %s", j.Check, j.State)
		if j.State == checker.Violated {
			fmt.Fprintf(&told, " at %.1f ms, %s", float64(j.At.At)/float64(time.Millisecond), j.Why)
			broken = append(broken, j.Check)
		}
		told.WriteString("\n")
	}
	if broken == nil {
		broken = []string{"nothing"}
	}
	if got := strings.Join(broken, ", "); got != breaks {
		t.Errorf("the run breaks %s, the story says %s", got, breaks)
	}
	return told.String()
}

// parameters reads a line such as "protocol redlock clients 2 nodes 3".
func parameters(t *testing.T, words []string) (*protocols.Protocol, protocols.Params) {
	t.Helper()
	p := protocols.Named(words[1])
	if words[0] != "protocol" || p == nil {
		t.Fatalf("first line %q, want a protocol and its parameters", strings.Join(words, " "))
	}
	params := p.Defaults()
	for pair := range slices.Chunk(words[2:], 2) {
		var err error
		switch pair[0] {
		case "clients":
			params.Clients, err = strconv.Atoi(pair[1])
		case "rounds":
			params.Rounds, err = strconv.Atoi(pair[1])
		case "nodes":
			params.Nodes, err = strconv.Atoi(pair[1])
		case "ttl":
			params.TTL, err = time.ParseDuration(pair[1])
		case "work":
			params.Work, err = time.ParseDuration(pair[1])
		case "token":
			params.Token = protocols.TokenSource(pair[1])
		default:
			err = fmt.Errorf("unknown parameter %q", pair[0])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Accepts(params); err != nil {
		t.Fatal(err)
	}
	return p, params
}

// record runs a schedule all of whose faults must strike.
func record(t *testing.T, p *protocols.Protocol, params protocols.Params, s sim.Schedule) *traces.Trace {
	t.Helper()
	w := sim.NewWorld(p.Setup(params))
	defer w.Close()
	r, err := w.Record(s)
	switch {
	case err != nil:
		t.Fatal(err)
	case r.Defect != "":
		t.Fatal(r.Defect)
	}
	if i := slices.Index(r.Struck, false); i >= 0 {
		t.Errorf("the fault %q never strikes", s.Faults[i])
	}
	return traces.New(p.Name, traces.Parameters{
		Clients: params.Clients, Rounds: params.Rounds, Nodes: params.Nodes,
		TTL: params.TTL, Work: params.Work, Token: string(params.Token),
	}, s, r, checker.All)
}

// run runs a schedule and returns its history.
func run(t *testing.T, p *protocols.Protocol, params protocols.Params, lines ...string) *sim.History {
	t.Helper()
	s, err := sim.ParseSchedule(lines)
	if err != nil {
		t.Fatal(err)
	}
	return &record(t, p, params, s).History
}
