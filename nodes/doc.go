// Package nodes holds the servers that locks are built on, as deterministic
// state machines: [Redis] and the protected resource, [Inventory].
//
// A server is a value that applies requests at a moment that it is given. It
// can be used alone, as the examples do, or under the kernel, which gives it
// the wall clock of a simulated machine. A new server is a new file here.
package nodes
