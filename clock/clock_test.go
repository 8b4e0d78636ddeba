package clock_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"simrun/clock"
)

func anyClock(t *rapid.T) (clock.Clock, clock.Instant) {
	var c clock.Clock
	now := clock.Instant(0)
	for range rapid.IntRange(0, 3).Draw(t, "changes") {
		now += clock.Instant(rapid.Int64Range(0, int64(time.Hour)).Draw(t, "later"))
		if rapid.Bool().Draw(t, "step") {
			c.Step(time.Duration(rapid.Int64Range(-int64(time.Hour), int64(time.Hour)).Draw(t, "by")))
		} else {
			c.SetRate(now, rapid.Int64Range(-clock.MaxRate, clock.MaxRate).Draw(t, "ppm"))
		}
	}
	return c, now
}

func TestTimerFiresAtFirstInstantThatReadsItsTarget(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, now := anyClock(t)
		d := time.Duration(rapid.Int64Range(1, int64(time.Hour)).Draw(t, "d"))
		target := c.Monotonic(now).Add(d)
		at := c.After(now, d)
		if c.Monotonic(at) < target {
			t.Fatalf("fires at %d when the clock reads %d, before %d", at, c.Monotonic(at), target)
		}
		if at > now && c.Monotonic(at-1) >= target {
			t.Fatalf("fires at %d though the clock already read %d one nanosecond before", at, target)
		}
	})
}

func TestMonotonicClockNeverRunsBackward(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, now := anyClock(t)
		later := now + clock.Instant(rapid.Int64Range(0, int64(time.Hour)).Draw(t, "later"))
		before := c.Monotonic(later)
		c.Step(-time.Hour)
		c.SetRate(later, rapid.Int64Range(-clock.MaxRate, clock.MaxRate).Draw(t, "ppm"))
		if c.Monotonic(later) != before || c.Monotonic(later+1) < before {
			t.Fatalf("reads %d, then %d, then %d", before, c.Monotonic(later), c.Monotonic(later+1))
		}
	})
}

func TestStepMovesTheWallClockOnly(t *testing.T) {
	var c clock.Clock
	now := clock.Instant(time.Second)
	mono := c.Monotonic(now)
	c.Step(29 * time.Second)
	if got, want := c.Wall(now), clock.Epoch.Add(30*time.Second); got != want {
		t.Errorf("wall clock reads %d, want %d", got, want)
	}
	if c.Monotonic(now) != mono {
		t.Errorf("monotonic clock moved from %d to %d", mono, c.Monotonic(now))
	}
}

func TestRateScalesBothClocks(t *testing.T) {
	var c clock.Clock
	c.SetRate(0, 10_000) // one per cent fast
	if got, want := c.Monotonic(clock.Instant(time.Second)), clock.Monotonic(1010*time.Millisecond); got != want {
		t.Errorf("after a second the clock reads %d, want %d", got, want)
	}
	c.SetRate(clock.Instant(time.Second), -2*clock.MaxRate)
	if got := c.Rate(); got != -clock.MaxRate {
		t.Errorf("rate %d, want it clamped to %d", got, -clock.MaxRate)
	}
}

func TestWhenWallFollowsSteps(t *testing.T) {
	var c clock.Clock
	expiry := c.Wall(0).Add(300 * time.Millisecond)
	c.Step(-100 * time.Millisecond)
	if got, want := c.WhenWall(0, expiry), clock.Instant(400*time.Millisecond); got != want {
		t.Errorf("a lease of 300 ms ends at %d after a backward step of 100 ms, want %d", got, want)
	}
	c.Step(time.Second)
	if got := c.WhenWall(7, expiry); got != 7 {
		t.Errorf("a lease that a forward step has ended ends at %d, want at once", got)
	}
}
