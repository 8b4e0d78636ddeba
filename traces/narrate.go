package traces

import (
	"fmt"
	"slices"
	"strings"

	"simrun/sim"
)

// A narrator goes through events and collects lines.
type narrator struct {
	events  []sim.Event
	history *sim.History
	calls   *calls
	threads map[string]*thread
	told    map[int32]bool // messages between servers
	lines   []line
	now     int // the event that is being told
}

// A thread is what the narrator knows of one thread of a client.
type thread struct {
	turn   int
	trying string // the value of its present attempt to get the lock, if any
}

// narrate turns events into lines. It also returns those that it leaves out,
// since they only repeat others.
func narrate(h *sim.History, events []sim.Event) (told, repeated []line) {
	n := &narrator{events: events, history: h, calls: findCalls(events), threads: make(map[string]*thread), told: make(map[int32]bool)}
	lost := losses(h, events)
	for i := range events {
		n.now = i
		n.tell(i)
		n.lines = append(n.lines, lost[i]...)
	}
	return shorten(n.lines)
}

func (n *narrator) tell(i int) {
	e := &n.events[i]
	switch e.Kind {
	case sim.EventSend:
		n.send(i)
	case sim.EventReceive, sim.EventTimeout:
		n.settle(i)
	case sim.EventServe:
		n.serve(i)
	case sim.EventAnswer:
		n.answer(i)
	case sim.EventLate:
		n.join(line{at: e.At, who: actor(e.Actor), what: "late reply from ", whom: e.Peer, rest: ", no longer waited for: " + e.Text, message: true})
	case sim.EventTell:
		n.told[e.Msg] = true
	case sim.EventDrop:
		n.drop(i)
	case sim.EventChange:
		n.change(i)
	case sim.EventAcquire:
		t := n.thread(e.Actor)
		t.turn++
		t.trying = e.Text
	case sim.EventGrant:
		n.conclude(i, "holds the lock as "+e.Text)
		n.believe(i)
	case sim.EventDeny:
		n.conclude(i, "does not get the lock")
	case sim.EventEnd:
		n.end(i)
	case sim.EventEffect:
		n.say(i, "does its outside effect %s", e.Text)
	case sim.EventFault:
		n.say(i, "%s", e.Text)
	case sim.EventNote:
		n.say(i, "%s", e.Text)
	case sim.EventHeal:
		n.heal(i)
	case sim.EventCalm:
		n.say(i, "no further fault strikes; a last client, the probe, tries to get the lock")
	case sim.EventWait:
		if strings.HasPrefix(e.Step, sim.Work.String()+" ") {
			n.say(i, "works for %s", e.Text)
		}
	case sim.EventClose:
		if e.Text != "" {
			n.say(i, "the run is broken off: %s", e.Text)
		}
	}
}

// say adds a line of the event's actor. Lines of one attempt to get the lock
// are of one turn of the thread, every other line is a turn of its own.
func (n *narrator) say(i int, format string, args ...any) *line {
	e := &n.events[i]
	t := n.thread(e.Actor)
	if t.trying == "" {
		t.turn++
	}
	n.lines = append(n.lines, line{at: e.At, who: actor(e.Actor), what: fmt.Sprintf(format, args...), turn: t.turn, event: i})
	return &n.lines[len(n.lines)-1]
}

func (n *narrator) thread(name string) *thread {
	t := n.threads[name]
	if t == nil {
		t = new(thread)
		n.threads[name] = t
	}
	return t
}

// actor names a thread as its client's, such as "A watchdog".
func actor(name string) string {
	if name == sim.WorldName {
		return ""
	}
	return strings.Replace(name, "/", " ", 1)
}

// join adds a line, or makes it part of one of the same instant that differs
// from it in a single name.
func (n *narrator) join(l line) {
	for k := len(n.lines) - 1; k >= 0 && n.lines[k].at == l.at; k-- {
		m := &n.lines[k]
		if m.what != l.what || m.rest != l.rest {
			continue
		}
		switch {
		case l.whom == "" && m.whom == "":
			m.who += " " + l.who
			m.event = n.now
			return
		case l.whom != "" && m.whom != "" && m.who == l.who:
			m.whom += " " + l.whom
			m.event = n.now
			return
		}
	}
	l.event = n.now
	n.lines = append(n.lines, l)
}

// send tells of a call that will not be answered in full.
func (n *narrator) send(i int) {
	if c := n.calls.begun[i]; c != nil && !c.complete() {
		n.say(i, "sends %s to %s", c.request, c.servers()).message = true
	}
}

// settle tells of a call once the last server has spoken.
func (n *narrator) settle(i int) {
	if c := n.calls.ended[i]; c != nil {
		n.say(i, "%s -> %s", c.request, c.outcome()).call = c
	}
}

// serve tells of a request whose client does not hear the reply, with the
// answer if that is given at once.
func (n *narrator) serve(i int) {
	e := &n.events[i]
	if n.calls.answered(e.Msg) {
		return
	}
	text := fmt.Sprintf("%s's %s, sent at %.1f ms", actor(e.Peer), e.Text, millis(e.Sent))
	if k, ok := n.calls.answer[e.Msg]; ok && n.events[k].At == e.At {
		text += strings.TrimPrefix(n.events[k].Text, e.Text)
	}
	n.join(line{at: e.At, who: e.Actor, what: text, message: true})
}

// answer tells of an answer that its client does not hear and that came later
// than the request.
func (n *narrator) answer(i int) {
	e := &n.events[i]
	if n.calls.answered(e.Msg) {
		return
	}
	for k := i - 1; k >= 0 && n.events[k].At == e.At; k-- {
		if n.events[k].Kind == sim.EventServe && n.events[k].Msg == e.Msg {
			return
		}
	}
	n.join(line{at: e.At, who: e.Actor, what: "answers " + actor(e.Peer) + "'s " + e.Text, message: true})
}

// drop tells of a lost message, unless the fault that strikes it has just said
// so, or servers lose it that talk among themselves: they say what comes of it.
func (n *narrator) drop(i int) {
	e := &n.events[i]
	if n.told[e.Msg] {
		return
	}
	if i > 0 && n.events[i-1].Kind == sim.EventFault && n.events[i-1].Actor == client(e.Actor)+"->"+client(e.Peer) {
		return
	}
	what := "its request to "
	if _, replied := n.calls.answer[e.Msg]; replied {
		what = "its reply to "
	}
	n.join(line{at: e.At, who: actor(e.Actor), what: what, whom: actor(e.Peer), rest: " is lost: " + e.Text, message: true})
}

// client returns the name of a thread's client.
func client(thread string) string {
	name, _, _ := strings.Cut(thread, "/")
	return name
}

// heal tells of the end of a fault, unless it ends the moment it strikes.
func (n *narrator) heal(i int) {
	e := &n.events[i]
	before := i - 1
	for before >= 0 && n.events[before].Kind == sim.EventChange {
		before-- // what the fault did
	}
	if before >= 0 && n.events[before].Kind == sim.EventFault && n.events[before].Actor == e.Actor && n.events[before].At == e.At {
		return
	}
	n.say(i, "%s", e.Text)
}

// conclude tells how an attempt to get the lock ended, together with the reply
// that decided it.
func (n *narrator) conclude(i int, text string) {
	e := &n.events[i]
	if k := len(n.lines) - 1; k >= 0 && n.lines[k].call != nil && n.lines[k].at == e.At && n.lines[k].who == actor(e.Actor) {
		n.lines[k].rest += ", " + text
		n.lines[k].event = i
	} else {
		n.say(i, "%s", text)
	}
	n.thread(e.Actor).trying = ""
}

// believe says who believes to hold the lock, once several do.
func (n *narrator) believe(i int) {
	var names []string
	for _, g := range n.history.Grants {
		if name := g.Holder.Name(); int(g.From.Index) <= i && i < int(g.Until.Index) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	last := len(names) - 1
	if last < 1 {
		return
	}
	all := "all"
	if last == 1 {
		all = "both"
	}
	text := fmt.Sprintf("=> %s and %s %s believe that they hold the lock", strings.Join(names[:last], ", "), names[last], all)
	n.lines = append(n.lines, line{at: n.events[i].At, what: text, event: i})
}

// change tells of a lock that was changed by somebody else than its owner, and
// of a refused write.
func (n *narrator) change(i int) {
	e := &n.events[i]
	kind, rest, _ := strings.Cut(e.Text, " ")
	owner, by, foreign := strings.Cut(rest, " by ")
	if !foreign {
		return
	}
	switch kind := sim.ChangeKind(kind); kind {
	case sim.Removed, sim.Prolonged, sim.Overwritten:
		if owner != by {
			n.join(line{at: e.At, who: e.Actor, what: fmt.Sprintf("the lock of %s is %s by %s", owner, kind, by)})
		}
	case sim.Rejected:
		n.say(i, "refuses the write of %s", by)
	}
}

func (n *narrator) end(i int) {
	switch sim.End(n.events[i].Text) {
	case sim.Told:
		n.say(i, "stops, told that the lock is lost")
	case sim.Deadline:
		n.say(i, "stops, its own deadline has passed")
	}
}
