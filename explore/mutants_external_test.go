package explore_test

import (
	"fmt"
	"testing"
	"time"

	"simrun/checker"
	"simrun/explore"
	"simrun/nodes"
	"simrun/protocols"
	"simrun/sim"
)

// A mutant is a lock with one mistake, and the check that it must fail.
type mutant struct {
	name  string
	of    string
	check string
	wrong func(p *protocols.Protocol)
}

var mutants = []mutant{
	{"validity without subtracting the elapsed time", "redlock", "mutual-exclusion", func(p *protocols.Protocol) {
		p.Lock = protocols.Redlock{Quorum: protocols.Majority, Validity: func(ttl, _ time.Duration) (time.Duration, bool) {
			return protocols.Remaining(ttl, 0)
		}}.Lock
	}},
	{"quorum of N/2", "redlock", "mutual-exclusion", func(p *protocols.Protocol) {
		p.Lock = protocols.Redlock{Quorum: func(n int) int { return n / 2 }, Validity: protocols.Remaining}.Lock
	}},
	{"success without a check that any validity is left", "redlock", "mutual-exclusion", func(p *protocols.Protocol) {
		p.Lock = protocols.Redlock{Quorum: protocols.Majority, Validity: func(ttl, elapsed time.Duration) (time.Duration, bool) {
			validity, _ := protocols.Remaining(ttl, elapsed)
			return validity, true
		}}.Lock
	}},
	{"drift allowance added instead of subtracted", "redlock", "mutual-exclusion", func(p *protocols.Protocol) {
		p.Lock = protocols.Redlock{Quorum: protocols.Majority, Validity: func(ttl, elapsed time.Duration) (time.Duration, bool) {
			validity := ttl - elapsed + protocols.DriftAllowance(ttl)
			return validity, validity > 0
		}}.Lock
	}},
	{"renewal without comparing", "watchdog", "own-release", func(p *protocols.Protocol) {
		p.Renew = func(t *sim.Thread, e *protocols.Env, _ protocols.Lease) bool {
			return t.Call(e.Locks[0], nodes.PExpire("lock", e.TTL), e.CallTimeout()).Reply != nodes.Int(0)
		}
	}},
	{"token taken before the lock", "fencing", "token-order", func(p *protocols.Protocol) {
		lock := p.Lock
		p.Lock = func(t *sim.Thread, e *protocols.Env, value string) (protocols.Lease, bool) {
			fence, taken := t.Call(e.Locks[0], nodes.Incr("lock:tokens"), e.CallTimeout()).Reply.(nodes.Int)
			for range 10 {
				if l, ok := lock(t, e, value); ok && taken {
					l.Fence = int64(fence)
					return l, true
				}
				t.Sleep(t.Jitter(e.TTL/6, e.TTL/2))
			}
			return protocols.Lease{}, false
		}
	}},
}

// Without the faults that break the healthy lock too, every mutant must be
// found within 10 000 seeds, and the healthy lock must not be.
func TestMutantsAreFound(t *testing.T) {
	for _, m := range mutants {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			healthy := *protocols.Named(m.of)
			mutated := healthy
			m.wrong(&mutated)
			faults := harmlessTo(t, m)
			check := checker.Named(m.check)
			space := explore.NewSpace(&mutated, mutated.Defaults(), faults)
			found := campaign(space, check, 10_000).Checks[0]
			if found.Violated == 0 {
				t.Fatalf("not found by %d seeds", 10_000)
			}
			seed := found.Seeds[0]
			minimal := space.Minimise(space.Schedule(seed), check)
			fmt.Printf("%-50s %s falls at seed %d (%d of 10 000), to %v\n", m.name, m.check, seed, found.Violated, minimal.Schedule.Faults)
			if n := campaign(explore.NewSpace(&healthy, healthy.Defaults(), faults), check, 10_000).Checks[0].Violated; n > 0 {
				t.Errorf("the healthy lock is violated too, by %d schedules", n)
			}
		})
	}
}

// harmlessTo returns the faults under which the lock that m is a mutant of
// keeps the check.
func harmlessTo(t *testing.T, m mutant) explore.Selection {
	t.Helper()
	list := "all"
	switch m.of {
	case "redlock":
		list = "pause@acquire,delay,loss,partition,node-pause,drift,overrun,late-amnesia"
	case "fencing":
		list = "death,overrun,delay@request,loss@request"
	}
	faults, err := explore.ParseSelection(list)
	if err != nil {
		t.Fatal(err)
	}
	return faults
}
