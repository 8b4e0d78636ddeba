package protocols

import (
	"simrun/nodes"
	"simrun/sim"
)

var setnx = &Protocol{
	Name:    "setnx",
	Brief:   "SET key value NX PX ttl, released with a plain DEL",
	Source:  `the mistake in "Distributed locks with Redis" (release in finally) and in the invoice workers' first timeline`,
	Keeps:   []Promise{exclusiveWhileTimely},
	Nodes:   1,
	Lock:    setWithExpiry,
	Release: plainDelete,
}

// exclusiveWhileTimely is what every lease promises.
var exclusiveWhileTimely = Promise{"mutual-exclusion", "every holder is done before its lease ends, and the server neither loses keys nor has its clock moved"}

// setWithExpiry takes the lock with one command, so that a client that dies
// leaves no key without an expiry (redis.io/docs/latest/commands/set).
func setWithExpiry(t *sim.Thread, e *Env, value string) (Lease, bool) {
	reply := e.ask(t, nodes.Set(lockKey, value, nodes.NX, nodes.PX(e.TTL)))
	return Lease{Value: value}, reply == nodes.Status("OK")
}

// plainDelete deletes whatever lock is there.
func plainDelete(t *sim.Thread, e *Env, _ Lease) {
	e.ask(t, nodes.Del(lockKey))
}
