//go:build linux

package fidelity

import (
	"flag"
	"testing"

	"pgregory.net/rapid"
)

var redisSteps = flag.Int("redis.steps", 10_000, "how many random commands are sent to the real Redis, at least")

func TestRedisAnswersAsTheRealOneDoes(t *testing.T) {
	s := startRedis(t, "--save", "")
	d := newDuel(t, s, newRedisNode)
	for d.played < *redisSteps {
		rapid.Check(t, d.check)
	}
	t.Log(d.count)
	redisTable.record(t, s.version(), d.count)
}
