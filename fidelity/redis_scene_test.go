package fidelity

import (
	"fmt"
	"strconv"
	"time"

	"pgregory.net/rapid"

	"simrun/clock"
	"simrun/nodes"
	"simrun/sim"
)

// A redisScene is something that happens to a master, its replica, or both, at a
// moment of true time.
type redisScene struct {
	what   redisEvent
	server int           // the first or the second
	by     time.Duration // of a step of the clock; or how long it takes
	ask    redisStep     // what a client asks the server then, if it does
	often  int           // how many times at once it asks so, if more than once

	at     clock.Instant
	linked bool // the replica hears from its master, afterwards
	leader int  // the server that was made master last, afterwards
}

// A redisEvent is what a scene is about.
type redisEvent int

const (
	asks     redisEvent = iota // a client sends a command
	waits                      // nothing, for a while
	steps                      // the server's wall clock is stepped
	freezes                    // the server is stopped for a while, and a command waits for it
	restarts                   // the server crashes, and is there again at once
	cuts                       // the master and the replica lose each other
	heals                      // they find each other again
	promotes                   // REPLICAOF NO ONE makes the replica a master
	demotes                    // the former master becomes its replica
)

var redisEvents = [...]struct{ name, row string }{
	asks:     {"", "a command to a master or its replica"},
	waits:    {"time passes", ""},
	steps:    {"clock", "the clock of one of them is stepped"},
	freezes:  {"frozen for", "one of them is stopped"},
	restarts: {"kill -9 and restart", "one of them restarts"},
	cuts:     {"loses its replica", "the replica is cut off"},
	heals:    {"finds its replica again", ""},
	promotes: {"REPLICAOF NO ONE", "the replica is promoted"},
	demotes:  {"REPLICAOF the new master", "the former master is demoted"},
}

func (s redisScene) String() string {
	text := fmt.Sprintf("[%v] ", time.Duration(s.at))
	if s.what != waits {
		text += pairNames[s.server] + " "
	}
	text += redisEvents[s.what].name
	if s.by != 0 {
		text += fmt.Sprintf(" %v ", s.by)
	}
	if s.asked() {
		text += s.ask.String()
	}
	if s.often > 1 {
		text += fmt.Sprintf(", %d times", s.often)
	}
	return text
}

// GoString is what a failed test calls the scene.
func (s redisScene) GoString() string { return s.String() }

// asked reports whether the scene ends with a reply.
func (s redisScene) asked() bool { return s.what == asks || s.what == freezes }

// waits reports whether the command is WAIT. Whether a master counts a replica that
// is cut off depends on how long it takes to notice.
func (s redisScene) waits() bool { return s.asked() && s.ask.words[0] == "WAIT" }

// request is what the simulated server is asked.
func (s redisScene) request() (sim.Request, nodes.Error) {
	if s.waits() {
		replicas, _ := strconv.Atoi(s.ask.words[1])
		return nodes.Wait{Replicas: replicas, Timeout: moment}, ""
	}
	return s.ask.command()
}

// How long the simulated servers get until all is said and done: after most scenes,
// and after those with a restart or a resynchronisation.
const (
	moment     = 10 * time.Millisecond
	longMoment = 200 * time.Millisecond
)

// inOrder puts what was drawn into an order that makes sense, and gives each its
// moment: what cannot happen as things are is left out.
func inOrder(drawn []redisScene) []redisScene {
	scenes := make([]redisScene, 0, len(drawn))
	at := clock.Instant(longMoment)
	linked, split, leader := true, false, 0
	for _, s := range drawn {
		takes := moment
		if s.waits() && !linked {
			continue
		}
		switch s.what {
		case waits, freezes:
			takes += s.by
		case restarts:
			takes = longMoment
		case cuts:
			if !linked || split {
				continue
			}
			linked, s.server = false, leader
		case heals:
			if linked || split {
				continue
			}
			linked, s.server, takes = true, leader, longMoment
		case promotes:
			if split {
				continue
			}
			linked, split, leader = false, true, 1-leader
			s.server = leader
		case demotes:
			if !split {
				continue
			}
			linked, split, takes = true, false, longMoment
			s.server = 1 - leader
		}
		s.at, s.linked, s.leader = at, linked, leader
		scenes = append(scenes, s)
		at = at.Add(takes)
	}
	return scenes
}

// anyRedisScenes draws what happens to two servers, of the given events, of which
// one may be given several times; commands are such as clients of a lock send.
func anyRedisScenes(events ...redisEvent) *rapid.Generator[[]redisScene] {
	what := rapid.SampledFrom(events)
	return rapid.Map(inParts(rapid.Custom(func(t *rapid.T) redisScene { return drawRedisScene(t, what) })), inOrder)
}

func drawRedisScene(t *rapid.T, what *rapid.Generator[redisEvent]) redisScene {
	s := redisScene{what: what.Draw(t, "what"), server: rapid.IntRange(0, 1).Draw(t, "server")}
	millis := rapid.SampledFrom([]time.Duration{time.Millisecond, 290 * time.Millisecond, 300 * time.Millisecond, time.Second})
	switch s.what {
	case waits:
		s.by = millis.Draw(t, "for")
	case steps:
		s.by = millis.Draw(t, "by")
		if rapid.Bool().Draw(t, "back") {
			s.by = -s.by
		}
	case freezes:
		s.by = millis.Draw(t, "for")
		s.ask = anyRedisRequest.Draw(t, "ask")
	case asks:
		s.ask = anyRedisRequest.Draw(t, "ask")
	}
	return s
}

var anyRedisRequest = rapid.Custom(func(t *rapid.T) redisStep {
	key, value := rapid.SampledFrom([]string{"k", "k", "k", "l"}).Draw(t, "key"), rapid.SampledFrom([]string{"A#1", "B#1", "7"}).Draw(t, "value")
	ttl := rapid.SampledFrom([]string{"300", "300", "300", "1", "1000", "0"}).Draw(t, "ttl")
	words := func(words ...string) redisStep { return redisStep{words: words} }
	return rapid.SampledFrom([]redisStep{
		words("GET", key),
		words("GET", key),
		words("PTTL", key),
		words("TTL", key),
		words("SET", key, value, "PX", ttl),
		words("SET", key, value, "PX", ttl),
		words("SET", key, value),
		words("SET", key, value, "NX"),
		words("SET", key, value, "NX", "PX", ttl),
		words("SET", key, value, "XX", "GET", "PX", ttl),
		words("SET", key, value, "KEEPTTL"),
		words("SETNX", key, value),
		words("INCR", key),
		words("DEL", key),
		words("WAIT", "1", "10"),
		words("PEXPIRE", key, ttl),
		{script: nodes.ReleaseScript, words: []string{key, value}},
		{script: nodes.RenewScript, words: []string{key, value, ttl}},
	}).Draw(t, "request")
})
