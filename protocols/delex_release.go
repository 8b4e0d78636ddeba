package protocols

import (
	"simrun/nodes"
	"simrun/sim"
)

var delexRelease = &Protocol{
	Name:    "delex-release",
	Brief:   "SET NX PX, released with DELEX key IFEQ value (Redis 8.4)",
	Source:  "redis.io/docs/latest/commands/delex",
	Keeps:   []Promise{exclusiveWhileTimely, ownRelease},
	Nodes:   1,
	Lock:    setWithExpiry,
	Release: deleteIfEqual,
}

// deleteIfEqual is compareAndDelete in one command.
func deleteIfEqual(t *sim.Thread, e *Env, l Lease) {
	e.ask(t, nodes.DelIfEqual(lockKey, l.Value))
}
