package explore_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"simrun/checker"
	"simrun/explore"
	"simrun/protocols"
	"simrun/sim"
)

// broken returns a lock that does something hopeless in some schedules.
func broken(hopeless func(t *sim.Thread)) *protocols.Protocol {
	p := *protocols.Named("lua-release")
	p.Name = "broken"
	lock := p.Lock
	p.Lock = func(t *sim.Thread, e *protocols.Env, value string) (protocols.Lease, bool) {
		l, ok := lock(t, e, value)
		if !ok {
			hopeless(t)
		}
		return l, ok
	}
	return &p
}

func TestBrokenProtocolIsReportedWithItsSeedAndTheRunGoesOn(t *testing.T) {
	for name, test := range map[string]struct {
		hopeless func(t *sim.Thread)
		want     string
	}{
		"panics": {func(*sim.Thread) { panic("no such key") }, "panic: no such key (run_external_test.go:"},
		"never yields": {func(t *sim.Thread) {
			for {
				t.Monotonic()
			}
		}, "took more than 100000 steps"},
	} {
		t.Run(name, func(t *testing.T) {
			p := broken(test.hopeless)
			space := explore.NewSpace(p, p.Defaults(), nil)
			c := explore.Campaign{Space: space, Checks: checker.All, First: 1, Seeds: 200, Workers: 2}
			r := c.Run(context.Background())
			if r.Schedules != 200 || r.Defects.Count == 0 || r.Defects.Count == 200 {
				t.Fatalf("%d schedules, %d broken off; want 200, and some of them", r.Schedules, r.Defects.Count)
			}
			if !strings.Contains(r.Defects.Text, test.want) {
				t.Errorf("reported as %q, want %q in it", r.Defects.Text, test.want)
			}
			judge := space.NewJudge(checker.All)
			defer judge.Close()
			out, err := judge.Run(space.Schedule(r.Defects.Seed))
			if err != nil || out.Defect != r.Defects.Text {
				t.Errorf("seed %d again: defect %q, error %v; want %q", r.Defects.Seed, out.Defect, err, r.Defects.Text)
			}
			for _, v := range out.Verdicts {
				if v.State != checker.Unknown {
					t.Errorf("a run that was broken off is judged %s", v.State)
				}
			}
		})
	}
}

func TestCancelledCampaignReportsWhatItHasRun(t *testing.T) {
	p := protocols.Named("redlock")
	ctx, cancel := context.WithCancel(context.Background())
	c := explore.Campaign{
		Space: explore.NewSpace(p, p.Defaults(), explore.AllFaults()), Checks: checker.All,
		First: 1, Seeds: 1_000_000, Workers: 2,
		Progress: func(done int) {
			if done > 200 {
				cancel()
			}
		},
	}
	if n := c.Run(ctx).Schedules; n <= 200 || n >= 1_000_000 {
		t.Errorf("reports %d schedules, want those that had been run", n)
	}
}

func TestUpperBoundIsWhatZeroOfNAllows(t *testing.T) {
	for _, n := range []int{1, 10, 300, 10_000} {
		p := explore.UpperBound(n)
		if chance := math.Pow(1-p, float64(n)); math.Abs(chance-0.05) > 1e-9 {
			t.Errorf("with a share of %g, none in %d has probability %g, want 0.05", p, n, chance)
		}
	}
	if got := explore.UpperBound(0); got != 1 {
		t.Errorf("after no schedule the bound is %g, want 1", got)
	}
}

func TestSelectionPrintsAsItIsRead(t *testing.T) {
	for _, text := range []string{"all", "none", "pause", "pause,loss", "pause@acquire,amnesia@request,loss@reply,death@instant,overrun"} {
		s, err := explore.ParseSelection(text)
		if err != nil || s.String() != text {
			t.Errorf("%q is read as %q, error %v", text, s, err)
		}
	}
}

func TestSelectionLimitsFaultsToItsPlaces(t *testing.T) {
	s, err := explore.ParseSelection("pause@write,loss@reply")
	if err != nil {
		t.Fatal(err)
	}
	p := protocols.Named("lua-release")
	space := explore.NewSpace(p, p.Defaults(), s)
	seen := map[string]int{}
	for seed := 1; seed <= 300; seed++ {
		for _, f := range space.Schedule(seed).Faults {
			seen[f.Kind.Name+" "+strings.Fields(f.Point.String())[0]]++
			if f.Point.Place == sim.BeforeStep && f.Point.Purpose != sim.Write {
				t.Fatalf("seed %d: %v strikes elsewhere", seed, f)
			}
		}
	}
	if len(seen) != 2 || seen["pause before"] == 0 || seen["loss reply"] == 0 {
		t.Errorf("drawn: %v, want pauses before writes and lost replies", seen)
	}
}

func TestUnknownFaultsArePlainErrors(t *testing.T) {
	for text, want := range map[string]string{
		"pauze":        `unknown fault "pauze"`,
		"pause@lunch":  `unknown place of the fault pause "lunch"`,
		"pause,,death": `unknown fault ""`,
	} {
		if _, err := explore.ParseSelection(text); err == nil || err.Error() != want {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
}

// Every kind of fault must be drawn and must strike, or a campaign under it
// would show nothing.
func TestEveryKindOfFaultStrikes(t *testing.T) {
	p := protocols.Named("watchdog")
	space := explore.NewSpace(p, p.Defaults(), explore.AllFaults())
	judge := space.NewJudge(nil)
	defer judge.Close()
	struck := map[string]bool{}
	for seed := 1; seed <= 3_000; seed++ {
		s := space.Schedule(seed)
		out, err := judge.Run(s)
		if err != nil {
			t.Fatal(err)
		}
		for i, f := range s.Faults {
			if out.Struck[i] {
				struck[f.Kind.Name] = true
			}
		}
	}
	for _, kind := range sim.Kinds {
		if !struck[kind.Name] && !slices.Contains(space.Idle(), explore.Choice{Kind: kind}) {
			t.Errorf("%s never struck", kind.Name)
		}
	}
}

func TestSpreadKeepsLongestAndMedian(t *testing.T) {
	p := protocols.Named("setnx")
	c := explore.Campaign{
		Space: explore.NewSpace(p, p.Defaults(), explore.AllFaults()), Checks: checker.All,
		First: 1, Seeds: 2_000, Workers: 2,
	}
	r := c.Run(context.Background())
	if r.Overlap.Count != r.Checks[0].Violated {
		t.Errorf("beliefs overlapped in %d schedules, but %d violate mutual-exclusion", r.Overlap.Count, r.Checks[0].Violated)
	}
	if m := r.Overlap.Median(); m <= 0 || m > r.Overlap.Longest {
		t.Errorf("median overlap %v, longest %v", m, r.Overlap.Longest)
	}
	if r.Unaware.Longest > time.Minute {
		t.Errorf("a client believed for %v after the loss", r.Unaware.Longest)
	}
}

// recorder is a test that notes its failures.
type recorder struct{ failures []string }

func (*recorder) Helper() {}
func (r *recorder) Errorf(format string, args ...any) {
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
}

func TestVerifyFailsATestWithAMinimalSchedule(t *testing.T) {
	p := protocols.Named("setnx")
	space := explore.NewSpace(p, p.Defaults(), explore.AllFaults())
	var r recorder
	space.Verify(&r, 500, checker.Named("own-release"), checker.Named("progress"))
	if len(r.failures) != 1 || !strings.Contains(r.failures[0], "own-release is violated by") || !strings.Contains(r.failures[0], "client ") {
		t.Errorf("failures: %q, want one that shows how own-release is violated", r.failures)
	}
}

// Where servers talk to each other, their messages can be lost too: that is how
// a replica never receives a lock's key.
func TestMessagesBetweenServersAreStruckToo(t *testing.T) {
	p := protocols.Named("failover")
	faults, err := explore.ParseSelection("loss")
	if err != nil {
		t.Fatal(err)
	}
	space := explore.NewSpace(p, p.Defaults(), faults)
	for seed := 1; seed <= 1_000; seed++ {
		for _, f := range space.Schedule(seed).Faults {
			if f.Actor == (sim.Actor{From: "n1", Link: sim.OneWay, To: "n2"}) {
				return
			}
		}
	}
	t.Error("no message from n1 to n2 is ever lost")
}
