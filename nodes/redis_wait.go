package nodes

import (
	"time"

	"simrun/sim"
)

// A position is the offset of the last write that came over a connection.
type position struct {
	conn   sim.Conn
	offset int64
}

// A waiting client has asked to WAIT.
type waiting struct {
	call     sim.Call
	replicas int
	offset   int64
	tag      int64
}

// Wait asks how many replicas have acknowledged the writes of the connection
// that it comes over, once they are enough or after the timeout; 0 is for ever.
// The timeout is over when the server's wall clock says so, which may be stepped.
// It takes nothing back. (redis/redis at 4f8cdc2: src/blocked.c, src/timeout.c.)
type Wait struct {
	Replicas int
	Timeout  time.Duration
}

func (w Wait) String() string {
	return "WAIT " + Int(w.Replicas).String() + " " + Int(w.Timeout.Milliseconds()).String()
}

func (n *ReplicatedRedis) remember(c sim.Conn) {
	for i := range n.written {
		if n.written[i].conn == c {
			n.written[i].offset = n.offset
			return
		}
	}
	n.written = append(n.written, position{c, n.offset})
}

func (n *ReplicatedRedis) acknowledged(offset int64) int {
	replicas := 0
	for _, a := range n.acks {
		if a.offset >= offset {
			replicas++
		}
	}
	return replicas
}

func (n *ReplicatedRedis) wait(m *sim.Machine, c sim.Call, w Wait) {
	if !n.leads() {
		m.Answer(c, Error("ERR WAIT cannot be used with replica instances. Please also note that since Redis 4.0 if a replica is configured to be writable (which is not the default) writes to replicas are just local and are not propagated."))
		return
	}
	var offset int64
	for _, p := range n.written {
		if p.conn == c.Conn {
			offset = p.offset
		}
	}
	if have := n.acknowledged(offset); have >= w.Replicas {
		m.Answer(c, Int(have))
		return
	}
	n.lastWait++
	n.waiting = append(n.waiting, waiting{c, w.Replicas, offset, n.lastWait})
	if w.Timeout > 0 {
		m.At(after(m.Wall().Millis()+w.Timeout.Milliseconds()), n.lastWait)
	}
	n.tell(m, getAck{})
}

// answerWaiting answers those that wait and for whom done has an answer.
func (n *ReplicatedRedis) answerWaiting(m *sim.Machine, done func(w waiting) sim.Reply) {
	still := n.waiting[:0]
	for _, w := range n.waiting {
		if reply := done(w); reply != nil {
			m.Answer(w.call, reply)
		} else {
			still = append(still, w)
		}
	}
	n.waiting = still
}
