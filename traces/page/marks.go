package page

import (
	"fmt"
	"strings"
	"time"

	"simrun/clock"
	"simrun/sim"
)

// A mark is a point on a lane.
type mark struct {
	Kind  string // names the symbol
	X, Y  int
	Label string
	story
}

// markGap is how far apart marks are that would cover each other.
const markGap = 14

// markOf returns the symbol of an event, or nothing if it has none.
func markOf(e *sim.Event) string {
	switch e.Kind {
	case sim.EventStart:
		return "start"
	case sim.EventFinish:
		return "finish"
	case sim.EventEffect:
		return "effect"
	case sim.EventNote:
		return "note"
	case sim.EventTimeout:
		return "timeout"
	case sim.EventHeal:
		return "heal"
	case sim.EventEnd:
		if why := sim.End(e.Text); why == sim.Told || why == sim.Deadline {
			return "stop"
		}
	case sim.EventChange:
		kind, _, _ := strings.Cut(e.Text, " ")
		switch sim.ChangeKind(kind) {
		case sim.Rejected:
			return "refused"
		case sim.Wrote:
			return "wrote"
		}
	}
	return ""
}

// mark draws an event as a point on its actor's lane. What happens to a link is
// drawn on the lane of its first end.
func (d *drawing) mark(i int, kind string) *story {
	e := &d.trace.Events[i]
	m := &mark{Kind: kind, X: d.x(e.At), Y: axisHeight - 6, story: story{Event: i}}
	if lanes := d.lanesOf(e.Actor); len(lanes) > 0 {
		m.Y = lanes[0].Marks
		if kind == "start" || kind == "finish" || kind == "dot" {
			m.Y = lanes[0].Middle()
		}
	}
	for k := len(d.Marks) - 1; k >= 0 && d.Marks[k].X >= m.X-markGap; k-- {
		if o := d.Marks[k]; o.Y == m.Y && o.X > m.X-markGap {
			m.X = o.X + markGap
			break
		}
	}
	d.Marks = append(d.Marks, m)
	return &m.story
}

// lanesOf returns the lanes of an actor: a thread, a server, every thread of a
// client, or those of both ends of a link.
func (d *drawing) lanesOf(actor string) []*lane {
	if l := d.byName[actor]; l != nil && strings.Contains(actor, "/") {
		return []*lane{l}
	}
	var lanes []*lane
	for _, sign := range []string{"<->", "->"} {
		if from, to, link := strings.Cut(actor, sign); link {
			return append(d.lanesOf(from), d.lanesOf(to)...)
		}
	}
	for _, l := range d.Lanes {
		if l.Machine == actor {
			lanes = append(lanes, l)
		}
	}
	return lanes
}

// drawFault draws a fault that lasts as bars, and any other as a mark.
func (d *drawing) drawFault(i int) *story {
	e := &d.trace.Events[i]
	f := faultOf(d.trace, *e)
	if f == nil {
		return d.mark(i, "fault")
	}
	switch f.Kind.Name {
	case "pause", "node-pause":
		return d.drawOutage(i, "pause", "paused")
	case "crash", "amnesia", "late-amnesia":
		return d.drawOutage(i, "down", "down")
	case "partition":
		return d.drawOutage(i, "cut", "cut off")
	case "clock-step", "clock-rate", "drift":
		return d.labelled(i, "clock", amount(f))
	case "death", "vanish":
		return d.labelled(i, "death", "dies")
	}
	return d.mark(i, "fault")
}

// labelled is mark with a word beside the mark.
func (d *drawing) labelled(i int, kind, label string) *story {
	s := d.mark(i, kind)
	d.Marks[len(d.Marks)-1].Label = label
	return s
}

// amount says by how much a fault touches a clock.
func amount(f *sim.Fault) string {
	if f.Kind.Unit == sim.Rate {
		return fmt.Sprintf("%+g %%", float64(f.Amount)/10_000)
	}
	if f.Amount > 0 {
		return "+" + time.Duration(f.Amount).String()
	}
	return time.Duration(f.Amount).String()
}

// drawOutage draws a fault from its beginning to its end, on all lanes that it
// concerns, beside its mark.
func (d *drawing) drawOutage(i int, kind, label string) *story {
	e := &d.trace.Events[i]
	if from, to, link := strings.Cut(e.Actor, "->"); link {
		label += " " + strings.TrimSuffix(from, "<") + "–" + to
	}
	s, m := d.mark(i, "fault"), d.Marks[len(d.Marks)-1]
	end := d.healed(i, kind)
	for _, l := range d.lanesOf(e.Actor) {
		if end == e.At {
			break // it is over the moment it strikes
		}
		b := d.bar(kind, l, l.Strip, stripHeight, e.At, end)
		b.Label = b.fit(label+" "+span(end.Sub(e.At)), label)
		b.story = story{Event: i, Lines: []string{told(e)}}
		if l.Strip < m.Y && m.Y < l.Strip+stripHeight {
			m.X = b.X - markGap/2 // beside the bar, not under it
		}
	}
	return s
}

// healed returns the end of a fault. Calm connects what was cut off without a
// word; machines say when they are back.
func (d *drawing) healed(i int, kind string) clock.Instant {
	events := d.trace.Events
	for _, e := range events[i+1:] {
		if e.Kind == sim.EventHeal && e.Actor == events[i].Actor || e.Kind == sim.EventCalm && kind == "cut" {
			return e.At
		}
	}
	return events[len(events)-1].At
}
