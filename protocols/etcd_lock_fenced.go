package protocols

import "simrun/nodes"

var etcdLockFenced = &Protocol{
	Name:    "etcd-lock-fenced",
	Brief:   "etcd-lock with its key's create revision as a fencing token, which the resource checks on reads and writes",
	Source:  "etcd-io/etcd, client/v3/concurrency; jepsen.io/blog/2020-01-30-etcd-3.4.3 (why a lock of etcd needs one)",
	Keeps:   []Promise{exclusiveWhileAnswered, ownRelease, neverStale, neverLost},
	Nodes:   1,
	Service: etcdCluster,
	Lock:    EtcdLock{Recheck: true}.Lock,
	Release: revokeLease,
	Reads:   nodes.NotOlder,
	Writes:  nodes.NotOlder,
}

// What tokens of a source that never forgets promise.
var (
	neverStale = Promise{"no-stale-write", "always"}
	neverLost  = Promise{"no-lost-update", "always"}
)
