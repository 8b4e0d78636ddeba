package protocols

import (
	"fmt"

	"simrun/nodes"
	"simrun/sim"
)

var redlockEverySecond = &Protocol{
	Name:    "redlock-aof-everysec",
	Brief:   "redlock on servers with appendfsync everysec, which a crash costs the last second of writes",
	Source:  `redis.io/docs/latest/develop/clients/patterns/distributed-locks, "Performance, Crash Recovery and fsync"`,
	Keeps:   []Promise{{"mutual-exclusion", "as redlock, and no server crashes"}, ownRelease},
	Nodes:   5,
	Service: func(params Params) []sim.ServerSpec { return appending(params, nodes.AOFEverySecond(params.TTL/10)) },
	Quorum:  Majority,
	Lock:    redlock.Lock,
	Release: releaseAll,
}

var redlockAlways = &Protocol{
	Name:    "redlock-aof-always",
	Brief:   "redlock on servers with appendfsync always, whose crashes lose nothing that was answered",
	Source:  redlockEverySecond.Source,
	Keeps:   []Promise{{"mutual-exclusion", "as redlock, and no server loses its disk"}, ownRelease},
	Nodes:   5,
	Service: func(params Params) []sim.ServerSpec { return appending(params, nodes.AOFAlways) },
	Quorum:  Majority,
	Lock:    redlock.Lock,
	Release: releaseAll,
}

// appending returns independent Redis servers with a persistence. As for those
// of a Sentinel, a second is a tenth of the TTL.
func appending(params Params, p nodes.Persistence) []sim.ServerSpec {
	var servers []sim.ServerSpec
	for i := range params.Nodes {
		servers = append(servers, sim.ServerSpec{Name: fmt.Sprintf("n%d", i+1), Server: &nodes.PersistentRedis{Persistence: p}})
	}
	return servers
}
