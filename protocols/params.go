package protocols

import (
	"fmt"
	"time"

	"simrun/nodes"
	"simrun/sim"
)

// Params are the parameters of a run that do not vary between schedules.
type Params struct {
	Clients int
	Rounds  int // how often each client runs its job
	Nodes   int // independent lock servers
	TTL     time.Duration
	Work    time.Duration // the longest time that a job plans to work
	Token   TokenSource   // where fencing tokens come from; empty if there are none
}

// A TokenSource is where fencing tokens come from.
type TokenSource string

// The sources of fencing tokens.
const (
	NoTokens TokenSource = ""
	Incr     TokenSource = "incr"     // INCR of a key on the lock server
	Sequence TokenSource = "sequence" // a sequence of the database
)

// The bounds of parameters.
const (
	MaxClients = 26
	MaxRounds  = sim.MaxRounds
	MaxNodes   = 99
	MinTTL     = 20 * time.Millisecond
	MaxTTL     = 24 * time.Hour
)

// Defaults returns the parameters that p runs with unless told otherwise: the
// lease of the seeds' demo, 300 ms, and jobs that plan at most half of it.
func (p *Protocol) Defaults() Params {
	params := Params{Clients: 3, Rounds: 2, Nodes: p.Nodes, TTL: 300 * time.Millisecond, Work: 150 * time.Millisecond}
	if p.Tokens {
		params.Token = Incr
	}
	if p.Tokens && p.Durable {
		params.Token = Sequence
	}
	return params
}

// Smallest returns the parameters of p for a search through all schedules: the
// defaults with two clients, a round, and three servers where there are more.
func (p *Protocol) Smallest() Params {
	params := p.Defaults()
	params.Clients, params.Rounds, params.Nodes = 2, 1, min(params.Nodes, 3)
	return params
}

// A ParamError tells which parameter is wrong, and what would be right.
type ParamError struct {
	Name string // as on the command line: clients, rounds, nodes, ttl, work, token
	Text string
}

func (e *ParamError) Error() string { return e.Name + " " + e.Text }

// Accepts returns a [*ParamError] if p cannot run with params.
func (p *Protocol) Accepts(params Params) error {
	wrong := func(name, format string, args ...any) error {
		return &ParamError{Name: name, Text: fmt.Sprintf(format, args...)}
	}
	switch {
	case params.Clients < 1 || params.Clients > MaxClients:
		return wrong("clients", "%d: want 1 to %d", params.Clients, MaxClients)
	case params.Rounds < 1 || params.Rounds > MaxRounds:
		return wrong("rounds", "%d: want 1 to %d", params.Rounds, MaxRounds)
	case p.Nodes == 1 && params.Nodes != 1:
		return wrong("nodes", "%d: %s uses a single lock server, want 1", params.Nodes, p.Name)
	case params.Nodes < 1 || params.Nodes > MaxNodes:
		return wrong("nodes", "%d: want 1 to %d", params.Nodes, MaxNodes)
	case p.Failover != nil && params.Nodes < 2:
		return wrong("nodes", "%d: %s needs a master and a replica, want 2 to %d", params.Nodes, p.Name, MaxNodes)
	case params.TTL < MinTTL || params.TTL > MaxTTL || params.TTL%time.Millisecond != 0:
		return wrong("ttl", "%v: want whole milliseconds from %v to %v", params.TTL, MinTTL, MaxTTL)
	case params.Work < time.Millisecond || params.Work > params.TTL:
		return wrong("work", "%v: want 1ms up to the TTL of %v; longer jobs are the fault overrun", params.Work, params.TTL)
	case !p.Tokens && params.Token != NoTokens:
		return wrong("token", "%q: %s takes no fencing tokens", params.Token, p.Name)
	case p.Tokens && params.Token != Incr && params.Token != Sequence:
		return wrong("token", "%q: want incr or sequence", params.Token)
	}
	return nil
}

// Noise returns the least and the greatest latency of a message: half a
// millisecond to 3 ms, or a hundredth of the TTL if that is less.
func (params Params) Noise() (least, most time.Duration) {
	most = min(3*time.Millisecond, params.TTL/100)
	return most / 6, most
}

// Setup returns a world in which params.Clients clients run p's job. The
// params must be acceptable to p.
func (p *Protocol) Setup(params Params) sim.Setup {
	e := &Env{Protocol: p, Params: params}
	setup := sim.Setup{
		Program:  e.client,
		Probe:    e.probe,
		Limit:    time.Duration(params.Clients*params.Rounds+20) * params.TTL,
		Patience: 6 * params.TTL,
	}
	if p.Service != nil {
		setup.Servers, setup.Quorum = p.Service(params), 1
		if p.Quorum != nil {
			setup.Quorum = p.Quorum(params.Nodes)
		}
	} else {
		setup.Servers, setup.Quorum = independentRedis(params), params.Nodes/2+1
	}
	for i := range setup.Servers {
		e.Locks = append(e.Locks, sim.ServerID(i))
	}
	e.Database = sim.ServerID(len(setup.Servers))
	setup.Servers = append(setup.Servers, sim.ServerSpec{Name: "db", Server: new(nodes.Inventory), Durable: true})
	return setup
}

// independentRedis is the service of most locks: one Redis server, or several
// that know nothing of each other.
func independentRedis(params Params) []sim.ServerSpec {
	var servers []sim.ServerSpec
	for i := range params.Nodes {
		name := "redis"
		if params.Nodes > 1 {
			name = fmt.Sprintf("n%d", i+1)
		}
		servers = append(servers, sim.ServerSpec{Name: name, Server: new(nodes.Redis)})
	}
	return servers
}
