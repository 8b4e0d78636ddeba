package explore_test

import (
	"context"
	"testing"
	"time"

	"simrun/checker"
	"simrun/explore"
	"simrun/protocols"
	"simrun/sim"
)

func frontier(t *testing.T, protocol, check, kind string, change func(*protocols.Params)) explore.Frontier {
	t.Helper()
	p := protocols.Named(protocol)
	params := p.Smallest()
	if change != nil {
		change(&params)
	}
	space := explore.NewSpace(p, params, nil)
	return space.Frontier(context.Background(), checker.Named(check), sim.KindNamed(kind), 2)
}

func TestFrontierIsExactToTheMillisecond(t *testing.T) {
	f := frontier(t, "redlock", "mutual-exclusion", "pause", nil)
	if f.Keeps <= 0 || f.Breaks-f.Keeps != int64(time.Millisecond) {
		t.Fatalf("keeps %v, breaks at %v; want a millisecond between them", time.Duration(f.Keeps), time.Duration(f.Breaks))
	}
	faults := f.Schedule.Faults
	if len(faults) != 1 || faults[0].Kind.Name != "pause" || faults[0].Amount != f.Breaks {
		t.Errorf("breaks by %v, want one pause of %v", faults, time.Duration(f.Breaks))
	}
}

// A pause after Redlock's check does no harm while it ends before the servers
// have let go of the lock and another has taken it: the frontier moves with the
// TTL, less what the job itself takes.
func TestFrontierOfAPauseGrowsWithTheTTL(t *testing.T) {
	last := int64(0)
	for _, ttl := range []time.Duration{300, 600, 1200} {
		f := frontier(t, "redlock", "mutual-exclusion", "pause", func(p *protocols.Params) { p.TTL = ttl * time.Millisecond })
		if margin := int64(ttl*time.Millisecond) - int64(100*time.Millisecond); f.Keeps < margin {
			t.Errorf("with a TTL of %v ms a pause of %v breaks it, want it to stand %v", int(ttl), time.Duration(f.Breaks), time.Duration(margin))
		}
		if f.Keeps <= last {
			t.Errorf("with a TTL of %v ms it stands %v, no more than with a shorter one", int(ttl), time.Duration(f.Keeps))
		}
		last = f.Keeps
	}
}

// A forward step of the server's clock ends a lease early by as much: with a
// lease of 300 ms, a step of a little less lets the next client in at once.
func TestFrontierOfAStepIsTheRestOfTheLease(t *testing.T) {
	f := frontier(t, "lua-release", "mutual-exclusion", "clock-step", nil)
	if step := time.Duration(f.Breaks); step < 200*time.Millisecond || step > 300*time.Millisecond {
		t.Errorf("a step of %v breaks it, want one of the lease's rest", step)
	}
}

// A message that is late enough comes when nobody minds: the frontier must be
// that of the smaller delays that do harm.
func TestFrontierIsThatOfTheSmallestHarm(t *testing.T) {
	f := frontier(t, "lua-release", "mutual-exclusion", "delay", nil)
	if f.Breaks == 0 || f.Breaks > int64(300*time.Millisecond) {
		t.Errorf("a delay of %v breaks it, want one of a lease at most", time.Duration(f.Breaks))
	}
}

func TestWhatNothingBreaksHasNoFrontier(t *testing.T) {
	f := frontier(t, "fencing-reads", "no-stale-write", "pause", func(p *protocols.Params) { p.Token = protocols.Sequence })
	if f.Breaks != 0 || f.Keeps != f.Limit || f.Searches != int(f.Limit/f.Stride) {
		t.Errorf("%+v, want nothing up to the limit to break it, and every stride tried", f)
	}
}
