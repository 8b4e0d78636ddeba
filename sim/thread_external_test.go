package sim_test

import (
	"runtime"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"simrun/clock"
	"simrun/sim"
)

var both = []sim.ServerID{n1, n2}

func TestBroadcastReturnsWithTheLastReply(t *testing.T) {
	var d diary
	l := lab{program: func(c *sim.Thread) {
		for _, r := range c.Broadcast(both, add(1), 50*ms) {
			d.note("%v %v", r.Reply, r.Sent)
		}
		d.note("%v", since(c))
	}}
	l.run(t, "delay A->n1 request 1 for 20ms")
	d.want(t, "total 1 true", "total 1 true", "22ms")
}

func TestBroadcastWaitsNoLongerThanItsTimeout(t *testing.T) {
	var d diary
	l := lab{program: func(c *sim.Thread) {
		for _, r := range c.Broadcast(both, add(1), 50*ms) {
			d.note("%v %v", r.Reply, r.Sent)
		}
		d.note("%v", since(c))
	}}
	l.run(t, "loss A->n1 request 1")
	d.want(t, "<nil> true", "total 1 true", "50ms")
}

func TestSleepOfNoTimeEnds(t *testing.T) {
	var d diary
	l := lab{program: func(c *sim.Thread) {
		d.note("%v", c.Sleep(0))
		d.note("%v", c.Sleep(-time.Hour))
		d.note("%v", c.Call(n1, add(1), 0).Reply)
	}}
	l.run(t)
	d.want(t, "true", "true", "<nil>")
}

// tryAll notes what a thread can still do.
func (d *diary) tryAll(c *sim.Thread) {
	d.note("slept %v", c.Sleep(10*ms))
	d.note("sent %v", c.Call(n1, add(1), 10*ms).Sent)
	d.note("stopped %q at %v", c.Stopped(), since(c))
}

func TestStoppedThreadSendsNothing(t *testing.T) {
	tests := []struct {
		name    string
		program func(*sim.Thread, *diary)
		want    []string
	}{
		{"by a deadline", func(c *sim.Thread, d *diary) {
			c.StopWhen(sim.Stop{At: clock.Monotonic(5 * ms)})
			d.tryAll(c)
		}, []string{"slept false", "sent false", `stopped "deadline" at 5ms`}},
		{"by a deadline that has passed", func(c *sim.Thread, d *diary) {
			c.Sleep(7 * ms)
			c.StopWhen(sim.Stop{At: clock.Monotonic(5 * ms)})
			d.note("sent %v", c.Call(n1, add(1), 10*ms).Sent)
			d.tryAll(c)
		}, []string{"sent false", "slept false", "sent false", `stopped "deadline" at 7ms`}},
		{"by a cell", func(c *sim.Thread, d *diary) {
			lost := c.NewCell()
			c.StopWhen(sim.Stop{At: clock.Monotonic(8 * ms), On: lost})
			c.Go("watchdog", func(c *sim.Thread) {
				c.Sleep(5 * ms)
				c.Store(lost, 1)
			})
			d.tryAll(c)
		}, []string{"slept false", "sent false", `stopped "told" at 5ms`}},
		{"by a cell that is set", func(c *sim.Thread, d *diary) {
			lost := c.NewCell()
			c.Store(lost, 1)
			c.StopWhen(sim.Stop{On: lost})
			d.tryAll(c)
		}, []string{"slept false", "sent false", `stopped "told" at 0s`}},
		{"not by a cell that is cleared", func(c *sim.Thread, d *diary) {
			lost := c.NewCell()
			c.StopWhen(sim.Stop{On: lost})
			c.Store(lost, 0)
			d.tryAll(c)
		}, []string{"slept true", "sent true", `stopped "" at 12ms`}},
		{"no longer", func(c *sim.Thread, d *diary) {
			c.StopWhen(sim.Stop{At: clock.Monotonic(5 * ms)})
			c.Sleep(10 * ms)
			c.StopWhen(sim.Stop{})
			d.tryAll(c)
		}, []string{"slept true", "sent true", `stopped "" at 17ms`}},
		{"not by a deadline that was lifted", func(c *sim.Thread, d *diary) {
			c.StopWhen(sim.Stop{At: clock.Monotonic(5 * ms)})
			c.StopWhen(sim.Stop{})
			d.tryAll(c)
		}, []string{"slept true", "sent true", `stopped "" at 12ms`}},
		{"not by a cell that was lifted", func(c *sim.Thread, d *diary) {
			lost := c.NewCell()
			c.StopWhen(sim.Stop{On: lost})
			c.Store(lost, 1)
			c.StopWhen(sim.Stop{})
			d.tryAll(c)
		}, []string{"slept true", "sent true", `stopped "" at 12ms`}},
		{"not by a deadline that was moved", func(c *sim.Thread, d *diary) {
			c.StopWhen(sim.Stop{At: clock.Monotonic(5 * ms)})
			c.StopWhen(sim.Stop{At: clock.Monotonic(500 * ms)})
			d.tryAll(c)
		}, []string{"slept true", "sent true", `stopped "" at 12ms`}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var d diary
			l := lab{program: func(c *sim.Thread) { test.program(c, &d) }}
			l.run(t)
			d.want(t, test.want...)
			if sent := slices.Contains(test.want, "sent true"); sent != (len(l.n1.served) > 0) {
				t.Errorf("the server served %v", l.n1.served)
			}
		})
	}
}

func TestStopEndsACallWithoutItsReply(t *testing.T) {
	var d diary
	l := lab{program: func(c *sim.Thread) {
		c.StopWhen(sim.Stop{At: clock.Monotonic(1500 * time.Microsecond)})
		r := c.Call(n1, add(1), 50*ms)
		d.note("%v %v at %v", r.Reply, r.Sent, since(c))
	}}
	l.run(t)
	l.n1.wantServed(t, "add 1 at 1ms")
	d.want(t, "<nil> true at 1.5ms")
}

func TestThreadsOfAProcessShareCellsAndAttempt(t *testing.T) {
	var d diary
	l := lab{program: func(c *sim.Thread) {
		d.note("%s", c.BeginAcquire())
		cell := c.NewCell()
		c.Go("sibling", func(c *sim.Thread) {
			c.Store(cell, 7)
			c.Granted(0)
			c.EndBelief(sim.Told)
		})
		d.note("%d", c.Load(cell)) // the sibling begins when this thread waits
		c.Sleep(ms)
		d.note("%d", c.Load(cell))
	}}
	h := l.run(t).History
	d.want(t, "A#1", "0", "7")
	if len(h.Grants) != 1 || h.Grants[0].Holder.String() != "A#1" || h.Grants[0].End != sim.Told {
		t.Fatalf("grants %+v, want one of A#1 that ended %q", h.Grants, sim.Told)
	}
	if g := h.Grants[0]; !g.Call.Before(g.From) || g.Call.Index == 0 {
		t.Errorf("the acquire began at %+v, want it to begin with the attempt", g.Call)
	}
}

func TestOnlyTheFirstEndOfABeliefCounts(t *testing.T) {
	l := lab{program: func(c *sim.Thread) {
		c.BeginAcquire()
		c.Granted(0)
		c.EndBelief(sim.Deadline)
		c.Sleep(ms)
		c.EndBelief(sim.Released)
	}}
	g := l.run(t).History.Grants[0]
	if g.End != sim.Deadline || g.Until.At != 0 {
		t.Errorf("belief ended %q at %d, want %q at 0", g.End, g.Until.At, sim.Deadline)
	}
}

func TestWhatIsOpenLastsToTheEndOfTheRun(t *testing.T) {
	l := lab{program: func(c *sim.Thread) {
		c.BeginAcquire()
		c.Granted(0)
		c.BeginAccess(sim.ReadAccess)
		c.EndAccess(c.BeginAccess(sim.WriteAccess), sim.Unknown, sim.Nobody)
		c.Sleep(ms)
	}}
	h := l.run(t).History
	if g := h.Grants[0]; g.End != sim.Open || g.Until != h.Ended {
		t.Errorf("the belief ended %q at %+v, want it open to the end, %+v", g.End, g.Until, h.Ended)
	}
	for _, a := range h.Accesses {
		if a.Outcome != sim.Unknown || a.Return != h.Ended {
			t.Errorf("the %s ended %q at %+v, want it open to the end, %+v", a.Kind, a.Outcome, a.Return, h.Ended)
		}
	}
}

func TestJitterIsAFunctionOfSeedClientAndDraw(t *testing.T) {
	draw := func(seed uint64, low, high time.Duration) [2][3]time.Duration {
		var drawn [2][3]time.Duration
		l := lab{clients: 2, program: func(c *sim.Thread) {
			for i := range drawn[c.Client()] {
				drawn[c.Client()][i] = c.Jitter(low, high)
				c.Sleep(ms)
			}
		}}
		w := l.world()
		defer w.Close()
		s := l.schedule(t)
		s.Noise.Seed = seed
		if _, err := w.Run(s); err != nil {
			t.Fatal(err)
		}
		return drawn
	}
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		low := anyDuration(t, 0, time.Hour)
		high := anyDuration(t, low, time.Hour)
		drawn := draw(seed, low, high)
		if drawn != draw(seed, low, high) {
			t.Fatal("a second run draws otherwise")
		}
		for _, d := range slices.Concat(drawn[0][:], drawn[1][:]) {
			if d < low || d > high {
				t.Fatalf("drew %v, want %v to %v", d, low, high)
			}
		}
	})
	a := draw(7, 0, time.Hour)
	if a[0] == a[1] || a[0][0] == a[0][1] || a == draw(8, 0, time.Hour) {
		t.Errorf("another client, draw and seed drew the same: %v", a)
	}
}

func TestLeftoverThreadsAreUnwound(t *testing.T) {
	var d diary
	l := lab{program: func(c *sim.Thread) {
		c.Go("watchdog", func(c *sim.Thread) {
			defer d.note("unwound")
			defer func() {
				c.Sleep(ms)
				d.note("slept on the way out")
			}()
			c.Sleep(time.Hour)
			d.note("slept to the end")
		})
		c.Sleep(ms)
	}}
	l.run(t)
	d.want(t, "unwound")
}

func TestPanicOnTheWayOutIsNoDefect(t *testing.T) {
	l := lab{program: func(c *sim.Thread) {
		c.Go("watchdog", func(c *sim.Thread) {
			defer func() { panic("unwound") }()
			c.Sleep(time.Hour)
		})
		c.Sleep(ms)
	}}
	if h := l.run(t).History; h.Ended.At != clock.Instant(ms) {
		t.Errorf("the run ended at %d, want 1 ms", h.Ended.At)
	}
}

func TestClosedWorldLeavesNoCoroutine(t *testing.T) {
	before := runtime.NumGoroutine()
	l := lab{clients: 2, program: func(c *sim.Thread) {
		c.Go("watchdog", func(c *sim.Thread) { c.Sleep(time.Hour) })
		ask(c)
		if c.Client() == 1 {
			panic("a coroutine that panicked must not stay either")
		}
	}}
	w := l.world()
	quiet, deadly := l.schedule(t), l.schedule(t, "death B at 1ms", "pause A at 1ms for 5s")
	for i := range 1000 {
		s := quiet
		if i%2 == 0 {
			s = deadly
		}
		if _, err := w.Run(s); err != nil {
			t.Fatal(err)
		}
	}
	if runtime.NumGoroutine() <= before {
		t.Error("the world keeps no coroutine for its next run")
	}
	w.Close()
	if after := runtime.NumGoroutine(); after > before {
		t.Errorf("%d goroutines, %d before", after, before)
	}
}
