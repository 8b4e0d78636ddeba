package protocols_test

import (
	"slices"
	"testing"

	"simrun/checker"
	"simrun/explore"
	"simrun/protocols"
	"simrun/sim"
	"simrun/traces"
)

// record runs a schedule all of whose faults must strike.
func record(t *testing.T, p *protocols.Protocol, params protocols.Params, s sim.Schedule) *traces.Trace {
	t.Helper()
	trace, struck, err := explore.Record(p, params, s, checker.All)
	switch {
	case err != nil:
		t.Fatal(err)
	case trace.Defect != "":
		t.Fatal(trace.Defect)
	}
	if i := slices.Index(struck, false); i >= 0 {
		t.Errorf("the fault %q never strikes", s.Faults[i])
	}
	return trace
}

// run runs a schedule and returns its history.
func run(t *testing.T, p *protocols.Protocol, params protocols.Params, lines ...string) *sim.History {
	t.Helper()
	s, err := sim.ParseSchedule(lines)
	if err != nil {
		t.Fatal(err)
	}
	return &record(t, p, params, s).History
}
