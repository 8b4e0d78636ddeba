package sim

import "time"

// A ServerID names a server by its place in the [Setup].
type ServerID int32

// A Request is what a client asks of a server. Its text is what a person who
// looks on would write down.
type Request interface{ String() string }

// A Reply is what a server answers, an error included.
type Reply interface{ String() string }

// A Reception is what became of a call. A nil Reply means that none came
// before the timeout or before the thread was stopped, so that the outcome is
// unknown: the request was not applied, was applied, or will yet be applied.
type Reception struct {
	Reply Reply
	Sent  bool // the request was sent; false where the thread was stopped first
}

// Call sends a request and waits for the reply, at most for timeout of the
// client's own time.
func (t *Thread) Call(to ServerID, r Request, timeout time.Duration) Reception {
	t.prepare(1)
	t.send(to, r)
	t.collect(timeout)
	return t.results[0]
}

// Broadcast sends a request to several servers at once and waits until all
// have replied, at most for timeout of the client's own time. The result is
// valid until the thread's next call.
func (t *Thread) Broadcast(to []ServerID, r Request, timeout time.Duration) []Reception {
	t.prepare(len(to))
	for _, id := range to {
		t.send(id, r)
	}
	t.collect(timeout)
	return t.results
}

func (t *Thread) prepare(calls int) {
	t.expired, t.missing = false, calls
	t.results, t.sent = t.results[:0], t.sent[:0]
}

func (t *Thread) send(to ServerID, r Request) {
	t.step()
	slot := len(t.results)
	t.results = append(t.results, Reception{Sent: t.stopped == ""})
	t.sent = append(t.sent, to)
	if t.stopped != "" {
		t.missing--
		return
	}
	t.world.transmit(t, slot, to, r)
}

// collect waits for the replies and gives up the connections on which none
// came: a client that has stopped waiting cannot tell a late reply from the
// next one, so it opens a new connection.
func (t *Thread) collect(timeout time.Duration) {
	t.wait(timeout)
	if t.missing == 0 {
		return
	}
	w := t.world
	for i, r := range t.results {
		if r.Reply != nil || !r.Sent {
			continue
		}
		w.hangUp(t, int32(t.sent[i]))
		w.stamp()
		if w.recording {
			why := "no reply in time"
			if t.stopped != "" {
				why = "stopped waiting: " + string(t.stopped)
			}
			w.log(Event{Actor: t.name, Kind: EventTimeout, Peer: w.machines[t.sent[i]].spec.Name, Step: t.label(), Text: why})
		}
	}
}

// receive takes a reply from the network. One that nobody waits for any more
// is dropped.
func (w *World) receive(t *Thread, u wakeup) {
	m := &w.messages[u.ref]
	kind := EventLate
	if t.gen == u.gen {
		kind = EventReceive
		t.results[m.slot].Reply = m.reply
		t.missing--
	}
	w.stamp()
	if w.recording {
		w.log(Event{Actor: t.name, Kind: kind, Peer: w.machines[m.server].spec.Name, Msg: u.ref + 1, Sent: m.answered, Text: m.request.String() + " -> " + m.reply.String()})
	}
}
