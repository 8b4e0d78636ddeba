//go:build linux

package fidelity

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"simrun/clock"
	"simrun/nodes"
	"simrun/sim"
)

// A realPair are two real servers, each with a clock of its own.
type realPair struct {
	t       testing.TB
	servers [2]*redisServer
	jumps   [2]time.Duration // of their clocks, so far
}

// nowhere is a port that nobody listens on: the master of a replica that is cut off.
const nowhere = 1

func startPair(t testing.TB, options ...string) *realPair {
	return &realPair{t: t, servers: [2]*redisServer{startRedis(t, options...), startRedis(t, options...)}}
}

// begin makes the servers as new, the second a replica of the first.
func (p *realPair) begin() {
	p.jumps = [2]time.Duration{}
	p.tell(0)
	master, replica := p.servers[0], p.servers[1]
	if master.master != 0 || replica.master != master.port {
		master.follow(0)
		replica.follow(master.port)
		p.await(0)
	}
	master.ask("FLUSHALL")
	p.settle(0)
}

// tell sets the servers' clocks to a moment of true time.
func (p *realPair) tell(now clock.Instant) {
	for i, s := range p.servers {
		s.set(clock.Epoch.Add(time.Duration(now) + p.jumps[i]))
	}
}

// follow makes the server the replica of the one at a port, or a master for 0.
func (s *redisServer) follow(port int) {
	s.t.Helper()
	s.master = port
	if port == 0 {
		s.ask("REPLICAOF", "NO", "ONE")
	} else {
		s.ask("REPLICAOF", "127.0.0.1", strconv.Itoa(port))
	}
}

// await waits until the other server has found the master, and has all of it.
func (p *realPair) await(master int) {
	p.t.Helper()
	replica := p.servers[1-master]
	for begun := time.Now(); ; time.Sleep(time.Millisecond) {
		info := replica.ask("INFO").String()
		if strings.Contains(info, "master_link_status:up") && strings.Contains(info, "aof_rewrite_in_progress:0") &&
			strings.Contains(info, "aof_rewrite_scheduled:0") {
			break
		}
		if time.Since(begun) > patience {
			p.t.Fatalf("n%d does not find n%d:\n%s", 2-master, master+1, info)
		}
	}
	p.settle(master)
}

// settle waits until the replica has done what its master has told it.
func (p *realPair) settle(master int) {
	p.t.Helper()
	if got := p.servers[master].ask("WAIT", "1", "0"); got != nodes.Int(1) {
		p.t.Fatalf("%v replicas follow n%d, want 1", got, master+1)
	}
}

// enact has the pair live through a scene, and returns the reply if there is one.
func (p *realPair) enact(s redisScene) (reply sim.Reply) {
	p.t.Helper()
	server := p.servers[s.server]
	p.tell(s.at)
	if s.what == steps && s.server == s.leader {
		server.sweep() // the simulated one has always done so when its clock is stepped
	}
	switch s.what {
	case steps:
		p.jumps[s.server] += s.by
		p.tell(s.at)
	case asks:
		reply = server.ask(s.ask.wire()...)
	case freezes:
		server.freeze()
		server.must(server.conn.send(s.ask.wire()...))
		p.tell(s.at.Add(s.by))
		server.thaw()
		reply = server.answer()
	case restarts:
		server.kill()
		server.start()
		if s.linked && s.server == s.leader {
			p.relink(s.leader)
		}
	case cuts:
		p.servers[1-s.leader].follow(nowhere)
	case heals, demotes:
		p.servers[1-s.leader].follow(p.servers[s.leader].port)
	case promotes:
		server.follow(0)
	}
	switch {
	case !s.linked:
	case s.what == restarts || s.what == heals || s.what == demotes:
		p.await(s.leader)
	case s.server == s.leader:
		p.settle(s.leader)
	}
	return reply
}

// relink has the replica look for its master at once, and not within a second.
func (p *realPair) relink(master int) {
	replica := p.servers[1-master]
	replica.follow(nowhere)
	replica.follow(p.servers[master].port)
}

func (p *realPair) against(simulated redisPair, scenes *rapid.Generator[[]redisScene]) *sceneDuel {
	return &sceneDuel{simulated: simulated.play, begin: p.begin, enact: p.enact, scenes: scenes}
}

func TestAPairOfRedisAnswersAsTheRealOneDoes(t *testing.T) {
	tests := []struct {
		name        string
		persistence nodes.Persistence
		options     []string
	}{
		{"without persistence", nodes.Persistence{}, nil},
		{"with AOF always", nodes.AOFAlways, []string{"--appendonly", "yes", "--appendfsync", "always"}},
	}
	scenes := anyRedisScenes(asks, asks, asks, asks, asks, asks, asks, waits, steps, steps, steps,
		freezes, restarts, cuts, heals, promotes, demotes)
	need(t, "redis-server")
	need(t, "gcc")
	count := tally{}
	var version string
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			real := startPair(t, tt.options...)
			d := real.against(redisPair{persistence: tt.persistence}, scenes)
			d.spend(t, *redisScenes, count)
			version = real.servers[0].version()
		})
	}
	redisTable.record(t, version, count)
}
