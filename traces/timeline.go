package traces

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"simrun/clock"
	"simrun/sim"
)

// A line is one line of a timeline.
type line struct {
	at   clock.Instant
	text string
}

// Timeline narrates a trace as lines of text, in the order of true time:
//
//	[  47.0 ms] A: SET lock A#1 NX PX 300 -> OK
//	[ 298.0 ms] A: pause of 900ms begins
//
// A call is told when its reply arrives, as its client would log it. A message
// whose reply never arrives in time is told at both ends. Steps that only the
// client itself sees, such as readings of its clock, are left out.
func Timeline(w io.Writer, t *Trace) error {
	return print(w, narrate(t, len(t.Events)-1))
}

func print(w io.Writer, lines []line) error {
	for _, l := range lines {
		if _, err := fmt.Fprintf(w, "[%7.1f ms] %s\n", float64(l.at)/float64(time.Millisecond), l.text); err != nil {
			return err
		}
	}
	return nil
}

// Story narrates a trace up to the moment that broke the violated check, and
// says how.
func Story(w io.Writer, t *Trace) error {
	j := t.Violated()
	if j == nil {
		return Timeline(w, t)
	}
	end := int(slices.Max(j.Events))
	for end+1 < len(t.Events) && t.Events[end+1].At == t.Events[end].At && t.Events[end+1].Actor == t.Events[end].Actor {
		end++ // what follows at once, such as the answer to the write
	}
	if err := print(w, narrate(t, end)); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "%13s %s is broken: %s\n", "", j.Check, j.Why)
	return err
}

// narrate turns the events up to the given one into lines.
func narrate(t *Trace, last int) []line {
	n := &narrator{events: t.Events, fates: fates(t.Events)}
	for i := range t.Events[:last+1] {
		n.tell(i)
	}
	n.lines = append(n.lines, losses(t, t.Events[last].At)...)
	slices.SortStableFunc(n.lines, func(a, b line) int { return int(max(-1, min(1, a.at-b.at))) })
	return n.lines
}

// A fate is what became of a request: whether its sender got the reply.
type fate struct{ answered bool }

func fates(events []sim.Event) map[int32]fate {
	f := make(map[int32]fate)
	for _, e := range events {
		if e.Kind == sim.EventReceive {
			f[e.Msg] = fate{answered: true}
		}
	}
	return f
}

// A narrator goes through events and collects lines. Calls of one broadcast
// are told as one.
type narrator struct {
	events []sim.Event
	fates  map[int32]fate
	calls  map[string]*call // by thread: its calls in flight
	lines  []line
}

// A call is a request to one server or to several at once.
type call struct {
	request string
	open    int
	replies []reply
}

// A reply is what servers said, or that they did not.
type reply struct {
	text    string
	servers []string
}

func (n *narrator) say(i int, format string, args ...any) {
	e := &n.events[i]
	text := fmt.Sprintf(format, args...)
	if e.Actor != sim.WorldName {
		text = actor(e.Actor) + ": " + text
	}
	n.lines = append(n.lines, line{at: e.At, text: text})
}

// actor names a thread as its client's, such as "A watchdog".
func actor(name string) string { return strings.Replace(name, "/", " ", 1) }

func (n *narrator) tell(i int) {
	e := &n.events[i]
	switch e.Kind {
	case sim.EventSend:
		n.send(i)
	case sim.EventReceive:
		_, text, _ := strings.Cut(e.Text, " -> ")
		n.settle(i, text)
	case sim.EventTimeout:
		n.settle(i, "no reply")
	case sim.EventServe:
		if !n.fates[e.Msg].answered {
			n.say(i, "gets %s from %s, sent at %s", e.Text, actor(e.Peer), moment(e.Sent))
		}
	case sim.EventAnswer:
		if !n.fates[e.Msg].answered {
			n.say(i, "%s", e.Text)
		}
	case sim.EventLate:
		n.say(i, "no longer waits for this reply of %s: %s", e.Peer, e.Text)
	case sim.EventDrop:
		n.say(i, "the message to %s is lost: %s", actor(e.Peer), e.Text)
	case sim.EventChange:
		n.change(i)
	case sim.EventGrant:
		n.say(i, "holds the lock as %s", e.Text)
	case sim.EventDeny:
		n.say(i, "does not get the lock")
	case sim.EventEnd:
		n.end(i)
	case sim.EventEffect:
		n.say(i, "does the outside effect %s", e.Text)
	case sim.EventFault, sim.EventHeal, sim.EventCalm:
		n.say(i, "%s", e.Text)
	case sim.EventWait:
		if strings.HasPrefix(e.Step, sim.Work.String()) {
			n.say(i, "works for %s", e.Text)
		}
	case sim.EventClose:
		if e.Text != "" {
			n.say(i, "broken off: %s", e.Text)
		}
	}
}

func (n *narrator) send(i int) {
	e := &n.events[i]
	if !n.fates[e.Msg].answered {
		n.say(i, "sends %s to %s", e.Text, e.Peer)
	}
	if n.calls == nil {
		n.calls = make(map[string]*call)
	}
	c := n.calls[e.Actor]
	if c == nil || c.request != e.Text {
		c = &call{request: e.Text}
		n.calls[e.Actor] = c
	}
	c.open++
}

// settle notes what one server of a call said, and tells the call once the
// last has spoken.
func (n *narrator) settle(i int, text string) {
	e := &n.events[i]
	c := n.calls[e.Actor]
	if c == nil {
		return
	}
	c.open--
	at := slices.IndexFunc(c.replies, func(r reply) bool { return r.text == text })
	if at < 0 {
		at = len(c.replies)
		c.replies = append(c.replies, reply{text: text})
	}
	c.replies[at].servers = append(c.replies[at].servers, e.Peer)
	if c.open > 0 {
		return
	}
	delete(n.calls, e.Actor)
	if len(c.replies) == 1 && len(c.replies[0].servers) == 1 {
		n.say(i, "%s -> %s", c.request, text)
		return
	}
	var said []string
	for _, r := range c.replies {
		slices.Sort(r.servers)
		said = append(said, r.text+" from "+strings.Join(r.servers, " "))
	}
	n.say(i, "%s -> %s", c.request, strings.Join(said, ", "))
}

// change tells of a lock that was changed by somebody else than its owner.
func (n *narrator) change(i int) {
	e := &n.events[i]
	kind, rest, _ := strings.Cut(e.Text, " ")
	owner, by, foreign := strings.Cut(rest, " by ")
	if !foreign || owner == by {
		return
	}
	switch sim.ChangeKind(kind) {
	case sim.Removed, sim.Prolonged, sim.Overwritten:
		n.say(i, "the lock of %s is %s by %s", owner, kind, by)
	}
}

func (n *narrator) end(i int) {
	switch sim.End(n.events[i].Text) {
	case sim.Told:
		n.say(i, "is told that the lock is lost, and stops")
	case sim.Deadline:
		n.say(i, "stops: its own deadline has passed")
	}
}

func moment(at clock.Instant) string {
	return fmt.Sprintf("%.1f ms", float64(at)/float64(time.Millisecond))
}
