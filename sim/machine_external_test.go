package sim_test

import (
	"testing"
	"time"

	"simrun/clock"
	"simrun/sim"
)

// A mortal server's lock runs out when its wall clock reads 10 ms after the
// epoch, which it notices when it is asked.
type mortal struct {
	counter
	expired bool
}

func (s *mortal) Settle(m *sim.Machine) {
	due := clock.Epoch.Add(10 * ms)
	if !s.expired && m.Wall() >= due {
		s.expired = true
		m.ExpiredAt(due, sim.Holder{Client: 1, Attempt: 1})
	}
}

func (s *mortal) Reset() { *s = mortal{} }

func TestExpiryIsDatedWhenItWasDue(t *testing.T) {
	tests := []struct {
		fault string
		want  clock.Instant
	}{
		{"pause A at 0s for 1ms", clock.Instant(10 * ms)},
		{"clock-step n1 at 4ms by +5ms", clock.Instant(5 * ms)},
		{"clock-step n1 at 4ms by -5ms", clock.Instant(15 * ms)},
		{"clock-step n1 at 4ms by +1h", clock.Instant(4 * ms)}, // the step itself ends it
		{"clock-step n1 at 12ms by +1h", clock.Instant(10 * ms)},
		{"clock-rate n1 at 4ms by -500000ppm", clock.Instant(16 * ms)},
		{"clock-rate n1 at 12ms by -500000ppm", clock.Instant(10 * ms)},
	}
	for _, test := range tests {
		t.Run(test.fault, func(t *testing.T) {
			l := lab{}
			w := sim.NewWorld(sim.Setup{
				Servers:  []sim.ServerSpec{{Name: "n1", Server: new(mortal)}},
				Program:  func(c *sim.Thread) { c.Sleep(30 * ms) },
				Probe:    func(*sim.Thread) {},
				Limit:    time.Second,
				Patience: time.Second,
			})
			defer w.Close()
			r, err := w.Run(l.schedule(t, test.fault))
			if err != nil {
				t.Fatal(err)
			}
			if c := r.History.Changes; len(c) != 1 || c[0].Kind != sim.Expired || c[0].At.At != test.want {
				t.Errorf("changes %+v, want one expiry at %d", c, test.want)
			}
		})
	}
}
