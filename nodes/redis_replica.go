package nodes

import (
	"fmt"

	"simrun/sim"
)

// What the servers of a set say to each other.
type (
	// An effect is what one write of a master did to a key: the stream that its
	// replicas follow.
	effect struct {
		history  history
		offset   int64
		key      string
		entry    entry // without a key if the key is gone
		prolongs bool  // only the expiry has changed
		relative bool
		left     int64 // milliseconds to the expiry, if relative
	}

	// progress is the PING that a master sends into its stream: how far it is.
	progress struct {
		history history
		offset  int64
	}

	// acknowledgement is a replica's word of how far it has come.
	acknowledgement progress

	// getAck asks replicas for it at once.
	getAck struct{}

	// resync asks the master for its data set.
	resync progress

	// dataSet is all that the master has.
	dataSet struct {
		progress
		entries []entry
	}

	// ReplicaOf makes a server the replica of another, or a master if it is
	// given no host.
	ReplicaOf struct{ Host Member }
)

func (e effect) String() string {
	expiry := ""
	switch {
	case e.entry.key == "":
		return "DEL " + e.key
	case e.relative:
		expiry = fmt.Sprintf(" PX %d", e.left)
	case e.entry.expires != noExpiry:
		expiry = fmt.Sprintf(" PXAT %d", e.entry.expires)
	}
	switch {
	case e.prolongs && e.relative:
		return fmt.Sprintf("PEXPIRE %s %d", e.key, e.left)
	case e.prolongs && expiry != "":
		return fmt.Sprintf("PEXPIREAT %s %d", e.key, e.entry.expires)
	}
	return "SET " + e.key + " " + e.entry.value + expiry
}

func (p progress) String() string        { return fmt.Sprintf("PING at offset %d", p.offset) }
func (a acknowledgement) String() string { return fmt.Sprintf("REPLCONF ACK %d", a.offset) }
func (getAck) String() string            { return "REPLCONF GETACK *" }
func (r resync) String() string          { return fmt.Sprintf("PSYNC after offset %d", r.offset) }
func (d dataSet) String() string {
	return fmt.Sprintf("FULLRESYNC with %d keys at offset %d", len(d.entries), d.offset)
}
func (r ReplicaOf) String() string {
	if r.Host.Name == "" {
		return "REPLICAOF NO ONE"
	}
	return "REPLICAOF " + r.Host.Name
}

// Hear implements [sim.Peer].
func (n *ReplicatedRedis) Hear(m *sim.Machine, from sim.ServerID, r sim.Request) {
	switch r := r.(type) {
	case ReplicaOf:
		n.replicaOf(m, r.Host)
	case ping:
		n.watched = m.Monotonic()
		m.Send(from, n.pongs.of(n.pong(m)))
	default:
		if n.leads() {
			n.hearReplica(m, from, r)
		} else if from == n.master.ID {
			n.hearMaster(m, r)
		}
	}
}

// pong is what the server says of itself to those that watch it.
func (n *ReplicatedRedis) pong(m *sim.Machine) pong {
	p := pong{master: n.master, offset: n.offset}
	if !n.leads() {
		p.linkDown = m.Monotonic().Sub(n.heard).Truncate(n.Second)
	}
	return p
}

func (n *ReplicatedRedis) hearReplica(m *sim.Machine, from sim.ServerID, r sim.Request) {
	switch r := r.(type) {
	case acknowledgement:
		if r.history == n.history {
			n.note(ack{from, r.offset, m.Wall()})
			n.answerWaiting(m, n.enough)
		}
	case resync:
		m.Send(from, dataSet{progress{n.history, n.offset}, append([]entry(nil), n.redis.entries...)})
	}
}

func (n *ReplicatedRedis) note(a ack) {
	for i := range n.acks {
		if n.acks[i].replica == a.replica {
			n.acks[i] = a
			return
		}
	}
	n.acks = append(n.acks, a)
}

func (n *ReplicatedRedis) enough(w waiting) sim.Reply {
	if have := n.acknowledged(w.offset); have >= w.replicas {
		return Int(have)
	}
	return nil
}

func (n *ReplicatedRedis) hearMaster(m *sim.Machine, r sim.Request) {
	n.heard = m.Monotonic()
	switch r := r.(type) {
	case effect:
		n.follow(m, r)
	case progress:
		if r.history != n.history || r.offset > n.offset {
			n.resync(m)
		}
	case dataSet:
		n.copyMaster(m, r)
	case getAck:
		n.acknowledge(m)
	}
}

// follow applies what the master did, whether or not the key is dead here.
func (n *ReplicatedRedis) follow(m *sim.Machine, e effect) {
	if n.behind || e.history != n.history || e.offset != n.offset+1 {
		n.resync(m)
		return
	}
	n.disk.catchUp(m, n.Persistence, &n.redis)
	n.disk.change(m, 1)
	n.offset = e.offset
	if e.relative {
		e.entry.expires = m.Wall().Millis() + e.left
	}
	n.redis.overwrite(e.key, e.entry)
}

// overwrite puts an entry in the place of what is stored under a key; one
// without a key deletes it.
func (r *Redis) overwrite(key string, with entry) {
	for i := range r.entries {
		if e := &r.entries[i]; e.key == key {
			if with.key == "" {
				r.remove(e)
			} else {
				*e = with
			}
			return
		}
	}
	if with.key != "" {
		r.entries = append(r.entries, with)
	}
}

// resync asks for the master's data set, and again each second until it comes.
func (n *ReplicatedRedis) resync(m *sim.Machine) {
	n.behind = true
	if !n.asking {
		n.asking = true
		m.Send(n.master.ID, resync{n.history, n.offset})
	}
}

// copyMaster throws away what the replica has for what its master has.
func (n *ReplicatedRedis) copyMaster(m *sim.Machine, d dataSet) {
	if n.history != d.history {
		m.Note(fmt.Sprintf("takes over the data of %s, %d keys for its own %d", n.master.Name, len(d.entries), len(n.redis.entries)))
	}
	n.disk.catchUp(m, n.Persistence, &n.redis)
	n.disk.change(m, 1)
	n.redis.entries = append(n.redis.entries[:0], d.entries...)
	n.history, n.offset = d.history, d.offset
	n.behind, n.asking = false, false
	n.acknowledge(m)
}

func (n *ReplicatedRedis) acknowledge(m *sim.Machine) {
	if !n.behind {
		m.Send(n.master.ID, n.acknowledgements.of(acknowledgement{n.history, n.offset}))
	}
}

// replicaOf changes the server's role. A new master goes on from what it has, and
// its own clock says what of it is dead; a master that becomes a replica will lose what its new master does not have.
func (n *ReplicatedRedis) replicaOf(m *sim.Machine, host Member) {
	switch {
	case host == Member{} && n.leads(), host == n.master:
		return
	case host == Member{}:
		m.Note("becomes the master")
		n.master = n.self
		n.beginHistory()
		n.behind, n.acks, n.written = false, n.acks[:0], n.written[:0]
		n.set.trust(m, n.set.truth, n.self)
		return
	}
	m.Note("becomes a replica of " + host.Name)
	n.set.trust(m, n, host)
	n.answerWaiting(m, func(waiting) sim.Reply {
		return Error("UNBLOCKED force unblock from blocking operation, instance state changed (master -> replica?)")
	})
	n.master, n.heard, n.asking = host, m.Monotonic(), false
	n.resync(m)
}
