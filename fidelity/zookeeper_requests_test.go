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
// twenty. A wait is longer than the first and shorter than the second.
const (
	zooShort = zooTick / 2
	zooLong  = time.Minute
	zooWait  = zooTick * 9 / 2
)

// zooVerbs are what clients ask for. Nodes are created oftener, so that there are
// some to ask about.
var zooVerbs = []nodes.ZooVerb{
	nodes.ZooConnect, nodes.ZooConnect, nodes.ZooCreate, nodes.ZooCreate, nodes.ZooCreate, nodes.ZooChildren,
	nodes.ZooExists, nodes.ZooExistsWatch, nodes.ZooDelete, nodes.ZooDelete, nodes.ZooClose,
}

// zooRequests generates requests for new sessions, and of four that may not
// exist.
func zooRequests() *rapid.Generator[sim.Request] {
	return rapid.Custom(func(t *rapid.T) sim.Request {
		r := nodes.ZooRequest{Verb: rapid.SampledFrom(zooVerbs).Draw(t, "verb")}
		if r.Verb == nodes.ZooConnect {
			r.Timeout = rapid.SampledFrom([]time.Duration{zooLong, zooShort}).Draw(t, "timeout")
			return r
		}
		r.Session = rapid.Int64Range(1, 4).Draw(t, "session")
		if r.Verb == nodes.ZooClose {
			return r
		}
		r.Path = rapid.SampledFrom([]string{"/lock", "/other"}).Draw(t, "parent")
		switch r.Verb {
		case nodes.ZooChildren:
		case nodes.ZooCreate:
			r.Path += "/n-"
		default:
			r.Path += fmt.Sprintf("/n-%010d", rapid.IntRange(0, 3).Draw(t, "node"))
		}
		return r
	})
}

// zooCuts generates what becomes of connections.
func zooCuts() *rapid.Generator[sim.Request] {
	session := rapid.Int64Range(1, 4)
	return rapid.OneOf(
		rapid.Map(session, func(n int64) sim.Request { return silence(n) }),
		rapid.Map(session, func(n int64) sim.Request { return nodes.ZooRequest{Verb: nodes.ZooConnect, Session: n} }),
	)
}

// A zooSession is what a session's client knows of it.
type zooSession struct {
	short, silent, expired, over bool
}

// A zooScript is what clients can ask for: a client that is cut off asks for
// nothing but a new connection, and one whose session is over for nothing at all.
type zooScript struct {
	requests []sim.Request
	sessions []zooSession
}

// zooSequence returns those of the requests that clients can ask for, and ends
// every session, so that every watch has something to tell.
func zooSequence(requests []sim.Request) []sim.Request {
	var s zooScript
	for _, r := range requests {
		s.add(r)
	}
	for i := range s.sessions {
		session := int64(i + 1)
		if s.sessions[i].silent {
			s.add(nodes.ZooRequest{Verb: nodes.ZooConnect, Session: session})
		}
		s.add(nodes.ZooRequest{Verb: nodes.ZooClose, Session: session})
	}
	return s.requests
}

// add adds a request if it can be made. A session that there is not stands for the
// latest, so that a sequence stays what it is when it is shrunk.
func (s *zooScript) add(r sim.Request) {
	switch r := r.(type) {
	case wait:
		s.wait(r)
	case silence:
		r = silence(s.known(int64(r)))
		if l := s.session(int64(r)); l != nil && l.short && !l.silent {
			l.silent = true
			s.requests = append(s.requests, r)
		}
	case nodes.ZooRequest:
		if r.Session != 0 {
			r.Session = s.known(r.Session)
		}
		if s.can(r) {
			s.requests = append(s.requests, r)
		}
	}
}

func (s *zooScript) known(session int64) int64 { return max(1, min(session, int64(len(s.sessions)))) }

// wait lets every session with a short timeout run out: in the simulation, nobody
// sends pings for it.
func (s *zooScript) wait(w wait) {
	for i := range s.sessions {
		s.add(silence(i + 1))
		s.sessions[i].expired = s.sessions[i].expired || s.sessions[i].silent
	}
	s.requests = append(s.requests, w)
}

// session returns a session that its client does not know to be over, or nil.
func (s *zooScript) session(n int64) *zooSession {
	if n > int64(len(s.sessions)) || s.sessions[n-1].over {
		return nil
	}
	return &s.sessions[n-1]
}

// can reports whether a client can make a request, and notes that it does.
func (s *zooScript) can(r nodes.ZooRequest) bool {
	if r.Verb == nodes.ZooConnect && r.Session == 0 {
		s.sessions = append(s.sessions, zooSession{short: r.Timeout == zooShort})
		return true
	}
	l := s.session(r.Session)
	switch {
	case l == nil:
		return false
	case r.Verb == nodes.ZooConnect:
		l.silent, l.over = false, l.expired
		return true
	case l.silent:
		return false
	case r.Verb == nodes.ZooExistsWatch:
		return !l.short // a client that is cut off is not told
	}
	l.over = r.Verb == nodes.ZooClose
	return true
}

// zooText returns all that a reply says. Children come in no order.
func zooText(r sim.Reply) string {
	if names, ok := r.(nodes.ZooNames); ok {
		return nodes.ZooNames(slices.Sorted(slices.Values(names))).String()
	}
	return r.String()
}
