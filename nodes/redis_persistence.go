package nodes

import (
	"math"
	"time"

	"simrun/clock"
	"simrun/sim"
)

// A Persistence says what a Redis still has after a crash of its machine, which
// takes along all that had not reached the disk. The zero value keeps nothing.
// (redis/redis at 4f8cdc2: src/aof.c, src/rdb.c.)
type Persistence struct {
	EveryWrite bool          // written to the disk before it is answered
	Second     time.Duration // how long one of the real server is; not 0 where there are Points
	Expiries   bool          // the removal of a dead key is a change too
	Points     []SavePoint
}

// A SavePoint has the disk brought up to date once the clock shows a time that is
// more than this after the last, both in whole seconds, if there were so many
// changes since.
type SavePoint struct {
	After   time.Duration
	Changes int
}

// AOFAlways is an append-only file with appendfsync always: a crash loses
// nothing that was answered.
var AOFAlways = Persistence{EveryWrite: true}

// AOFEverySecond is an append-only file with appendfsync everysec: a crash loses
// at most the last second, unless the clock has been set back. As in all of Redis
// that a model scales to short leases, second is how long a second is.
func AOFEverySecond(second time.Duration) Persistence {
	return Persistence{Second: second, Expiries: true, Points: []SavePoint{{Changes: 1}}}
}

// AOFWhenTheSystemLikes is an append-only file with appendfsync no: Linux writes
// it to the disk about every 30 seconds.
func AOFWhenTheSystemLikes(second time.Duration) Persistence {
	return Persistence{Second: second, Expiries: true, Points: []SavePoint{{After: 29 * second, Changes: 1}}}
}

// SavePoints is the snapshotting of redis.conf as shipped, save 3600 1 300 100
// 60 10000: next to nothing for a lock that lives for seconds.
func SavePoints(second time.Duration) Persistence {
	return Persistence{Second: second, Points: []SavePoint{
		{After: 3600 * second, Changes: 1},
		{After: 300 * second, Changes: 100},
		{After: 60 * second, Changes: 10_000},
	}}
}

// A disk is what a Redis has stored. It is brought up to date not when a save
// point is reached but when it next matters, which comes to the same. The server
// goes by its wall clock: after a step back, nothing is saved until the clock has
// come to where it was, and longer.
type disk struct {
	entries []entry
	saved   clock.Wall // when it was last brought up to date
	changed clock.Wall // when the last of the changes since came
	changes int
	settled clock.Monotonic // when the clock was last about to be changed
}

// catchUp saves the keyspace if a save point has been reached since its last
// change. It must come before every further change, and every step of the clock.
func (d *disk) catchUp(m *sim.Machine, p Persistence, r *Redis) {
	now := m.Wall()
	first := now.Add(-m.Monotonic().Sub(d.settled)) // that the clock has shown since it was changed
	reached := clock.Wall(math.MaxInt64)
	for _, point := range p.Points {
		if d.changes > 0 && d.changes >= point.Changes {
			reached = min(reached, max(d.changed, p.due(point, d.saved), first))
		}
	}
	if reached <= now {
		d.entries = append(d.entries[:0], r.entries...)
		d.saved, d.changes = reached, 0
	}
}

// due returns the first moment that is late enough for a save point.
func (p Persistence) due(point SavePoint, saved clock.Wall) clock.Wall {
	return (saved - saved%clock.Wall(p.Second)).Add(point.After + p.Second)
}

// count counts what the keyspace has just been through.
func (d *disk) count(m *sim.Machine, p Persistence, r *Redis) {
	changes := r.writes
	if p.Expiries {
		changes += r.expiries
	}
	d.change(m, changes)
}

func (d *disk) change(m *sim.Machine, changes int) {
	if changes > 0 {
		d.changed = m.Wall()
		d.changes += changes
	}
}

// start begins to count: the server takes what it finds for just saved.
func (d *disk) start(m *sim.Machine) { d.saved, d.changes, d.settled = m.Wall(), 0, m.Monotonic() }

// settle comes before the clock is changed, which can hold up a save point or reach
// one at once.
func (d *disk) settle(m *sim.Machine, p Persistence, r *Redis) {
	d.catchUp(m, p, r)
	d.settled = m.Monotonic()
}

// crash returns what a restart finds. Without keep the disk is lost too.
func (d *disk) crash(m *sim.Machine, p Persistence, r *Redis, keep bool) []entry {
	d.catchUp(m, p, r)
	switch {
	case !keep:
		d.entries = d.entries[:0]
	case p.EveryWrite:
		d.entries = append(d.entries[:0], r.entries...)
	}
	d.changes = 0
	return d.entries
}

func (d *disk) reset() { *d = disk{entries: d.entries[:0]} }

// stored returns what is kept under a key, dead or not; an entry without a key
// if nothing is.
func (r *Redis) stored(key string) entry {
	for _, e := range r.entries {
		if e.key == key {
			return e
		}
	}
	return entry{}
}

// death returns the first moment at which a key is dead.
func (e *entry) death() clock.Wall { return after(e.expires) }

// after returns the first moment at which a clock shows more than so many Unix
// milliseconds.
func after(millis int64) clock.Wall { return clock.Wall((millis + 1) * 1e6) }

// dead reports whether a key's time was over before now.
func (e *entry) dead(now clock.Wall) bool { return e.expires != noExpiry && now.Millis() > e.expires }

// load replaces the keyspace by what is alive of entries.
func (r *Redis) load(now clock.Wall, entries []entry) {
	r.entries = r.entries[:0]
	for _, e := range entries {
		if !e.dead(now) {
			r.entries = append(r.entries, e)
		}
	}
}

// compare reports what becomes of locks where one keyspace takes the place of
// another: some are gone, and some that were gone are there again. One that is
// there again but dead is nobody's from then on.
func compare(m *sim.Machine, before, after []entry) {
	for _, e := range before {
		switch {
		case e.owner == sim.Nobody || holds(after, e):
		case e.dead(m.Wall()):
			m.ExpiredAt(e.death(), e.owner)
		default:
			m.Changed(sim.Forgotten, sim.Nobody, e.owner)
		}
	}
	for i := range after {
		e := &after[i]
		switch {
		case e.owner == sim.Nobody || holds(before, *e):
		case e.dead(m.Wall()):
			e.owner = sim.Nobody
		default:
			m.Changed(sim.Took, sim.Nobody, e.owner)
		}
	}
}

func holds(entries []entry, e entry) bool {
	for _, other := range entries {
		if other.key == e.key && other.owner == e.owner {
			return true
		}
	}
	return false
}

// PersistentRedis is a Redis by itself, which has after a crash what its
// persistence kept.
type PersistentRedis struct {
	Redis
	Persistence Persistence
	disk        disk
}

// Serve implements [sim.Server].
func (r *PersistentRedis) Serve(m *sim.Machine, c sim.Call) {
	r.disk.catchUp(m, r.Persistence, &r.Redis)
	r.Redis.Serve(m, c)
	r.disk.count(m, r.Persistence, &r.Redis)
}

// Crash implements [sim.Server].
func (r *PersistentRedis) Crash(m *sim.Machine, keep bool) {
	r.Settle(m)
	before := append([]entry(nil), r.entries...)
	r.load(m.Wall(), r.disk.crash(m, r.Persistence, &r.Redis, keep))
	compare(m, before, r.entries)
}

// Start implements [sim.Starter].
func (r *PersistentRedis) Start(m *sim.Machine) { r.disk.start(m) }

// Settle implements [sim.Server].
func (r *PersistentRedis) Settle(m *sim.Machine) {
	r.disk.catchUp(m, r.Persistence, &r.Redis)
	r.Redis.Settle(m)
	r.disk.count(m, r.Persistence, &r.Redis)
	r.disk.settle(m, r.Persistence, &r.Redis)
}

// Reset implements [sim.Server].
func (r *PersistentRedis) Reset() {
	r.Redis.Reset()
	r.disk.reset()
}
