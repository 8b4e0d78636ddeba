package protocols

// All is the table of protocols, from the least to the most careful.
var All = []*Protocol{
	setnxExpire,
	setnx,
	getThenDel,
	luaRelease,
	delexRelease,
	checkThenWrite,
	watchdog,
	unheededWatchdog,
	fencedWatchdog,
	redlock,
	redlockSnapshots,
	redlockSystem,
	redlockEverySecond,
	redlockAlways,
	redlockFencing,
	failover,
	failoverWait,
	clusterFailover,
	failoverFencing,
	fencing,
	fencingReads,
	etcdLock,
	etcdLockFenced,
	zookeeperLock,
	zookeeperLockFenced,
	releaseAlert,
	deadline,
	randomToken,
	advisoryLockPooled,
	advisoryLock,
	rowLock,
	mailUnderLock,
	partitionOwner,
	efficiencyLock,
	idempotencyKey,
	uniqueConstraint,
	conditionalUpdate,
}

// Named returns the protocol with the given name, or nil.
func Named(name string) *Protocol {
	for _, p := range All {
		if p.Name == name {
			return p
		}
	}
	return nil
}

// Names returns the names of all protocols, in the table's order.
func Names() []string {
	names := make([]string, len(All))
	for i, p := range All {
		names[i] = p.Name
	}
	return names
}
