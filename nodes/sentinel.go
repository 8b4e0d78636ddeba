package nodes

import (
	"fmt"
	"time"

	"simrun/clock"
	"simrun/sim"
)

// Sentinel watches a replicated Redis, replaces a master that it takes for
// dead, and tells clients who the master is. It stands for a majority of the
// usual three: the quorum agrees when it finds the master down, and electing
// the one that acts takes as long as it is given, always. It has no TILT mode.
//
// A master that does not answer for DownAfter is subjectively and, since this
// is the majority, objectively down. After Election, if it still is, the
// reachable replica that has come farthest is told to be master; once it says
// that it is, clients are told so and the others are told to follow it. The old
// master, if it only seemed dead, takes writes until it has been seen as a
// master for Demotion, is told to follow too, and loses them.
// (redis/redis at 4f8cdc2: src/sentinel.c.)
//
// With other times it stands for the other masters of a Redis Cluster, whose
// majority does the same by its own rules (src/cluster_legacy.c).
type Sentinel struct {
	Second    time.Duration // how long a second of the real servers is
	DownAfter time.Duration // down-after-milliseconds
	Election  time.Duration // from objectively down to acting: the delay of up to a second, and the vote
	Demotion  time.Duration // for how long an old master must have been seen before it is told to follow
	Members   []Member      // the servers that it watches, the master first

	master   int // its place among the members
	watched  []watched
	electing bool
	chosen   int // who is told to be master, -1 if nobody is
}

// watched is what the Sentinel knows of a server.
type watched struct {
	answered  clock.Monotonic // when it last answered
	state     pong
	leads     bool            // it says that it is a master
	leadsFrom clock.Monotonic // since when it has said so
}

// The constants of sentinel.c, in seconds.
const (
	pingPeriod     = 1
	linkDownFactor = 10 // times down-after: a replica cut off longer is not chosen
)

// What Sentinel and the servers say to each other.
type (
	// ping stands for PING and INFO.
	ping struct{}

	// pong is the answer to both.
	pong struct {
		master   Member
		offset   int64
		linkDown time.Duration // since the replica last heard from its master, in whole seconds
	}

	// GetMaster asks Sentinel who the master is.
	GetMaster struct{}

	// ClusterSlots asks a Cluster the same of the node that has the key.
	ClusterSlots struct{}
)

func (ping) String() string         { return "INFO replication" }
func (GetMaster) String() string    { return "SENTINEL get-master-addr-by-name redis" }
func (ClusterSlots) String() string { return "CLUSTER SLOTS" }
func (p pong) String() string       { return fmt.Sprintf("master %s, offset %d", p.master.Name, p.offset) }

func (m Member) String() string { return m.Name }

const (
	tickTag     = 0
	electionTag = 1
)

// Reset implements [sim.Server].
func (s *Sentinel) Reset() {
	s.master, s.chosen, s.electing = 0, -1, false
	s.watched = append(s.watched[:0], make([]watched, len(s.Members))...)
}

// Start implements [sim.Starter].
func (s *Sentinel) Start(m *sim.Machine) {
	s.electing = false
	for i := range s.watched {
		s.watched[i].answered = m.Monotonic()
	}
	s.tick(m)
}

// Serve implements [sim.Server].
func (s *Sentinel) Serve(m *sim.Machine, c sim.Call) {
	m.Answer(c, s.Members[s.master])
}

// Ring implements [sim.Timed].
func (s *Sentinel) Ring(m *sim.Machine, tag int64) {
	if tag == electionTag {
		s.elected(m)
		return
	}
	s.tick(m)
}

func (s *Sentinel) tick(m *sim.Machine) {
	m.After(pingPeriod*s.Second, tickTag)
	for _, server := range s.Members {
		m.Send(server.ID, ping{})
	}
	switch {
	case s.chosen >= 0:
		s.promote(m)
	case s.down(m, s.master) && !s.electing:
		m.Note("takes the master " + s.Members[s.master].Name + " for dead")
		s.electing = true
		m.After(s.Election, electionTag)
	}
}

func (s *Sentinel) down(m *sim.Machine, i int) bool { return s.silence(m, i) > s.DownAfter }

func (s *Sentinel) silence(m *sim.Machine, i int) time.Duration {
	return m.Monotonic().Sub(s.watched[i].answered)
}

// elected acts on a master that is still down.
func (s *Sentinel) elected(m *sim.Machine) {
	s.electing = false
	if !s.down(m, s.master) {
		m.Note("hears from the master " + s.Members[s.master].Name + " again")
		return
	}
	if s.chosen = s.best(m); s.chosen >= 0 {
		s.promote(m)
	}
}

// best returns the replica to promote: of those that answer and were not cut
// off from the master for long before it went down, the one that has come
// farthest. It returns -1 if there is none.
func (s *Sentinel) best(m *sim.Machine) int {
	best := -1
	for i := range s.watched {
		w := &s.watched[i]
		switch {
		case i == s.master || w.leads || s.down(m, i) || w.state.linkDown > s.silence(m, s.master)+linkDownFactor*s.DownAfter:
		case best < 0 || w.state.offset > s.watched[best].state.offset:
			best = i
		}
	}
	return best
}

// promote tells the chosen replica to be master, until it says that it is.
func (s *Sentinel) promote(m *sim.Machine) {
	if s.down(m, s.chosen) {
		s.chosen = -1
		return
	}
	m.Send(s.Members[s.chosen].ID, ReplicaOf{})
}

// Hear implements [sim.Peer].
func (s *Sentinel) Hear(m *sim.Machine, from sim.ServerID, r sim.Request) {
	state, ok := r.(pong)
	if !ok {
		return
	}
	for i, server := range s.Members {
		if server.ID == from {
			s.update(m, i, state)
		}
	}
}

func (s *Sentinel) update(m *sim.Machine, i int, state pong) {
	w, now := &s.watched[i], m.Monotonic()
	leads := state.master == s.Members[i]
	if leads && !w.leads {
		w.leadsFrom = now
	}
	w.answered, w.state, w.leads = now, state, leads
	switch {
	case i == s.chosen && leads:
		s.switchMaster(m)
	case i == s.master || s.chosen >= 0:
	case leads && now.Sub(w.leadsFrom) > s.Demotion && !s.down(m, s.master),
		!leads && state.master != s.Members[s.master]:
		m.Send(s.Members[i].ID, ReplicaOf{s.Members[s.master]})
	}
}

// switchMaster is when clients begin to be told of the new master.
func (s *Sentinel) switchMaster(m *sim.Machine) {
	old := s.Members[s.master]
	s.master, s.chosen = s.chosen, -1
	m.Note("names " + s.Members[s.master].Name + " as the master in place of " + old.Name)
	for i := range s.watched {
		w := &s.watched[i]
		if i != s.master && !w.leads {
			m.Send(s.Members[i].ID, ReplicaOf{s.Members[s.master]})
		}
		w.leads = i == s.master // the old one has to say again that it is a master
	}
}

// Crash implements [sim.Server]: sentinel.conf is written at every change.
func (s *Sentinel) Crash(*sim.Machine, bool) {}

// Settle implements [sim.Server].
func (s *Sentinel) Settle(*sim.Machine) {}
