package scenarios_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"simrun/scenarios"
	"simrun/sim"
)

// timelines holds what the articles print, in their order: who got the lock,
// what became of writes, renewals and releases. Times are left out, as they
// vary from run to run there. In step 4 and 5 of the demo, tokens 33 and 34
// are 1 and 2 here.
var timelines = []struct {
	scenario string
	want     []string
	final    string   // whose value the resource has in the end
	overlaps []string // who believed to hold the lock when another was granted it
}{
	{"demo-2-plain-del", []string{
		"A acquires the lock",
		"B acquires the lock",
		"A writes",
		"A deletes the lock of B",
		"C acquires the lock", // here the article ends
		"C writes",
		"C deletes its lock",
		"B writes",
		"B deletes nothing",
	}, "B", []string{"B C"}},
	{"demo-3-lua-release", []string{
		"A acquires the lock",
		"B acquires the lock",
		"A writes",
		"A deletes nothing", // here the article ends
		"B writes",
		"B deletes its lock",
		"C acquires the lock",
		"C writes",
		"C deletes its lock",
	}, "C", nil},
	{"demo-4-frozen-watchdog", []string{
		"A acquires the lock with token 1",
		"A renews it",
		"A renews it",
		"A pauses",
		"B acquires the lock with token 2",
		"B writes",
		"B deletes its lock",
		"A wakes up",
		"A renews nothing",
		"A writes",
		"A deletes nothing",
	}, "A", []string{"A B"}},
	{"demo-5-fencing", []string{
		"A acquires the lock with token 1",
		"A renews it",
		"A renews it",
		"A pauses",
		"B acquires the lock with token 2",
		"B writes",
		"B deletes its lock",
		"A wakes up",
		"A renews nothing",
		"A is refused",
		"A deletes nothing",
	}, "B", []string{"A B"}},
	{"invoices-1-plain-del", []string{
		"A acquires the lock",
		"B acquires the lock",
		"A writes",
		"A deletes the lock of B",
		"C acquires the lock",
		"B writes",
		"B deletes the lock of C",
		"C writes",
		"C deletes nothing",
	}, "C", []string{"A B", "B C"}},
	{"invoices-2-lua-release", []string{
		"A acquires the lock",
		"B acquires the lock",
		"A writes",
		"A deletes nothing",
		"B writes",
		"B deletes its lock",
		"C acquires the lock",
		"C writes",
		"C deletes its lock",
	}, "C", []string{"A B"}},
	{"invoices-3-stale-write", []string{
		"A acquires the lock",
		"A pauses",
		"B acquires the lock",
		"B writes",
		"B deletes its lock",
		"A wakes up",
		"A writes",
		"A deletes nothing",
	}, "A", []string{"A B"}},
	{"invoices-4-fencing", []string{
		"A acquires the lock with token 1",
		"A pauses",
		"B acquires the lock with token 2",
		"B writes",
		"B deletes its lock",
		"A wakes up",
		"A is refused",
		"A deletes nothing",
	}, "B", []string{"A B"}},
	{"fencing-overlap", []string{
		"A acquires the lock with token 1",
		"B acquires the lock with token 2",
		"A writes",
		"A deletes nothing",
		"B writes",
		"B deletes its lock",
		"C acquires the lock with token 3",
		"C writes",
		"C deletes its lock",
	}, "C", []string{"A B"}},
}

func TestTimelinesOfTheArticlesComeOutInTheirOrder(t *testing.T) {
	for _, tt := range timelines {
		t.Run(tt.scenario, func(t *testing.T) {
			run := ran(t, tt.scenario)
			if diff := cmp.Diff(tt.want, run.Outcomes()); diff != "" {
				t.Errorf("outcomes (-article +run):\n%s", diff)
			}
			if got := run.Final(); got != tt.final {
				t.Errorf("the value in the end is that of %s, want %s", got, tt.final)
			}
			for _, pair := range tt.overlaps {
				first, second, _ := strings.Cut(pair, " ")
				if !overlap(run, first, second) {
					t.Errorf("%s does not believe to hold the lock when %s is granted it", first, second)
				}
			}
		})
	}
}

// overlap reports whether first believed to hold the lock when second was
// granted it.
func overlap(run *scenarios.Run, first, second string) bool {
	grants := run.Trace.History.Grants
	return slices.ContainsFunc(grants, func(a sim.Grant) bool {
		return a.Holder.Name() == first && slices.ContainsFunc(grants, func(b sim.Grant) bool {
			return b.Holder.Name() == second && a.From.Before(b.From) && b.From.Before(a.Until)
		})
	})
}

// What is told to differ in one thing alone has the same schedule.
func TestSameTimingsAreTheSame(t *testing.T) {
	for _, names := range [][]string{
		{"demo-2-plain-del", "demo-3-lua-release"},
		{"demo-4-frozen-watchdog", "demo-5-fencing"},
		{"invoices-1-plain-del", "invoices-2-lua-release", "fencing-overlap"},
		{"invoices-3-stale-write", "invoices-4-fencing"},
		{"check-then-write", "check-then-write-remedy"},
		{"incr-repeats-tokens", "incr-remedy"},
		{"debate-3-kleppmann", "debate-3-antirez"},
	} {
		first := ran(t, names[0]).Script.Schedule.Lines()
		for _, name := range names[1:] {
			if diff := cmp.Diff(first, ran(t, name).Script.Schedule.Lines()); diff != "" {
				t.Errorf("(-%s +%s):\n%s", names[0], name, diff)
			}
		}
	}
}

// Two clients hold three of five servers each, at one time.
func TestTwoMajoritiesAreTwo(t *testing.T) {
	run := ran(t, "two-majorities")
	for _, want := range []string{
		"-> OK from n1 n2 n3, no reply in time from n4 n5 (outcome unknown), holds the lock as A#1\n",
		"-> nil from n1 n2, OK from n3 n4 n5, holds the lock as B#1\n",
	} {
		if !strings.Contains(run.Told, want) {
			t.Errorf("%q is missing in:\n%s", want, run.Told)
		}
	}
	if !overlap(run, "A", "B") {
		t.Error("A no longer believes to hold the lock when B is granted it")
	}
	if remedy := ran(t, "two-majorities-remedy"); overlap(remedy, "A", "B") || len(remedy.Breaks) > 0 {
		t.Errorf("with the remedy, A and B overlap, or %v is broken", remedy.Breaks)
	}
}

// ran runs a scenario.
func ran(t *testing.T, name string) *scenarios.Run {
	t.Helper()
	for _, s := range onDisk(t) {
		if s.Name == name {
			run, err := s.Run()
			if err != nil {
				t.Fatalf("%s: %v", s.File, err)
			}
			return run
		}
	}
	t.Fatalf("there is no scenario %s", name)
	return nil
}
