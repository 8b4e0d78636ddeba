package nodes

import (
	"slices"
	"time"

	"simrun/sim"
)

// Postgres is one durable PostgreSQL server, at its default isolation level,
// read committed. Its schema is fixed: the row of inventory that [Inventory]
// has too, the invoice 1041 in invoices(id, status, sent_by), the table
// invoice_sent with its primary key, and the sequence fence.
//
// Every connection has a session, which owns its transaction and its locks. It
// ends when the client closes the connection, when the server crashes, and when
// the client has not answered for Keepalive: the transaction is rolled back and
// the locks are free. The client learns of it from its next query alone, which
// is answered with [ConnectionLost].
//
// Statements that need a lock of another session wait for it, first come first
// served, and then look at the row again. A deadlock is found at once, where
// the real server waits for deadlock_timeout first. Warnings are not modelled.
//
// (postgresql.org/docs/15: explicit-locking, transaction-iso, and
// tcp_keepalives_idle in runtime-config-connection; texts as PostgreSQL 15.18
// and its client library print them.)
//
// The zero value is a server that never misses a silent client and has no
// pooler before it.
type Postgres struct {
	// Keepalive is how long a connection is kept whose client does not answer
	// probes; a silent client is found out at most an eighth later. Zero is for
	// ever. Linux asks after two hours for the first time.
	Keepalive time.Duration

	// Pool is the number of server connections of a pgbouncer between clients
	// and server, which lends one for the length of a transaction (pool_mode =
	// transaction) and takes them in turn (server_round_robin = 1): sessions
	// and what they hold then belong to no client. Its default_pool_size is 20.
	// Zero is no pooler.
	Pool int

	stored   tables
	sequence tokenSequence
	sessions []*session // of clients, or of the pooler
	ended    []sim.Conn // that the server has ended, and the client has not
	locks    []rowLock
	waiting  []*session // first come first served
	turn     int        // whose turn it is in the pool
	lobby    []sim.Call // that wait for a server connection of the pool
}

// ConnectionLost is what the client library reports of a query on a connection
// that the server has ended.
const ConnectionLost = Error("server closed the connection unexpectedly")

// probes is how many keepalive probes a silent client is sent.
const probes = 8

// A session is one backend of the server.
type session struct {
	conn   sim.Conn
	lent   bool // conn is a client's; without a pooler always
	missed int  // probes without an answer

	calls  []sim.Call // the first is being executed, the others came behind it
	wants  target     // for which the first waits
	waits  bool
	waited bool // the first has waited, and is executed anew
	orphan bool // the connection is closed, and a statement still waits

	block  bool // BEGIN has begun a transaction
	failed bool // it has failed, and waits for its end
	own    tables
	wrote  [targets]sim.Holder // whose change in own has not been committed
	logs   bool                // its transaction has logged something, which its commit flushes
}

// Start implements [sim.Starter].
func (p *Postgres) Start(m *sim.Machine) {
	if p.Keepalive > 0 {
		m.After(p.Keepalive/probes, 0)
	}
}

// Ring implements [sim.Timed]: it probes every client.
func (p *Postgres) Ring(m *sim.Machine, _ int64) {
	m.After(p.Keepalive/probes, 0)
	for i := len(p.sessions) - 1; i >= 0; i-- { // from the end, since sessions end
		s := p.sessions[i]
		switch {
		case !s.lent || s.orphan:
		case m.Answers(s.conn):
			s.missed = 0
		case s.missed < probes:
			s.missed++
		default:
			p.ended = append(p.ended, s.conn)
			p.disconnect(m, s)
		}
	}
	p.resume(m)
}

// Closed implements [sim.SessionServer].
func (p *Postgres) Closed(m *sim.Machine, c sim.Conn) {
	if s := p.sessionOf(c); s != nil {
		p.disconnect(m, s)
		p.resume(m)
	}
	p.lobby = slices.DeleteFunc(p.lobby, func(waits sim.Call) bool { return waits.Conn == c })
}

// disconnect ends the session of a connection. While a statement waits for a
// lock, nobody looks at the connection: it is executed in its turn, nobody is
// answered, and the session ends after it.
func (p *Postgres) disconnect(m *sim.Machine, s *session) {
	if s.waits {
		s.orphan = true
		return
	}
	p.end(m, s)
}

// end ends a session with all that it holds.
func (p *Postgres) end(m *sim.Machine, s *session) {
	p.sessions = slices.DeleteFunc(p.sessions, func(other *session) bool { return other == s })
	p.release(m, sim.Nobody, func(l rowLock) bool { return l.session == s })
}

// Crash implements [sim.Server]. What was committed is still there, the sequence
// has leapt, and every connection is lost.
func (p *Postgres) Crash(m *sim.Machine, _ bool) {
	for _, s := range p.sessions {
		if s.lent {
			p.ended = append(p.ended, s.conn)
		}
	}
	p.sessions, p.waiting, p.lobby = nil, nil, nil
	p.sequence.crash()
	p.release(m, sim.Nobody, func(rowLock) bool { return true })
}

// Settle implements [sim.Server].
func (p *Postgres) Settle(*sim.Machine) {}

// Reset implements [sim.Server].
func (p *Postgres) Reset() {
	*p = Postgres{Keepalive: p.Keepalive, Pool: p.Pool, stored: tables{stock: stock{qty: StartingQty}}}
}

// Serve implements [sim.Server].
func (p *Postgres) Serve(m *sim.Machine, c sim.Call) {
	if slices.Contains(p.ended, c.Conn) {
		m.Answer(c, ConnectionLost)
		return
	}
	p.admit(m, c)
	p.resume(m)
}

// admit hands a call to its session.
func (p *Postgres) admit(m *sim.Machine, c sim.Call) {
	s := p.sessionOf(c.Conn)
	if s == nil {
		if s = p.connect(c.Conn); s == nil {
			p.lobby = append(p.lobby, c)
			return
		}
	}
	s.calls = append(s.calls, c)
	if len(s.calls) == 1 {
		p.proceed(m, s)
	}
}

func (p *Postgres) sessionOf(c sim.Conn) *session {
	for _, s := range p.sessions {
		if s.lent && s.conn == c {
			return s
		}
	}
	return nil
}

// connect gives a connection a session: a new one or, from the pool, the next
// that is idle, if any is.
func (p *Postgres) connect(c sim.Conn) *session {
	if p.Pool == 0 {
		s := &session{conn: c, lent: true}
		p.sessions = append(p.sessions, s)
		return s
	}
	for len(p.sessions) < p.Pool {
		p.sessions = append(p.sessions, new(session))
	}
	for range p.sessions {
		s := p.sessions[p.turn%p.Pool]
		p.turn++
		if !s.lent {
			s.conn, s.lent = c, true
			return s
		}
	}
	return nil
}

// proceed executes what a session has been asked for, up to a statement that
// has to wait.
func (p *Postgres) proceed(m *sim.Machine, s *session) {
	for len(s.calls) > 0 {
		c := s.calls[0]
		reply := p.execute(m, s, c)
		if reply == nil {
			return
		}
		s.calls, s.waited = s.calls[1:], false
		if !s.orphan {
			m.Answer(c, reply)
		}
	}
	switch {
	case s.orphan:
		p.end(m, s)
	case p.Pool > 0 && !s.block:
		s.lent = false
	}
}

// resume lets those go on who wait for what has become free.
func (p *Postgres) resume(m *sim.Machine) {
	for {
		i := slices.IndexFunc(p.waiting, func(s *session) bool { return p.holderOf(s.wants) == nil })
		if i < 0 {
			break
		}
		s := p.waiting[i]
		p.waiting = slices.Delete(p.waiting, i, i+1)
		s.waits, s.waited = false, true
		p.proceed(m, s)
	}
	if len(p.lobby) > 0 && slices.ContainsFunc(p.sessions, func(s *session) bool { return !s.lent }) {
		c := p.lobby[0]
		p.lobby = p.lobby[1:]
		p.admit(m, c)
		p.resume(m)
	}
}
