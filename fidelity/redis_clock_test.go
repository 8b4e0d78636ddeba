//go:build linux

package fidelity

import (
	"fmt"
	"time"

	"pgregory.net/rapid"

	"simrun/clock"
	"simrun/nodes"
	"simrun/sim"
)

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

// clockMoves are what happens to the clock of a server, one after the other.
type clockMoves []clockMove

func anyClockMoves(amounts ...time.Duration) *rapid.Generator[clockMoves] {
	amount := rapid.SampledFrom(amounts)
	move := rapid.Custom(func(t *rapid.T) clockMove {
		m := clockMove{amount.Draw(t, "by"), rapid.Bool().Draw(t, "step")}
		if m.step && rapid.Bool().Draw(t, "back") {
			m.by = -m.by
		}
		return m
	})
	return rapid.Map(rapid.SliceOfN(move, 1, 8), func(moves []clockMove) clockMoves { return moves })
}

// halfway is where in a millisecond a message arrives, and halfway there a clock is
// stepped: so it does not matter which of two things of one moment comes first.
const halfway = 500 * time.Microsecond

// instants returns when the moves are made, from a start on.
func (moves clockMoves) instants(start time.Duration) []clock.Instant {
	at := clock.Instant(start)
	var instants []clock.Instant
	for _, m := range moves {
		if m.step {
			at = at.Add(time.Millisecond)
		} else {
			at = at.Add(m.by)
		}
		instants = append(instants, at)
	}
	return instants
}

// simulated has a client run its program while the clock of n1 is moved, and whatever
// the further faults are.
func (moves clockMoves) simulated(servers []*nodes.ReplicatedRedis, start time.Duration, faults []string, program func(*sim.Thread)) error {
	for i, at := range moves.instants(start) {
		if m := moves[i]; m.step {
			faults = append(faults, fmt.Sprintf("clock-step n1 at %v by %v", time.Duration(at)+halfway/2, m.by))
		}
	}
	schedule := sim.Schedule{Noise: sim.QuietNoise, Clients: []sim.Plan{{}}}
	for _, line := range faults {
		f, err := sim.ParseFault(line)
		if err != nil {
			return err
		}
		schedule.Faults = append(schedule.Faults, f)
	}
	var specs []sim.ServerSpec
	for i, server := range servers {
		specs = append(specs, sim.ServerSpec{Name: pairNames[i], Server: server})
	}
	w := sim.NewWorld(sim.Setup{Servers: specs, Program: program, Probe: func(*sim.Thread) {}, Limit: time.Hour})
	defer w.Close()
	result, err := w.Run(schedule)
	if err == nil && result.Defect != "" {
		err = fmt.Errorf("%s", result.Defect)
	}
	return err
}

// real moves the clock of a real server, and looks after each move what has come of it.
// It returns after how many the look found that it may go on.
func (moves clockMoves) real(s *redisServer, start time.Duration, look func() bool) int {
	var jumps time.Duration
	for i, at := range moves.instants(start) {
		s.set(clock.Epoch.Add(time.Duration(at) + jumps))
		if m := moves[i]; m.step {
			s.notice()
			jumps += m.by
			s.set(clock.Epoch.Add(time.Duration(at) + jumps))
		}
		if !look() {
			return i
		}
	}
	return len(moves)
}

// notice returns when the server has done what its clock has it do: between reading two
// commands it looks whose time is over.
func (s *redisServer) notice() {
	s.t.Helper()
	s.ask("PING")
	s.ask("PING")
}
