//go:build linux

package fidelity

import (
	"flag"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"simrun/clock"
	"simrun/nodes"
	"simrun/sim"
)

var redisScenes = flag.Int("redis.scenes", 400, "how many random scenes are played on a real master and its replica, at least, for each persistence")

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

const patience = 20 * time.Second

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
	for begun := time.Now(); p.servers[master].ask("WAIT", "1", "1000") != nodes.Int(1); {
		if time.Since(begun) > patience {
			p.t.Fatalf("n%d does not follow n%d", 2-master, master+1)
		}
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

// A pairDuel plays scenes on a simulated and on a real pair.
type pairDuel struct {
	real      *realPair
	simulated redisPair
	scenes    *rapid.Generator[[]redisScene]

	budget int // of scenes, after which every sequence passes
	count  tally
	last   []redisScene
}

// check plays the scenes of one run, and fails with both transcripts if they differ.
func (d *pairDuel) check(t *rapid.T) {
	d.last = d.scenes.Draw(t, "scenes")
	if d.budget <= 0 {
		return
	}
	want, err := d.simulated.play(d.last)
	if err != nil {
		t.Fatal(err)
	}
	d.real.begin()
	var simulated, real strings.Builder
	for _, s := range d.last {
		got := d.real.enact(s)
		if got == nil {
			fmt.Fprintf(&simulated, "  %s\n", s)
			fmt.Fprintf(&real, "  %s\n", s)
			continue
		}
		fmt.Fprintf(&simulated, "  %s -> %s\n", s, want[0])
		fmt.Fprintf(&real, "  %s -> %s\n", s, got)
		if got != want[0] {
			d.budget = math.MaxInt // for the shrinking
			t.Fatalf("they differ at the last command\n\nsimulated:\n%s\nredis-server:\n%s", &simulated, &real)
		}
		want = want[1:]
	}
	d.budget -= len(d.last)
	for _, s := range d.last {
		if row := redisEvents[s.what].row; row != "" {
			d.count[row]++
		}
	}
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
	count := tally{}
	var version string
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := &pairDuel{real: startPair(t, tt.options...), simulated: redisPair{persistence: tt.persistence}, scenes: scenes, count: count}
			for d.budget = *redisScenes; d.budget > 0; {
				rapid.Check(t, d.check)
			}
			version = d.real.servers[0].version()
		})
	}
	redisTable.record(t, version, count)
}
