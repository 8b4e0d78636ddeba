package protocols

import "simrun/nodes"

var fencing = &Protocol{
	Name:    "fencing",
	Brief:   "lua-release with a fencing token, which the resource checks on writes",
	Source:  "martin.kleppmann.com/2016/02/08/how-to-do-distributed-locking.html; the demo's step 5 of \"Distributed locks with Redis\"",
	Keeps:   []Promise{exclusiveWhileTimely, ownRelease, orderedWhileDurable},
	Nodes:   1,
	Lock:    setWithExpiry,
	Release: compareAndDelete,
	Tokens:  true,
	Writes:  nodes.Newer,
}

// orderedWhileDurable is what a token that the resource checks promises.
var orderedWhileDurable = Promise{"no-stale-write", "the source of tokens never forgets what it has given"}
