package page

import (
	"slices"
	"strings"

	"simrun/sim"
	"simrun/traces"
)

// The heights in a lane. What a client does stands above its bar and what a
// server does below it, since the messages go between the two bars.
const (
	laneHeight    = 58
	helperHeight  = 34 // of a further thread of a client, which holds no lock
	headingHeight = 30 // of a run, where several are compared
	axisHeight    = 38
)

// A lane is the line of one thread of a client, or of one server.
type lane struct {
	Name    string // A, ↳ watchdog, n2
	Machine string // whose clocks it has: A, n2
	Server  bool
	Top     int
	Bottom  int
	Bar     int // top of the bar that says who holds or believes
	Strip   int // top of the thin bar of what the thread or the server goes through
	Marks   int // middle of the marks
}

// The heights of bars.
const (
	barHeight   = 17
	stripHeight = 12
)

func newLane(name string, server bool, top int) *lane {
	machine, role, helper := strings.Cut(name, "/")
	l := &lane{Name: name, Machine: machine, Server: server, Top: top, Bottom: top + laneHeight}
	switch {
	case server:
		l.Bar, l.Strip, l.Marks = top+15, top+36, top+42
	case helper:
		l.Name = "↳ " + role
		l.Bar, l.Strip, l.Marks, l.Bottom = top+9, top+11, top+17, top+helperHeight
	default:
		l.Bar, l.Strip, l.Marks = top+35, top+19, top+10
	}
	return l
}

// Middle returns the middle of the lane's bar.
func (l *lane) Middle() int { return l.Bar + barHeight/2 }

// edge returns where a message to or from another lane touches this one's bar.
func (l *lane) edge(other *lane) int {
	if other.Top > l.Top {
		return l.Bar + barHeight
	}
	return l.Bar
}

// namesOf lists the threads of clients, the clients in the order in which they
// enter and each one's threads together, and the servers in the order in which
// they are first heard of.
func namesOf(t *traces.Trace) (threads, servers []string) {
	for _, p := range t.Schedule.Clients {
		threads = append(threads, sim.ClientName(p.Client))
	}
	for _, e := range t.Events {
		switch e.Kind {
		case sim.EventStart:
			threads = includeThread(threads, e.Actor)
		case sim.EventSend:
			servers = include(servers, e.Peer)
		case sim.EventServe, sim.EventAnswer, sim.EventTell, sim.EventHear, sim.EventChange, sim.EventNote:
			servers = include(servers, e.Actor)
		}
	}
	for _, c := range t.History.Changes {
		servers = include(servers, c.Server)
	}
	return threads, servers
}

func include(names []string, name string) []string {
	if slices.Contains(names, name) {
		return names
	}
	return append(names, name)
}

// includeThread puts a thread behind those of its client.
func includeThread(names []string, name string) []string {
	if slices.Contains(names, name) {
		return names
	}
	client, _, _ := strings.Cut(name, "/")
	at := len(names)
	for i, n := range names {
		if n == client || strings.HasPrefix(n, client+"/") {
			at = i + 1
		}
	}
	return slices.Insert(names, at, name)
}
