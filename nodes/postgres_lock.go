package nodes

import (
	"slices"

	"simrun/sim"
)

// A target is what can be locked: a row, a key of a unique index, or, from
// advisory up, the number of an advisory lock.
type target int64

const (
	inventoryRow target = iota
	invoiceRow
	sentKey
	targets  // the number of those in tables
	advisory = targets
)

// A rowLock is an exclusive lock of a session. Advisory locks have the same
// table in the real server too.
type rowLock struct {
	target   target
	session  *session
	untilEnd bool // of the transaction; else until unlocked, or the session ends

	// owners are the attempts that have asked for it by name, each as often as
	// it did. A row that is merely written is locked without.
	owners []sim.Holder
}

// holderOf returns the session that holds a target, or nil.
func (p *Postgres) holderOf(t target) *session {
	for i := range p.locks {
		if p.locks[i].target == t {
			return p.locks[i].session
		}
	}
	return nil
}

// lock takes a target for a session, unless another has it. A session may
// lock what it holds already.
func (p *Postgres) lock(s *session, t target, untilEnd bool) *rowLock {
	if holder := p.holderOf(t); holder != nil && holder != s {
		return nil
	}
	for i := range p.locks {
		if l := &p.locks[i]; l.target == t && l.untilEnd == untilEnd {
			return l
		}
	}
	p.locks = append(p.locks, rowLock{target: t, session: s, untilEnd: untilEnd})
	return &p.locks[len(p.locks)-1]
}

// take locks a target by name, unless another session has it.
func (p *Postgres) take(m *sim.Machine, s *session, by sim.Holder, t target, untilEnd bool) bool {
	l := p.lock(s, t, untilEnd)
	if l == nil {
		return false
	}
	l.owners = append(l.owners, by)
	m.Changed(sim.Took, by, by)
	return true
}

// unlock undoes one taking of a lock that lasts longer than its transaction.
func (p *Postgres) unlock(m *sim.Machine, s *session, by sim.Holder, t target) bool {
	i := slices.IndexFunc(p.locks, func(l rowLock) bool { return l.target == t && l.session == s && !l.untilEnd })
	if i < 0 {
		return false
	}
	l := &p.locks[i]
	last := len(l.owners) - 1
	if own := slices.Index(l.owners, by); own >= 0 {
		last = own // which of several is taken off makes no difference to the server
	}
	m.Changed(sim.Removed, by, l.owners[last])
	l.owners = slices.Delete(l.owners, last, last+1)
	if len(l.owners) == 0 {
		p.locks = slices.Delete(p.locks, i, i+1)
	}
	return true
}

// release frees the locks that match: by the attempt that ended its
// transaction, or by nobody, where a session was lost.
func (p *Postgres) release(m *sim.Machine, by sim.Holder, matches func(rowLock) bool) {
	kind := sim.Removed
	if by == sim.Nobody {
		kind = sim.Forgotten
	}
	for _, l := range p.locks {
		if !matches(l) {
			continue
		}
		for _, owner := range l.owners {
			m.Changed(kind, by, owner)
		}
	}
	p.locks = slices.DeleteFunc(p.locks, matches)
}

// wait makes a session's statement wait for a target, and returns nil, or the
// error that it gets since the wait would never end.
func (p *Postgres) wait(s *session, t target) sim.Reply {
	for holder := p.holderOf(t); holder != nil && holder.waits; holder = p.holderOf(holder.wants) {
		if p.holderOf(holder.wants) == s {
			return Error("ERROR: deadlock detected")
		}
	}
	s.wants, s.waits = t, true
	p.waiting = append(p.waiting, s)
	return nil
}
