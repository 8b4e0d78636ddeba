package fidelity

import (
	"path/filepath"
	"strings"
	"testing"

	"simrun/nodes"
	"simrun/sim"
)

var zookeeperTable = table{name: "zookeeper", rows: []row{
	{name: "connect", how: zooSequencesOf + ", with timeouts beyond both bounds"},
	{name: "reconnect", how: zooSequencesOf + ", of a session that is alive or has expired"},
	{name: "close", how: zooSequencesOf},
	{name: "create -s -e", how: zooSequencesOf + " under two parents", limit: "other nodes than ephemeral sequential ones; a parent that is missing, which simrun does without"},
	{name: "ls", how: zooSequencesOf, limit: "the order of the names; watches of children"},
	{name: "stat", how: zooSequencesOf + ": the zxid of the node's creation", limit: "all else of a node's data about itself"},
	{name: "stat -w", how: zooSequencesOf + ": the end of a node, or of the session that waits for it", limit: "a node that is created later; a client that is cut off when the node ends"},
	{name: "delete", how: zooSequencesOf + ", of nodes there and not there", limit: "versions"},
	{name: "a client falls silent", how: "its connection is cut"},
	{name: zooExpiry, how: "random requests, a wait of four ticks and a half, and more requests", limit: "the instant at which a session expires; an election, and stale reads"},
	{name: queueJoins, how: "with the recipe of a Go client: who gets the lock, in which order, with which zxid"},
	{name: queueReleases, how: "by the end of its session"},
	{name: queueEnds, how: "any client closes its session"},
}}

const (
	zooSequencesOf = "random sequences of several clients"

	zooExpiry = "sessions expire"
)

// zooRow returns the row of a request in the table of what is compared.
func zooRow(r sim.Request) string {
	z, ok := r.(nodes.ZooRequest)
	switch {
	case r == sim.Request(wait(zooWait)):
		return zooExpiry
	case !ok:
		return "a client falls silent"
	case z.Verb == nodes.ZooConnect && z.Session != 0:
		return "reconnect"
	}
	return map[nodes.ZooVerb]string{
		nodes.ZooConnect: "connect", nodes.ZooCreate: "create -s -e", nodes.ZooChildren: "ls", nodes.ZooExists: "stat",
		nodes.ZooExistsWatch: "stat -w", nodes.ZooDelete: "delete", nodes.ZooClose: "close",
	}[z.Verb]
}

// zooVersion returns the version of the installed server, which is in the name of
// one of its files.
func zooVersion(t testing.TB) string {
	t.Helper()
	named := strings.TrimSuffix(zooJar, ".jar") + "-"
	files, err := filepath.Glob(named + "[0-9]*.jar")
	if err != nil || len(files) != 1 {
		t.Fatalf("found %v, want a file such as %s3.8.0.jar", files, named)
	}
	return strings.TrimSuffix(strings.TrimPrefix(files[0], named), ".jar")
}
