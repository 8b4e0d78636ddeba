package protocols_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"simrun/checker"
	"simrun/protocols"
)

const ms = time.Millisecond

func TestEveryProtocolSaysWhatItIs(t *testing.T) {
	seen := make(map[string]bool)
	for _, p := range protocols.All {
		if seen[p.Name] {
			t.Errorf("two protocols are named %q", p.Name)
		}
		seen[p.Name] = true
		if p.Brief == "" || p.Source == "" || len(p.Keeps) == 0 {
			t.Errorf("%s: want a brief, a source and a promise, have %q, %q and %d", p.Name, p.Brief, p.Source, len(p.Keeps))
		}
		for _, promise := range p.Keeps {
			if checker.Named(promise.Check) == nil || promise.While == "" {
				t.Errorf("%s promises %+v, want a check and when it is kept", p.Name, promise)
			}
		}
		if protocols.Named(p.Name) != p {
			t.Errorf("Named(%q) is another protocol", p.Name)
		}
	}
	if names := protocols.Names(); len(names) != len(seen) || !slices.Contains(names, "redlock") {
		t.Errorf("Names() = %v, want those of the table", names)
	}
	if p := protocols.Named("redlok"); p != nil {
		t.Errorf(`Named("redlok") = %s, want nil`, p.Name)
	}
}

func TestDefaultsAreAccepted(t *testing.T) {
	for _, p := range protocols.All {
		if err := p.Accepts(p.Defaults()); err != nil {
			t.Errorf("%s: %v", p.Name, err)
		}
	}
}

func TestAcceptsNamesTheWrongParameter(t *testing.T) {
	type params = protocols.Params
	tests := []struct {
		protocol string
		change   func(*params)
		want     string // empty where it is right
	}{
		{"redlock", func(p *params) { p.Clients = 0 }, "clients 0: want 1 to 26"},
		{"redlock", func(p *params) { p.Clients = 26 }, ""},
		{"redlock", func(p *params) { p.Clients = 27 }, "clients 27: want 1 to 26"},
		{"redlock", func(p *params) { p.Rounds = 0 }, "rounds 0: want 1 to 100"},
		{"redlock", func(p *params) { p.Nodes = 1 }, ""},
		{"failover", func(p *params) { p.Nodes = 1 }, "nodes 1: failover needs a master and a replica, want 2 to 99"},
		{"failover", func(p *params) { p.Nodes = 3 }, ""},
		{"redlock", func(p *params) { p.Rounds = 100 }, ""},
		{"redlock", func(p *params) { p.Rounds = 101 }, "rounds 101: want 1 to 100"},
		{"redlock", func(p *params) { p.Nodes = 0 }, "nodes 0: want 1 to 99"},
		{"redlock", func(p *params) { p.Nodes = 1 }, ""},
		{"redlock", func(p *params) { p.Nodes = 99 }, ""},
		{"redlock", func(p *params) { p.Nodes = 100 }, "nodes 100: want 1 to 99"},
		{"setnx", func(p *params) { p.Nodes = 3 }, "nodes 3: setnx uses a single lock server, want 1"},
		{"setnx", func(p *params) { p.Nodes = 0 }, "nodes 0: setnx uses a single lock server, want 1"},
		{"redlock", func(p *params) { p.TTL, p.Work = 19*ms, ms }, "ttl 19ms: want whole milliseconds from 20ms to 24h0m0s"},
		{"redlock", func(p *params) { p.TTL, p.Work = 20*ms, ms }, ""},
		{"redlock", func(p *params) { p.TTL = 24 * time.Hour }, ""},
		{"redlock", func(p *params) { p.TTL = 24*time.Hour + ms }, "ttl 24h0m0.001s: want whole milliseconds from 20ms to 24h0m0s"},
		{"redlock", func(p *params) { p.TTL = 300*ms + 1 }, "ttl 300.000001ms: want whole milliseconds from 20ms to 24h0m0s"},
		{"redlock", func(p *params) { p.Work = 0 }, "work 0s: want 1ms up to the TTL of 300ms; longer jobs are the fault overrun"},
		{"redlock", func(p *params) { p.Work = ms }, ""},
		{"redlock", func(p *params) { p.Work = 300 * ms }, ""},
		{"redlock", func(p *params) { p.Work = 301 * ms }, "work 301ms: want 1ms up to the TTL of 300ms; longer jobs are the fault overrun"},
		{"redlock", func(p *params) { p.Token = protocols.Incr }, `token "incr": redlock takes no fencing tokens`},
		{"fencing", func(p *params) { p.Token = protocols.Sequence }, ""},
		{"fencing", func(p *params) { p.Token = "uuid" }, `token "uuid": want incr or sequence`},
		{"fencing", func(p *params) { p.Token = protocols.NoTokens }, `token "": want incr or sequence`},
	}
	for _, test := range tests {
		p := protocols.Named(test.protocol)
		params := p.Defaults()
		test.change(&params)
		err := p.Accepts(params)
		var wrong *protocols.ParamError
		switch {
		case test.want == "" && err != nil:
			t.Errorf("%+v: %v, want it accepted", params, err)
		case test.want != "" && (!errors.As(err, &wrong) || err.Error() != test.want):
			t.Errorf("%+v\n\t%v\nwant\n\t%s", params, err, test.want)
		}
	}
}

func TestNoiseIsAHundredthOfAShortLease(t *testing.T) {
	tests := []struct{ ttl, least, most time.Duration }{
		{20 * ms, 200 * time.Microsecond / 6, 200 * time.Microsecond},
		{300 * ms, 500 * time.Microsecond, 3 * ms},
		{30 * time.Second, 500 * time.Microsecond, 3 * ms},
	}
	for _, test := range tests {
		least, most := protocols.Params{TTL: test.ttl}.Noise()
		if least != test.least || most != test.most {
			t.Errorf("TTL %v: noise from %v to %v, want from %v to %v", test.ttl, least, most, test.least, test.most)
		}
	}
}

func TestSetupHasAMajorityForItsQuorumAndADurableDatabase(t *testing.T) {
	for _, test := range []struct{ nodes, quorum int }{{1, 1}, {3, 2}, {4, 3}, {5, 3}} {
		p := protocols.Named("redlock")
		params := p.Defaults()
		params.Nodes = test.nodes
		setup := p.Setup(params)
		if setup.Quorum != test.quorum {
			t.Errorf("%d nodes: quorum %d, want %d", test.nodes, setup.Quorum, test.quorum)
		}
		if len(setup.Servers) != test.nodes+1 {
			t.Fatalf("%d nodes: %d servers, want one more", test.nodes, len(setup.Servers))
		}
		for i, s := range setup.Servers {
			if database := i == test.nodes; s.Durable != database || (s.Name == "db") != database {
				t.Errorf("%d nodes: server %d is %s, durable %v", test.nodes, i+1, s.Name, s.Durable)
			}
		}
	}
}
