package nodes

import "simrun/sim"

const aborted = Error("ERROR: current transaction is aborted, commands ignored until end of transaction block")

// execute executes a statement, and returns nil if it has to wait. Outside of a
// block it is a transaction of its own. In a block, an error rolls back what was
// done, and leaves the block to be ended.
func (p *Postgres) execute(m *sim.Machine, s *session, c sim.Call) sim.Reply {
	if t, ok := c.Request.(Transaction); ok {
		return p.transact(m, s, c.By, t)
	}
	if s.failed {
		return aborted
	}
	reply := p.run(m, s, c)
	_, wrong := reply.(Error)
	switch {
	case reply == nil:
	case wrong && s.block:
		p.finish(m, s, c.By, false)
		s.block, s.failed = true, true
	case !s.block:
		p.finish(m, s, c.By, !wrong)
	}
	return reply
}

// transact executes BEGIN, COMMIT or ROLLBACK. A COMMIT after an error rolls
// back, and says so.
func (p *Postgres) transact(m *sim.Machine, s *session, by sim.Holder, t Transaction) sim.Reply {
	switch {
	case s.failed && t == Begin:
		return aborted
	case s.failed:
		t = Rollback
	case t == Begin:
		s.block = true
		return Status(Begin)
	}
	p.finish(m, s, by, t == Commit)
	return Status(t)
}

// finish ends the transaction of a session.
func (p *Postgres) finish(m *sim.Machine, s *session, by sim.Holder, commit bool) {
	if commit {
		p.commit(m, s)
	}
	s.block, s.failed, s.logs = false, false, false
	s.wrote = [targets]sim.Holder{}
	p.release(m, by, func(l rowLock) bool { return l.session == s && l.untilEnd })
}
