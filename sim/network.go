package sim

import (
	"math/bits"
	"time"

	"simrun/clock"
)

// A link is what lies between a client and a server, whichever thread and
// connection uses it. Requests are counted on it; a reply has the number of
// its request.
type link struct {
	requests    int32
	cutRequests int16 // partitions that stop requests
	cutReplies  int16 // partitions that stop replies
	armed       bool  // a fault is armed on one of its messages
}

// A connection carries one thread's messages to one server and back, each way
// first in, first out.
type connection struct {
	number      int32 // how many the thread has given up before it
	lastRequest clock.Instant
	lastReply   clock.Instant
}

// A message is a request and, later, its reply.
type message struct {
	thread   int32
	server   int32
	slot     int32  // of the call's results
	gen      uint32 // of the wait that wants the reply
	conn     int32  // number of the connection
	number   int32  // on its link
	by       Holder
	sent     clock.Instant
	answered clock.Instant
	request  Request
	reply    Reply
}

func (w *World) link(p *process, server int32) *link {
	return &w.links[int(p.index)*len(w.machines)+int(server)]
}

// transmit sends a request on its way.
func (w *World) transmit(t *Thread, slot int, to ServerID, r Request) {
	l := w.link(t.process, int32(to))
	l.requests++
	id := int32(len(w.messages))
	w.messages = append(w.messages, message{
		thread: t.id, server: int32(to), slot: int32(slot), gen: t.gen, conn: t.conns[to].number,
		number: l.requests, by: t.holder, sent: w.now, request: r,
	})
	w.stamp()
	if w.recording {
		w.log(Event{Actor: t.name, Kind: EventSend, Peer: w.machines[to].spec.Name, Msg: id + 1, Step: t.label(), Text: r.String()})
	}
	m := &w.messages[id]
	late, lost := w.meddle(l, m, OnRequest)
	if lost || l.cutRequests > 0 {
		w.drop(id, t.name, w.machines[to].spec.Name)
		return
	}
	c := &t.conns[to]
	at := max(w.now.Add(w.latency(t.process, m, 0)+late), c.lastRequest)
	c.lastRequest = at
	w.inFlight++
	w.queue.push(event{at: at, kind: requestArrives, ref: id})
}

func (w *World) requestArrives(id int32) {
	w.inFlight--
	m := &w.messages[id]
	t := w.threads[m.thread]
	server := &w.machines[m.server]
	if w.link(t.process, m.server).cutRequests > 0 || server.down {
		w.drop(id, t.name, server.spec.Name)
		return
	}
	server.arrive(id)
}

// reply sends the reply to a request on its way.
func (w *World) reply(id int32, r Reply) {
	m := &w.messages[id]
	if m.reply != nil {
		panic("sim: two replies to one request")
	}
	m.reply, m.answered = r, w.now
	t := w.threads[m.thread]
	l := w.link(t.process, m.server)
	late, lost := w.meddle(l, m, OnReply)
	if lost || l.cutReplies > 0 {
		w.drop(id, w.machines[m.server].spec.Name, t.name)
		return
	}
	at := w.now.Add(w.latency(t.process, m, 1) + late)
	if c := &t.conns[m.server]; c.number == m.conn {
		at = max(at, c.lastReply)
		c.lastReply = at
	}
	w.inFlight++
	w.queue.push(event{at: at, kind: replyArrives, ref: id})
}

func (w *World) replyArrives(id int32) {
	w.inFlight--
	m := &w.messages[id]
	t := w.threads[m.thread]
	if w.link(t.process, m.server).cutReplies > 0 {
		w.drop(id, w.machines[m.server].spec.Name, t.name)
		return
	}
	w.signal(wakeup{thread: m.thread, gen: m.gen, cause: replyArrives, ref: id})
}

// drop loses a message: the reply if there is one already, else the request.
func (w *World) drop(id int32, from, to string) {
	w.stamp()
	if w.recording {
		m := &w.messages[id]
		text := m.request.String()
		if m.reply != nil {
			text += " -> " + m.reply.String()
		}
		w.log(Event{Actor: from, Kind: EventDrop, Peer: to, Msg: id + 1, Text: text})
	}
}

// latency returns how long a message takes, by a hash of its label: another
// message more or less elsewhere changes nothing about it.
func (w *World) latency(p *process, m *message, direction uint64) time.Duration {
	if w.noise.Max <= w.noise.Min {
		return w.noise.Min
	}
	label := uint64(p.client)<<40 ^ uint64(m.server)<<24 ^ uint64(m.number)<<1 ^ direction
	return spread(mix(w.noise.Seed, label), w.noise.Min, w.noise.Max)
}

// mix hashes a label under a seed; it is the finaliser of splitmix64
// (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014).
func mix(seed, label uint64) uint64 {
	z := seed + label*0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// spread maps a hash to a duration from low to high.
func spread(hash uint64, low, high time.Duration) time.Duration {
	part, _ := bits.Mul64(hash, uint64(high-low)+1)
	return low + time.Duration(part)
}
