package traces_test

import (
	"testing"

	"simrun/checker"
	"simrun/explore"
	"simrun/protocols"
	"simrun/sim"
	"simrun/traces"
)

// record runs a schedule and returns its trace.
func record(t *testing.T, p *protocols.Protocol, s sim.Schedule) *traces.Trace {
	t.Helper()
	params := p.Defaults()
	judge := explore.NewSpace(p, params, nil).NewJudge(checker.All)
	defer judge.Close()
	return recorded(t, judge, p, params, s)
}

func recorded(t testing.TB, judge *explore.Judge, p *protocols.Protocol, params protocols.Params, s sim.Schedule) *traces.Trace {
	t.Helper()
	out, err := judge.Record(s)
	if err != nil {
		t.Fatal(err)
	}
	return traces.New(p.Name, traces.Parameters{
		Clients: params.Clients, Rounds: params.Rounds, Nodes: params.Nodes,
		TTL: params.TTL, Work: params.Work, Token: string(params.Token),
	}, s, out.Result, checker.All)
}

func parse(t *testing.T, lines ...string) sim.Schedule {
	t.Helper()
	s, err := sim.ParseSchedule(lines)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const (
	quiet  = "noise seed 0 from 500µs to 500µs"
	onlyA  = "client A starts at 0s works 30ms rounds 1"
	laterB = "client B starts at 20ms works 30ms rounds 1"
)

// small is a trace that a campaign could have found: a client pauses under its
// lock for longer than the lease.
func small(t *testing.T) *traces.Trace {
	t.Helper()
	trace := record(t, protocols.Named("setnx"), parse(t, quiet, onlyA, laterB, "pause A before write 1 for 330ms"))
	rest, err := sim.ParseFault("loss A->db request 7")
	if err != nil {
		t.Fatal(err)
	}
	trace.Found = &traces.Found{Check: "mutual-exclusion", Seed: 7, NotNeeded: []sim.Fault{rest}}
	return trace
}
