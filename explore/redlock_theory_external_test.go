package explore_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"simrun/checker"
	"simrun/explore"
	"simrun/protocols"
	"simrun/sim"
)

// What Redlock stands follows from its constants. The tests of this file work it
// out by hand and compare it with what the simulator finds, to the millisecond.
//
// A starts at 0. Each message takes h, so that A has the lock after 2h, has read
// the row after 4h, has worked for w until 4h+w and, its write being answered,
// releases at 6h+w. Whatever it does, it stops by itself at TTL - drift, where
// drift is a hundredth of the TTL and 2 ms.
//
// The servers set the lock in the millisecond 0 of their clocks and hold it while
// these show no more than the TTL: a tick, 1 ms, after the TTL they let go of it. B
// has been denied the lock before, and asks again when that does most harm.
type theory struct {
	ttl, work time.Duration // work is w
}

const tick = time.Millisecond

func (y theory) String() string { return fmt.Sprintf("ttl %v, work %v", y.ttl, y.work) }

func (y theory) params(nodes int) protocols.Params {
	params := protocols.Named("redlock").Smallest()
	params.Nodes, params.TTL, params.Work = nodes, y.ttl, 2*y.work // a quiet run's jobs work for half
	return params
}

func (y theory) h() time.Duration {
	h, _ := y.params(1).Noise()
	return h
}

func (y theory) drift() time.Duration { return y.ttl/100 + 2*time.Millisecond }

// deadline is when A stops by itself.
func (y theory) deadline() time.Duration { return y.ttl - y.drift() }

// margin is what the validity leaves after all that the job does: how long A may
// stand still after it has looked at the clock without being late at all.
func (y theory) margin() time.Duration {
	validity := y.ttl - 2*y.h() - y.drift()
	return validity - (4*y.h() + y.work)
}

// space returns Redlock's with so many servers, where a client that has been denied
// the lock asks again at a given time, and then does the job, if it is not nil.
func (y theory) space(nodes int, asks time.Duration, job protocols.Job) *explore.Space {
	rival := *protocols.Named("redlock")
	rival.Job = job
	lock := rival.Lock
	rival.Lock = func(t *sim.Thread, e *protocols.Env, value string) (protocols.Lease, bool) {
		l, ok := lock(t, e, value)
		if wait := asks - time.Duration(t.Monotonic()); !ok && wait > 0 {
			t.Sleep(wait)
			l, ok = lock(t, e, value)
		}
		return l, ok
	}
	return explore.NewSpace(&rival, y.params(nodes), nil)
}

// untilStopped is a job that goes on for as long as the client may.
func untilStopped(t *sim.Thread, e *protocols.Env, _ protocols.Lease) sim.End {
	t.Sleep(2 * e.TTL)
	return t.Stopped()
}

var theories = []theory{
	{300 * time.Millisecond, 75 * time.Millisecond},
	{300 * time.Millisecond, 10 * time.Millisecond},
	{120 * time.Millisecond, 30 * time.Millisecond},
	{1000 * time.Millisecond, 75 * time.Millisecond},
	{1000 * time.Millisecond, 500 * time.Millisecond},
	{777 * time.Millisecond, 111 * time.Millisecond},
}

// stands returns how much of a kind of fault keeps a check, and fails the test
// unless the next millisecond, or ten parts per million, breaks it.
func (y theory) stands(t *testing.T, sp *explore.Space, check, kind string) int64 {
	t.Helper()
	k := sim.KindNamed(kind)
	f := sp.Frontier(context.Background(), checker.Named(check), k, 2)
	if f.Breaks-f.Keeps != explore.Resolution(k) {
		t.Errorf("%v: keeps %s under a %s of %d, and breaks it with %d", y, check, kind, f.Keeps, f.Breaks)
	}
	return f.Keeps
}

func (y theory) wantTime(t *testing.T, got int64, want time.Duration) {
	t.Helper()
	if want = want.Truncate(time.Millisecond); time.Duration(got) != want {
		t.Errorf("%v: stands up to %v, want %v", y, time.Duration(got), want)
	}
}

// The last moment for a pause is before the release, at 6h+w. B asks at TTL + tick
// and has its answer 2h later; if A wakes up by then, all is well. A pause may last
// the margin, and beyond it the drift allowance, the tick and B's round trip.
func TestRedlockStandsAPauseOfItsMargin(t *testing.T) {
	for _, y := range theories {
		got := y.stands(t, y.space(3, y.ttl+tick, nil), "mutual-exclusion", "pause")
		y.wantTime(t, got, y.margin()+y.drift()+tick+2*y.h())
	}
}

// A waits for a late answer until it stops by itself, and not longer: no delay
// makes it believe for too long.
func TestRedlockStandsEveryDelay(t *testing.T) {
	y := theories[0]
	sp := y.space(3, y.ttl+tick, nil)
	if f := sp.Frontier(context.Background(), checker.Named("mutual-exclusion"), sim.KindNamed("delay"), 2); f.Breaks != 0 {
		t.Errorf("a delay of %v breaks mutual exclusion: %v", time.Duration(f.Breaks), f.Schedule.Faults)
	}
}

// B needs as long for its job as A does, so that A's write comes after B's if it is
// late by more than B asks later than A. A frozen A releases nothing: B has to wait
// until TTL + tick.
func TestRedlockStandsALateWriterForATTL(t *testing.T) {
	for _, y := range theories {
		got := y.stands(t, y.space(3, y.ttl+tick, nil), "no-stale-write", "pause")
		y.wantTime(t, got, y.ttl+tick)
	}
}

// If the write is late and not A, A gives up at its deadline and releases, although
// the write is still under way: B gets the lock as soon as that. A message may be
// late by the validity, and no more.
func TestRedlockStandsALateWriteForItsValidity(t *testing.T) {
	for _, y := range theories {
		got := y.stands(t, y.space(3, y.deadline()+time.Microsecond, nil), "no-stale-write", "delay")
		y.wantTime(t, got, y.deadline())
	}
}

// With a delay, A waits for the answer to its write, and a pause can begin so much
// later, up to the deadline: the two add up until the delay has used up the margin.
func TestRedlockStandsDelayAndPauseUpToTheirSum(t *testing.T) {
	y := theories[0]
	pause, delay := sim.KindNamed("pause"), sim.KindNamed("delay")
	x := explore.Pairs{Space: y.space(1, y.ttl+tick, nil), Check: checker.Named("mutual-exclusion"), Kinds: [2]*sim.Kind{pause, delay}, Steps: 8, Workers: 2}
	g := x.Run(context.Background())
	alone := y.margin() + y.drift() + tick + 2*y.h()
	for row, p := range g.Amounts[0] {
		for column, d := range g.Amounts[1] {
			want := explore.Keeps
			switch stands := alone - min(time.Duration(d), y.margin()); {
			case time.Duration(p) > alone:
				want = explore.RowAlone
			case time.Duration(p) > stands:
				want = explore.Together
			}
			if got := g.Cells[row][column]; got != want {
				t.Errorf("a pause of %v and a delay of %v: %d, want %d", time.Duration(p), time.Duration(d), got, want)
			}
		}
	}
}

// A server whose clock runs ahead by s lets go s earlier. If A holds the lock until
// its deadline, B has to have its answer before: it asks 2h earlier, the request
// arrives h later, and a majority is lost if TTL + tick - s is past. So a clock may
// run ahead by the drift allowance, the tick and the way of B's answer. B's majority
// is the one server, or else the server that A's late request has not reached yet
// and one whose clock is stepped. One clock of three is not enough.
func TestRedlockStandsAStepOfItsDriftAllowance(t *testing.T) {
	exclusion, step, delay := checker.Named("mutual-exclusion"), sim.KindNamed("clock-step"), sim.KindNamed("delay")
	for _, y := range theories {
		asks := y.deadline() - 2*y.h() - time.Microsecond
		got := y.stands(t, y.space(1, asks, untilStopped), "mutual-exclusion", "clock-step")
		y.wantTime(t, got, y.drift()+tick+y.h())
		if y.ttl > 300*time.Millisecond {
			continue // three servers have many more schedules, and the law is the same
		}
		three := y.space(3, asks, untilStopped)
		if three.TakesBoth(exclusion, step, got, delay, int64(y.ttl)) || !three.TakesBoth(exclusion, step, got+int64(tick), delay, int64(y.ttl)) {
			t.Errorf("%v: of three servers with a late request, want a step of %v to be the last that it stands", y, time.Duration(got))
		}
	}
	y := theories[0]
	three := y.space(3, y.deadline()-2*y.h()-time.Microsecond, untilStopped)
	if f := three.Frontier(context.Background(), exclusion, step, 2); f.Breaks != 0 {
		t.Errorf("%v: of three servers, one step of %v breaks it: %v", y, time.Duration(f.Breaks), f.Schedule.Faults)
	}
}

// A whose clock is slow by a share r stops at deadline / (1-r), and has to do so by
// TTL + tick + 2h, when B has its answer. That leaves more than one per cent, which
// is what drift allows for, and is the less above it the longer the TTL.
func TestRedlockStandsASlowClockOfItsDriftAllowance(t *testing.T) {
	for _, y := range theories {
		got := y.stands(t, y.space(3, y.ttl+tick, untilStopped), "mutual-exclusion", "clock-rate")
		want := 1e6 * (1 - float64(y.deadline())/float64(y.ttl+tick+2*y.h()))
		if unit := float64(explore.Resolution(sim.KindNamed("clock-rate"))); float64(got) > want || float64(got) < want-unit || got < 10_000 {
			t.Errorf("%v: stands %d ppm, want %.0f, and at least a per cent", y, got, want)
		}
	}
}
