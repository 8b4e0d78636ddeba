package protocols

import (
	"time"

	"simrun/sim"
)

// A Session is what a lock of a coordination service stands on: it goes when
// the service has not heard from the client for a TTL. Clients keep one for
// each attempt, as a command-line tool does, and not one for their whole life.
type Session struct {
	Lost sim.Cell // set when the client must take the session for lost

	id   int64    // as the service names it
	over sim.Cell // ends the thread that keeps the session
}

// session starts the thread that keeps a session alive until it is over.
func (e *Env) session(t *sim.Thread, id int64, keep func(*sim.Thread, *Env, Session)) Session {
	s := Session{Lost: t.NewCell(), id: id, over: t.NewCell()}
	t.Go("keepalive", func(t *sim.Thread) {
		t.For(sim.Renew)
		t.StopWhen(sim.Stop{On: s.over})
		keep(t, e, s)
	})
	return s
}

// request asks the coordination service, and returns nil if no reply came in
// time.
func (e *Env) request(t *sim.Thread, r sim.Request) sim.Reply {
	return t.Call(e.Locks[0], r, e.CallTimeout()).Reply
}

// RetryPause is how long a client waits before it asks again for what it got
// no answer to: a twentieth of the TTL, as 500 ms are of a lease of ten seconds.
func (e *Env) RetryPause() time.Duration { return e.TTL / 20 }

// TurnTimeout is how long a client waits in the queue for a lock before it
// gives up its place: three TTLs, so that it outlasts a holder that has died
// and a change of leader.
func (e *Env) TurnTimeout() time.Duration { return 3 * e.TTL }

// WatchTimeout is how long a client waits for the word that a key is gone
// before it looks for itself: one and a half TTLs. That word can be lost.
func (e *Env) WatchTimeout() time.Duration { return e.TTL * 3 / 2 }
