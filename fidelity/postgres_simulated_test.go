//go:build linux

package fidelity

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"simrun/sim"
)

// pgBeat is the time from step to step of a simulated script, and pgSilence how
// much of it a server with [nodes.Postgres.Keepalive] bears of a client's silence.
const (
	pgBeat    = 20 * time.Millisecond
	pgSilence = 8 * time.Millisecond
)

// A pgSimulation is a script as a simulated server answers it. Every run is one
// from the start.
type pgSimulation struct {
	pgScript
	t     testing.TB
	world *sim.World
}

func simulatePostgres(t testing.TB, server sim.Server) *pgSimulation {
	w := &pgSimulation{t: t}
	w.world = sim.NewWorld(sim.Setup{
		Servers: []sim.ServerSpec{{Name: "db", Server: server, Durable: true}},
		Program: w.follow,
		Probe:   func(*sim.Thread) {},
		Limit:   time.Hour,
	})
	t.Cleanup(w.world.Close)
	return w
}

// run runs all steps.
func (w *pgSimulation) run(steps []pgStep) {
	w.pgScript = pgScript{steps: steps, answers: make([]pgAnswer, len(steps))}
	s := sim.Schedule{Noise: sim.QuietNoise}
	for i := range pgClients {
		s.Clients = append(s.Clients, sim.Plan{Client: i})
	}
	for i, step := range steps {
		at := time.Duration(i) * pgBeat
		switch step.act {
		case pgIsEnded: // after all the probes that its client leaves unanswered
			s.Faults = append(s.Faults, w.fault("partition %s<->db at %v for %v", sim.ClientName(step.client), at, pgSilence*3/2))
		case pgCrashes:
			s.Faults = append(s.Faults, w.fault("crash db at %v for 0s", at))
		}
	}
	result, err := w.world.Run(s)
	if err != nil {
		w.t.Fatal(err)
	}
	if result.Defect != "" {
		w.t.Fatal(result.Defect)
	}
}

func (w *pgSimulation) fault(format string, a ...any) sim.Fault {
	f, err := sim.ParseFault(fmt.Sprintf(format, a...))
	if err != nil {
		w.t.Fatal(err)
	}
	return f
}

// follow is the program of a client: its part of the script.
func (w *pgSimulation) follow(c *sim.Thread) {
	c.NewAttempt()
	for i, step := range w.steps {
		if step.client != c.Client() || step.act == pgCrashes || step.act == pgIsEnded {
			continue
		}
		w.sleepUntil(c, i)
		switch step.act {
		case pgHangsUp:
			c.Close(0)
		case pgLeaves:
			c.Call(0, step.request, 1)
		case pgAsks:
			w.ask(c, i)
		}
	}
	w.sleepUntil(c, len(w.steps))
}

func (w *pgSimulation) sleepUntil(c *sim.Thread, i int) {
	c.Sleep(time.Duration(i)*pgBeat - time.Duration(c.Monotonic()))
}

// ask asks for something, and waits until it is answered or the script is over.
// The simulated network does not tell who waits that the server has crashed, as
// the real one does; so the client gives up then, by itself.
func (w *pgSimulation) ask(c *sim.Thread, i int) {
	last := slices.IndexFunc(w.steps[i:], func(s pgStep) bool { return s.act == pgCrashes })
	crash := last >= 0
	if !crash {
		last = len(w.steps) - 1 - i
	}
	reply := c.Call(0, w.steps[i].request, time.Duration(last)*pgBeat+pgBeat/2).Reply
	text := ""
	switch {
	case reply != nil:
		text = reply.String()
	case crash:
		text = pgLost
	}
	w.answers[i] = pgAnswer{during: int(time.Duration(c.Monotonic()) / pgBeat), text: text}
	if text == pgLost {
		c.Close(0)
	}
}
