package page

import (
	"fmt"
	"strings"

	"simrun/clock"
	"simrun/sim"
	"simrun/traces"
)

// A drawing is the picture of one run: lanes, and what is drawn on them.
type drawing struct {
	Heading  string // the protocol, where several runs are compared
	Top      int
	Bottom   int
	Lanes    []*lane
	Overlaps []band
	Bars     []*bar
	Messages []*message
	Marks    []*mark
	Calm     *mark // where the faults end, or nil

	trace  *traces.Trace
	axis   *axis
	byName map[string]*lane // by the name of a thread or a server
	clocks map[string][]reading

	said map[string]*story // by actor: what its next undrawn events belong to
}

// A story is what is told of something drawn: the events that it stands for.
type story struct {
	Event int // the first of them
	Lines []string
}

// Title returns the story as text.
func (s *story) Title() string { return strings.Join(s.Lines, "\n") }

// A band is a stretch of time that concerns several lanes.
type band struct {
	X, Width    int
	Top, Bottom int
	Label       string
}

// draw lays out a run below top.
func draw(t *traces.Trace, a *axis, top int, heading string) *drawing {
	d := &drawing{Heading: heading, Top: top, trace: t, axis: a, byName: make(map[string]*lane), said: make(map[string]*story)}
	if heading != "" {
		top += headingHeight
	}
	threads, servers := namesOf(t)
	var machines []string
	for i, name := range append(threads, servers...) {
		l := newLane(name, i >= len(threads), top)
		d.Lanes = append(d.Lanes, l)
		if d.byName[name] == nil {
			d.byName[name] = l
		}
		machines = include(machines, l.Machine)
		top = l.Bottom
	}
	d.Bottom = top
	d.clocks = clocksOf(t, machines)
	d.drawEvents()
	d.drawBeliefs()
	d.drawLocks()
	d.drawValues()
	d.drawOverlaps()
	return d
}

// x returns the place of an instant.
func (d *drawing) x(at clock.Instant) int { return d.axis.x(at) }

// drawEvents draws every event, or adds it to the story of what its actor did
// last.
func (d *drawing) drawEvents() {
	m := newMessenger(d)
	for i := range d.trace.Events {
		e := &d.trace.Events[i]
		var s *story
		switch e.Kind {
		case sim.EventSend, sim.EventTell:
			s = m.send(i)
		case sim.EventServe, sim.EventHear, sim.EventReceive, sim.EventLate, sim.EventDrop:
			s = m.arrive(i)
		case sim.EventAnswer:
			s = m.answer(i)
		case sim.EventWait:
			s = d.drawWork(i)
		case sim.EventFault:
			s = d.drawFault(i)
		case sim.EventCalm:
			d.Calm = &mark{Kind: "calm", X: d.x(e.At), Y: d.Top, story: story{Event: i}}
			s = &d.Calm.story
		default:
			if kind := markOf(e); kind != "" {
				s = d.mark(i, kind)
			}
		}
		d.tell(i, s)
	}
	m.finish()
}

// tell adds an event to a story, or to that of what its actor did last where it
// has none of its own.
func (d *drawing) tell(i int, s *story) {
	e := &d.trace.Events[i]
	if s == nil {
		s = d.said[e.Actor]
	}
	if s == nil {
		s = d.mark(i, "dot")
	}
	s.Lines = append(s.Lines, told(e))
	d.said[e.Actor] = s
}

// colour returns the number of a client's colour.
func colour(h sim.Holder) int {
	switch h.Name() {
	case sim.ProbeName, "nobody":
		return 0
	}
	return int(h.Client-1)%colours + 1
}

// colours is how many colours there are for clients, beside that of the probe.
const colours = 6

// told writes an event on one line.
func told(e *sim.Event) string {
	text := fmt.Sprintf("%s %s %s", millis(e.At), e.Actor, e.Kind)
	if phrase := phrases[e.Kind]; phrase != "" {
		text = fmt.Sprintf("%s %s %s", millis(e.At), e.Actor, phrase)
	}
	if e.Peer != "" {
		text += " " + e.Peer
	}
	if e.Step != "" {
		text += " [" + e.Step + "]"
	}
	if e.Text != "" {
		text += ": " + e.Text
	}
	switch {
	case e.Sent == 0:
	case e.Kind == sim.EventChange:
		text += fmt.Sprintf(" (since %s)", millis(e.Sent))
	default:
		text += fmt.Sprintf(" (sent at %s)", millis(e.Sent))
	}
	return text
}

// phrases say what an actor does, where the kind's name is no sentence.
var phrases = map[sim.EventKind]string{
	sim.EventStart:   "starts",
	sim.EventSend:    "sends to",
	sim.EventServe:   "is asked by",
	sim.EventAnswer:  "answers",
	sim.EventReceive: "hears from",
	sim.EventLate:    "no longer waits for the reply of",
	sim.EventTimeout: "stops waiting for",
	sim.EventDrop:    "is not heard by",
	sim.EventTell:    "tells",
	sim.EventHear:    "is told by",
	sim.EventChange:  "changes",
	sim.EventNote:    "notes",
	sim.EventClock:   "reads its clock",
	sim.EventWait:    "waits",
	sim.EventWake:    "goes on",
	sim.EventCell:    "looks at shared memory",
	sim.EventAcquire: "tries to get the lock",
	sim.EventGrant:   "believes that it holds the lock",
	sim.EventDeny:    "does not get the lock",
	sim.EventEnd:     "stops believing that it holds the lock",
	sim.EventAccess:  "accesses the resource",
	sim.EventEffect:  "does its outside effect",
	sim.EventFault:   "meets a fault",
	sim.EventHeal:    "is over a fault",
	sim.EventFinish:  "is done",
	sim.EventCalm:    "calms down",
	sim.EventClose:   "ends",
}
