package page

import (
	"slices"
	"strings"
	"testing"
	"time"

	"simrun/clock"
	"simrun/sim"
	"simrun/traces"
)

// What the page says of a client's clock is what the client reads.
func TestClocksAreThoseThatTheClientsRead(t *testing.T) {
	read := 0
	some(t, "redlock", func(seed int, trace *traces.Trace) {
		var machines []string
		for i := range trace.Parameters.Clients {
			machines = append(machines, sim.ClientName(i))
		}
		clocks := clocksOf(trace, machines)
		stepped := make(map[string]time.Duration)
		for i, e := range trace.Events {
			if f := faultOf(trace, e); e.Kind == sim.EventFault && f != nil && f.Kind.Unit == sim.Shift {
				stepped[e.Actor] += time.Duration(f.Amount)
			}
			monotonic, ok := strings.CutPrefix(e.Text, "monotonic ")
			if e.Kind != sim.EventClock || !ok || clocks[e.Actor] == nil {
				continue
			}
			if slices.ContainsFunc(trace.Events[i:], func(f sim.Event) bool { return f.Kind == sim.EventFault && f.At == e.At }) {
				continue // the clock may be touched at the instant at which it is read
			}
			d, err := time.ParseDuration(monotonic)
			if err != nil {
				t.Fatal(err)
			}
			read++
			want := time.Unix(0, int64(clock.Epoch)).Add(d + stepped[e.Actor]).UTC().Format("15:04:05.000")
			if got := wallAt(clocks[e.Actor], e.At); got != want {
				t.Errorf("seed %d, %v: the clock of %s reads %s, want %s", seed, time.Duration(e.At), e.Actor, got, want)
			}
		}
	})
	if read == 0 {
		t.Error("no clock was read")
	}
}

func TestAClockThatRunsFastIsAhead(t *testing.T) {
	fault, err := sim.ParseFault("clock-rate n1 at 10ms by +100000ppm")
	if err != nil {
		t.Fatal(err)
	}
	trace := &traces.Trace{
		Schedule: sim.Schedule{Faults: []sim.Fault{fault}},
		Events: []sim.Event{
			{At: 10_000_000, Actor: "n1", Kind: sim.EventFault, Text: fault.Kind.Tell(fault)},
			{At: 110_000_000, Actor: sim.WorldName, Kind: sim.EventCalm},
		},
	}
	readings := clocksOf(trace, []string{"n1"})["n1"]
	for at, want := range map[clock.Instant]string{0: "00:00:00.000", 60_000_000: "00:00:00.065", 210_000_000: "00:00:00.220"} {
		if got := wallAt(readings, at); got != want {
			t.Errorf("at %v: %s, want %s", time.Duration(at), got, want)
		}
	}
}
