package protocols

import "simrun/nodes"

var zookeeperLockFenced = &Protocol{
	Name:    "zookeeper-lock-fenced",
	Brief:   "zookeeper-lock with its node's czxid as a fencing token, which the resource checks on reads and writes",
	Source:  "martin.kleppmann.com/2016/02/08/how-to-do-distributed-locking.html (the zxid as a token); apache/curator, LockInternals",
	Keeps:   []Promise{exclusiveWhileKept, ownRelease, neverStale, neverLost},
	Nodes:   1,
	Service: zookeeperEnsemble,
	Lock:    ZooKeeperLock{Protected: true, Heedful: true, Token: true}.Lock,
	Release: closeSession,
	Reads:   nodes.NotOlder,
	Writes:  nodes.NotOlder,
}
