package page

import (
	"strings"

	"simrun/clock"
	"simrun/sim"
)

// A message is an arrow from one lane to another.
type message struct {
	Kind           string // request, reply or peer
	X1, Y1, X2, Y2 int
	Lost           bool // it arrives nowhere
	Late           bool // nobody waits for it any more
	Label          string
	LabelX, LabelY int
	story

	from, to *lane
	sent     clock.Instant
}

// A messenger follows the messages of a run.
type messenger struct {
	d       *drawing
	flying  map[int32]*message // by the number of a message: what is under way
	labelTo map[*lane]int      // where the last label on a lane ends
}

func newMessenger(d *drawing) *messenger {
	return &messenger{d: d, flying: make(map[int32]*message), labelTo: make(map[*lane]int)}
}

// send draws a message that leaves for its peer.
func (m *messenger) send(i int) *story {
	kind := "request"
	if m.d.trace.Events[i].Kind == sim.EventTell {
		kind = "peer"
	}
	return m.leave(i, kind)
}

func (m *messenger) leave(i int, kind string) *story {
	e := &m.d.trace.Events[i]
	from, to := m.d.byName[e.Actor], m.d.byName[e.Peer]
	if from == nil || to == nil || from == to {
		return nil
	}
	msg := &message{Kind: kind, from: from, to: to, sent: e.At, X1: m.d.x(e.At), Y1: from.edge(to), story: story{Event: i}}
	m.flying[e.Msg] = msg
	m.d.Messages = append(m.d.Messages, msg)
	return &msg.story
}

// answer draws a reply that leaves for its client.
func (m *messenger) answer(i int) *story {
	e := &m.d.trace.Events[i]
	s := m.leave(i, "reply")
	if msg := m.flying[e.Msg]; s != nil && msg.from.Server {
		_, reply, _ := strings.Cut(e.Text, " -> ")
		reply, _, _ = strings.Cut(reply, ", ")
		m.label(msg, cut(reply), msg.X1+5, true)
	}
	return s
}

// arrive ends a message.
func (m *messenger) arrive(i int) *story {
	e := &m.d.trace.Events[i]
	msg := m.flying[e.Msg]
	if msg == nil {
		return nil
	}
	delete(m.flying, e.Msg)
	switch e.Kind {
	case sim.EventDrop:
		m.lose(msg, e.At)
		return &msg.story
	case sim.EventLate:
		msg.Late = true
	case sim.EventServe:
		m.label(msg, verb(e.Text), m.d.x(e.At)-5, false)
	}
	msg.X2, msg.Y2 = m.d.x(e.At), msg.to.edge(msg.from)
	return &msg.story
}

// lose ends a message halfway.
func (m *messenger) lose(msg *message, at clock.Instant) {
	msg.Lost = true
	msg.X2 = max(m.d.x(at), msg.X1+latencyWidth/3)
	msg.Y2 = (msg.Y1 + msg.to.edge(msg.from)) / 2
}

// finish ends the messages that are under way when the run ends.
func (m *messenger) finish() {
	for _, msg := range m.d.Messages {
		if msg.X2 == 0 {
			m.lose(msg, msg.sent)
		}
	}
}

// letterWidth is about how wide a letter of a label is.
const letterWidth = 6

// label writes a word beside the place where a message touches its server, if
// there is room.
func (m *messenger) label(msg *message, text string, x int, right bool) {
	l, width := msg.to, letterWidth*len([]rune(text))
	from := x - width
	if right {
		l, from = msg.from, x
	}
	if free, used := m.labelTo[l]; used && from < free || text == "" {
		return
	}
	m.labelTo[l] = from + width
	msg.Label, msg.LabelX, msg.LabelY = text, from, l.Bar-4
}

// verb returns what a request does, without its operands.
func verb(request string) string {
	name, _, _ := strings.Cut(request, "(")
	words := strings.Fields(name)
	if len(words) > 1 && words[0] == "EVAL" {
		return cut(words[1])
	}
	return cut(strings.Join(words[:min(1, len(words))], ""))
}

// cut shortens a label.
func cut(text string) string {
	if letters := []rune(text); len(letters) > 12 {
		return string(letters[:11]) + "…"
	}
	return text
}
