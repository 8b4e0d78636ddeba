//go:build linux

package fidelity

import (
	"fmt"
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
	moves   []clockMove
}

// A clockMove is that time passes, or that the wall clock is stepped.
type clockMove struct {
	by   time.Duration
	step bool
}

func (m clockMove) String() string {
	if m.step {
		return fmt.Sprintf("the clock is stepped by %v", m.by)
	}
	return fmt.Sprintf("%v pass", m.by)
}

var anyPatientWait = rapid.Custom(func(t *rapid.T) patientWait {
	const ms = time.Millisecond
	amount := rapid.SampledFrom([]time.Duration{ms, 9 * ms, 10 * ms, 11 * ms, 299 * ms, 300 * ms, 301 * ms, time.Second})
	move := rapid.Custom(func(t *rapid.T) clockMove {
		m := clockMove{amount.Draw(t, "by"), rapid.Bool().Draw(t, "step")}
		if m.step && rapid.Bool().Draw(t, "back") {
			m.by = -m.by
		}
		return m
	})
	return patientWait{
		rapid.SampledFrom([]time.Duration{ms, 10 * ms, 300 * ms}).Draw(t, "timeout"),
		rapid.SliceOfN(move, 1, 8).Draw(t, "moves"),
	}
})

// halfway is where in a millisecond a message arrives, and halfway there a clock is
// stepped: so it does not matter which of two things of one moment comes first.
const halfway = 500 * time.Microsecond

// instants returns when the moves are made, the WAIT being sent a moment after the
// start.
func (p patientWait) instants() []clock.Instant {
	at := clock.Instant(moment)
	var instants []clock.Instant
	for _, m := range p.moves {
		if m.step {
			at = at.Add(time.Millisecond)
		} else {
			at = at.Add(m.by)
		}
		instants = append(instants, at)
	}
	return instants
}

// simulated returns for how many of the moves the simulated server has its client wait.
func (p patientWait) simulated() (int, error) {
	var faults []sim.Fault
	for i, at := range p.instants() {
		if m := p.moves[i]; m.step {
			f, err := sim.ParseFault(fmt.Sprintf("clock-step n1 at %v by %v", time.Duration(at)+halfway/2, m.by))
			if err != nil {
				return 0, err
			}
			faults = append(faults, f)
		}
	}
	var answered clock.Instant
	program := func(c *sim.Thread) {
		c.Sleep(moment)
		c.Call(0, nodes.Wait{Replicas: 1, Timeout: p.timeout}, time.Hour)
		answered = clock.Instant(c.Monotonic()).Add(-halfway)
	}
	master := nodes.Replication{Second: time.Second}.Servers(0, "n1")[0]
	w := sim.NewWorld(sim.Setup{
		Servers: []sim.ServerSpec{{Name: "n1", Server: master}},
		Program: program, Probe: func(*sim.Thread) {}, Limit: time.Hour,
	})
	defer w.Close()
	_, err := w.Run(sim.Schedule{Noise: sim.QuietNoise, Clients: []sim.Plan{{}}, Faults: faults})
	for i, at := range p.instants() {
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
	var jumps time.Duration
	for i, at := range p.instants() {
		s.set(clock.Epoch.Add(time.Duration(at) + jumps))
		waits := s.blocks()
		if m := p.moves[i]; m.step {
			jumps += m.by
			s.set(clock.Epoch.Add(time.Duration(at) + jumps))
			waits = s.blocks()
		}
		if !waits {
			return i
		}
	}
	return len(p.moves)
}

// blocks reports whether a client waits. The server looks whose time is over before it
// reads what it is sent next.
func (s *redisServer) blocks() bool {
	s.t.Helper()
	s.ask("PING")
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
