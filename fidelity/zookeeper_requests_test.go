package fidelity

import (
	"fmt"
	"slices"
	"time"

	"pgregory.net/rapid"

	"simrun/nodes"
	"simrun/sim"
)

// The timeouts that sessions are asked for, beyond both bounds: two ticks and
// twenty. A wait is longer than the first and shorter than the second, by the
// short tick.
const (
	zooShort = 300 * time.Millisecond
	zooLong  = time.Hour
	zooWait  = zooShortTick * 9 / 2
)

// A zooStep is what a client does, before it is known which sessions and nodes
// there are: these are counted back from the latest, which is 0. So a sequence
// stays much the same when it is shrunk.
type zooStep struct {
	verb          nodes.ZooVerb
	timeout       time.Duration // of a new session, 0 for another connection of an old one
	session, node int
	parent        string
	silent        bool // the client does nothing any more instead
	wait          bool // time passes instead
}

// zooVerbs are what clients ask for. Nodes are created oftener, so that there are
// some to ask about.
var zooVerbs = []nodes.ZooVerb{
	nodes.ZooConnect, nodes.ZooConnect, nodes.ZooCreate, nodes.ZooCreate, nodes.ZooCreate, nodes.ZooChildren,
	nodes.ZooExists, nodes.ZooExistsWatch, nodes.ZooDelete, nodes.ZooDelete, nodes.ZooClose,
}

// zooRequests generates what clients ask for.
func zooRequests(timeouts ...time.Duration) *rapid.Generator[zooStep] {
	return rapid.Custom(func(t *rapid.T) zooStep {
		s := zooStep{verb: rapid.SampledFrom(zooVerbs).Draw(t, "verb")}
		if s.verb == nodes.ZooConnect {
			s.timeout = rapid.SampledFrom(timeouts).Draw(t, "timeout")
			return s
		}
		s.session = rapid.IntRange(0, 3).Draw(t, "session")
		if s.verb != nodes.ZooClose {
			s.parent = rapid.SampledFrom([]string{"/lock", "/other"}).Draw(t, "parent")
			s.node = rapid.IntRange(0, 3).Draw(t, "node")
		}
		return s
	})
}

// zooCuts generates what becomes of connections.
func zooCuts() *rapid.Generator[zooStep] {
	return rapid.Custom(func(t *rapid.T) zooStep {
		return zooStep{verb: nodes.ZooConnect, session: rapid.IntRange(0, 3).Draw(t, "session"), silent: rapid.Bool().Draw(t, "silent")}
	})
}

// zooSequences generates what clients can ask for in a row.
func zooSequences(steps *rapid.Generator[[]zooStep]) *rapid.Generator[[]sim.Request] {
	return rapid.Map(steps, zooSequence)
}

// zooSequence returns what clients can ask for of what they would do, with nothing
// left in the end.
func zooSequence(steps []zooStep) []sim.Request {
	s := zooScript{made: map[string]int{}}
	for _, step := range steps {
		s.add(step)
	}
	s.end()
	return s.requests
}

// A zooScript is what clients can ask for: a client that is cut off asks for
// nothing but a new connection, and one whose session is over for nothing at all.
type zooScript struct {
	requests []sim.Request
	sessions []zooSession
	made     map[string]int // nodes, by their parents
}

// A zooSession is what a session's client knows of it.
type zooSession struct {
	short, silent, expired, over bool
}

// add adds what a client does, if it can.
func (s *zooScript) add(step zooStep) {
	session := max(0, len(s.sessions)-1-step.session)
	switch {
	case step.wait:
		s.wait()
	case step.timeout > 0:
		s.sessions = append(s.sessions, zooSession{short: step.timeout == zooShort})
		s.requests = append(s.requests, nodes.ZooRequest{Verb: nodes.ZooConnect, Timeout: step.timeout})
	case len(s.sessions) == 0:
	case step.silent:
		s.silence(session)
	case s.sessions[session].can(step.verb):
		s.requests = append(s.requests, nodes.ZooRequest{Verb: step.verb, Session: int64(session + 1), Path: s.path(step)})
	}
}

// path returns what a request is about.
func (s *zooScript) path(step zooStep) string {
	switch step.verb {
	case nodes.ZooCreate:
		s.made[step.parent]++
		return step.parent + "/n-"
	case nodes.ZooExists, nodes.ZooExistsWatch, nodes.ZooDelete:
		return fmt.Sprintf("%s/n-%010d", step.parent, max(0, s.made[step.parent]-1-step.node))
	}
	return step.parent
}

// silence cuts off a client whose session is soon over.
func (s *zooScript) silence(session int) {
	if l := &s.sessions[session]; l.short && !l.silent && !l.over {
		l.silent = true
		s.requests = append(s.requests, silence(session+1))
	}
}

// wait lets every session with a short timeout run out: in the simulation, nobody
// sends pings for it.
func (s *zooScript) wait() {
	for i := range s.sessions {
		s.silence(i)
		s.sessions[i].expired = s.sessions[i].expired || s.sessions[i].silent
	}
	s.requests = append(s.requests, wait(zooWait))
}

// end ends every session, so that every watch has something to tell.
func (s *zooScript) end() {
	for i := range s.sessions {
		back := len(s.sessions) - 1 - i
		if s.sessions[i].silent {
			s.add(zooStep{verb: nodes.ZooConnect, session: back})
		}
		s.add(zooStep{verb: nodes.ZooClose, session: back})
	}
}

// can reports whether the session's client can make a request, and notes that it
// does.
func (l *zooSession) can(verb nodes.ZooVerb) bool {
	switch {
	case l.over:
		return false
	case verb == nodes.ZooConnect:
		l.silent, l.over = false, l.expired
		return true
	case l.silent:
		return false
	case verb == nodes.ZooExistsWatch:
		return !l.short // a client that is cut off is not told
	}
	l.over = verb == nodes.ZooClose
	return true
}

// zooText returns all that a reply says. Children come in no order.
func zooText(r sim.Reply) string {
	if names, ok := r.(nodes.ZooNames); ok {
		return nodes.ZooNames(slices.Sorted(slices.Values(names))).String()
	}
	return r.String()
}
