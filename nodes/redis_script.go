package nodes

import (
	"crypto/sha1"
	_ "embed" // the Lua sources
	"fmt"

	"simrun/sim"
)

// A Script is a Lua script that the server executes as one command: nothing
// happens in between, and time stands still. Its source is what a real server
// would be given; run is the same in Go.
type Script struct {
	Name  string
	Lua   string
	write int // the line of Lua that writes
	run   func(r *Redis, f frame, c Command) sim.Reply
}

// call does what the script writes. Where that is refused, the script stops there,
// with an error that names it by the SHA-1 of its text, and the line, as since
// Redis 7.0.
func (s *Script) call(f frame, write func() sim.Reply) sim.Reply {
	reply := sim.Reply(f.refusal)
	if f.refusal == "" {
		reply = write()
	}
	if err, refused := reply.(Error); refused {
		return Error(fmt.Sprintf("%s script: %x, on @user_script:%d.", err, sha1.Sum([]byte(s.Lua)), s.write))
	}
	return reply
}

//go:embed scripts/release.lua
var releaseLua string

// ReleaseScript deletes the key if it holds the caller's value
// (redis.io, Distributed Locks with Redis).
var ReleaseScript = &Script{
	Name:  "release",
	Lua:   releaseLua,
	write: 2,
	run: func(r *Redis, f frame, c Command) sim.Reply {
		if !r.holds(f, c.Key, c.Value) {
			return Int(0)
		}
		return c.Script.call(f, func() sim.Reply { return number(r.del(f, c.Key)) })
	},
}

//go:embed scripts/renew.lua
var renewLua string

// RenewScript prolongs the key if it holds the caller's value.
var RenewScript = &Script{
	Name:  "renew",
	Lua:   renewLua,
	write: 2,
	run: func(r *Redis, f frame, c Command) sim.Reply {
		if !r.holds(f, c.Key, c.Value) {
			return Int(0)
		}
		pexpire := Command{Verb: PEXPIRE, Key: c.Key, Expiry: c.Expiry}
		return c.Script.call(f, func() sim.Reply { return r.expire(f, pexpire) })
	},
}
