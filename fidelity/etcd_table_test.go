package fidelity

var etcdTable = table{name: "etcd", rows: []row{
	{name: "get", how: etcdSequences + ": a key, a prefix, the first or last created up to some revision", limit: "other ranges, limits and sorts; reads of the past"},
	{name: "put", how: etcdSequences + ", bound to leases that exist and others", limit: "options that keep the lease or the value"},
	{name: "del", how: etcdSequences + ": a key, a prefix"},
	{name: "txn", how: etcdSequences + ": two comparisons, and three operations either way, at most", limit: "other comparisons than of revisions and values for equality; a txn in a txn"},
	{name: etcdWatching, how: etcdSequences + ", from revisions past and to come: which deletion is told first", limit: "puts; a prefix; compaction"},
	{name: "lease grant", how: etcdSequences, limit: "a TTL in other units than seconds, to which the real server rounds up its least"},
	{name: "lease keep-alive", how: etcdSequences},
	{name: "lease revoke", how: etcdSequences},
	{name: etcdExpiry, how: "random requests, a wait of five seconds, and more requests", limit: "the instant at which a lease ends"},
	{name: etcdRestart, how: "the one member is closed and opened again: leases begin anew", limit: "an election among several members, and what is refused in it"},
	{name: queueJoins, how: "with the recipe of etcd's Go client: who gets the lock, in which order, with which create revision"},
	{name: queueReleases, how: "by the end of its lease"},
	{name: queueEnds, how: "the lease of any client is revoked by another"},
}}

const (
	etcdSequences = "random sequences on three keys"

	etcdWatching = "watch"
	etcdExpiry   = "leases expire"
	etcdRestart  = "the server restarts"
)
