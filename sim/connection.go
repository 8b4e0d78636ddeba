package sim

import "simrun/clock"

// A connection carries one thread's messages to one server and back, each way
// first in, first out.
type connection struct {
	number      int32 // how many the thread has given up before it
	used        bool  // something was sent on it
	lastRequest clock.Instant
	lastReply   clock.Instant
}

// A closing is the word that a client's end of a connection is closed, on its
// way to the server.
type closing struct {
	server int32
	conn   Conn
}

// Close closes the thread's connection to a server; its next call opens
// another. Session locks end with it.
func (t *Thread) Close(to ServerID) {
	t.step()
	t.world.hangUp(t, int32(to))
}

// hangUp gives up a connection. The server is told if it cares, after what was
// sent before, unless a partition keeps it from hearing so.
func (w *World) hangUp(t *Thread, server int32) {
	c := &t.conns[server]
	gone := Conn{t.id, c.number}
	told, last := c.used && w.machines[server].roles.sessions != nil, c.lastRequest
	*c = connection{number: c.number + 1}
	client, end := endpoint(t.process.index), w.machines[server].end
	if !told || w.isCut(client, end) {
		return
	}
	w.closings = append(w.closings, closing{server: server, conn: gone})
	w.queue.push(event{at: max(w.now.Add(w.noise.Max), last), kind: connectionCloses, ref: int32(len(w.closings) - 1)})
}

// hangUpAll closes every connection of a client, as its system does when the
// process ends.
func (w *World) hangUpAll(p *process) {
	for _, id := range p.threads {
		t := w.threads[id]
		for server := range t.conns {
			if t.conns[server].used {
				w.hangUp(t, int32(server))
			}
		}
	}
}

func (m *Machine) closed(id int32) {
	c := m.world.closings[id]
	m.roles.sessions.Closed(m, c.conn)
}

// Answers reports whether the client's end of a connection would answer a probe
// of the server's at this moment, as TCP keepalive sends them. One that is
// frozen would not: its whole machine is taken to stand still.
func (m *Machine) Answers(c Conn) bool {
	w := m.world
	t := w.threads[c.thread]
	client, end := endpoint(t.process.index), m.end
	return !t.process.dead && !t.process.frozen && t.conns[m.index].number == c.number &&
		!w.isCut(client, end) && !w.isCut(end, client)
}
