package nodes

import (
	"time"

	"simrun/clock"
	"simrun/sim"
)

// Replication is how a set of Redis servers is configured, one of them the
// master and the others its replicas. (redis/redis at 4f8cdc2: src/replication.c;
// redis.io/docs/latest/operate/oss_and_stack/management/replication.)
type Replication struct {
	// Second is how long a second of the real servers is: the constants of
	// theirs that are not parameters here count in it.
	Second time.Duration

	Persistence    Persistence
	MinReplicas    int           // min-replicas-to-write, 0 for none
	MaxLag         time.Duration // min-replicas-max-lag: how old an acknowledgement may be
	RelativeExpiry bool          // as before Redis 7.0, when lag lengthened leases on replicas

	// NodeTimeout, for a node of a Cluster, is after how long without a word
	// from the majority a master takes no more commands; 0 for no Cluster.
	NodeTimeout time.Duration
}

// Servers returns the servers of a set, the first of which is the master. Their
// places in the world begin at first.
func (r Replication) Servers(first sim.ServerID, names ...string) []*ReplicatedRedis {
	set := new(replicaSet)
	for i, name := range names {
		set.members = append(set.members, Member{first + sim.ServerID(i), name})
	}
	for _, m := range set.members {
		set.servers = append(set.servers, &ReplicatedRedis{Replication: r, set: set, self: m})
	}
	set.truth = set.servers[0]
	return set.servers
}

// A Member is a server of a set, by its place in the world and by name.
type Member struct {
	ID   sim.ServerID
	Name string
}

// A replicaSet is what the servers of a set know of each other.
type replicaSet struct {
	members []Member
	servers []*ReplicatedRedis

	// The truth on a lock is what the server says that was made master last,
	// even while an older master still takes writes: only its changes are
	// reported. No server acts on it.
	truth *ReplicatedRedis
}

// trust moves the truth from one server to another.
func (s *replicaSet) trust(m *sim.Machine, from *ReplicatedRedis, to Member) {
	if s.truth != from || from.self == to {
		return
	}
	for i, member := range s.members {
		if member == to {
			compare(m, from.redis.entries, s.servers[i].redis.entries)
			s.truth = s.servers[i]
		}
	}
}

// ReplicatedRedis is a Redis of a set. Replication is asynchronous: the master
// answers a write and sends what it did on its way to the replicas, which
// acknowledge every second how far they have come. A replica that misses
// something gets the master's whole data set in place of its own.
//
// A replica refuses writes and never expires a key by itself: it follows the
// master, and hides from its readers what its own clock says is dead. A crash
// leaves it its role, which is in redis.conf. A master that comes back from one
// has a new history, so that its replicas take over what it still has, be it
// nothing.
type ReplicatedRedis struct {
	Replication
	set  *replicaSet
	self Member

	redis   Redis
	disk    disk
	crashed bool // since the last start: redis is what it had before

	master    Member  // itself, if it is the master
	history   history // whose data it has
	histories int32   // that it has begun itself
	offset    int64   // how far it has come in its history, counted in writes

	heard    clock.Monotonic // when the replica last heard from its master
	watched  clock.Monotonic // when the server last heard from those that watch it
	behind   bool            // the replica needs the master's data set
	asking   bool            // and has asked for it
	acks     []ack
	written  []position
	waiting  []waiting
	lastWait int64

	pongs            repeated[pong]
	pings            repeated[progress]
	acknowledgements repeated[acknowledgement]
}

// A history is a replication ID: a sequence of writes that one master began.
type history struct {
	by     sim.ServerID
	number int32
}

// An ack is how far a replica was when it last said so.
type ack struct {
	replica sim.ServerID
	offset  int64
	at      clock.Wall
}

const (
	readOnly   Error = "READONLY You can't write against a read only replica."
	noReplicas Error = "NOREPLICAS Not enough good replicas to write."
)

func (n *ReplicatedRedis) leads() bool { return n.master == n.self }

// Reset implements [sim.Server].
func (n *ReplicatedRedis) Reset() {
	n.redis.Reset()
	n.disk.reset()
	first := n.set.members[0]
	*n = ReplicatedRedis{
		Replication: n.Replication, set: n.set, self: n.self, redis: n.redis, disk: n.disk,
		master: first, history: history{first.ID, 1}, histories: 1,
		acks: n.acks[:0], written: n.written[:0], waiting: n.waiting[:0],
		pongs: n.pongs, pings: n.pings, acknowledgements: n.acknowledgements,
	}
	if n.leads() {
		n.set.truth = n
	}
}

// Serve implements [sim.Server].
func (n *ReplicatedRedis) Serve(m *sim.Machine, c sim.Call) {
	switch r := c.Request.(type) {
	case Wait:
		n.wait(m, c, r)
	case Command:
		switch {
		case n.cutOff(m):
			m.Answer(c, Error("CLUSTERDOWN The cluster is down"))
		case !n.leads():
			m.Answer(c, n.readFromReplica(m, c.By, r))
		case n.goodReplicas(m) < n.MinReplicas:
			m.Answer(c, n.execute(m, c, r, noReplicas))
		default:
			m.Answer(c, n.execute(m, c, r, ""))
		}
	}
}

// cutOff reports whether the server is a node of a Cluster that has lost the
// majority for longer than the node timeout.
func (n *ReplicatedRedis) cutOff(m *sim.Machine) bool {
	return n.NodeTimeout > 0 && m.Monotonic().Sub(n.watched) > n.NodeTimeout
}

// writes reports whether the server counts a command among those that write. A
// script is not one of them: where writes are refused, it is stopped when it comes to
// one.
func (c Command) writes() bool {
	return c.Verb != GET && c.Verb != TTL && c.Verb != PTTL && c.Verb != EVAL
}

// readFromReplica answers from a copy, so that what the replica hides stays there.
func (n *ReplicatedRedis) readFromReplica(m *sim.Machine, by sim.Holder, c Command) sim.Reply {
	if c.writes() {
		return readOnly
	}
	var visible Redis
	visible.load(m.Wall(), n.redis.entries)
	return visible.apply(frame{now: m.Wall().Millis(), by: by, refusal: readOnly}, c)
}

// execute has a master execute a command, the writes of which may be refused.
func (n *ReplicatedRedis) execute(m *sim.Machine, c sim.Call, command Command, refusal Error) sim.Reply {
	if command.writes() && refusal != "" {
		return refusal
	}
	n.disk.catchUp(m, n.Persistence, &n.redis)
	before := n.redis.stored(command.Key)
	reply, changes := n.redis.serve(frame{now: m.Wall().Millis(), by: c.By, refusal: refusal}, command)
	if n.set.truth == n {
		n.redis.report(m, c.By, changes)
	}
	n.disk.count(m, n.Persistence, &n.redis)
	if after := n.redis.stored(command.Key); after != before {
		n.wrote(m, command.Key, before, after)
		n.remember(c.Conn)
	}
	return reply
}

// wrote tells the replicas what has become of a key.
func (n *ReplicatedRedis) wrote(m *sim.Machine, key string, before, after entry) {
	n.offset++
	n.tell(m, n.effect(m, key, before, after))
}

// effect is what a command came to, with the key's expiry as a moment and not
// as a time from now.
func (n *ReplicatedRedis) effect(m *sim.Machine, key string, before, after entry) effect {
	e := effect{history: n.history, offset: n.offset, key: key, entry: after, prolongs: after.value == before.value}
	if n.RelativeExpiry && after.expires != noExpiry {
		e.left, e.relative = after.expires-m.Wall().Millis(), true
	}
	return e
}

// tell sends something to all others of the set. Who is no replica of this
// server takes no notice.
func (n *ReplicatedRedis) tell(m *sim.Machine, r sim.Request) {
	for _, other := range n.set.members {
		if other != n.self {
			m.Send(other.ID, r)
		}
	}
}

// goodReplicas counts the replicas that have acknowledged lately, as the wall clock
// has it in whole seconds.
func (n *ReplicatedRedis) goodReplicas(m *sim.Machine) int {
	good, second := 0, clock.Wall(n.Second)
	for _, a := range n.acks {
		if (m.Wall()/second-a.at/second)*second <= clock.Wall(n.MaxLag) {
			good++
		}
	}
	return good
}

// everySecond is the tag of the alarm that rings each second; that of a WAIT's
// timeout is its number.
const everySecond = 0

// Start implements [sim.Starter].
func (n *ReplicatedRedis) Start(m *sim.Machine) {
	n.disk.start(m)
	if n.crashed {
		n.crashed = false
		n.comeBack(m)
	}
	n.heard, n.watched = m.Monotonic(), m.Monotonic()
	m.After(n.Second, everySecond)
}

func (n *ReplicatedRedis) comeBack(m *sim.Machine) {
	before := append([]entry(nil), n.redis.entries...)
	n.redis.entries = append(n.redis.entries[:0], n.disk.entries...)
	if n.leads() {
		n.redis.load(m.Wall(), n.disk.entries) // a replica leaves what is dead to its master
	}
	if n.set.truth == n {
		compare(m, before, n.redis.entries)
	}
	n.acks, n.written, n.waiting = n.acks[:0], n.written[:0], n.waiting[:0]
	n.offset, n.behind, n.asking = 0, false, false
	if n.leads() {
		n.beginHistory()
		return
	}
	n.history = history{}
	n.resync(m)
}

func (n *ReplicatedRedis) beginHistory() {
	n.histories++
	n.history = history{n.self.ID, n.histories}
}

// Ring implements [sim.Timed].
func (n *ReplicatedRedis) Ring(m *sim.Machine, tag int64) {
	if tag != everySecond {
		n.answerWaiting(m, func(w waiting) sim.Reply {
			if w.tag != tag {
				return nil
			}
			return Int(n.acknowledged(w.offset))
		})
		return
	}
	m.After(n.Second, everySecond)
	if n.leads() {
		n.tell(m, n.pings.of(progress{n.history, n.offset}))
		return
	}
	n.acknowledge(m)
	n.asking = false
	if n.behind {
		n.resync(m)
	}
}

// Crash implements [sim.Server]. What is lost is reported when the server comes
// back, or when another has become master: until then nobody can take the lock.
func (n *ReplicatedRedis) Crash(m *sim.Machine, keep bool) {
	if n.crashed {
		if !keep {
			n.disk.entries = n.disk.entries[:0]
		}
		return
	}
	n.crashed = true
	n.disk.crash(m, n.Persistence, &n.redis, keep)
}

// Settle implements [sim.Server]: a master tells its replicas what has expired.
func (n *ReplicatedRedis) Settle(m *sim.Machine) {
	if !n.crashed {
		n.disk.catchUp(m, n.Persistence, &n.redis)
	}
	if n.set.truth == n {
		n.expire(m)
	}
	if !n.crashed {
		n.disk.settle(m, n.Persistence, &n.redis)
	}
}

func (n *ReplicatedRedis) expire(m *sim.Machine) {
	before := append([]entry(nil), n.redis.entries...)
	n.redis.Settle(m)
	if n.crashed {
		return
	}
	n.disk.count(m, n.Persistence, &n.redis)
	for _, e := range before {
		if n.redis.stored(e.key) != e {
			n.wrote(m, e.key, e, entry{})
		}
	}
}
