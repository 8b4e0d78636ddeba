package protocols

import (
	"simrun/nodes"
	"simrun/sim"
)

var failoverWait = &Protocol{
	Name:     "failover-wait",
	Brief:    "failover, and a lock counts only if a replica has acknowledged it in time (WAIT 1)",
	Source:   "redis.io/docs/latest/commands/wait; redisson/redisson waits so after it has acquired a lock",
	Keeps:    []Promise{exclusiveWhileReplicated, ownRelease},
	Nodes:    2,
	Service:  sentinelSet,
	Failover: nodes.GetMaster{},
	Lock:     setThenWait,
	Release:  compareAndDelete,
}

// setThenWait takes the lock and waits for one replica to have it, for a tenth
// of the TTL. WAIT takes nothing back, so without one the lock is given back.
func setThenWait(t *sim.Thread, e *Env, value string) (Lease, bool) {
	l, ok := setWithExpiry(t, e, value)
	if !ok {
		return l, false
	}
	if have, _ := e.askMaster(t, nodes.Wait{Replicas: 1, Timeout: e.TTL / 10}).(nodes.Int); have >= 1 {
		return l, true
	}
	t.For(sim.Release)
	compareAndDelete(t, e, l)
	return l, false
}
