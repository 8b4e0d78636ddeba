package protocols

import (
	"simrun/nodes"
	"simrun/sim"
)

var luaRelease = &Protocol{
	Name:    "lua-release",
	Brief:   "SET NX PX, released by a Lua script that compares and deletes",
	Source:  `redis.io/docs/latest/develop/clients/patterns/distributed-locks, "Correct Implementation with a Single Instance"`,
	Keeps:   []Promise{exclusiveWhileTimely, ownRelease},
	Nodes:   1,
	Lock:    setWithExpiry,
	Release: compareAndDelete,
}

// ownRelease is what a release that compares atomically promises.
var ownRelease = Promise{"own-release", "always"}

// compareAndDelete deletes the lock only if it is still the caller's own.
func compareAndDelete(t *sim.Thread, e *Env, l Lease) {
	e.ask(t, nodes.Eval(nodes.ReleaseScript, lockKey, l.Value, 0))
}
