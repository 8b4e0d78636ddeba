package explore_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"simrun/checker"
	"simrun/explore"
	"simrun/protocols"
	"simrun/sim"
)

// A claim is something that is known of a lock: under these faults it keeps a
// check, or loses it to so many of them.
type claim struct {
	protocol string
	token    protocols.TokenSource
	faults   string
	check    string
	loses    int // to how many faults at least; 0 if it keeps the check
}

const (
	keeps = 0
	one   = 1
)

// withoutAmnesia is every fault that leaves a server's keys alone.
var withoutAmnesia = strings.Join(slices.DeleteFunc(sim.KindNames(), func(name string) bool {
	return strings.HasSuffix(name, "amnesia")
}), ",")

var claims = []claim{
	// A release that compares is its owner's; a plain DEL is anybody's.
	{"lua-release", "", "all", "own-release", keeps},
	{"delex-release", "", "all", "own-release", keeps},
	{"watchdog", "", "all", "own-release", keeps},
	{"redlock", "", "all", "own-release", keeps},
	{"setnx", "", "all", "own-release", one},
	{"get-then-del", "", "all", "own-release", one},

	// A client that dies between SETNX and EXPIRE locks everybody out.
	{"setnx-expire", "", "death", "progress", one},
	{"setnx", "", "death", "progress", keeps},

	// A fencing token orders writes, but does not keep holders apart, and one
	// checked on writes alone comes too late for who has read already.
	{"fencing", protocols.Incr, withoutAmnesia, "no-stale-write", keeps},
	{"fencing", protocols.Sequence, "all", "no-stale-write", keeps},
	{"fencing", protocols.Incr, "all", "mutual-exclusion", one},
	{"fencing", protocols.Incr, withoutAmnesia, "no-lost-update", one},
	{"fencing-reads", protocols.Sequence, "all", "no-stale-write", keeps},
	{"fencing-reads", protocols.Sequence, "all", "no-lost-update", keeps},
	{"fencing-reads", protocols.Sequence, "all", "mutual-exclusion", one},

	// A counter that is lost gives its tokens again.
	{"fencing", protocols.Incr, "amnesia", "token-order", one},
	{"fencing-reads", protocols.Incr, "amnesia", "no-stale-write", one},

	// Looking at the lock before the write leaves a gap between the two.
	{"check-then-write", "", "pause@write", "no-stale-write", one},
	{"watchdog", "", "pause", "mutual-exclusion", one},
	{"watchdog", "", "overrun", "mutual-exclusion", keeps},

	// Redlock stands on timing after its check of the validity, on clocks that
	// are not stepped, and on servers that remember.
	{"redlock", "", "pause", "mutual-exclusion", one},
	{"redlock", "", "clock-step", "mutual-exclusion", one},
	{"redlock", "", "amnesia", "mutual-exclusion", one},
	{"redlock", "", "delay,loss,partition,node-pause,drift", "mutual-exclusion", keeps},
	{"redlock", "", "pause@acquire,wake-order", "mutual-exclusion", keeps},
	{"redlock", "", "late-amnesia", "mutual-exclusion", keeps},
	{"redlock", "", "overrun", "mutual-exclusion", keeps},
	{"redlock", "", "delay@request", "no-stale-write", one},
}

func TestWhatIsKnownOfEachLockComesOut(t *testing.T) { prove(t, claims) }

func prove(t *testing.T, claims []claim) {
	for _, c := range claims {
		name := strings.Join([]string{c.protocol, string(c.token), c.check, c.faults}, "/")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			space, check := c.space(t), checker.Named(c.check)
			report := campaign(space, check, 3_000)
			if c.loses == keeps {
				if n := report.Checks[0].Violated; n > 0 {
					t.Errorf("violated by %d schedules of %d, first by seed %d: %v", n, report.Schedules,
						report.Checks[0].Seeds[0], space.Minimise(space.Schedule(report.Checks[0].Seeds[0]), check).Schedule.Lines())
				}
				return
			}
			if report.Checks[0].Violated == 0 {
				report = campaign(space, check, 30_000)
			}
			if best := smallest(space, report.Checks[0]); best != c.loses {
				t.Errorf("violated by %d schedules of %d, the smallest with %d faults, want %d", report.Checks[0].Violated, report.Schedules, best, c.loses)
			}
		})
	}
}

func (c claim) space(t *testing.T) *explore.Space {
	t.Helper()
	faults, err := explore.ParseSelection(c.faults)
	if err != nil {
		t.Fatal(err)
	}
	p := protocols.Named(c.protocol)
	params := p.Defaults()
	if c.token != "" {
		params.Token = c.token
	}
	return explore.NewSpace(p, params, faults)
}

func campaign(space *explore.Space, check *checker.Check, seeds int) *explore.Report {
	return campaignFrom(space, check, 1, seeds)
}

func campaignFrom(space *explore.Space, check *checker.Check, first, seeds int) *explore.Report {
	c := explore.Campaign{Space: space, Checks: []*checker.Check{check}, First: first, Seeds: seeds, Workers: 2}
	return c.Run(context.Background())
}

// smallest returns the least number of faults to which the first violating
// schedules shrink, and -1 if there is none.
func smallest(space *explore.Space, c explore.CheckReport) int {
	best := -1
	for _, seed := range c.Seeds {
		n := len(space.Minimise(space.Schedule(seed), c.Check).Schedule.Faults)
		if best < 0 || n < best {
			best = n
		}
	}
	return best
}

// No lock of the table is broken without faults.
func TestNothingBreaksWithoutFaults(t *testing.T) {
	for _, p := range protocols.All {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			c := explore.Campaign{
				Space: explore.NewSpace(p, p.Defaults(), nil), Checks: append(slices.Clone(checker.All), checker.Models...),
				First: 1, Seeds: 2_000, Workers: 2,
			}
			for _, r := range c.Run(context.Background()).Checks {
				if r.Violated+r.Unknown > 0 {
					t.Errorf("%s: %d violated, %d unknown, first seed %v", r.Check.Name, r.Violated, r.Unknown, r.Seeds)
				}
			}
		})
	}
}
