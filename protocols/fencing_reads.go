package protocols

import "simrun/nodes"

var fencingReads = &Protocol{
	Name:    "fencing-reads",
	Brief:   "fencing, with the token checked on reads too, so that a newer reader shuts out older writers",
	Source:  "the repair of fencing's lost update; compare the sequencers of Chubby (Burrows, OSDI 2006)",
	Keeps:   []Promise{exclusiveWhileTimely, ownRelease, orderedWhileDurable, {"no-lost-update", "the source of tokens never forgets what it has given"}},
	Nodes:   1,
	Lock:    setWithExpiry,
	Release: compareAndDelete,
	Tokens:  true,
	Reads:   nodes.NotOlder,
	Writes:  nodes.NotOlder,
}
