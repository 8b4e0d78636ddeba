package traces

import (
	"slices"
	"strings"

	"simrun/sim"
)

// A call is a request to one server or to several at once, and what came back.
type call struct {
	request string
	parts   []part
	open    int // parts of which nothing has become yet
}

// A part of a call is its request to one server.
type part struct {
	server   string
	msg      int32
	reply    string // or why there is none
	answered bool
}

// Calls are the calls of some events.
type calls struct {
	of     map[int32]*call // by the number of a message
	begun  map[int]*call   // by the event of the first request
	ended  map[int]*call   // by the event that decided the last part
	answer map[int32]int   // by the number of a message: the event of the server's answer
}

func findCalls(events []sim.Event) *calls {
	cs := &calls{make(map[int32]*call), make(map[int]*call), make(map[int]*call), make(map[int32]int)}
	present := make(map[string]*call) // by thread
	for i := range events {
		e := &events[i]
		c := present[e.Actor]
		switch e.Kind {
		case sim.EventStart:
			delete(present, e.Actor) // a namesake's, which ended with it
		case sim.EventSend:
			if c == nil {
				c = &call{request: e.Text}
				present[e.Actor], cs.begun[i] = c, c
			}
			c.parts = append(c.parts, part{server: e.Peer, msg: e.Msg})
			c.open++
			cs.of[e.Msg] = c
		case sim.EventAnswer:
			cs.answer[e.Msg] = i
		case sim.EventReceive, sim.EventTimeout:
			if c != nil && c.settle(e) && c.open == 0 {
				cs.ended[i] = c
				delete(present, e.Actor)
			}
		}
	}
	return cs
}

// settle notes what became of a part. A timeout names no message: it is of the
// part to its server that is open.
func (c *call) settle(e *sim.Event) bool {
	at := slices.IndexFunc(c.parts, func(p part) bool {
		return p.reply == "" && p.server == e.Peer && (p.msg == e.Msg || e.Kind == sim.EventTimeout)
	})
	if at < 0 {
		return false
	}
	p := &c.parts[at]
	if p.answered = e.Kind == sim.EventReceive; p.answered {
		p.reply = strings.TrimPrefix(e.Text, c.request+" -> ")
	} else {
		p.reply = silence(e.Text)
	}
	c.open--
	return true
}

// silence says why a call has no reply.
func silence(why string) string {
	switch sim.End(strings.TrimPrefix(why, "stopped waiting: ")) {
	case sim.Deadline:
		return "no reply before its own deadline"
	case sim.Told:
		return "no reply before it was told to stop"
	}
	return "no reply in time"
}

// answered reports whether the reply to a message is told with its call.
func (cs *calls) answered(msg int32) bool {
	c := cs.of[msg]
	if c == nil || c.open > 0 {
		return false
	}
	return slices.ContainsFunc(c.parts, func(p part) bool { return p.msg == msg && p.answered })
}

// complete reports whether every part of the call was answered.
func (c *call) complete() bool {
	return c.open == 0 && !slices.ContainsFunc(c.parts, func(p part) bool { return !p.answered })
}

// servers returns the names of the servers called.
func (c *call) servers() string {
	names := make([]string, len(c.parts))
	for i, p := range c.parts {
		names[i] = p.server
	}
	return strings.Join(names, " ")
}

// outcome tells what came back, and from whom where several were called.
func (c *call) outcome() string {
	var said []string
	for i, p := range c.parts {
		if slices.ContainsFunc(c.parts[:i], p.agrees) {
			continue
		}
		text := p.reply
		if len(c.parts) > 1 {
			text += " from"
			for _, q := range c.parts {
				if q.agrees(p) {
					text += " " + q.server
				}
			}
		}
		if !p.answered {
			text += " (outcome unknown)"
		}
		said = append(said, text)
	}
	return strings.Join(said, ", ")
}

func (p part) agrees(q part) bool { return p.reply == q.reply && p.answered == q.answered }
