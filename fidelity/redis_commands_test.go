//go:build linux

package fidelity

import (
	"flag"
	"testing"

	"pgregory.net/rapid"
)

var redisSteps = flag.Int("redis.steps", 10_000, "how many random commands are sent to the real Redis, at least")

func TestRedisAnswersAsTheRealOneDoes(t *testing.T) {
	s := startRedis(t)
	d := newDuel(t, s, newRedisNode)
	for d.played < *redisSteps {
		rapid.Check(t, d.check)
	}
	t.Log(d.count)
	redisTable.record(t, s.version(), d.count)
}

// The interpreter that the named procedures are compared with is held to what the
// real server replies.
func TestTheRealRedisRepliesAsTheInterpreterDoes(t *testing.T) {
	s := startRedis(t)
	for _, tt := range luaReplies {
		s.ask("FLUSHALL")
		if got := s.ask("EVAL", tt.lua, "1", "k", "1", "2"); got != tt.want {
			t.Errorf("%s\nreplies %v, want %v", tt.lua, got, tt.want)
		}
	}
}
