package protocols

import (
	"simrun/nodes"
	"simrun/sim"
)

// The locks of the demo's steps 4 and 5 differ in the row's guard alone.

var unheededWatchdog = &Protocol{
	Name:    "unheeded-watchdog",
	Brief:   "watchdog with fencing tokens that nobody checks; the job goes on when the lease is lost",
	Source:  `"Distributed locks with Redis", the demo's step 4`,
	Keeps:   []Promise{exclusiveWhileRenewed, ownRelease},
	Nodes:   1,
	Lock:    setWithExpiry,
	Release: compareAndDelete,
	Renew:   prolongUnheeded,
	Tokens:  true,
}

var fencedWatchdog = &Protocol{
	Name:    "fenced-watchdog",
	Brief:   "unheeded-watchdog, but the resource checks the fencing token on writes",
	Source:  `"Distributed locks with Redis", the demo's step 5`,
	Keeps:   []Promise{exclusiveWhileRenewed, ownRelease, orderedWhileDurable},
	Nodes:   1,
	Lock:    setWithExpiry,
	Release: compareAndDelete,
	Renew:   prolongUnheeded,
	Tokens:  true,
	Writes:  nodes.Newer,
}

// exclusiveWhileRenewed is what a watchdog promises that starts when the token
// is there.
var exclusiveWhileRenewed = Promise{"mutual-exclusion", "no client pauses, waits for its token or is cut off for longer than the rest of its lease, and the server neither loses keys nor has its clock moved"}

// prolongUnheeded renews the lease and keeps the answer to itself.
func prolongUnheeded(t *sim.Thread, e *Env, l Lease) bool {
	compareAndProlong(t, e, l)
	return true
}
