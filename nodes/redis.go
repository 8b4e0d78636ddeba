package nodes

import (
	"math"
	"strconv"

	"simrun/clock"
	"simrun/sim"
)

// Redis is the keyspace of one Redis server: strings with expiry.
//
// Expiry is an absolute Unix time in milliseconds on the server's own wall
// clock, so that a step of that clock shortens or lengthens every lease. It is
// lazy: a key is dead once the clock reads more than its expiry, and is
// removed by the next command that names it. A command, and a script as a
// whole, sees one frozen time. (redis/redis at 4f8cdc2: src/expire.c, src/db.c.)
//
// The zero value is an empty server.
type Redis struct {
	// A handful of keys is searched faster than hashed, and has an order.
	entries []entry

	// What the last command did, or the last look at what is dead.
	changes  []Change
	writes   int // that succeeded, be it with what was there already
	expiries int // dead keys that it removed
}

type entry struct {
	key, value string
	expires    int64      // Unix milliseconds, noExpiry if it has none
	owner      sim.Holder // whose SET it was; nobody for counters
}

const noExpiry = math.MinInt64

// A Change is what a command did to a lock.
type Change struct {
	Kind  sim.ChangeKind
	Owner sim.Holder // whose lock it was, or is
	At    clock.Wall // the moment at which an expired lock was dead
}

// Apply executes a command at the moment now of the server's wall clock, for
// the attempt by. The changes are valid until the next call.
func (r *Redis) Apply(now clock.Wall, by sim.Holder, c Command) (sim.Reply, []Change) {
	return r.serve(frame{now: now.Millis(), by: by}, c)
}

func (r *Redis) serve(f frame, c Command) (sim.Reply, []Change) {
	r.forgetChanges()
	return r.apply(f, c), r.changes
}

func (r *Redis) forgetChanges() { r.changes, r.writes, r.expiries = r.changes[:0], 0, 0 }

// A frame is what a command, or every command of a script, is executed with.
type frame struct {
	now     int64 // Unix milliseconds
	by      sim.Holder
	refusal Error // of what a script writes, if it is refused
}

func (r *Redis) apply(f frame, c Command) sim.Reply {
	switch c.Verb {
	case SET:
		return r.set(f, c)
	case SETNX:
		return number(r.setNX(f, c))
	case GET:
		return r.get(f, c.Key)
	case DEL:
		return number(r.del(f, c.Key))
	case DELEX:
		return number(r.delIfEqual(f, c.Key, c.Compare))
	case EXPIRE, PEXPIRE:
		return r.expire(f, c)
	case TTL, PTTL:
		return r.timeToLive(f, c)
	case INCR:
		return r.incr(f, c.Key)
	case EVAL:
		return c.Script.run(r, f, c)
	}
	return Error("ERR unknown command '" + c.Verb.String() + "'")
}

// find returns the live entry of a key, or nil. It removes a dead one.
func (r *Redis) find(f frame, key string) *entry {
	for i := range r.entries {
		if e := &r.entries[i]; e.key == key {
			if e.expires == noExpiry || f.now <= e.expires {
				return e
			}
			r.expired(e)
			r.remove(e)
			return nil
		}
	}
	return nil
}

func (r *Redis) expired(e *entry) {
	r.expiries++
	if e.owner != sim.Nobody {
		r.changes = append(r.changes, Change{Kind: sim.Expired, Owner: e.owner, At: e.death()})
	}
}

func (r *Redis) changed(kind sim.ChangeKind, owner sim.Holder) {
	if owner != sim.Nobody {
		r.changes = append(r.changes, Change{Kind: kind, Owner: owner})
	}
}

func (r *Redis) remove(e *entry) {
	last := len(r.entries) - 1
	for i := range r.entries {
		if &r.entries[i] == e {
			copy(r.entries[i:], r.entries[i+1:])
			r.entries = r.entries[:last]
			return
		}
	}
}

func (r *Redis) get(f frame, key string) sim.Reply {
	if e := r.find(f, key); e != nil {
		return Bulk(e.value)
	}
	return Nil{}
}

func (r *Redis) set(f frame, c Command) sim.Reply {
	expires, err := c.Expiry.from(f.now, "set")
	if err != "" {
		return err
	}
	e := r.find(f, c.Key)
	reply := sim.Reply(Status("OK"))
	if c.Get {
		reply = r.get(f, c.Key)
	}
	if !c.Condition.allows(e, c.Compare) {
		if c.Get {
			return reply
		}
		return Nil{}
	}
	if c.Expiry.Form == Keep && e != nil {
		expires = e.expires
	}
	r.put(f, e, entry{key: c.Key, value: c.Value, expires: expires, owner: f.by})
	return reply
}

// put stores an entry in place of old, which is nil if the key is absent. An
// entry that is dead on arrival is not stored at all (redis/redis#14784).
func (r *Redis) put(f frame, old *entry, e entry) {
	dead := e.expires != noExpiry && e.expires < f.now
	if old != nil || !dead {
		r.writes++
	}
	switch {
	case old == nil && !dead:
		r.entries = append(r.entries, e)
		r.changed(sim.Took, e.owner)
	case old != nil && dead:
		r.changed(sim.Removed, old.owner)
		r.remove(old)
	case old != nil && old.value == e.value && old.owner != sim.Nobody:
		// The same value again is the same lock, renewed.
		r.changed(sim.Prolonged, old.owner)
		e.owner = old.owner
		*old = e
	case old != nil:
		r.changed(sim.Overwritten, old.owner)
		r.changed(sim.Took, e.owner)
		*old = e
	}
}

func (r *Redis) setNX(f frame, c Command) bool {
	if r.find(f, c.Key) != nil {
		return false
	}
	r.put(f, nil, entry{key: c.Key, value: c.Value, expires: noExpiry, owner: f.by})
	return true
}

func (r *Redis) del(f frame, key string) bool {
	e := r.find(f, key)
	if e == nil {
		return false
	}
	r.writes++
	r.changed(sim.Removed, e.owner)
	r.remove(e)
	return true
}

func (r *Redis) delIfEqual(f frame, key, value string) bool {
	return r.holds(f, key, value) && r.del(f, key)
}

func (r *Redis) holds(f frame, key, value string) bool {
	e := r.find(f, key)
	return e != nil && e.value == value
}

func (r *Redis) expire(f frame, c Command) sim.Reply {
	expires, err := c.Expiry.from(f.now, c.Verb.lower())
	if err != "" {
		return err
	}
	e := r.find(f, c.Key)
	if e == nil {
		return Int(0)
	}
	r.writes++
	if expires <= f.now {
		r.changed(sim.Removed, e.owner)
		r.remove(e)
		return Int(1)
	}
	e.expires = expires
	r.changed(sim.Prolonged, e.owner)
	return Int(1)
}

func (r *Redis) timeToLive(f frame, c Command) sim.Reply {
	e := r.find(f, c.Key)
	if e == nil {
		return Int(-2)
	}
	if e.expires == noExpiry {
		return Int(-1)
	}
	left := max(0, e.expires-f.now)
	if c.Verb == TTL {
		return Int((left + 500) / 1000)
	}
	return Int(left)
}

func (r *Redis) incr(f frame, key string) sim.Reply {
	e := r.find(f, key)
	if e == nil {
		r.writes++
		r.entries = append(r.entries, entry{key: key, value: "1", expires: noExpiry})
		return Int(1)
	}
	n, ok := strictInt(e.value)
	if !ok {
		return Error("ERR value is not an integer or out of range")
	}
	if n == math.MaxInt64 {
		return Error("ERR increment or decrement would overflow")
	}
	r.writes++
	e.value = strconv.FormatInt(n+1, 10)
	return Int(n + 1)
}

// strictInt reads an integer as the server does: no sign but a minus, no
// leading zero, nothing around it.
func strictInt(s string) (int64, bool) {
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil && strconv.FormatInt(n, 10) == s
}

func number(yes bool) Int {
	if yes {
		return 1
	}
	return 0
}
