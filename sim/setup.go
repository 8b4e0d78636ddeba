package sim

import "time"

// A Setup is a world before any schedule is applied to it.
type Setup struct {
	Servers []ServerSpec
	Program func(t *Thread) // what every client runs
	Probe   func(t *Thread) // what the client of the calm phase runs

	// Quorum is how many servers must hold a key for its owner to have the
	// lock; it serves to tell when a lock was truly lost.
	Quorum int

	// Limit bounds the safety phase: what the clients have not finished by
	// then goes on in the calm phase, without faults.
	Limit time.Duration

	// Patience is how long after the healing of all faults somebody must get
	// the lock. The run adds to it what backward clock steps can add to a lease.
	Patience time.Duration
}

// A ServerSpec is one server of a setup.
type ServerSpec struct {
	Name    string
	Server  Server
	Durable bool // a crash never loses what it stores
}

// MayBe reports whether the server is among the actors that a kind of fault can
// strike.
func (s ServerSpec) MayBe(actors Actors) bool {
	return actors&(Servers|Connections) != 0 || actors&Forgetful != 0 && !s.Durable ||
		actors&Electors != 0 && rolesOf(s.Server).elector != nil
}

// Talks reports whether the server exchanges messages with other servers.
func (s ServerSpec) Talks() bool { return rolesOf(s.Server).peer != nil }

// ActsAlone reports whether the server does something without being asked: by its
// own alarms, or because another server has sent it something.
func (s ServerSpec) ActsAlone() bool { return rolesOf(s.Server).timed != nil || s.Talks() }

// OnlyAnswers reports whether all that the server does is to answer: it does
// nothing by itself, not even when it starts, and does not mind connections.
func (s ServerSpec) OnlyAnswers() bool { return rolesOf(s.Server) == roles{} }

// MindsConnections reports whether the server keeps something for as long as a
// connection lives.
func (s ServerSpec) MindsConnections() bool { return rolesOf(s.Server).sessions != nil }

// A Program that takes more steps than MaxSteps in one run is a defect.
const MaxSteps = 100_000
