package protocols

import (
	"simrun/nodes"
	"simrun/sim"
)

var checkThenWrite = &Protocol{
	Name:    "check-then-write",
	Brief:   "lua-release, and the lock is looked at again right before the write",
	Source:  `"Distributed locks with Redis", misconceptions: checking the lock before writing is enough`,
	Keeps:   []Promise{exclusiveWhileTimely, ownRelease},
	Nodes:   1,
	Lock:    setWithExpiry,
	Release: compareAndDelete,
	Check:   stillMine,
}

// stillMine reads the lock's key. The answer was true when the server gave it.
func stillMine(t *sim.Thread, e *Env, l Lease) sim.End {
	switch e.ask(t, nodes.Get(lockKey)) {
	case nil:
		return sim.Released
	case nodes.Bulk(l.Value):
		return ""
	}
	return sim.Told
}
