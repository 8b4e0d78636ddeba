//go:build linux

package fidelity

import (
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"simrun/clock"
	"simrun/nodes"
	"simrun/sim"
)

// A patientWait is a WAIT for a replica that there is not, and what happens to the
// server's clock in the meantime.
type patientWait struct {
	timeout time.Duration
	moves   clockMoves
}

var anyPatientWait = rapid.Custom(func(t *rapid.T) patientWait {
	const ms = time.Millisecond
	return patientWait{
		rapid.SampledFrom([]time.Duration{ms, 10 * ms, 300 * ms}).Draw(t, "timeout"),
		anyClockMoves(ms, 9*ms, 10*ms, 11*ms, 299*ms, 300*ms, 301*ms, time.Second).Draw(t, "moves"),
	}
})

// simulated returns for how many of the moves the simulated server has its client wait.
func (p patientWait) simulated() (int, error) {
	var answered clock.Instant
	err := p.moves.simulated(nodes.Replication{Second: time.Second}.Servers(0, "n1"), moment, nil, func(c *sim.Thread) {
		c.Sleep(moment)
		c.Call(0, nodes.Wait{Replicas: 1, Timeout: p.timeout}, time.Hour)
		answered = clock.Instant(c.Monotonic()).Add(-halfway)
	})
	for i, at := range p.moves.instants(moment) {
		if answered <= at.Add(halfway/2) {
			return i, err
		}
	}
	return len(p.moves), err
}

// real is the same of a real server.
func (p patientWait) real(s *redisServer) int {
	s.t.Helper()
	s.set(clock.Epoch.Add(moment))
	client, err := dial("unix", filepath.Join(s.folder, "socket"))
	s.must(err)
	defer client.Close()
	s.must(client.send("WAIT", "1", strconv.FormatInt(p.timeout.Milliseconds(), 10)))
	for !s.blocks() {
		time.Sleep(100 * time.Microsecond)
	}
	return p.moves.real(s, moment, s.blocks)
}

// blocks reports whether a client waits.
func (s *redisServer) blocks() bool {
	s.t.Helper()
	s.notice()
	return strings.Contains(s.ask("INFO", "clients").String(), "blocked_clients:1")
}

// A WAIT times out by the wall clock, however long it has waited in truth.
func TestAWaitTimesOutWhenThatOfTheRealRedisDoes(t *testing.T) {
	s := startRedis(t)
	count := tally{}
	rapid.Check(t, func(t *rapid.T) {
		p := anyPatientWait.Draw(t, "wait")
		simulated, err := p.simulated()
		if err != nil {
			t.Fatal(err)
		}
		for s.blocks() {
			time.Sleep(100 * time.Microsecond) // for the client of before, which is gone
		}
		if real := p.real(s); real != simulated {
			t.Fatalf("WAIT 1 %d, and %v: the client waits for %d of that, on the real server for %d",
				p.timeout.Milliseconds(), p.moves, simulated, real)
		}
		count["WAIT times out"]++
	})
	redisTable.record(t, s.version(), count)
}

// lastAck is when the replica last says how far it has come.
const lastAck = time.Second

// cutOffAsks returns what a master, one of whose replicas must not be silent for more
// than ten seconds, replies after each move.
func (moves clockMoves) cutOffAsks() (replies []sim.Reply, err error) {
	r := nodes.Replication{Second: time.Second, MinReplicas: 1, MaxLag: 10 * time.Second}
	cut := []string{"partition n1<->n2 at 1.5s for 1h"}
	err = moves.simulated(r.Servers(0, pairNames...), 2*lastAck, cut, func(c *sim.Thread) {
		for _, at := range moves.instants(2 * lastAck) {
			c.Sleep(time.Duration(at) - time.Duration(c.Monotonic()))
			replies = append(replies, c.Call(0, nodes.Set("k", "1"), time.Hour).Reply)
		}
	})
	return replies, err
}

// hush stops the replica as soon as it has said how far it has come.
func (p *realPair) hush() {
	p.tell(clock.Instant(lastAck))
	master, replica := p.servers[0], p.servers[1]
	master.ask("PUBLISH", "news", "none") // goes to the replica, be the master short of replicas or not
	p.settle(0)
	replica.freeze()
	master.ask("GET", "k")
}

// How old an acknowledgement is, the master's wall clock says.
func TestAStepMakesReplicasTooOldAsForTheRealRedis(t *testing.T) {
	const lag = "min-replicas-max-lag"
	pair := startPair(t, "--min-replicas-to-write", "1", "--"+lag, "10")
	master := pair.servers[0]
	anyMoves := anyClockMoves(500*time.Millisecond, 999*time.Millisecond, time.Second, 9*time.Second, 10*time.Second, 11*time.Second)
	count := tally{}
	rapid.Check(t, func(t *rapid.T) {
		moves := anyMoves.Draw(t, "moves")
		simulated, err := moves.cutOffAsks()
		if err != nil {
			t.Fatal(err)
		}
		pair.begin()
		pair.hush()
		defer pair.servers[1].thaw()
		moves.real(master, 2*lastAck, func() bool {
			master.ask("CONFIG", "SET", lag, "1")
			master.ask("CONFIG", "SET", lag, "10") // it counts its replicas now, and not within a second
			if real := master.ask("SET", "k", "1"); real != simulated[0] {
				t.Fatalf("%v: the last reply is %v, of the real server %v", moves, simulated[0], real)
			}
			simulated = simulated[1:]
			return true
		})
		count["replicas are too old"] += len(moves)
	})
	redisTable.record(t, master.version(), count)
}
