package protocols

import (
	"simrun/nodes"
	"simrun/sim"
)

var efficiencyLock = &Protocol{
	Name:   "efficiency-lock",
	Brief:  "lua-release around a request that carries an idempotency key: the lock makes duplicates rare, the key harmless",
	Source: `"Distributed locks and their limits", key takeaways; martin.kleppmann.com/2016/02/08/how-to-do-distributed-locking.html, locks for efficiency`,
	Keeps:  []Promise{exclusiveWhileTimely, ownRelease, once},
	Nodes:  1,
	Service: func(params Params) []sim.ServerSpec {
		return append([]sim.ServerSpec{{Name: "redis", Server: new(nodes.Redis)}}, honouringGateway(params)...)
	},
	Lock:    setWithExpiry,
	Release: compareAndDelete,
	Job:     postWithKey,
}
