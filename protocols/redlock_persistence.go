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
	Service: func(params Params) []sim.ServerSpec { return persistent(params, nodes.AOFEverySecond(params.TTL/10)) },
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
	Service: func(params Params) []sim.ServerSpec { return persistent(params, nodes.AOFAlways) },
	Quorum:  Majority,
	Lock:    redlock.Lock,
	Release: releaseAll,
}

var redlockSystem = &Protocol{
	Name:   "redlock-aof-no",
	Brief:  "redlock on servers with appendfsync no, which leave it to the system when to write",
	Source: "redis.io/docs/latest/operate/oss_and_stack/management/persistence",
	Keeps:  redlockEverySecond.Keeps,
	Nodes:  5,
	Service: func(params Params) []sim.ServerSpec {
		return persistent(params, nodes.AOFWhenTheSystemLikes(params.TTL/10))
	},
	Quorum:  Majority,
	Lock:    redlock.Lock,
	Release: releaseAll,
}

var redlockSnapshots = &Protocol{
	Name:    "redlock-rdb",
	Brief:   "redlock on servers with the save points of redis.conf, which save next to nothing of a lock",
	Source:  "redis.io/docs/latest/operate/oss_and_stack/management/persistence",
	Keeps:   redlockEverySecond.Keeps,
	Nodes:   5,
	Service: func(params Params) []sim.ServerSpec { return persistent(params, nodes.SavePoints(params.TTL/10)) },
	Quorum:  Majority,
	Lock:    redlock.Lock,
	Release: releaseAll,
}

// persistent returns independent Redis servers with a persistence. As for those
// of a Sentinel, a second is a tenth of the TTL.
func persistent(params Params, p nodes.Persistence) []sim.ServerSpec {
	var servers []sim.ServerSpec
	for i := range params.Nodes {
		servers = append(servers, sim.ServerSpec{Name: fmt.Sprintf("n%d", i+1), Server: &nodes.PersistentRedis{Persistence: p}})
	}
	return servers
}
