package sim

import (
	"math/bits"
	"time"

	"simrun/clock"
)

// An endpoint is a client or a server, as one end of a link: the clients come
// first, in the order of the schedule, then the probe, then the servers.
type endpoint int32

const (
	none  endpoint = -1
	every endpoint = -2
)

// is reports whether e stands for f.
func (e endpoint) is(f endpoint) bool { return e == f || e == every }

func (w *World) endpoints() int              { return len(w.processes) + len(w.machines) }
func (w *World) isClient(e endpoint) bool    { return e >= 0 && int(e) < len(w.processes) }
func (w *World) mayBeClient(e endpoint) bool { return e == every || w.isClient(e) }
func (w *World) client(e endpoint) *process  { return &w.processes[e] }
func (w *World) server(e endpoint) *Machine  { return &w.machines[int(e)-len(w.processes)] }

func (w *World) nameOf(e endpoint) string {
	if w.isClient(e) {
		return w.client(e).name
	}
	return w.server(e).spec.Name
}

// A link is one direction between two endpoints, whichever threads and
// connections use it. Requests are counted on it; a reply has the number of
// its request.
type link struct {
	requests int32
	cut      int16         // partitions that stop messages
	armed    bool          // a fault is armed on one of its messages
	last     clock.Instant // when the last message between two servers arrives
}

func (w *World) link(from, to endpoint) *link {
	return &w.links[int(from)*w.endpoints()+int(to)]
}

// isCut reports whether a partition stops what passes from one endpoint to another.
func (w *World) isCut(from, to endpoint) bool { return w.cuts > 0 && w.link(from, to).cut > 0 }

// ends returns the endpoints of the i-th link.
func (w *World) ends(i int) (from, to endpoint) {
	return endpoint(i / w.endpoints()), endpoint(i % w.endpoints())
}

// A message is a request and, later, its reply.
type message struct {
	thread   int32  // that sent it, none if a server did
	origin   int32  // the server that sent it
	server   int32  // to which the request goes
	slot     int32  // of the call's results
	gen      uint32 // of the wait that wants the reply
	conn     int32  // number of the connection
	prompted bool   // between servers: a client's request has led to it
	number   int32  // on its link
	by       Holder
	sent     clock.Instant
	answered clock.Instant
	request  Request
	reply    Reply
}

// newMessage gives a message its number. Those between servers give theirs back,
// unless a record is kept in which they are told by it: in runs that are mostly
// heartbeats, a few slots stay in the processor's cache.
func (w *World) newMessage(m message) int32 {
	last := len(w.heard) - 1
	if last < 0 {
		w.messages = append(w.messages, m)
		return int32(len(w.messages) - 1)
	}
	id := w.heard[last]
	w.heard = w.heard[:last]
	w.messages[id] = m
	return id
}

// transmit sends a request on its way.
func (w *World) transmit(t *Thread, slot int, to ServerID, r Request) {
	client, server := endpoint(t.process.index), w.machines[to].end
	l := w.link(client, server)
	l.requests++
	id := w.newMessage(message{
		thread: t.id, server: int32(to), slot: int32(slot), gen: t.gen, conn: t.conns[to].number,
		number: l.requests, by: t.holder, sent: w.now, request: r,
	})
	w.stamp()
	if w.recording {
		w.log(Event{Actor: t.name, Kind: EventSend, Peer: w.machines[to].spec.Name, Msg: id + 1, Step: t.label(), Text: r.String()})
	}
	m := &w.messages[id]
	w.passes(client, server)
	if w.surveying && t.process.client != probeClient {
		w.shows(t.process)
		w.reachMessage(OnRequest, client, server, m.number)
	}
	late, lost := w.meddle(client, server, m.number, OnRequest)
	if lost || w.isCut(client, server) {
		w.drop(id, t.name, w.machines[to].spec.Name)
		return
	}
	c := &t.conns[to]
	c.used = true
	at := max(w.now.Add(w.latency(client, m, 0)+late), c.lastRequest)
	c.lastRequest = at
	w.inFlight++
	w.queue.push(event{at: at, kind: requestArrives, ref: id})
}

// Send sends a message to another server, which need not arrive. Between two
// servers, messages arrive in the order in which they were sent.
func (m *Machine) Send(to ServerID, r Request) {
	w := m.world
	from, end := m.end, w.machines[to].end
	l := w.link(from, end)
	l.requests++
	id := w.newMessage(message{
		thread: int32(none), origin: m.index, server: int32(to), number: l.requests, prompted: m.prompted, sent: w.now, request: r,
	})
	w.stamp()
	if w.recording {
		w.log(Event{Actor: m.spec.Name, Kind: EventTell, Peer: w.machines[to].spec.Name, Msg: id + 1, Text: r.String()})
	}
	w.passes(from, end)
	if w.surveying && m.prompted {
		w.reachMessage(OnRequest, from, end, l.requests)
	}
	late, lost := w.meddle(from, end, l.requests, OnRequest)
	if lost || w.isCut(from, end) {
		w.drop(id, m.spec.Name, w.machines[to].spec.Name)
		return
	}
	at := max(w.now.Add(w.latency(from, &w.messages[id], 0)+late), l.last)
	l.last = at
	w.queue.push(event{at: at, kind: requestArrives, ref: id})
}

func (w *World) requestArrives(id int32) {
	m := &w.messages[id]
	if m.thread >= 0 {
		w.inFlight-- // servers may talk for ever, so that their messages do not count
	}
	server := &w.machines[m.server]
	w.passes(w.originOf(m), server.end)
	if server.down || w.isCut(w.originOf(m), server.end) {
		w.drop(id, w.senderOf(id), server.spec.Name)
		return
	}
	server.deliver(delivery{kind: requestArrives, ref: id})
}

// originOf returns the endpoint that sent a request.
func (w *World) originOf(m *message) endpoint {
	if m.thread < 0 {
		return w.machines[m.origin].end
	}
	return endpoint(w.threads[m.thread].process.index)
}

// senderOf names the thread or the server that sent a request.
func (w *World) senderOf(id int32) string {
	m := &w.messages[id]
	if m.thread < 0 {
		return w.machines[m.origin].spec.Name
	}
	return w.threads[m.thread].name
}

// reply sends the reply to a request on its way.
func (w *World) reply(id int32, r Reply) {
	m := &w.messages[id]
	if m.reply != nil {
		panic("sim: two replies to one request")
	}
	m.reply, m.answered = r, w.now
	t := w.threads[m.thread]
	client, server := endpoint(t.process.index), w.machines[m.server].end
	w.passes(server, client)
	// A reply that nobody waits for any more does the same lost or late.
	if w.surveying && t.process.client != probeClient && m.gen == t.gen {
		w.reachReply(server, client, m.number, t)
	}
	late, lost := w.meddle(server, client, m.number, OnReply)
	if lost || w.isCut(server, client) {
		w.drop(id, w.machines[m.server].spec.Name, t.name)
		return
	}
	at := w.now.Add(w.latency(client, m, 1) + late)
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
	w.passes(w.machines[m.server].end, endpoint(t.process.index))
	if w.isCut(w.machines[m.server].end, endpoint(t.process.index)) {
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
func (w *World) latency(from endpoint, m *message, direction uint64) time.Duration {
	if w.noise.Max <= w.noise.Min {
		return w.noise.Min
	}
	return w.noisy(from, m, direction)
}

func (w *World) noisy(from endpoint, m *message, direction uint64) time.Duration {
	// Clients are labelled by their numbers, which stay when others are left out.
	origin := uint64(m.origin) | 1<<21
	if w.isClient(from) {
		origin = uint64(w.client(from).client)
	}
	label := origin<<40 ^ uint64(m.server)<<24 ^ uint64(m.number)<<1 ^ direction
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
