package nodes

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"simrun/sim"
)

// ZooKeeper is a ZooKeeper ensemble: sessions and ephemeral sequential nodes
// (apache/zookeeper at 53a78e3). One server speaks for all members, since that
// their broadcast agrees is taken for granted: what is answered is never lost,
// and reads are not stale, as those of a real follower can be. Every change has
// a zxid, the leader's epoch in the upper half and a count in the lower; the
// first epoch is 0 here.
//
// A session is what a client's session id says, not its connection: it lives on
// through reconnects until the ensemble has not heard from it for its timeout,
// rounded up to the next tick, by the leader's monotonic clock. What comes from
// a session that has expired is answered as by a server that has closed the
// connection, and only who reconnects is told why. Without a leader nobody is
// answered, and the new leader gives every session its full timeout again.
//
// Parents of nodes need not be created. Use [NewZooKeeper] to make one.
type ZooKeeper struct {
	ensemble
	zxid int64
	made []sequence
}

// A sequence counts the nodes created under a parent.
type sequence struct {
	parent string
	next   int
}

// NewZooKeeper returns an ensemble whose timings suit sessions with the given
// timeout as those of a real one suit a session of 30 s: its tick is 3 s long.
func NewZooKeeper(timeout time.Duration) *ZooKeeper {
	tick := max(timeout/10, 1)
	return &ZooKeeper{ensemble: ensemble{step: tick, election: tick}}
}

// The bounds of a session's timeout, in ticks. One beyond them is moved to the
// bound.
const (
	minSessionTicks = 2
	maxSessionTicks = 20
)

// Reset implements [sim.Server].
func (z *ZooKeeper) Reset() {
	z.reset()
	z.zxid, z.made = 0, z.made[:0]
}

// Serve implements [sim.Server].
func (z *ZooKeeper) Serve(m *sim.Machine, c sim.Call) {
	if z.leaderless {
		return
	}
	r, ok := c.Request.(ZooRequest)
	if !ok {
		m.Answer(c, ErrUnimplemented)
		return
	}
	if r.Verb == ZooConnect && r.Session == 0 {
		m.Answer(c, z.open(m, r.Timeout))
		return
	}
	l := z.find(r.Session)
	switch {
	case l == nil && r.Verb == ZooConnect:
		m.Answer(c, ErrSessionExpired)
		return
	case l == nil:
		m.Answer(c, ErrConnectionLoss)
		return
	}
	z.renew(m, l, 0) // whatever a client asks shows that it is alive
	z.prolonged(m, c.By, l.id)
	switch r.Verb {
	case ZooConnect:
		m.Answer(c, ZooConnected{Session: l.id, Timeout: l.ttl})
	case ZooExistsWatch:
		z.watch(m, c, r.Path)
	default:
		m.Answer(c, z.apply(m, c.By, r))
	}
}

func (z *ZooKeeper) open(m *sim.Machine, timeout time.Duration) sim.Reply {
	timeout = min(max(timeout, minSessionTicks*z.step), maxSessionTicks*z.step)
	z.zxid++
	return ZooConnected{Session: z.grant(m, timeout), Timeout: timeout}
}

// apply executes a request of a session that is alive.
func (z *ZooKeeper) apply(m *sim.Machine, by sim.Holder, r ZooRequest) sim.Reply {
	switch r.Verb {
	case ZooPing:
		return Status("alive")
	case ZooCreate:
		return z.create(m, by, r)
	case ZooChildren:
		return z.children(r.Path)
	case ZooExists:
		if i := z.index(r.Path); i >= 0 {
			return ZooStat{Czxid: z.keys[i].created}
		}
		return noNode(r.Path)
	case ZooDelete:
		z.zxid++ // of a failure too
		i := z.index(r.Path)
		if i < 0 {
			return noNode(r.Path)
		}
		z.delete(m, i, sim.Removed, by)
		return Status("deleted")
	default:
		z.end(m, r.Session, sim.Removed, by)
		return Status("closed")
	}
}

// create makes an ephemeral node whose name goes on with the number of nodes
// that were created under its parent before.
func (z *ZooKeeper) create(m *sim.Machine, by sim.Holder, r ZooRequest) sim.Reply {
	z.zxid++
	path := fmt.Sprintf("%s%010d", r.Path, z.next(directory(r.Path)))
	z.add(m, leasedKey{name: path, created: z.zxid, modified: z.zxid, lease: r.Session, owner: by})
	return ZooCreated(path)
}

func (z *ZooKeeper) next(parent string) int {
	i := slices.IndexFunc(z.made, func(s sequence) bool { return s.parent == parent })
	if i < 0 {
		i = len(z.made)
		z.made = append(z.made, sequence{parent: parent})
	}
	z.made[i].next++
	return z.made[i].next - 1
}

// children lists the names of the nodes under a parent.
func (z *ZooKeeper) children(parent string) sim.Reply {
	var names ZooNames
	for _, k := range z.keys {
		if name, ok := strings.CutPrefix(k.name, parent+"/"); ok && !strings.Contains(name, "/") {
			names = append(names, name)
		}
	}
	return names
}

func (z *ZooKeeper) watch(m *sim.Machine, c sim.Call, path string) {
	if z.index(path) < 0 {
		m.Answer(c, noNode(path))
		return
	}
	z.watchers = append(z.watchers, watcher{key: path, call: c})
}

func (z *ZooKeeper) delete(m *sim.Machine, i int, kind sim.ChangeKind, by sim.Holder) {
	z.remove(m, i, kind, by, z.zxid, ZooDeleted(z.keys[i].name))
}

// end ends a session and deletes its nodes, all in one transaction. What it
// watched beyond these it is not told of: its connection is closed.
func (z *ZooKeeper) end(m *sim.Machine, session int64, kind sim.ChangeKind, by sim.Holder) {
	z.drop(session)
	z.zxid++
	for i := z.leased(session); i >= 0; i = z.leased(session) {
		z.delete(m, i, kind, by)
	}
	z.watchers = slices.DeleteFunc(z.watchers, func(w watcher) bool {
		over := w.call.Request.(ZooRequest).Session == session
		if over {
			m.Answer(w.call, ErrConnectionLoss)
		}
		return over
	})
}

// Ring implements [sim.Timed]: an election is over, or a session may be.
func (z *ZooKeeper) Ring(m *sim.Machine, tag int64) {
	switch {
	case z.elected(tag):
		z.zxid = (z.zxid>>32 + 1) << 32
		z.renewAll(m, 0)
	case z.over(m, tag):
		z.end(m, tag, sim.Expired, sim.Nobody)
	}
}

// Elect implements [sim.Elector].
func (z *ZooKeeper) Elect(m *sim.Machine, d time.Duration) { z.elect(m, d) }

// Start implements [sim.Starter].
func (z *ZooKeeper) Start(m *sim.Machine) { z.start(m) }

// Closed implements [sim.SessionServer]: a watch ends with its connection, a
// session does not.
func (z *ZooKeeper) Closed(_ *sim.Machine, c sim.Conn) { z.closed(c) }

// Crash implements [sim.Server]: all members go down together.
func (z *ZooKeeper) Crash(m *sim.Machine, keep bool) {
	z.crash(m, keep)
	if !keep {
		z.zxid, z.made = 0, z.made[:0]
	}
}

// Settle implements [sim.Server]. Sessions end when their alarms ring.
func (z *ZooKeeper) Settle(*sim.Machine) {}
