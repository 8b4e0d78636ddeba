package sim_test

import (
	"fmt"
	"testing"
	"time"

	"simrun/clock"
	"simrun/sim"
)

// A bell is a counter that sets alarms whenever it starts, and reports those
// that ring.
type bell struct {
	counter
	set func(*sim.Machine)
}

func (b *bell) Start(m *sim.Machine) { b.set(m) }

func (b *bell) Ring(m *sim.Machine, tag int64) {
	m.Changed(sim.Expired, sim.Nobody, sim.Holder{Client: 1, Attempt: int32(tag)})
}

// ringing returns which alarms of n1 ring while client A sleeps for a while,
// and when by true time, such as "alarm 1 at 30ms".
func ringing(t *testing.T, sleep time.Duration, set func(*sim.Machine), faults ...string) []string {
	t.Helper()
	h := play(t, func(c *sim.Thread) { c.Sleep(sleep) }, []sim.Server{&bell{set: set}}, faults...)
	var rung []string
	for _, c := range h.Changes {
		rung = append(rung, fmt.Sprintf("alarm %d at %v", c.Owner.Attempt, time.Duration(c.At.At)))
	}
	return rung
}

// play runs a program as client A against servers n1, n2, … on the lab's
// network, and then lets some time pass.
func play(t *testing.T, program func(*sim.Thread), servers []sim.Server, faults ...string) *sim.History {
	t.Helper()
	setup := sim.Setup{
		Program: program, Probe: func(c *sim.Thread) { c.Sleep(20 * ms) },
		Limit: time.Second, Patience: time.Second,
	}
	for i, s := range servers {
		setup.Servers = append(setup.Servers, sim.ServerSpec{Name: fmt.Sprintf("n%d", i+1), Server: s})
	}
	w := sim.NewWorld(setup)
	t.Cleanup(w.Close)
	r, err := w.Run(new(lab).schedule(t, faults...))
	if err != nil || r.Defect != "" {
		t.Fatalf("error %v, defect %q", err, r.Defect)
	}
	for i, struck := range r.Struck {
		if !struck {
			t.Fatalf("fault %q did not strike", faults[i])
		}
	}
	return r.History
}

func after30(m *sim.Machine) { m.After(30*ms, 1) }

func TestAlarmsRingWhenTheirTimeIsOver(t *testing.T) {
	got := ringing(t, 100*ms, func(m *sim.Machine) {
		m.After(30*ms, 1)
		m.After(10*ms, 2)
		m.After(-10*ms, 3)
		m.After(10*ms, 4)
	})
	wantEqual(t, "rung", got, []string{"alarm 3 at 0s", "alarm 2 at 10ms", "alarm 4 at 10ms", "alarm 1 at 30ms"})
}

func TestAlarmsAreLostInACrashAndSetAgainByTheStart(t *testing.T) {
	tests := []struct {
		faults []string
		want   string
	}{
		{[]string{"crash n1 at 5ms for 20ms"}, "alarm 1 at 55ms"},
		{[]string{"crash n1 at 5ms for 100ms"}, "alarm 1 at 135ms"},
		{[]string{"amnesia n1 at 5ms for 0s"}, "alarm 1 at 35ms"},
		{[]string{"crash n1 at 5ms for 20ms", "crash n1 at 10ms for 1ms"}, "alarm 1 at 55ms"},
		{[]string{"node-pause n1 at 5ms for 50ms", "crash n1 at 40ms for 5ms"}, "alarm 1 at 75ms"},
	}
	for _, test := range tests {
		wantEqual(t, test.faults[0], ringing(t, 200*ms, after30, test.faults...), []string{test.want})
	}
}

func TestAlarmsCountTheServersOwnTime(t *testing.T) {
	tests := []struct {
		faults []string
		want   string
	}{
		{[]string{"clock-rate n1 at 0s by +250000ppm"}, "alarm 1 at 24ms"},
		{[]string{"clock-rate n1 at 10ms by +250000ppm"}, "alarm 1 at 26ms"},
		{[]string{"clock-rate n1 at 10ms by -500000ppm"}, "alarm 1 at 50ms"},
		{[]string{"clock-rate n1 at 10ms by -500000ppm", "clock-rate n1 at 20ms by +500000ppm"}, "alarm 1 at 30ms"},
		{[]string{"clock-rate n1 at 10ms by +500000ppm", "clock-rate n1 at 16ms by -500000ppm"}, "alarm 1 at 38ms"},
		{[]string{"clock-step n1 at 10ms by +1h"}, "alarm 1 at 30ms"},
		{[]string{"clock-step n1 at 10ms by -1h"}, "alarm 1 at 30ms"},
	}
	for _, test := range tests {
		wantEqual(t, test.faults[0], ringing(t, 200*ms, after30, test.faults...), []string{test.want})
	}
}

func TestAlarmsByTheWallClockMoveWithItsSteps(t *testing.T) {
	tests := []struct {
		faults []string
		want   string
	}{
		{nil, "alarm 1 at 30ms"},
		{[]string{"clock-step n1 at 10ms by +15ms"}, "alarm 1 at 15ms"},
		{[]string{"clock-step n1 at 10ms by +1h"}, "alarm 1 at 10ms"},
		{[]string{"clock-step n1 at 10ms by -10ms"}, "alarm 1 at 40ms"},
		{[]string{"clock-step n1 at 10ms by -10ms", "clock-step n1 at 20ms by +5ms"}, "alarm 1 at 35ms"},
		{[]string{"clock-step n1 at 40ms by -1h"}, "alarm 1 at 30ms"},
		{[]string{"clock-rate n1 at 0s by +250000ppm", "clock-step n1 at 8ms by -5ms"}, "alarm 1 at 28ms"},
		{[]string{"node-pause n1 at 5ms for 10ms", "clock-step n1 at 8ms by +1h"}, "alarm 1 at 15ms"},
		{[]string{"node-pause n1 at 5ms for 10ms", "clock-step n1 at 8ms by +1h", "clock-step n1 at 9ms by -1h"}, "alarm 1 at 30ms"},
		{[]string{"crash n1 at 20ms for 0s", "clock-step n1 at 25ms by -10ms"}, "alarm 1 at 40ms"},
	}
	for _, test := range tests {
		at30 := func(m *sim.Machine) { m.At(clock.Epoch.Add(30*ms), 1) }
		wantEqual(t, fmt.Sprint(test.faults), ringing(t, 200*ms, at30, test.faults...), []string{test.want})
	}
}

func TestAlarmWaitsOutAFreeze(t *testing.T) {
	wantEqual(t, "rung", ringing(t, 200*ms, after30, "node-pause n1 at 5ms for 50ms"), []string{"alarm 1 at 55ms"})
	wantEqual(t, "rung", ringing(t, 200*ms, after30, "node-pause n1 at 5ms for 10ms"), []string{"alarm 1 at 30ms"})
}

// What waited for the end of a freeze is handled in the order in which it came.
func TestAlarmsAndRequestsWaitInOneQueue(t *testing.T) {
	for _, test := range []struct {
		asks time.Duration
		want int32 // who is served first: the alarm's holder has attempt 1, the client's 2
	}{{20 * ms, 2}, {40 * ms, 1}} {
		h := play(t, func(c *sim.Thread) {
			c.Sleep(test.asks)
			c.NewAttempt()
			c.NewAttempt()
			ask(c)
		}, []sim.Server{&bell{set: after30}}, "node-pause n1 at 5ms for 50ms")
		first := h.Changes[0]
		if got := max(first.Owner.Attempt, first.By.Attempt); got != test.want || first.At.At != clock.Instant(55*ms) {
			t.Errorf("asked at %v: first %+v, want attempt %d at 55ms", test.asks, first, test.want)
		}
	}
}

func TestAlarmsDoNotKeepARunGoing(t *testing.T) {
	h := play(t, func(c *sim.Thread) { c.Sleep(10 * ms) }, []sim.Server{&bell{set: func(m *sim.Machine) { m.After(time.Hour, 1) }}})
	if h.Ended.At != clock.Instant(30*ms) || len(h.Changes) > 0 {
		t.Errorf("the run ended at %v with %v, want 30ms and no alarm", time.Duration(h.Ended.At), h.Changes)
	}
}
