package explore_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"simrun/checker"
	"simrun/explore"
	"simrun/protocols"
	"simrun/sim"
)

// small is the space of a protocol that is searched, with so many clients.
func small(t *testing.T, protocol string, clients int, faults string) *explore.Space {
	t.Helper()
	selection, err := explore.ParseSelection(faults)
	if err != nil {
		t.Fatal(err)
	}
	p := protocols.Named(protocol)
	params := p.Smallest()
	params.Clients = clients
	if p.Tokens {
		params.Token = protocols.Sequence
	}
	return explore.NewSpace(p, params, selection)
}

func prove2(space *explore.Space, most, workers int) *explore.Proof {
	x := explore.Exhaustive{Space: space, Checks: checker.All, Most: most, Workers: workers}
	return x.Run(context.Background())
}

// The numbers are worked out by hand: a single client of lua-release sends four
// requests in a quiet run, SET, SELECT, UPDATE and EVAL, and gets four replies.
func TestSchedulesAreAsManyAsWorkedOutByHand(t *testing.T) {
	for _, tt := range []struct {
		faults string
		want   []int
	}{
		{"none", []int{1, 0, 0}},
		{"loss", []int{1, 8}},
		{"overrun", []int{1, 4, 0}},       // four lengths of the one job, which has one overrun
		{"death", []int{1, 5, 0}},         // before each request, and before the effect outside
		{"death,vanish", []int{1, 10, 0}}, // each run counts for both
		{"death@write", []int{1, 2, 0}},   // before the UPDATE is sent, and before it is waited for
		{"pause", []int{1, 43}},           // 11 steps with 4 lengths, but a short one while it works
		{"pause@work", []int{1, 11}},      // the end of the work too, which its beginning stood for
		{"crash", []int{1, 8}},            // short and just over the TTL; at once, it would change nothing
		{"delay@reply", []int{1, 10}},     // redis is waited for up to 200 ms, db up to 300: 2 and 3 lengths
		{"delay@reply,loss@reply", []int{1, 14}},
		{"drift", []int{1, 4, 4}},               // A and redis fast or slow; then both: 2 * 2; db heeds no clock
		{"death@write,overrun", []int{1, 6, 8}}, // an overrun and then a death: 4 * 2
	} {
		got := prove2(small(t, "lua-release", 1, tt.faults), len(tt.want)-1, 2).Schedules
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v schedules by number of faults, want %v", tt.faults, got, tt.want)
		}
	}
}

// sets returns the sets of faults that a search tries, as text, and how many
// schedules that are.
func sets(space *explore.Space, most int) (map[string]bool, int) {
	tried, n := make(map[string]bool), 0
	x := explore.Exhaustive{Space: space, Most: most, Workers: 1, Each: func(s sim.Schedule) {
		tried[setOf(s.Faults)] = true
		n++
	}}
	x.Run(context.Background())
	return tried, n
}

func setOf(faults []sim.Fault) string {
	var lines []string
	for _, f := range faults {
		lines = append(lines, f.String())
	}
	slices.Sort(lines)
	return strings.Join(lines, "; ")
}

func TestNoScheduleIsRunTwiceInAnotherOrder(t *testing.T) {
	for _, faults := range []string{"pause@write,loss@reply,overrun", "delay@request,crash@request", "drift,clock-step,partition"} {
		space := small(t, "lua-release", 2, faults)
		if tried, n := sets(space, 2); len(tried) != n {
			t.Errorf("%s: %d schedules of %d sets of faults", faults, n, len(tried))
		}
	}
}

// Every two faults of the alphabet that can both strike are tried together,
// also where one is reached only because of the other.
func TestNoPairOfFaultsIsForgotten(t *testing.T) {
	space := small(t, "lua-release", 2, "pause@write,loss@reply,overrun,death@retry")
	tried, _ := sets(space, 2)
	var alphabet []string
	for set := range tried {
		for f := range strings.SplitSeq(set, "; ") {
			if f != "" && !slices.Contains(alphabet, f) {
				alphabet = append(alphabet, f)
			}
		}
	}
	judge := space.NewJudge(nil)
	defer judge.Close()
	pairs := 0
	for _, first := range alphabet {
		for _, second := range alphabet {
			s := space.Quiet()
			s.Faults = []sim.Fault{parseFault(t, first), parseFault(t, second)}
			if samePoint(s.Faults) {
				continue
			}
			out, err := judge.Run(s)
			if err != nil {
				t.Fatal(err)
			}
			if slices.Contains(out.Struck, false) {
				continue
			}
			pairs++
			if !tried[setOf(s.Faults)] {
				t.Errorf("%q and %q strike together and are not tried", first, second)
			}
		}
	}
	if pairs < 900 {
		t.Errorf("only %d pairs strike together, too few to show anything", pairs)
	}
}

// samePoint reports whether two faults are of one kind at one point, of which
// the alphabet has one at a time.
func samePoint(faults []sim.Fault) bool {
	f, g := faults[0], faults[1]
	return f.Kind == g.Kind && f.Actor == g.Actor && f.Point == g.Point
}

func parseFault(t *testing.T, line string) sim.Fault {
	t.Helper()
	f, err := sim.ParseFault(line)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// The alphabet leaves out replies that nobody waits for any more: losing one
// changes no verdict.
func TestRepliesThatNobodyWaitsForDoNotMatter(t *testing.T) {
	space := small(t, "lua-release", 2, "loss@reply")
	tried, _ := sets(space, 2)
	judge := space.NewJudge(checker.All)
	defer judge.Close()
	// The client gives up on its first request, which comes late.
	s := space.Quiet()
	s.Faults = []sim.Fault{parseFault(t, "delay A->redis request 1 for 270ms")}
	kept := states(t, judge, s)
	s.Faults = append(s.Faults, parseFault(t, "loss redis->A reply 1"))
	if diff := cmp.Diff(kept, states(t, judge, s)); diff != "" {
		t.Errorf("losing a late reply changes verdicts (-kept +lost):\n%s", diff)
	}
	if !tried["loss redis->A reply 1"] {
		t.Error("a reply that is waited for is left out")
	}
}

func states(t *testing.T, judge *explore.Judge, s sim.Schedule) []checker.State {
	t.Helper()
	out, err := judge.Run(s)
	if err != nil {
		t.Fatal(err)
	}
	var states []checker.State
	for _, v := range out.Verdicts {
		states = append(states, v.State)
	}
	return states
}

func TestProofDoesNotDependOnTheNumberOfWorkers(t *testing.T) {
	space := small(t, "watchdog", 2, "pause,delay,amnesia")
	one, eight := prove2(space, 1, 1), prove2(space, 1, 8)
	same := []cmp.Option{
		cmpopts.IgnoreUnexported(explore.Breaker{}),
		cmp.Comparer(func(a, b *checker.Check) bool { return a.Name == b.Name }),
		cmp.Comparer(func(a, b *sim.Kind) bool { return a.Name == b.Name }),
	}
	if diff := cmp.Diff(one, eight, same...); diff != "" {
		t.Errorf("(-1 worker +8 workers):\n%s", diff)
	}
}

// What a search finds first is as small as it can be: its own minimiser agrees,
// and no random schedule is smaller.
func TestFewestFaultsAreTheFewest(t *testing.T) {
	for _, protocol := range []string{"watchdog", "redlock", "setnx-expire", "fencing"} {
		space := small(t, protocol, 2, "all")
		for _, c := range prove2(space, 1, 2).Checks {
			for _, b := range c.Breaks {
				if n := len(space.Minimise(b.Schedule, c.Check).Schedule.Faults); n != c.Least {
					t.Errorf("%s, %s: the search finds %d faults, the minimiser %d", protocol, c.Check.Name, c.Least, n)
				}
			}
			random := smallest(space, campaign(space, c.Check, 2_000).Checks[0])
			if random >= 0 && c.Least >= 0 && random < c.Least {
				t.Errorf("%s, %s: a random schedule needs %d faults, the search %d", protocol, c.Check.Name, random, c.Least)
			}
		}
	}
}

func TestWithoutFaultsNothingBreaks(t *testing.T) {
	for _, p := range protocols.All {
		space := explore.NewSpace(p, p.Smallest(), explore.AllFaults())
		for _, c := range prove2(space, 0, 1).Checks {
			if c.Least >= 0 || c.Unknown > 0 {
				t.Errorf("%s: %s is broken without a fault", p.Name, c.Check.Name)
			}
		}
	}
}

// No two of these faults, at any points, let a stale write through or lose an
// update where a durable token is checked on reads and writes.
func TestCheckedDurableTokensStandAnyTwoFaults(t *testing.T) {
	proof := prove2(small(t, "fencing-reads", 2, "pause,delay@request"), 2, 2)
	if !proof.Complete || proof.Schedules[2] < 10_000 {
		t.Fatalf("%v schedules, complete: %t", proof.Schedules, proof.Complete)
	}
	for _, c := range proof.Checks {
		if safe := c.Check.Name == "no-stale-write" || c.Check.Name == "no-lost-update"; safe && c.Least >= 0 {
			t.Errorf("%s is broken by %v", c.Check.Name, c.Breaks[0].Schedule.Lines())
		}
	}
}

// With a bare majority, one amnesiac server suffices for a second one; crashes
// that lose nothing do not.
func TestDoubleMajorityTakesOneAmnesiacServer(t *testing.T) {
	for protocol, want := range map[string]string{
		"redlock": "pause, clock-step, amnesia", "redlock-aof-everysec": "pause, clock-step, crash, amnesia",
		"redlock-aof-always": "pause, clock-step, amnesia",
	} {
		x := explore.Exhaustive{
			Space: small(t, protocol, 2, "all"), Checks: []*checker.Check{checker.Named("mutual-exclusion")},
			Most: 1, Noisy: 2, Workers: 2,
		}
		found := x.Run(context.Background()).Checks[0]
		var sets []string
		for _, b := range found.Breaks {
			sets = append(sets, b.Kinds)
		}
		if got := strings.Join(sets, ", "); found.Least != 1 || got != want {
			t.Errorf("%s loses mutual exclusion to %d fault: %s; want 1: %s", protocol, found.Least, got, want)
		}
	}
}

func TestSearchThatIsStoppedIsNotComplete(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	x := explore.Exhaustive{Space: small(t, "redlock", 2, "all"), Checks: checker.All, Most: 2, Workers: 2, Progress: func(done, _ int) {
		if done > 2_000 {
			cancel()
		}
	}}
	proof := x.Run(ctx)
	if proof.Complete || proof.Total() < 2_000 || proof.Total() > 500_000 {
		t.Errorf("%v schedules, complete: %t", proof.Schedules, proof.Complete)
	}
}

// What is left of a search is told well enough to wait by.
func TestEstimateOfASearchIsAboutRight(t *testing.T) {
	var done, estimates []int
	x := explore.Exhaustive{Space: small(t, "lua-release", 2, "pause,delay"), Checks: checker.All, Most: 2, Noisy: 1, Workers: 1, Progress: func(n, total int) {
		done, estimates = append(done, n), append(estimates, total)
	}}
	total := x.Run(context.Background()).Total()
	told := 0
	for i, estimate := range estimates {
		if 5*done[i] < total || estimate == 0 {
			continue
		}
		told++
		if 2*estimate < total || estimate > 2*total {
			t.Errorf("after %d of %d schedules, the estimate is %d", done[i], total, estimate)
		}
	}
	if told == 0 {
		t.Error("no estimate was told")
	}
}
