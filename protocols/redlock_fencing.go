package protocols

import "simrun/nodes"

var redlockFencing = &Protocol{
	Name:    "redlock-fencing",
	Brief:   "redlock with fencing tokens from a sequence of the database, which checks them on reads and writes",
	Source:  "what both sides of martin.kleppmann.com/2016/02/08/how-to-do-distributed-locking.html and antirez.com/news/101 leave: a lock for efficiency, a token for correctness",
	Keeps:   append([]Promise{{"no-stale-write", "tokens come from the sequence"}, {"no-lost-update", "tokens come from the sequence"}}, redlock.Keeps...),
	Nodes:   5,
	Lock:    redlock.Lock,
	Release: releaseAll,
	Tokens:  true,
	Durable: true,
	Reads:   nodes.NotOlder,
	Writes:  nodes.NotOlder,
}
