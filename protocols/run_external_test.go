package protocols_test

import (
	"slices"
	"testing"

	"simrun/checker"
	"simrun/protocols"
	"simrun/sim"
	"simrun/traces"
)

// record runs a schedule all of whose faults must strike.
func record(t *testing.T, p *protocols.Protocol, params protocols.Params, s sim.Schedule) *traces.Trace {
	t.Helper()
	w := sim.NewWorld(p.Setup(params))
	defer w.Close()
	r, err := w.Record(s)
	switch {
	case err != nil:
		t.Fatal(err)
	case r.Defect != "":
		t.Fatal(r.Defect)
	}
	if i := slices.Index(r.Struck, false); i >= 0 {
		t.Errorf("the fault %q never strikes", s.Faults[i])
	}
	return traces.New(p.Name, traces.Parameters{
		Clients: params.Clients, Rounds: params.Rounds, Nodes: params.Nodes,
		TTL: params.TTL, Work: params.Work, Token: string(params.Token),
	}, s, r, checker.All)
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
