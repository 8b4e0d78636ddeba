package protocols

import (
	"simrun/nodes"
	"simrun/sim"
)

var clusterFailover = &Protocol{
	Name:     "cluster-failover",
	Brief:    "lua-release on a master of a Redis Cluster, whose replica the other masters promote",
	Source:   `"Distributed locks with Redis", "both Sentinel and Cluster fail over to a replica"; redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec`,
	Keeps:    []Promise{exclusiveWhileReplicated, ownRelease},
	Nodes:    2,
	Service:  clusterSet,
	Failover: nodes.ClusterSlots{},
	Lock:     setWithExpiry,
	Release:  compareAndDelete,
}

// clusterSet is a master of a Redis Cluster, its replicas, and one server that
// stands for the majority of the other masters. Their times are scaled so that
// the TTL stands for thirty seconds: cluster-node-timeout is fifteen, the
// election half a second and another at most, and a returned master follows the
// new one after two (CLUSTER_MAX_REJOIN_DELAY and the like). A master without
// the majority takes no more writes after the node timeout.
func clusterSet(params Params) []sim.ServerSpec {
	second := params.TTL / 30
	timeout := 15 * second
	return replicatedSet(params, "masters",
		nodes.Replication{Second: second, Persistence: nodes.SavePoints(second), NodeTimeout: timeout},
		&nodes.Sentinel{Second: second, DownAfter: timeout, Election: second, Demotion: 2 * second})
}
