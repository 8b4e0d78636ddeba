package fidelity

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"simrun/protocols"
	"simrun/sim"
)

// This file compares who gets a lock of a coordination service, and in which
// order: with a protocol's clients at the simulated server, and with the recipe
// of a library at the real one.

// A move is what somebody in the queue for a lock does.
type move struct {
	verb moveVerb
	n    int // whose session ends
}

type moveVerb int

const (
	joins    moveVerb = iota // another client opens a session and queues
	releases                 // the client that has the lock closes its session
	ends                     // the n-th client's session ends, wherever in the queue it is
)

func (m move) String() string {
	return [...]string{"another client asks for the lock", "the holder releases it", fmt.Sprintf("the session of client %d ends", m.n)}[m.verb]
}

// The rows of moves in the table of what is compared.
const (
	queueJoins    = "a client asks for the lock"
	queueReleases = "the holder releases it"
	queueEnds     = "a session ends in the queue"
)

// count counts moves by their rows.
func (y tally) count(script []move) {
	for _, m := range script {
		y[[...]string{queueJoins, queueReleases, queueEnds}[m.verb]]++
	}
}

// A grant is that a client has the lock.
type grant struct {
	n     int // the client, counted from 1
	token int64
}

func (g grant) String() string { return fmt.Sprintf("client %d has it with token %d", g.n, g.token) }

// A lockQueue is a lock for which clients queue.
type lockQueue interface {
	ask(n int)       // has queued the client when it returns
	end(n int)       // has ended its session when it returns
	grants() []grant // all there have been, once nothing is about to happen
}

// moves generates what happens in a queue, until everybody has left it.
func moves() *rapid.Generator[[]move] {
	ask, release := rapid.Just(move{verb: joins}), rapid.Just(move{verb: releases})
	end := rapid.Map(rapid.IntRange(1, 6), func(n int) move { return move{ends, n} })
	return rapid.Map(rapid.SliceOfN(rapid.OneOf(ask, ask, release, end), 1, 16), func(script []move) []move {
		for _, m := range slices.Clone(script) {
			if m.verb == joins {
				script = append(script, move{verb: releases})
			}
		}
		return script
	})
}

// play makes the moves that the queue allows, and tells who gets the lock after
// each of them.
func play(q lockQueue, script []move) account {
	var lines account
	var over []bool // by client
	var grants []grant
	for _, m := range script {
		switch {
		case m.verb == joins:
			over = append(over, false)
			q.ask(len(over))
		case m.verb == releases && len(grants) > 0:
			m.n = grants[len(grants)-1].n
			fallthrough
		default:
			if m.n > 0 && m.n <= len(over) && !over[m.n-1] {
				over[m.n-1] = true
				q.end(m.n)
			}
		}
		before := len(grants)
		grants = q.grants()
		lines = append(lines, fmt.Sprintf("%s -> %v", m, grants[before:]))
	}
	return lines
}

// A simulatedQueue is a protocol's clients, each with a thread of its own.
type simulatedQueue struct {
	t       *sim.Thread
	env     *protocols.Env
	leave   func(session int64) sim.Request // ends a session; the n-th client has the n-th
	granted []grant
	counts  []int // how many grants there were after each move
}

func (q *simulatedQueue) ask(n int) {
	q.t.Go("client", func(t *sim.Thread) {
		if l, ok := q.env.Lock(t, q.env, t.NewAttempt()); ok {
			q.granted = append(q.granted, grant{n, l.Fence})
		}
	})
}

func (q *simulatedQueue) end(n int) { q.t.Call(q.env.Locks[0], q.leave(int64(n)), time.Second) }

func (q *simulatedQueue) grants() []grant {
	q.t.Sleep(100 * time.Millisecond)
	q.counts = append(q.counts, len(q.granted))
	return slices.Clone(q.granted)
}

// playSimulated plays a script at a simulated server, and returns as well how
// many grants there were after each move.
func playSimulated(t testing.TB, server sim.Server, protocol string, leave func(int64) sim.Request, script []move) (account, []int) {
	t.Helper()
	p := protocols.Named(protocol)
	env := &protocols.Env{Protocol: p, Params: protocols.Params{TTL: 10 * time.Second}, Locks: []sim.ServerID{0}}
	q := &simulatedQueue{env: env, leave: leave}
	var told account
	simulate(t, server, nil, func(t *sim.Thread) {
		q.t = t
		told = play(q, script)
	})
	return told, q.counts
}

// A realQueue notes the grants of a real lock, each as it is told on granted.
type realQueue struct {
	granted chan grant
	all     []grant
	counts  []int // how many grants there must be after each move
}

// grants waits until there are as many as there must be, or for too long.
func (q *realQueue) grants() []grant {
	timeout := time.After(10 * time.Second)
	for len(q.all) < q.counts[0] {
		select {
		case g := <-q.granted:
			q.all = append(q.all, g)
		case <-timeout:
			return slices.Clone(q.all)
		}
	}
	q.counts = q.counts[1:]
	return slices.Clone(q.all)
}
