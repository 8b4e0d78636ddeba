//go:build linux

package fidelity

import (
	"fmt"
	"slices"

	"simrun/nodes"
	"simrun/sim"
)

// A pgStep is one thing that happens to a PostgreSQL server and its clients, A
// to D, each of which has one connection at a time.
type pgStep struct {
	act     pgAct
	client  int // 0 for A; unused where the server crashes
	request sim.Request
}

// pgClients is how many clients there are.
const pgClients = 4

type pgAct int

const (
	pgAsks    pgAct = iota // the client sends a statement, and waits for its answer
	pgLeaves               // it sends one and is gone, so that the outcome is unknown to it
	pgHangsUp              // its end of the connection is closed
	pgIsEnded              // the server's end is
	pgCrashes              // the server is ended by force, and starts again
)

func (s pgStep) String() string {
	name := sim.ClientName(s.client)
	switch s.act {
	case pgAsks:
		return fmt.Sprintf("%s: %s", name, s.request)
	case pgLeaves:
		return fmt.Sprintf("%s: %s, and is gone", name, s.request)
	case pgHangsUp:
		return name + " hangs up"
	case pgIsEnded:
		return "the server ends the connection of " + name
	}
	return "the server crashes"
}

// A pgScript is what has happened so far, and what was answered.
type pgScript struct {
	steps   []pgStep
	answers []pgAnswer // by step
}

// A pgAnswer is what was answered to a step, and during which one. Its text is
// empty while the client waits.
type pgAnswer struct {
	during int
	text   string
}

// pgLost is what a client is told of a statement on a connection that is gone.
// It opens another for the next one.
const pgLost = string(nodes.ConnectionLost)

// last tells of the last step: what it was answered, and who else was answered
// meanwhile. In which order several are answered within one step is not told: it
// cannot be seen from outside, but in what they did to the rows.
func (p pgScript) last() string {
	last := len(p.steps) - 1
	line := p.steps[last].String()
	if p.steps[last].act == pgAsks && p.answers[last].text == "" {
		line += " -> waits"
	} else if p.steps[last].act == pgAsks {
		line += " -> " + p.answers[last].text
	}
	for client := range pgClients {
		for i, s := range p.steps[:last] {
			if a := p.answers[i]; s.client == client && a.text != "" && a.during == last {
				line += fmt.Sprintf("; %v -> %s", s, a.text)
			}
		}
	}
	return line
}

// idle returns the clients that do not wait for an answer.
func (p pgScript) idle() (list []int) {
	var waits [pgClients]bool
	for i, s := range p.steps {
		if s.act == pgAsks && p.answers[i].text == "" {
			waits[s.client] = true
		}
	}
	for client, w := range waits {
		if !w {
			list = append(list, client)
		}
	}
	return list
}

// allows reports whether a step can be the next: its client is idle, and it makes
// for no crowd.
func (p pgScript) allows(s pgStep) bool {
	return (s.act == pgCrashes || slices.Contains(p.idle(), s.client)) && !p.crowds(s)
}
