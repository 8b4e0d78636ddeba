// Package protocols holds the locks: what their clients do, as published.
//
// A [Protocol] is a composition of a lock (how it is taken), a release, a
// renewal, a source of fencing tokens, and a guard at the resource; each
// published algorithm is a file with its source and the promises it makes.
// [Protocol.Setup] turns one into a world in which clients run the same job
// with it, round after round. A new lock is a new file here and a line in the
// table [All].
package protocols
