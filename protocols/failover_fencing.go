package protocols

import "simrun/nodes"

var failoverFencing = &Protocol{
	Name:     "failover-fencing",
	Brief:    "failover with fencing tokens by INCR on the replicated Redis, checked on writes",
	Source:   `"Distributed locks with Redis": INCR on a replicated Redis can repeat tokens after failover`,
	Keeps:    []Promise{exclusiveWhileReplicated, ownRelease, orderedWhileDurable},
	Nodes:    2,
	Service:  sentinelSet,
	Failover: nodes.GetMaster{},
	Lock:     setWithExpiry,
	Release:  compareAndDelete,
	Tokens:   true,
	Writes:   nodes.Newer,
}
