package nodes

import (
	_ "embed" // the Lua sources

	"simrun/sim"
)

// A Script is a Lua script that the server executes as one command: nothing
// happens in between, and time stands still. Its source is what a real server
// would be given; run is the same in Go.
type Script struct {
	Name string
	Lua  string
	run  func(r *Redis, f frame, c Command) sim.Reply
}

//go:embed scripts/release.lua
var releaseLua string

// ReleaseScript deletes the key if it holds the caller's value
// (redis.io, Distributed Locks with Redis).
var ReleaseScript = &Script{
	Name: "release",
	Lua:  releaseLua,
	run: func(r *Redis, f frame, c Command) sim.Reply {
		return number(r.delIfEqual(f, c.Key, c.Value))
	},
}

//go:embed scripts/renew.lua
var renewLua string

// RenewScript prolongs the key if it holds the caller's value.
var RenewScript = &Script{
	Name: "renew",
	Lua:  renewLua,
	run: func(r *Redis, f frame, c Command) sim.Reply {
		if e := r.find(f, c.Key); e == nil || e.value != c.Value {
			return Int(0)
		}
		return r.expire(f, Command{Verb: PEXPIRE, Key: c.Key, Expiry: c.Expiry})
	},
}
