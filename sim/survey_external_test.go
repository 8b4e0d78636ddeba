package sim_test

import (
	"testing"

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
