package page

import (
	"time"

	"simrun/clock"
	"simrun/sim"
	"simrun/traces"
)

// A reading is what a machine's wall clock reads from an instant on.
type reading struct {
	At   int64 `json:"at"`   // nanoseconds of true time
	Wall int64 `json:"wall"` // nanoseconds since the clocks were right
	Rate int64 `json:"rate"` // parts per million too fast
}

// clocksOf follows the clocks of all machines through a run. Every machine has
// a reading at the start, and one for each time that its clock was touched.
func clocksOf(t *traces.Trace, machines []string) map[string][]reading {
	clocks, readings := make(map[string]*clock.Clock), make(map[string][]reading)
	note := func(machine string, at clock.Instant) {
		c := clocks[machine]
		readings[machine] = append(readings[machine], reading{int64(at), int64(c.Wall(at) - clock.Epoch), c.Rate()})
	}
	for _, m := range machines {
		clocks[m] = new(clock.Clock)
		note(m, 0)
	}
	for _, e := range t.Events {
		switch e.Kind {
		case sim.EventCalm:
			for _, m := range machines {
				if c := clocks[m]; c.Rate() != 0 {
					c.SetRate(e.At, 0)
					note(m, e.At)
				}
			}
		case sim.EventFault:
			f := faultOf(t, e)
			c := clocks[e.Actor]
			if f == nil || c == nil {
				continue
			}
			switch f.Kind.Unit {
			case sim.Shift:
				c.Step(time.Duration(f.Amount))
			case sim.Rate:
				c.SetRate(e.At, f.Amount)
			default:
				continue
			}
			note(e.Actor, e.At)
		}
	}
	return readings
}

// faultOf returns the fault of the schedule that an event tells of, or nil.
func faultOf(t *traces.Trace, e sim.Event) *sim.Fault {
	for i := range t.Schedule.Faults {
		f := &t.Schedule.Faults[i]
		if f.Actor.String() == e.Actor && f.Kind.Tell(*f) == e.Text {
			return f
		}
	}
	return nil
}

// wallAt returns what a clock reads, as a time of day.
func wallAt(readings []reading, at clock.Instant) string {
	var wall int64
	for _, r := range readings {
		if since := int64(at) - r.At; since >= 0 {
			wall = r.Wall + since + int64(float64(since)*float64(r.Rate)/1e6)
		}
	}
	return time.Unix(0, int64(clock.Epoch)+wall).UTC().Format("15:04:05.000")
}
