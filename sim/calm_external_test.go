package sim_test

import (
	"testing"
	"time"

	"simrun/clock"
	"simrun/sim"
)

// The safety phase of a lab ends after a second, or when its clients are done.
const limit = clock.Instant(time.Second)

func TestCalmBeginsWhenTheClientsAreDone(t *testing.T) {
	var d diary
	l := lab{
		program: func(c *sim.Thread) { c.Sleep(10 * ms) },
		probe:   func(c *sim.Thread) { d.call(c, add(1), 10*ms) },
	}
	h := l.run(t).History
	d.want(t, "add 1: total 1 at 12ms")
	if h.HealedAt.At != clock.Instant(10*ms) || h.Ended.At != clock.Instant(12*ms) || h.Patience != time.Second {
		t.Errorf("healed at %d, ended at %d, patience %v; want 10 ms, 12 ms, 1s", h.HealedAt.At, h.Ended.At, h.Patience)
	}
}

// Whatever still keeps a client from its reply at the limit ends there, and
// the probe gets through too.
func TestLimitHealsWhatLasts(t *testing.T) {
	tests := []struct{ fault, client string }{
		{"pause A at 1.5ms for 1h", "add 1: total 1 at 1s"},
		{"node-pause n1 at 0s for 1h", "add 1: total 1 at 1.001s"},
		{"crash n1 at 0s for 1h", "add 2: total 2 at 1.102s"},
		{"partition A<->n1 at 0s for 1h", "add 2: total 2 at 1.102s"},
		{"partition *->n1 at 0s for 1h", "add 2: total 2 at 1.102s"},
	}
	for _, test := range tests {
		t.Run(test.fault, func(t *testing.T) {
			var client, probe diary
			l := lab{
				// Waits in its call until the limit, if the fault makes it wait.
				program: func(c *sim.Thread) {
					if reply := c.Call(n1, add(1), 1100*ms).Reply; reply == nil {
						client.call(c, add(2), 100*ms)
					} else {
						client.note("add 1: %v at %v", reply, since(c))
						c.Sleep(time.Second)
					}
				},
				probe: func(c *sim.Thread) { probe.call(c, add(3), 100*ms) },
			}
			h := l.run(t, test.fault).History
			client.want(t, test.client)
			if h.HealedAt.At != limit {
				t.Errorf("healed at %d, want %d", h.HealedAt.At, limit)
			}
			if len(probe) != 1 {
				t.Errorf("the probe noted %q, want one reply", probe)
			}
		})
	}
}

func TestNoFaultStrikesInTheCalm(t *testing.T) {
	l := lab{program: ask, probe: func(c *sim.Thread) {
		c.Round(1)
		c.BeginAcquire()
		c.For(sim.Write)
		for range 3 {
			c.Call(n1, add(1), 100*ms)
		}
		c.Work()
	}}
	faults := []string{
		"crash n1 before request 2 for 1h", "amnesia n1 at 3ms for 1h", "loss *->n1 request 2", "delay n1->* reply 2 for 1h",
		"partition *->n1 at 3ms for 1h", "node-pause n1 at 3ms for 1h", "clock-step n1 at 3ms by +1h", "clock-rate n1 at 3ms by +500000ppm",
		"pause A at 3ms for 1h", "death A at 3ms",
	}
	w := l.world()
	defer w.Close()
	result, err := w.Run(l.schedule(t, faults...))
	if err != nil {
		t.Fatal(err)
	}
	// The probe is another client: its requests are counted from 1 again.
	l.n1.wantServed(t, "add 1 at 1ms", "add 1 at 3ms", "add 1 at 5ms", "add 1 at 7ms")
	for i, struck := range result.Struck {
		if struck {
			t.Errorf("%q struck", faults[i])
		}
	}
	if ended := result.History.Ended.At; ended != clock.Instant(8*ms) {
		t.Errorf("the run ended at %d, want 8 ms", ended)
	}
}

func TestBackwardStepsOfServersProlongPatience(t *testing.T) {
	l := lab{
		program: func(c *sim.Thread) { c.Sleep(10 * ms) },
	}
	h := l.run(t, "clock-step n1 at 1ms by -3s", "clock-step n1 at 2ms by +1h", "clock-step n2 at 1ms by -4s").History
	if h.Patience != 8*time.Second {
		t.Errorf("patience %v, want the setup's second and the steps' seven", h.Patience)
	}
}

func TestRunEndsNotBeforeItsMessagesHaveArrived(t *testing.T) {
	l := lab{program: func(c *sim.Thread) { c.Call(n1, add(1), 0) }}
	h := l.run(t).History
	l.n1.wantServed(t, "add 1 at 1ms")
	if h.Ended.At != clock.Instant(2*ms) {
		t.Errorf("the run ended at %d, want 2 ms", h.Ended.At)
	}
}

func TestRunEndsWhenThePatienceIsOver(t *testing.T) {
	var d diary
	l := lab{
		program: func(c *sim.Thread) { c.Sleep(10 * ms) },
		probe: func(c *sim.Thread) {
			for {
				c.Sleep(300 * ms)
				d.note("%v", since(c))
			}
		},
	}
	l.run(t)
	d.want(t, "310ms", "610ms", "910ms")
}

func TestClocksRunAtTheTrueRateInTheCalm(t *testing.T) {
	var d diary
	l := lab{
		program: func(c *sim.Thread) { c.Sleep(600 * ms) },
		probe: func(c *sim.Thread) {
			c.Sleep(100 * ms)
			d.call(c, add(1), 10*ms)
		},
	}
	// The client's 600 ms last beyond the limit: 500 ms of them have passed
	// then, and the rest passes at the true rate.
	h := l.run(t, "clock-rate A at 0s by -500000ppm", "clock-rate n1 at 0s by +500000ppm").History
	l.n1.wantServed(t, "add 1 at 1.601s")
	if h.HealedAt.At != limit || h.Ended.At != limit.Add(102*ms) {
		t.Errorf("healed at %d, ended at %d, want 1s and 1.102s", h.HealedAt.At, h.Ended.At)
	}
}
