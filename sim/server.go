package sim

import "time"

// A Server is the state machine of one server. It is driven by its [Machine]
// and acts on nothing but what it is given.
type Server interface {
	// Serve handles a request that has arrived. It answers with m.Answer, at
	// once or later.
	Serve(m *Machine, c Call)

	// Crash ends the server, which comes back as it is after the call. Unless
	// keep is set, what it stored is lost.
	Crash(m *Machine, keep bool)

	// Settle reports the changes that have come about by time alone, such as
	// expiries. It is called before the machine's clock is changed and at the
	// end of a run.
	Settle(m *Machine)

	// Reset makes the server as new, for the next run.
	Reset()
}

// A Peer is a server that other servers send messages to, with
// [Machine.Send].
type Peer interface {
	Server
	Hear(m *Machine, from ServerID, r Request)
}

// A Timed server acts by itself, when an alarm rings that it has set with
// [Machine.After].
type Timed interface {
	Server
	Ring(m *Machine, tag int64)
}

// A SessionServer keeps something for as long as a connection lives. It is told
// when a client's end of one is closed, unless the network loses that too.
type SessionServer interface {
	Server
	Closed(m *Machine, c Conn)
}

// A Starter has something to do at the start of a run and whenever it comes
// back after a crash, such as to set its alarms: those of before are gone.
type Starter interface {
	Server
	Start(m *Machine)
}

// An Elector is a server whose members elect a leader among themselves. Elect
// makes it lose its leader, and gives it a new one after d.
type Elector interface {
	Server
	Elect(m *Machine, d time.Duration)
}

// roles are what a server can do besides answering, each nil where it cannot.
type roles struct {
	peer     Peer
	timed    Timed
	sessions SessionServer
	starter  Starter
	elector  Elector
}

func rolesOf(s Server) (r roles) {
	r.peer, _ = s.(Peer)
	r.timed, _ = s.(Timed)
	r.sessions, _ = s.(SessionServer)
	r.starter, _ = s.(Starter)
	r.elector, _ = s.(Elector)
	return r
}

// A Call is a request at the server that is to answer it.
type Call struct {
	By      Holder // the attempt for which the client asks
	Conn    Conn   // the connection on which it came
	Request Request
	id      int32
}

// A Conn names a connection: one that a thread of a client has to a server
// until it closes it or gives it up.
type Conn struct{ thread, number int32 }
