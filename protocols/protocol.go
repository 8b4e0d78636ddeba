package protocols

import (
	"time"

	"simrun/clock"
	"simrun/nodes"
	"simrun/sim"
)

// A Protocol is a lock as its clients use it.
type Protocol struct {
	Name   string
	Brief  string // what it does, in a line
	Source string // where it is published
	Keeps  []Promise

	Nodes    int             // lock servers by default; more than one are independent
	Service  Service         // nil: as many Redis servers as there are Nodes
	Quorum   func(n int) int // how many of a Service's Nodes hold a lock that is held; nil: one
	Failover sim.Request     // what the last server is asked to learn who of the others is the master; nil: they have none
	Lock     Lock            // nil: there is no lock, the job alone must see to it
	Release  Release
	Renew    Renew // nil: the lease is never prolonged
	Tokens   bool  // acquiring includes taking a fencing token
	Durable  bool  // by default tokens come from the database's sequence, not from INCR
	Check    Check // nil: the lock is not asked for again before the write
	Reads    nodes.Guard
	Writes   nodes.Guard
	Job      Job // nil: the read-modify-write of the inventory's row
}

// A Service makes the servers that a lock stands on, other than the Redis
// servers of most.
type Service func(params Params) []sim.ServerSpec

// A Job is what a client does under the lock. It returns why it ended.
type Job func(t *sim.Thread, e *Env, l Lease) sim.End

// A Promise says which check a protocol keeps, and for how long.
type Promise struct {
	Check string
	While string
}

// A Lease is what a client has in hand after it has taken a lock.
type Lease struct {
	Value    string          // what the lock's key holds
	Deadline clock.Monotonic // when the client itself stops, 0 if it sets no deadline
	Fence    int64           // the fencing token, if the lock itself gives one
	Session  Session         // the session that the lock stands on, if on one
}

// A Lock tries once to take the lock for value, which no other attempt has.
type Lock func(t *sim.Thread, e *Env, value string) (Lease, bool)

// A Release gives the lock back.
type Release func(t *sim.Thread, e *Env, l Lease)

// A Renew prolongs the lease once. It reports false if the client is told that
// it has lost the lock; a renewal without an answer says nothing.
type Renew func(t *sim.Thread, e *Env, l Lease) bool

// A Check asks whether the lock is still held. It returns why the job must end:
// sim.Told if it is lost, sim.Released if nobody says, or "" to go on.
type Check func(t *sim.Thread, e *Env, l Lease) sim.End

// An Env is what the code of a client knows: the lock it uses, the parameters
// of the run, and the servers.
type Env struct {
	*Protocol
	Params
	Locks    []sim.ServerID // the lock servers, or those of the Service
	Database sim.ServerID   // the inventory's
	master   sim.Cell       // where there is a Failover: whom the client takes for the master
}

// The keys on the lock servers.
const (
	lockKey  = "lock"
	tokenKey = "lock:tokens"
)

// CallTimeout is how long a client waits for a lock server on which all
// depends: a fifth of the TTL.
func (e *Env) CallTimeout() time.Duration { return e.TTL / 5 }

// NodeTimeout is how long a client waits for one of several lock servers: a
// twentieth of the TTL, as in go-redsync, so that a dead one costs little.
func (e *Env) NodeTimeout() time.Duration { return e.TTL / 20 }

// QueryTimeout is how long a client waits for the database: the TTL.
func (e *Env) QueryTimeout() time.Duration { return e.TTL }

// ask calls the single lock server, or the one that is the master, and returns nil if no reply came in time.
func (e *Env) ask(t *sim.Thread, c nodes.Command) sim.Reply {
	if e.Failover != nil {
		return e.askMaster(t, c)
	}
	return t.Call(e.Locks[0], c, e.CallTimeout()).Reply
}
