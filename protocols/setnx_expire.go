package protocols

import (
	"simrun/nodes"
	"simrun/sim"
)

var setnxExpire = &Protocol{
	Name:    "setnx-expire",
	Brief:   "SETNX, then EXPIRE as a second command",
	Source:  "redis.io/docs/latest/commands/setnx (deprecated pattern); laravel/horizon#1738",
	Keeps:   []Promise{exclusiveWhileTimely},
	Nodes:   1,
	Lock:    setThenExpire,
	Release: compareAndDelete,
}

// setThenExpire takes the lock with two commands. A client that dies between
// them, or whose second command is lost, leaves a key that never expires.
func setThenExpire(t *sim.Thread, e *Env, value string) (Lease, bool) {
	if e.ask(t, nodes.SetNX(lockKey, value)) != nodes.Int(1) {
		return Lease{}, false
	}
	return Lease{Value: value}, e.ask(t, nodes.PExpire(lockKey, e.TTL)) == nodes.Int(1)
}
