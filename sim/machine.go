package sim

import (
	"time"

	"simrun/clock"
)

// A Machine is the computer that a server runs on: its clocks, whether it is
// up, and its end of the network.
type Machine struct {
	world *World
	index int32
	end   endpoint
	spec  ServerSpec
	roles roles
	clock clock.Clock

	frozen  bool
	freezes uint32
	until   clock.Instant // when the present freeze or outage ends
	pending []delivery    // what waits for the end of the freeze

	down    bool
	forget  bool // the next restart loses what is stored
	crashes uint32

	handled int32         // requests that it has begun to handle
	armed   bool          // a fault is armed before one of them
	stepped clock.Instant // when the wall clock was last stepped
	setBack time.Duration
	heeds   heed // what it has looked at of its clocks

	prompted bool // what it does now, a client's request has led to
}

func (m *Machine) reset(end endpoint) {
	m.spec.Server.Reset()
	*m = Machine{world: m.world, index: m.index, end: end, spec: m.spec, roles: m.roles, pending: m.pending[:0]}
}

// Wall reads the machine's wall clock.
func (m *Machine) Wall() clock.Wall {
	m.heeds |= theTime | itsPace
	return m.clock.Wall(m.world.now)
}

// Monotonic reads the machine's monotonic clock.
func (m *Machine) Monotonic() clock.Monotonic {
	m.heeds |= itsPace
	return m.clock.Monotonic(m.world.now)
}

// Answer sends the reply to a call.
func (m *Machine) Answer(c Call, r Reply) {
	w := m.world
	w.stamp()
	if w.recording {
		to := w.threads[w.messages[c.id].thread].name
		w.log(Event{Actor: m.spec.Name, Kind: EventAnswer, Peer: to, Msg: c.id + 1, Text: c.Request.String() + " -> " + r.String()})
	}
	w.reply(c.id, r)
}

// Changed reports that the server changed a lock or the resource.
func (m *Machine) Changed(kind ChangeKind, by, owner Holder) {
	m.changedAt(kind, by, owner, m.world.now)
}

// ExpiredAt reports that owner's lock ran out when the machine's wall clock
// passed when, which may be a while ago: servers notice late. What a step of the
// clock has ended, ended with the step.
func (m *Machine) ExpiredAt(when clock.Wall, owner Holder) {
	m.changedAt(Expired, Nobody, owner, min(m.world.now, m.clock.WhenWall(m.stepped, when)))
}

func (m *Machine) changedAt(kind ChangeKind, by, owner Holder, at clock.Instant) {
	w := m.world
	s := w.stamp()
	if w.recording {
		e := Event{Actor: m.spec.Name, Kind: EventChange, Text: string(kind) + " " + owner.String()}
		if by != Nobody {
			e.Text += " by " + by.String()
		}
		if at != w.now {
			e.Sent = at
		}
		w.log(e)
	}
	s.At = at
	w.history.Changes = append(w.history.Changes, Change{Kind: kind, Server: m.spec.Name, By: by, Owner: owner, At: s})
}

// Did reports that by had the server do something outside that cannot be taken
// back, such as to send a mail; key names what must happen once.
func (m *Machine) Did(by, key Holder) {
	w := m.world
	at := w.stamp()
	if w.recording {
		text := "at the request of " + by.String()
		if key != Nobody {
			text = "for " + key.Value() + " " + text
		}
		w.log(Event{Actor: m.spec.Name, Kind: EventEffect, Text: text})
	}
	w.history.Effects = append(w.history.Effects, Effect{Holder: by, Key: key, At: at})
}

// Note says what the server has just become or decided, for the story alone.
func (m *Machine) Note(text string) {
	m.world.note(func() Event { return Event{Actor: m.spec.Name, Kind: EventNote, Text: text} })
}

// Wrote reports that by's value replaced owner's in the resource.
func (m *Machine) Wrote(by, owner Holder) {
	m.Changed(Wrote, by, owner)
	m.world.history.Final = by
}

func (m *Machine) arrive(id int32) {
	w := m.world
	msg := &w.messages[id]
	if msg.thread < 0 {
		m.hear(id)
		return
	}
	m.handled++
	if w.surveying {
		w.reach(Actor{From: m.spec.Name}, Point{Place: BeforeRequest, N: int(m.handled)}, 0)
	}
	if m.armed {
		w.strikeRequest(m)
		if m.down {
			w.drop(id, w.threads[msg.thread].name, m.spec.Name)
			return
		}
		if m.frozen {
			m.pending = append(m.pending, delivery{kind: requestArrives, ref: id})
			m.handled--
			return
		}
	}
	w.stamp()
	if w.recording {
		w.log(Event{Actor: m.spec.Name, Kind: EventServe, Peer: w.threads[msg.thread].name, Msg: id + 1, Sent: msg.sent, Text: msg.request.String()})
	}
	m.prompted = true
	m.spec.Server.Serve(m, Call{By: msg.by, Conn: Conn{msg.thread, msg.conn}, Request: msg.request, id: id})
	m.prompted = false
}

// hear hands over a message of another server.
func (m *Machine) hear(id int32) {
	w := m.world
	msg := &w.messages[id]
	w.stamp()
	if w.recording {
		w.log(Event{Actor: m.spec.Name, Kind: EventHear, Peer: w.machines[msg.origin].spec.Name, Msg: id + 1, Sent: msg.sent, Text: msg.request.String()})
	}
	if m.roles.peer != nil {
		m.prompted = msg.prompted
		m.roles.peer.Hear(m, ServerID(msg.origin), msg.request)
		m.prompted = false
	}
	if !w.recording {
		w.heard = append(w.heard, id)
	}
}

// A delivery is something that reaches a server from outside of it.
type delivery struct {
	kind eventKind
	ref  int32
}

// deliver hands something to the server, once it runs.
func (m *Machine) deliver(d delivery) {
	switch {
	case m.frozen:
		m.pending = append(m.pending, d)
	case d.kind == requestArrives:
		m.arrive(d.ref)
	case m.down:
	case d.kind == alarmRings:
		m.ring(d.ref)
	case d.kind == connectionCloses:
		m.closed(d.ref)
	}
}

func (m *Machine) settle() { m.spec.Server.Settle(m) }

// stepClock moves the machine's wall clock.
func (m *Machine) stepClock(d time.Duration) {
	m.settle()
	m.clock.Step(d)
	m.stepAlarms(d)
	m.stepped = m.world.now
	m.setBack += max(0, -d)
}

func (m *Machine) setRate(ppm int64) {
	if m.clock.Rate() == ppm {
		return
	}
	m.settle()
	m.clock.SetRate(m.world.now, ppm)
	m.resetAlarms()
}
