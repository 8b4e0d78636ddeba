package page

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"simrun/checker"
	"simrun/explore"
	"simrun/internal/golden"
	"simrun/protocols"
	"simrun/scenarios"
	"simrun/traces"
)

func recorded(t testing.TB, name string) *traces.Trace {
	t.Helper()
	run, err := scenarios.Named(name).Run()
	if err != nil {
		t.Fatal(err)
	}
	return run.Trace
}

// What is drawn of two scenarios, as text.
func TestDrawingIsAsInTheGoldenFiles(t *testing.T) {
	for _, name := range []string{"demo-5-fencing", "two-majorities"} {
		t.Run(name, func(t *testing.T) {
			v := viewOf([]*traces.Trace{recorded(t, name)})
			golden.Compare(t, filepath.Join("testdata", name+".txt"), written(v))
		})
	}
}

// written puts a view of one run into words.
func written(v *view) string {
	var b strings.Builder
	d := v.Drawings[0]
	for _, f := range v.Folds {
		fmt.Fprintf(&b, "fold %d-%d of %s\n", f.X, f.X+f.Width, f.Label)
	}
	for _, l := range d.Lanes {
		fmt.Fprintf(&b, "\nlane %s\n", l.Name)
		on := func(y int) bool { return l.Top <= y && y < l.Bottom }
		for _, x := range d.Bars {
			if on(x.Y) {
				fmt.Fprintf(&b, "  %d-%d %s %q\n", x.X, x.X+x.Width, x.Kind, x.Label)
			}
		}
		for _, m := range d.Marks {
			if on(m.Y) {
				fmt.Fprintf(&b, "  %d %s\n", m.X, m.Kind)
			}
		}
		for _, m := range d.Messages {
			if m.from == l {
				fmt.Fprintf(&b, "  %d-%d %s to %s %q lost %t\n", m.X1, m.X2, m.Kind, m.to.Name, m.Label, m.Lost)
			}
		}
	}
	b.WriteString("\n")
	for _, o := range d.Overlaps {
		fmt.Fprintf(&b, "overlap %d-%d: %s\n", o.X, o.X+o.Width, o.Label)
	}
	for _, s := range v.Steps {
		n := s.Now[0]
		fmt.Fprintf(&b, "step %s: %s\n  %s | %s | %s\n", s.Time(), s.Text, n.Holds, n.Believes, n.Row)
	}
	return b.String()
}

// All that a trace holds can be read on its page, each event once.
func TestEveryEventIsTold(t *testing.T) {
	for _, s := range scenarios.All() {
		trace := recorded(t, s.Name)
		d := viewOf([]*traces.Trace{trace}).Drawings[0]
		count := make(map[string]int)
		add := func(s *story) {
			for _, line := range s.Lines {
				count[line]++
			}
		}
		for _, m := range d.Messages {
			add(&m.story)
		}
		for _, m := range d.Marks {
			add(&m.story)
		}
		for _, b := range d.Bars {
			if b.Kind == "work" {
				add(&b.story)
			}
		}
		if d.Calm != nil {
			add(&d.Calm.story)
		}
		for i := range trace.Events {
			count[told(&trace.Events[i])]--
		}
		for line, n := range count {
			if n != 0 {
				t.Errorf("%s: %q is told %+d times too often", s.Name, line, n)
			}
		}
	}
}

// space returns random schedules in which everything may strike.
func space(name string) *explore.Space {
	p := protocols.Named(name)
	faults, err := explore.ParseSelection("all")
	if err != nil {
		panic(err)
	}
	return explore.NewSpace(p, p.Defaults(), faults)
}

// some records some random runs of a lock.
func some(t *testing.T, name string, visit func(seed int, trace *traces.Trace)) {
	t.Helper()
	sp := space(name)
	for seed := 1; seed <= 150; seed++ {
		trace, _, err := explore.Record(sp.Protocol, sp.Params, sp.Schedule(seed), checker.All)
		if err != nil {
			t.Fatal(err)
		}
		visit(seed, trace)
	}
}

func TestTwoBelieveOnThePageWhenMutualExclusionIsBroken(t *testing.T) {
	broken := 0
	some(t, "setnx-expire", func(seed int, trace *traces.Trace) {
		d := viewOf([]*traces.Trace{trace}).Drawings[0]
		violated := slices.ContainsFunc(trace.Verdict, func(j traces.Judgement) bool {
			return j.Check == "mutual-exclusion" && j.State == checker.Violated
		})
		if drawn := len(d.Overlaps) > 0; drawn != violated {
			t.Errorf("seed %d: an overlap is drawn: %t, mutual-exclusion is violated: %t", seed, drawn, violated)
		}
		if violated {
			broken++
		}
	})
	if broken == 0 {
		t.Error("no run broke anything")
	}
}
