package explore

import (
	"simrun/checker"
	"simrun/protocols"
	"simrun/sim"
	"simrun/traces"
)

// Record runs a schedule with the full record of its events, and returns its
// trace and for each of its faults whether it struck. The error names the fault
// that does not fit.
func Record(p *protocols.Protocol, params protocols.Params, s sim.Schedule, checks []*checker.Check) (*traces.Trace, []bool, error) {
	w := sim.NewWorld(p.Setup(params))
	defer w.Close()
	result, err := w.Record(s)
	if err != nil {
		return nil, nil, err
	}
	kept := traces.Parameters{
		Clients: params.Clients, Rounds: params.Rounds, Nodes: params.Nodes,
		TTL: params.TTL, Work: params.Work, Token: string(params.Token),
	}
	return traces.New(p.Name, kept, s, result, checks), result.Struck, nil
}

// ParamsOf returns the parameters that a trace was recorded with.
func ParamsOf(t *traces.Trace) protocols.Params {
	p := t.Parameters
	return protocols.Params{
		Clients: p.Clients, Rounds: p.Rounds, Nodes: p.Nodes,
		TTL: p.TTL, Work: p.Work, Token: protocols.TokenSource(p.Token),
	}
}
