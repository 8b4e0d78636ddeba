package fidelity

import (
	"simrun/clock"
	"simrun/nodes"
	"simrun/sim"
)

// A redisNode answers a command at a moment of true time and of its wall clock:
// the simulated server, or one that is wrong on purpose.
type redisNode func(now clock.Instant, wall clock.Wall, c nodes.Command) sim.Reply

func newRedisNode() redisNode {
	var r nodes.Redis
	return func(_ clock.Instant, wall clock.Wall, c nodes.Command) sim.Reply {
		reply, _ := r.Apply(wall, sim.Nobody, c)
		return reply
	}
}

// play has the simulated server answer the steps, from an empty keyspace at
// clock.Epoch on.
func (node redisNode) play(steps []redisStep) []sim.Reply {
	var now clock.Instant
	var machine clock.Clock
	var replies []sim.Reply
	for _, s := range steps {
		now = now.Add(s.wait)
		machine.Step(s.jump)
		now = now.Add(s.frozen)
		c, refusal := s.command()
		if refusal != "" {
			replies = append(replies, refusal)
			continue
		}
		replies = append(replies, node(now, machine.Wall(now), c))
	}
	return replies
}
