package sim_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"simrun/clock"
	"simrun/sim"
)

// ask is a program of a single call that waits long.
func ask(c *sim.Thread) { c.Call(n1, add(1), 500*ms) }

// tick notes the time every 10 ms.
func (d *diary) tick(c *sim.Thread, name string, times int) {
	for range times {
		c.Sleep(10 * ms)
		d.note("%s %v", name, since(c))
	}
}

func TestPauseFreezesEveryThreadOfAProcess(t *testing.T) {
	var a, b diary
	l := lab{clients: 2, program: func(c *sim.Thread) {
		if c.Client() == 1 {
			b.tick(c, "main", 3)
			return
		}
		c.Go("watchdog", func(c *sim.Thread) { a.tick(c, "watchdog", 2) })
		a.tick(c, "main", 3)
	}}
	l.run(t, "pause A at 15ms for 50ms")
	a.want(t, "main 10ms", "watchdog 10ms", "main 65ms", "watchdog 65ms", "main 75ms")
	b.want(t, "main 10ms", "main 20ms", "main 30ms")
}

func TestRepliesAndTimersWaitForTheEndOfAPause(t *testing.T) {
	var d diary
	l := lab{program: func(c *sim.Thread) {
		c.Go("watchdog", func(c *sim.Thread) { d.tick(c, "watchdog", 1) })
		d.call(c, add(1), 500*ms)
	}}
	l.run(t, "pause A at 500µs for 50ms")
	l.n1.wantServed(t, "add 1 at 1ms")
	d.want(t, "add 1: total 1 at 50.5ms", "watchdog 50.5ms")
}

func TestPauseBeginsBeforeTheStepThatItNames(t *testing.T) {
	l := lab{program: func(c *sim.Thread) {
		c.Call(n1, add(1), 500*ms)
		c.For(sim.Write)
		c.Call(n1, add(2), 500*ms)
	}}
	l.run(t, "pause A before write 1 for 30ms")
	l.n1.wantServed(t, "add 1 at 1ms", "add 2 at 33ms")
}

func TestPauseHoldsBackAClientThatIsYetToStart(t *testing.T) {
	l := lab{program: ask}
	l.run(t, "pause A at 0s for 30ms")
	l.n1.wantServed(t, "add 1 at 31ms")
}

func TestShorterPauseDoesNotEndALongerOne(t *testing.T) {
	var d diary
	l := lab{program: func(c *sim.Thread) { d.tick(c, "main", 1) }}
	l.run(t, "pause A at 5ms for 50ms", "pause A at 10ms for 5ms")
	d.want(t, "main 55ms")
}

func TestNodePauseMakesRequestsWait(t *testing.T) {
	for _, fault := range []string{"node-pause n1 at 0s for 21ms", "node-pause n1 before request 1 for 20ms"} {
		t.Run(fault, func(t *testing.T) {
			var d diary
			l := lab{program: func(c *sim.Thread) {
				c.Broadcast([]sim.ServerID{n1, n1, n2}, add(1), 500*ms)
				d.note("done %v", since(c))
			}}
			l.run(t, fault)
			l.n1.wantServed(t, "add 1 at 21ms", "add 1 at 21ms")
			l.n2.wantServed(t, "add 1 at 1ms")
			d.want(t, "done 22ms")
		})
	}
}

func TestRequestThatWaitsIsCountedOnce(t *testing.T) {
	l := lab{program: func(c *sim.Thread) {
		c.Call(n1, add(1), 500*ms)
		c.Call(n1, add(2), 500*ms)
	}}
	l.run(t, "node-pause n1 before request 1 for 20ms", "clock-step n1 before request 2 by +1h")
	l.n1.wantServed(t, "add 1 at 21ms", "add 2 at 1h0m0.023s")
}

func TestClockStepMovesTheWallClockOfAClientOnly(t *testing.T) {
	for _, fault := range []string{"clock-step A at 5ms by %s", "clock-step A before work 1 by %s"} {
		for _, step := range []time.Duration{time.Hour, -time.Hour} {
			var d diary
			l := lab{program: func(c *sim.Thread) {
				wall, mono := c.Wall(), c.Monotonic()
				c.For(sim.Work)
				c.Sleep(10 * ms)
				d.note("wall %v, monotonic %v", time.Duration(c.Wall()-wall), c.Monotonic().Sub(mono))
			}}
			l.run(t, fmt.Sprintf(fault, step))
			d.want(t, fmt.Sprintf("wall %v, monotonic 10ms", step+10*ms))
		}
	}
}

func TestClockStepMovesTheWallClockOfAServer(t *testing.T) {
	l := lab{program: func(c *sim.Thread) { ask(c); ask(c) }}
	l.run(t, "clock-step n1 before request 2 by +1h")
	l.n1.wantServed(t, "add 1 at 1ms", "add 1 at 1h0m0.003s")
}

// What a client does after a sleep of its own time, the server sees in true
// time. A rate that changes counts from then on, for timers that run already
// too.
func TestRateOfAClockChangesWhenItsTimersFire(t *testing.T) {
	tests := []struct {
		fault string
		sleep time.Duration
		want  string
	}{
		{"clock-rate A at 0s by +250000ppm", 100 * ms, "add 1 at 81ms"},
		{"clock-rate A at 0s by -500000ppm", 100 * ms, "add 1 at 201ms"},
		{"clock-rate A at 40ms by +250000ppm", 100 * ms, "add 1 at 89ms"},
		{"clock-rate A at 40ms by -500000ppm", 100 * ms, "add 1 at 161ms"},
		{"drift A at 0s by +4000ppm", 251 * ms, "add 1 at 251ms"},
		{"drift A at 0s by -4000ppm", 249 * ms, "add 1 at 251ms"},
		{"drift A at 1ms by +4000ppm", 252 * ms, "add 1 at 252ms"},
		{"drift A at 1ms by -4000ppm", 250 * ms, "add 1 at 252ms"},
	}
	for _, test := range tests {
		t.Run(test.fault, func(t *testing.T) {
			sleeper := lab{program: func(c *sim.Thread) {
				c.Sleep(test.sleep)
				ask(c)
			}}
			sleeper.run(t, test.fault)
			sleeper.n1.wantServed(t, test.want)

			stopped := lab{program: func(c *sim.Thread) {
				c.StopWhen(sim.Stop{At: clock.Monotonic(test.sleep)})
				c.Sleep(800 * ms)
				c.StopWhen(sim.Stop{})
				ask(c)
			}}
			stopped.run(t, test.fault)
			stopped.n1.wantServed(t, test.want)
		})
	}
}

// A change that time alone has brought about must be noticed by the clock that
// it was due by.
func TestServerSettlesBeforeItsClockChangesAndAtTheEnd(t *testing.T) {
	l := lab{program: func(c *sim.Thread) { c.Sleep(20 * ms) }}
	l.run(t, "clock-step n1 at 5ms by +1h", "clock-rate n1 at 10ms by +100000ppm")
	want := []time.Duration{5 * ms, time.Hour + 10*ms, time.Hour + 21*ms, time.Hour + 21*ms}
	if !slices.Equal(l.n1.settled, want) { // at the end of the faults, and of the run
		t.Errorf("settled at %v, want %v", l.n1.settled, want)
	}
}

func TestRateOfAServerChangesItsWallClock(t *testing.T) {
	l := lab{program: func(c *sim.Thread) {
		c.Sleep(99 * ms)
		ask(c)
	}}
	l.run(t, "clock-rate n1 at 0s by +100000ppm")
	l.n1.wantServed(t, "add 1 at 110ms")
}

func TestDelayedRequestHoldsBackWhatFollowsOnItsConnection(t *testing.T) {
	l := lab{program: func(c *sim.Thread) {
		c.Broadcast([]sim.ServerID{n1, n1, n2}, add(1), 500*ms)
	}}
	l.run(t, "delay A->n1 request 1 for 30ms")
	l.n1.wantServed(t, "add 1 at 31ms", "add 1 at 31ms")
	l.n2.wantServed(t, "add 1 at 1ms")
}

func TestDelayedReplyHoldsBackWhatFollowsOnItsConnection(t *testing.T) {
	var d diary
	l := lab{program: func(c *sim.Thread) {
		for _, r := range c.Broadcast([]sim.ServerID{n1, n1, n2}, add(1), 20*ms) {
			d.note("%v", r.Reply)
		}
	}}
	l.run(t, "delay n1->A reply 1 for 30ms")
	l.n1.wantServed(t, "add 1 at 1ms", "add 1 at 1ms")
	d.want(t, "<nil>", "<nil>", "total 1")
}

// A client that has stopped waiting opens a new connection, on which nothing
// holds its next request back.
func TestRequestAfterATimeoutOvertakesTheDelayedOne(t *testing.T) {
	var d diary
	l := lab{program: func(c *sim.Thread) {
		d.call(c, add(1), 10*ms)
		d.call(c, add(2), 10*ms)
		c.Sleep(39 * ms)
		d.call(c, add(3), 10*ms)
	}}
	l.run(t, "delay A->n1 request 1 for 50ms", "delay n1->A reply 1 for 30ms")
	l.n1.wantServed(t, "add 2 at 11ms", "add 1 at 51ms", "add 3 at 52ms")
	d.want(t, "add 1: <nil> at 10ms", "add 2: total 1 at 12ms", "add 3: total 3 at 53ms")
}

func TestLostRequestIsNotApplied(t *testing.T) {
	var d diary
	l := lab{program: func(c *sim.Thread) {
		d.call(c, add(1), 10*ms)
		d.call(c, add(2), 10*ms)
	}}
	l.run(t, "loss A->n1 request 1")
	l.n1.wantServed(t, "add 2 at 11ms")
	d.want(t, "add 1: <nil> at 10ms", "add 2: total 1 at 12ms")
}

func TestLostReplyLeavesItsRequestApplied(t *testing.T) {
	var d diary
	l := lab{program: func(c *sim.Thread) {
		d.call(c, add(1), 10*ms)
		d.call(c, add(2), 10*ms)
	}}
	l.run(t, "loss n1->A reply 1")
	l.n1.wantServed(t, "add 1 at 1ms", "add 2 at 11ms")
	d.want(t, "add 1: <nil> at 10ms", "add 2: total 2 at 12ms")
}

// Clients A and B each ask n1 and n2 during the partition, and again after it.
func TestPartitionCutsTheLinksThatItNames(t *testing.T) {
	tests := []struct {
		actors string
		n1, n2 string // whose requests arrived during the partition
		a, b   string // which servers' replies arrived during the partition
	}{
		{"A<->n1", "B", "AB", "n2", "n1 n2"},
		{"A->n1", "B", "AB", "n2", "n1 n2"},
		{"n1->A", "AB", "AB", "n2", "n1 n2"},
		{"n1<->A", "B", "AB", "n2", "n1 n2"},
		{"*->n1", "", "AB", "n2", "n2"},
		{"n1->*", "AB", "AB", "n2", "n2"},
		{"A<->*", "B", "B", "", "n1 n2"},
		{"*<->n2", "AB", "", "n1", "n1"},
		{"*->A", "AB", "AB", "", "n1 n2"},
	}
	for _, test := range tests {
		t.Run(test.actors, func(t *testing.T) {
			var during [2]string
			l := lab{clients: 2, program: func(c *sim.Thread) {
				c.BeginAcquire()
				during[c.Client()] = answering(c)
				c.Sleep(40 * ms)
				if again := answering(c); again != "n1 n2" {
					t.Errorf("after the partition, %d hears from %q", c.Client(), again)
				}
			}}
			l.run(t, "partition "+test.actors+" at 0s for 30ms")
			if got := [2]string{l.n1.clients(30 * ms), l.n2.clients(30 * ms)}; got != [2]string{test.n1, test.n2} {
				t.Errorf("the servers heard from %q, want %q and %q", got, test.n1, test.n2)
			}
			if during != [2]string{test.a, test.b} {
				t.Errorf("the clients heard from %q, want %q and %q", during, test.a, test.b)
			}
		})
	}
}

// answering returns which servers answer a client.
func answering(c *sim.Thread) string {
	var names []string
	for i, r := range c.Broadcast([]sim.ServerID{n1, n2}, add(1), 10*ms) {
		if r.Reply != nil {
			names = append(names, []string{"n1", "n2"}[i])
		}
	}
	return strings.Join(names, " ")
}

// clients returns whose requests were served before the given time.
func (c *counter) clients(before time.Duration) string {
	var names string
	for _, s := range c.served {
		if s.at < before {
			names += s.by
		}
	}
	return names
}

// A request is sent at 0 and arrives at 1 ms, when its reply is sent, which
// arrives at 2 ms.
func TestPartitionLosesWhatIsSentOrArrivesDuringIt(t *testing.T) {
	tests := []struct{ fault, served, noted string }{
		{"partition A->n1 at 0s for 500µs", "", "add 1: <nil> at 10ms"},
		{"partition A->n1 at 500µs for 30ms", "", "add 1: <nil> at 10ms"},
		{"partition A->n1 at 1.5ms for 30ms", "add 1 at 1ms", "add 1: total 1 at 2ms"},
		{"partition n1->A at 1ms for 500µs", "add 1 at 1ms", "add 1: <nil> at 10ms"},
		{"partition n1->A at 1.5ms for 30ms", "add 1 at 1ms", "add 1: <nil> at 10ms"},
		{"partition A<->n1 at 1.5ms for 30ms", "add 1 at 1ms", "add 1: <nil> at 10ms"},
	}
	for _, test := range tests {
		t.Run(test.fault, func(t *testing.T) {
			var d diary
			l := lab{program: func(c *sim.Thread) { d.call(c, add(1), 10*ms) }}
			l.run(t, test.fault)
			d.want(t, test.noted)
			if test.served == "" {
				l.n1.wantServed(t)
			} else {
				l.n1.wantServed(t, test.served)
			}
		})
	}
}

func TestPartitionsThatOverlapEndOneByOne(t *testing.T) {
	var d diary
	l := lab{program: func(c *sim.Thread) {
		for i := range 3 {
			c.Sleep(10 * ms)
			d.call(c, add(i), 10*ms)
		}
	}}
	l.run(t, "partition A<->n1 at 0s for 15ms", "partition *->n1 at 5ms for 30ms")
	d.want(t, "add 0: <nil> at 20ms", "add 1: <nil> at 40ms", "add 2: total 1 at 52ms")
}

// askThrice calls before, during and after the time that a server is down.
func (d *diary) askThrice(c *sim.Thread) {
	d.call(c, add(1), 10*ms)
	c.Sleep(10 * ms)
	d.call(c, add(2), 10*ms)
	c.Sleep(300 * ms)
	d.call(c, add(3), 10*ms)
}

func TestServerIsDownAfterACrashAndKeepsOrForgets(t *testing.T) {
	tests := []struct{ fault, want string }{
		{"crash n1 at 10ms for 20ms", "total 2"},
		{"amnesia n1 at 10ms for 20ms", "total 1"},
		{"late-amnesia n1 at 10ms for 20ms", "total 1"},
		{"crash n1 before request 2 for 20ms", "total 2"},
		{"amnesia n1 before request 2 for 20ms", "total 1"},
		{"late-amnesia n1 before request 2 for 20ms", "total 1"},
	}
	for _, test := range tests {
		t.Run(test.fault, func(t *testing.T) {
			var d diary
			l := lab{program: d.askThrice}
			l.run(t, test.fault)
			d.want(t, "add 1: total 1 at 2ms", "add 2: <nil> at 22ms", "add 3: "+test.want+" at 324ms")
		})
	}
}

func TestServerThatRestartsAtOnceIsNeverAway(t *testing.T) {
	var d diary
	l := lab{program: d.askThrice}
	l.run(t, "amnesia n1 before request 2 for 0s")
	d.want(t, "add 1: total 1 at 2ms", "add 2: total 1 at 14ms", "add 3: total 2 at 316ms")
}

func TestSecondCrashDoesNotBringAServerBackSooner(t *testing.T) {
	var d diary
	l := lab{program: d.askThrice}
	l.run(t, "late-amnesia n1 at 5ms for 100ms", "crash n1 at 6ms for 0s")
	d.want(t, "add 1: total 1 at 2ms", "add 2: <nil> at 22ms", "add 3: total 1 at 324ms")
}

func TestCrashLosesRequestsThatWait(t *testing.T) {
	l := lab{program: ask}
	l.run(t, "node-pause n1 at 0s for 30ms", "crash n1 at 10ms for 5ms", "node-pause n1 at 16ms for 1ms")
	l.n1.wantServed(t)
}

// Of two requests that have waited, the first finds a crash before it. What of a
// restart at once it survives is what comes after the crash: itself.
func TestCrashAtTheEndOfAPauseLosesWhatStillWaits(t *testing.T) {
	for fault, want := range map[string][]string{
		"crash n1 before request 1 for 20ms": nil,
		"crash n1 before request 1 for 0s":   {"add 1 at 30ms"},
	} {
		l := lab{clients: 2, program: func(c *sim.Thread) {
			c.BeginAcquire()
			c.Call(n1, add(c.Client()+1), 100*ms)
		}}
		l.run(t, "node-pause n1 at 0s for 30ms", fault)
		l.n1.wantServed(t, want...)
	}
}

func TestCrashKeepsWhatWasStoredSinceAnAmnesia(t *testing.T) {
	var d diary
	l := lab{program: d.askThrice}
	l.run(t, "amnesia n1 at 5ms for 1ms", "crash n1 at 100ms for 1ms")
	d.want(t, "add 1: total 1 at 2ms", "add 2: total 1 at 14ms", "add 3: total 2 at 316ms")
}

func TestDurableServerNeverForgets(t *testing.T) {
	var d diary
	l := lab{durable: true, program: d.askThrice}
	l.run(t, "crash n1 at 10ms for 20ms")
	d.want(t, "add 1: total 1 at 2ms", "add 2: <nil> at 22ms", "add 3: total 2 at 324ms")

	w := l.world()
	defer w.Close()
	_, err := w.Run(l.schedule(t, "amnesia n1 at 10ms for 20ms"))
	const want = `fault "amnesia n1 at 10ms for 20ms": unknown actor "n1", want one of n2`
	if err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

func TestDeathLeavesOthersRunningAndEndsTheGrant(t *testing.T) {
	var d diary
	l := lab{clients: 2, program: func(c *sim.Thread) {
		name := sim.ClientName(c.Client())
		c.BeginAcquire()
		c.Granted(0)
		c.Go("watchdog", func(c *sim.Thread) { d.tick(c, name+"/watchdog", 1) })
		ask(c)
		d.tick(c, name, 1)
		c.EndBelief(sim.Released)
	}}
	h := l.run(t, "death A at 500µs").History
	l.n1.wantServed(t, "add 1 at 1ms", "add 1 at 1ms") // what A had sent arrives
	d.want(t, "B/watchdog 10ms", "B 12ms")
	if g := h.Grants[0]; g.End != sim.Died || g.Until.At != clock.Instant(500*time.Microsecond) {
		t.Errorf("A's grant ended %q at %d, want it to end with its death at 500 µs", g.End, g.Until.At)
	}
	if g := h.Grants[1]; g.End != sim.Released {
		t.Errorf("B's grant ended %q, want %q", g.End, sim.Released)
	}
}

func TestDeathBeforeAStepPreventsTheStep(t *testing.T) {
	var d diary
	l := lab{program: func(c *sim.Thread) {
		defer d.note("deferred")
		ask(c)
		c.For(sim.Write)
		ask(c)
		d.note("survived")
	}}
	l.run(t, "death A before write 1")
	l.n1.wantServed(t, "add 1 at 1ms")
	d.want(t, "deferred")
}

func TestDeadClientsDoNotHoldUpTheCalm(t *testing.T) {
	l := lab{clients: 2, program: func(c *sim.Thread) {
		c.Go("watchdog", func(c *sim.Thread) { c.Sleep(time.Hour) })
		if c.Client() == 1 {
			c.Sleep(50 * ms)
		}
	}}
	tests := []struct {
		faults []string
		want   clock.Instant
	}{
		{[]string{"death A at 10ms"}, clock.Instant(50 * ms)}, // A's program has ended
		{[]string{"death B at 10ms", "death B at 20ms"}, clock.Instant(10 * ms)},
		{[]string{"death A at 0s", "death B at 10ms"}, clock.Instant(10 * ms)},
	}
	for _, test := range tests {
		w := l.world()
		r, err := w.Run(l.schedule(t, test.faults...))
		if err != nil || r.History.HealedAt.At != test.want {
			t.Errorf("after %q the calm began at %d, error %v; want %d", test.faults, r.History.HealedAt.At, err, test.want)
		}
		w.Close()
	}
}

func TestNobodyWakesUpFromDeath(t *testing.T) {
	l := lab{program: func(c *sim.Thread) { c.Sleep(20 * ms) }}
	for _, e := range l.run(t, "pause A at 5ms for 10ms", "death A at 6ms").Events {
		if e.Kind == sim.EventHeal {
			t.Errorf("after its death: %v", e)
		}
	}
}

func TestOverrunLengthensTheWorkOfItsRoundOnly(t *testing.T) {
	var d diary
	l := lab{work: 10 * ms, clients: 2, program: func(c *sim.Thread) {
		for round := range 3 {
			c.Round(round + 1)
			start := c.Monotonic()
			c.Work()
			d.note("%s %d: %v", sim.ClientName(c.Client()), round+1, c.Monotonic().Sub(start))
		}
	}}
	l.run(t, "overrun A round 2 for 50ms")
	d.want(t, "A 1: 10ms", "B 1: 10ms", "B 2: 10ms", "B 3: 10ms", "A 2: 60ms", "A 3: 10ms")
}

func TestOverrunStrikesOnceInItsRound(t *testing.T) {
	var d diary
	l := lab{work: 10 * ms, program: func(c *sim.Thread) {
		c.Round(1)
		c.Work()
		d.note("%v", since(c))
		c.Work()
		d.note("%v", since(c))
	}}
	l.run(t, "overrun A round 1 for 50ms")
	d.want(t, "60ms", "70ms")
}

func TestOverrunStopsAtTheDeadline(t *testing.T) {
	var d diary
	l := lab{work: 10 * ms, program: func(c *sim.Thread) {
		c.Round(1)
		c.StopWhen(sim.Stop{At: clock.Monotonic(20 * ms)})
		ended := c.Work()
		d.note("ended %v at %v, stopped by %s", ended, since(c), c.Stopped())
	}}
	l.run(t, "overrun A round 1 for 50ms")
	d.want(t, "ended false at 20ms, stopped by deadline")
}

func TestWakeOrderPicksTheReplyOrTheTimeout(t *testing.T) {
	tests := []struct {
		faults string
		want   string
	}{
		{"pause A at 500µs for 50ms", "add 1: total 1 at 50.5ms"},
		{"pause A at 500µs for 50ms; wake-order A after pause 1 pick 2", "add 1: <nil> at 50.5ms"},
		{"pause A at 500µs for 50ms; delay n1->A reply 1 for 20ms", "add 1: <nil> at 50.5ms"},
		{"pause A at 500µs for 50ms; delay n1->A reply 1 for 20ms; wake-order A after pause 1 pick 2", "add 1: total 1 at 50.5ms"},
	}
	for _, test := range tests {
		t.Run(test.faults, func(t *testing.T) {
			var d diary
			l := lab{program: func(c *sim.Thread) { d.call(c, add(1), 10*ms) }}
			l.run(t, strings.Split(test.faults, "; ")...)
			d.want(t, test.want)
		})
	}
}

func TestWakeOrderCountsThePausesOfItsClient(t *testing.T) {
	var d diary
	l := lab{program: func(c *sim.Thread) {
		d.call(c, add(1), 10*ms)
		d.call(c, add(2), 10*ms)
	}}
	l.run(t, "pause A at 500µs for 50ms", "pause A at 51ms for 50ms", "wake-order A after pause 2 pick 2")
	d.want(t, "add 1: total 1 at 50.5ms", "add 2: <nil> at 101ms")
}
