package sim_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"simrun/clock"
	"simrun/sim"
)

// Every point that a survey reports is one at which a fault strikes, and the
// run is the same up to there.
func TestFaultAtASurveyedPointStrikesThere(t *testing.T) {
	l := lab{clients: 2, program: func(c *sim.Thread) {
		c.Round(1)
		c.For(sim.Acquire)
		c.Broadcast([]sim.ServerID{n1, n2}, add(1), 5*ms)
		c.For(sim.Work)
		c.Work()
		c.For(sim.Write)
		c.Call(n1, add(2), 5*ms)
	}}
	w := l.world()
	defer w.Close()
	survey, err := w.Survey(l.schedule(t))
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[sim.Place]string{
		sim.BeforeStep: "pause", sim.BeforeRequest: "node-pause", sim.OnRequest: "delay", sim.OnReply: "delay", sim.InRound: "overrun",
	}
	points := append([]sim.Reached(nil), survey.Points...)
	seen := map[sim.Place]bool{}
	for i, p := range points {
		f := sim.Fault{Kind: sim.KindNamed(kinds[p.Point.Place]), Actor: p.Actor, Point: p.Point, Amount: int64(ms)}
		seen[p.Point.Place] = true
		again, err := w.Survey(l.schedule(t, f.String()))
		if err != nil || again.Strikes[0] < 0 {
			t.Errorf("%q does not strike: %v", f, err)
			continue
		}
		for k := range points[:i+1] {
			if again.Points[k] != points[k] {
				t.Errorf("%q changes an earlier point: %+v instead of %+v", f, again.Points[k], points[k])
			}
		}
	}
	if len(seen) != len(kinds) {
		t.Errorf("points of the places %v, want all of %v", seen, kinds)
	}
}

// Where a run has a fault already, only what comes after it is left to try.
func TestSurveyTellsWhatComesAfterTheLastFault(t *testing.T) {
	l := lab{program: func(c *sim.Thread) {
		c.For(sim.Read)
		c.Call(n1, add(1), 50*ms)
		c.For(sim.Write)
		c.Call(n1, add(2), 50*ms)
	}}
	w := l.world()
	defer w.Close()
	survey, err := w.Survey(l.schedule(t, "pause A before write 1 for 1ms"))
	if err != nil {
		t.Fatal(err)
	}
	after := survey.After()
	if len(after) == 0 || len(after) >= len(survey.Points) {
		t.Fatalf("%d of %d points come after the fault", len(after), len(survey.Points))
	}
	for _, p := range after {
		if p.Point.Purpose == sim.Read && p.Point.Place == sim.BeforeStep || p.Point.Place == sim.OnRequest && p.Point.N == 1 {
			t.Errorf("%v comes after the write", p.Point)
		}
	}
}

// A step is told by what others can make of it: a look at the client's own memory
// is nobody else's business, unless it is the last that its thread does; and who
// sleeps alone is woken by nothing but its timer or its deadline.
func TestSurveyTellsWhatStepsOthersCannotNotice(t *testing.T) {
	l := lab{program: func(c *sim.Thread) {
		c.For(sim.Acquire)
		cell := c.NewCell()
		c.Load(cell)     // 1, its own business
		c.Store(cell, 1) // 2, likewise
		c.Sleep(10 * ms) // 3, and 4 asleep
		c.For(sim.Read)
		c.StopWhen(sim.Stop{At: c.Monotonic().Add(4 * ms)}) // 1, having slept
		c.Sleep(10 * ms)                                    // 2, and 3 asleep up to the deadline
		c.StopWhen(sim.Stop{})
		c.For(sim.Write)
		c.Go("watchdog", func(c *sim.Thread) { // 1
			c.For(sim.Renew)
			c.Sleep(2 * ms) // 1, and 2 with the other awake
			c.Load(cell)    // 3, the last
		})
		c.Sleep(10 * ms) // 2, and 3, not alone
		c.Call(n1, add(1), 50*ms)
	}}
	w := l.world()
	defer w.Close()
	survey, err := w.Survey(l.schedule(t))
	if err != nil {
		t.Fatal(err)
	}
	inner, asleep, slept := map[string]bool{}, map[string]time.Duration{}, map[string]time.Duration{}
	for _, p := range survey.Points {
		if p.Inner {
			inner[p.Point.String()] = true
		}
		if p.Asleep > 0 {
			asleep[p.Point.String()] = p.Asleep
		}
		if p.Slept > 0 {
			slept[p.Point.String()] = p.Slept
		}
	}
	for _, diff := range []string{
		cmp.Diff(map[string]bool{"before acquire 1": true, "before acquire 2": true}, inner),
		cmp.Diff(map[string]time.Duration{"before acquire 4": 10 * ms, "before read 3": 4 * ms}, asleep),
		cmp.Diff(map[string]time.Duration{"before read 1": 10 * ms}, slept),
	} {
		if diff != "" {
			t.Error(diff)
		}
	}
}

// Signals that wait for the end of a pause can be handled in another order; one
// alone cannot.
func TestSurveyCountsTheSignalsOfAPause(t *testing.T) {
	l := lab{program: func(c *sim.Thread) {
		c.Go("watchdog", func(c *sim.Thread) { c.Sleep(10 * ms) })
		c.Sleep(12 * ms)
	}}
	w := l.world()
	defer w.Close()
	for fault, want := range map[string]int{"pause A at 5ms for 20ms": 2, "pause A at 11ms for 20ms": 0} {
		survey, err := w.Survey(l.schedule(t, fault))
		if err != nil {
			t.Fatal(err)
		}
		got := 0
		for _, p := range survey.Points {
			if p.Point.Place == sim.AfterPause {
				got = p.Among
			}
		}
		if got != want {
			t.Errorf("%s: %d signals can be handled in another order, want %d", fault, got, want)
		}
	}
}

// Of the moments of leases, those at which nothing would strike last are left out.
func TestAFaultAtASurveyedMomentStrikesLast(t *testing.T) {
	hold := func(c *sim.Thread) {
		c.BeginAcquire()
		c.Call(n1, add(1), 50*ms)
		c.Granted(0)
		c.Sleep(10 * ms)
		c.EndBelief(sim.Released)
	}
	l := lab{clients: 2, program: hold, probe: hold}
	w := l.world()
	defer w.Close()
	for fault, want := range map[string]int{
		"clock-step n1 at 0s by +1ms":         3, // the start and two grants, but not the probe's
		"delay n1->B reply 1 for 1ms":         2, // no longer the start
		"clock-step n1 at 2.000001ms by +1ms": 2, // right with the first grants
		"clock-step n1 at 2.000002ms by +1ms": 0,
	} {
		survey, err := w.Survey(l.schedule(t, fault))
		if err != nil {
			t.Fatal(err)
		}
		moments := append([]clock.Instant(nil), survey.Moments...)
		if len(moments) != want {
			t.Errorf("after %q, faults are tried at %v, want %d moments", fault, moments, want)
		}
		for _, at := range moments {
			second := sim.Fault{Kind: sim.KindNamed("clock-step"), Actor: sim.Actor{From: "n2"}, Point: sim.Point{At: at}, Amount: int64(ms)}
			again, err := w.Survey(l.schedule(t, fault, second.String()))
			if err != nil || again.Strikes[1] <= again.Strikes[0] {
				t.Errorf("after %q, %q strikes at event %v: %v", fault, second, again.Strikes, err)
			}
		}
	}
}
