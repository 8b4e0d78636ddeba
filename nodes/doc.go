// Package nodes holds the servers that locks are built on, as deterministic
// state machines: [Redis], alone, with persistence and with replicas under a
// [Sentinel]; [Postgres]; [Etcd] and [ZooKeeper]; the protected resource,
// [Inventory]; and what lies outside, a [Gateway] and a [Queue].
//
// A server is a value that applies requests at a moment that it is given. It
// can be used alone, as the examples do, or under the kernel, which gives it
// the wall clock of a simulated machine. A new server is a new file here.
package nodes
