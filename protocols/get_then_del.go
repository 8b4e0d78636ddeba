package protocols

import (
	"simrun/nodes"
	"simrun/sim"
)

var getThenDel = &Protocol{
	Name:    "get-then-del",
	Brief:   "SET NX PX, released with GET, a comparison in the client, and DEL",
	Source:  "redis/redis-py#1031 (before its Lua script)",
	Keeps:   []Promise{exclusiveWhileTimely},
	Nodes:   1,
	Lock:    setWithExpiry,
	Release: getAndDelete,
}

// getAndDelete compares in the client. Between the GET and the DEL the lock
// can expire and be taken by another.
func getAndDelete(t *sim.Thread, e *Env, l Lease) {
	if e.ask(t, nodes.Get(lockKey)) == nodes.Bulk(l.Value) {
		e.ask(t, nodes.Del(lockKey))
	}
}
