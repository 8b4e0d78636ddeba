package nodes

import (
	"slices"
	"strings"
	"time"

	"simrun/clock"
	"simrun/sim"
)

// An ensemble is what the members of a coordination service agree on: keys,
// the leases that some of these hang on, and who leads. It acts as one server,
// since the agreement itself is taken for granted.
//
// Leases end by the leader's monotonic clock, which steps of wall clocks do not
// touch. The leader looks at them in steps, so that a lease lives a little
// longer than it must. A new leader does not know what its predecessor had
// counted down, and gives every lease its full time again.
type ensemble struct {
	step     time.Duration // the leader looks at leases at multiples of it
	election time.Duration // how long the members need for an election

	keys     []leasedKey // in the order of their creation
	leases   []lease
	last     int64 // the latest lease
	watchers []watcher

	term       int64 // how many elections there were
	leaderless bool
}

// A leasedKey is a key that may go with a lease. Of the leased keys of one
// directory, the one created first is a lock, and the others queue for it.
type leasedKey struct {
	name, value       string
	directory         string
	created, modified int64
	lease             int64      // 0 for a key that stays
	owner             sim.Holder // who created it
}

type lease struct {
	id    int64
	ttl   time.Duration
	ends  clock.Monotonic
	armed bool // an alarm is set, at the end or before
}

// A watcher is a call to be answered when a key is deleted, at a revision or
// after.
type watcher struct {
	key  string
	from int64
	call sim.Call
}

func (s *ensemble) reset() {
	*s = ensemble{
		step: s.step, election: s.election,
		keys: s.keys[:0], leases: s.leases[:0], watchers: s.watchers[:0],
	}
}

// crash breaks every connection and leaves the ensemble without a leader.
func (s *ensemble) crash(m *sim.Machine, keep bool) {
	s.watchers, s.leaderless = s.watchers[:0], true
	for i := range s.leases {
		s.leases[i].armed = false
	}
	if keep {
		return
	}
	for i := range s.keys {
		if s.locks(i) {
			m.Changed(sim.Forgotten, sim.Nobody, s.keys[i].owner)
		}
	}
	s.reset()
	s.leaderless = true
}

// start lets an ensemble that comes back from a crash elect a leader.
func (s *ensemble) start(m *sim.Machine) {
	if s.leaderless {
		s.elect(m, s.election)
	}
}

func (s *ensemble) elect(m *sim.Machine, d time.Duration) {
	s.term++
	s.leaderless = true
	m.After(d, -s.term)
}

// elected reports whether an alarm ends the present election.
func (s *ensemble) elected(tag int64) bool {
	if !s.leaderless || tag != -s.term {
		return false
	}
	s.leaderless = false
	return true
}

// grant makes a lease.
func (s *ensemble) grant(m *sim.Machine, ttl time.Duration) int64 {
	s.last++
	s.leases = append(s.leases, lease{id: s.last, ttl: ttl})
	s.renew(m, &s.leases[len(s.leases)-1], 0)
	return s.last
}

func (s *ensemble) find(id int64) *lease {
	for i := range s.leases {
		if s.leases[i].id == id {
			return &s.leases[i]
		}
	}
	return nil
}

// renew gives a lease its full time from now on, and more on top.
func (s *ensemble) renew(m *sim.Machine, l *lease, more time.Duration) {
	end := m.Monotonic().Add(l.ttl + more)
	step := clock.Monotonic(s.step)
	l.ends = (end/step + 1) * step
	s.arm(m, l)
}

func (s *ensemble) renewAll(m *sim.Machine, more time.Duration) {
	for i := range s.leases {
		s.renew(m, &s.leases[i], more)
	}
}

// arm sets an alarm for the end of a lease, unless one is set already.
func (s *ensemble) arm(m *sim.Machine, l *lease) {
	if !l.armed {
		l.armed = true
		m.After(l.ends.Sub(m.Monotonic()), l.id)
	}
}

// over reports whether an alarm finds its lease at its end. Without a leader
// nobody looks.
func (s *ensemble) over(m *sim.Machine, id int64) bool {
	l := s.find(id)
	if l == nil {
		return false
	}
	l.armed = false
	if s.leaderless {
		return false
	}
	if m.Monotonic() < l.ends {
		s.arm(m, l)
		return false
	}
	return true
}

// drop forgets a lease whose keys are gone.
func (s *ensemble) drop(id int64) {
	s.leases = slices.DeleteFunc(s.leases, func(l lease) bool { return l.id == id })
}

// prolonged reports the locks that a renewed lease keeps.
func (s *ensemble) prolonged(m *sim.Machine, by sim.Holder, id int64) {
	for i, k := range s.keys {
		if k.lease == id && s.locks(i) {
			m.Changed(sim.Prolonged, by, k.owner)
		}
	}
}

// index returns where a key is, or -1.
func (s *ensemble) index(name string) int {
	return slices.IndexFunc(s.keys, func(k leasedKey) bool { return k.name == name })
}

// leased returns where a lease's first key is, or -1.
func (s *ensemble) leased(id int64) int {
	return slices.IndexFunc(s.keys, func(k leasedKey) bool { return k.lease == id })
}

// locks reports whether the i-th key is a lock.
func (s *ensemble) locks(i int) bool {
	return s.heir(0, s.keys[i].directory) == i
}

// heir returns the first leased key of a directory from the given one on, or
// -1.
func (s *ensemble) heir(from int, dir string) int {
	for i := from; i < len(s.keys); i++ {
		if s.keys[i].lease != 0 && s.keys[i].directory == dir {
			return i
		}
	}
	return -1
}

func directory(key string) string { return key[:strings.LastIndexByte(key, '/')+1] }

// add stores a new key.
func (s *ensemble) add(m *sim.Machine, k leasedKey) {
	k.directory = directory(k.name)
	s.keys = append(s.keys, k)
	if s.locks(len(s.keys) - 1) {
		m.Changed(sim.Took, k.owner, k.owner)
	}
}

// remove deletes the i-th key at a revision, as by asked or, for Expired, by
// itself. If it was a lock, the next in the queue has it now. Whoever watches the
// key is told so with r.
func (s *ensemble) remove(m *sim.Machine, i int, kind sim.ChangeKind, by sim.Holder, at int64, r sim.Reply) {
	k, locked := s.keys[i], s.locks(i)
	s.keys = slices.Delete(s.keys, i, i+1)
	if locked {
		m.Changed(kind, by, k.owner)
		if next := s.heir(i, k.directory); next >= 0 {
			m.Changed(sim.Took, s.keys[next].owner, s.keys[next].owner)
		}
	}
	s.watchers = slices.DeleteFunc(s.watchers, func(w watcher) bool {
		told := w.key == k.name && w.from <= at
		if told {
			m.Answer(w.call, r)
		}
		return told
	})
}

// closed forgets what was watched on a connection.
func (s *ensemble) closed(c sim.Conn) {
	s.watchers = slices.DeleteFunc(s.watchers, func(w watcher) bool { return w.call.Conn == c })
}
