package explore_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"simrun/checker"
	"simrun/explore"
	"simrun/protocols"
	"simrun/sim"
)

var update = flag.Bool("update", false, "rewrite the golden files")

const hashFile = "testdata/hashes.txt"

// hashes returns the hashes of a few seeds of every protocol, a line for each.
// The same file must come out on every machine.
func hashes(t *testing.T) string {
	t.Helper()
	var lines strings.Builder
	for _, space := range spaces {
		judge := space.NewJudge(nil)
		defer judge.Close()
		for seed := 1; seed <= 8; seed++ {
			out, err := judge.Record(space.Schedule(seed))
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&lines, "%s %d %d %s\n", space.Protocol.Name, seed, len(out.Events), sim.Hash(out.Events))
		}
	}
	return lines.String()
}

func TestSameSeedGivesTheSameEventsOnEveryMachine(t *testing.T) {
	got := hashes(t)
	if *update {
		if err := os.WriteFile(hashFile, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(hashFile)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("events differ from %s (-file +here); if they were meant to change, run with -update:\n%s", hashFile, diff)
	}
}

func TestSameSeedGivesTheSameEventsWithAnyNumberOfProcessors(t *testing.T) {
	want := hashes(t)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, n := range []int{1, 2, 8} {
		runtime.GOMAXPROCS(n)
		if got := hashes(t); got != want {
			t.Errorf("GOMAXPROCS=%d: %s", n, cmp.Diff(want, got))
		}
	}
}

func TestReportDoesNotDependOnTheNumberOfWorkers(t *testing.T) {
	for _, name := range []string{"redlock", "fencing", "setnx-expire"} {
		p := protocols.Named(name)
		report := func(workers int) *explore.Report {
			c := explore.Campaign{
				Space: explore.NewSpace(p, p.Defaults(), explore.AllFaults()), Checks: checker.All,
				First: 1, Seeds: 2_000, Workers: workers,
			}
			return c.Run(context.Background())
		}
		if diff := cmp.Diff(report(1), report(8), compareReports...); diff != "" {
			t.Errorf("%s: reports differ (-1 worker +8 workers):\n%s", name, diff)
		}
	}
}

// compareReports compares checks by name, since they hold functions.
var compareReports = []cmp.Option{
	cmp.AllowUnexported(explore.Spread{}),
	cmp.Comparer(func(a, b *checker.Check) bool { return a.Name == b.Name }),
}

func TestReportsOfPartsMergeIntoTheReportOfTheWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := protocols.Named("setnx")
		space := explore.NewSpace(p, p.Defaults(), explore.AllFaults())
		report := func(first, seeds int) *explore.Report {
			c := explore.Campaign{Space: space, Checks: checker.All, First: first, Seeds: seeds, Workers: 1}
			return c.Run(context.Background())
		}
		n := rapid.IntRange(1, 300).Draw(t, "seeds")
		cut := rapid.IntRange(0, n).Draw(t, "cut")
		merged := report(1+cut, n-cut)
		merged.Merge(report(1, cut))
		if diff := cmp.Diff(report(1, n), merged, compareReports...); diff != "" {
			t.Fatalf("(-whole +merged):\n%s", diff)
		}
	})
}

func TestSeedStandsForWhatRapidDraws(t *testing.T) {
	space := spaces[len(spaces)-1]
	gen := space.Schedules()
	for seed := 1; seed <= 50; seed++ {
		if diff := cmp.Diff(space.Schedule(seed).Lines(), gen.Example(seed).Lines()); diff != "" {
			t.Fatalf("seed %d: %s", seed, diff)
		}
	}
}
