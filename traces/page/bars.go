package page

import (
	"fmt"
	"strings"

	"simrun/checker"
	"simrun/clock"
	"simrun/sim"
)

// A bar is something that lasts, on one lane.
type bar struct {
	Kind          string // belief, doubt, lock, value, work, pause, down or cut
	Colour        int
	X, Y          int
	Width, Height int
	Label         string
	story
}

// TextY returns the base line of the label.
func (b *bar) TextY() int { return b.Y + b.Height - 3 - (b.Height-stripHeight)/4 }

// TextX returns where the label begins. A value's leaves room for the mark of
// the write.
func (b *bar) TextX() int {
	if b.Kind == "value" {
		return b.X + 9
	}
	return b.X + 5
}

// bar draws a bar on a lane. However short it lasts, it can be seen.
func (d *drawing) bar(kind string, l *lane, y, height int, from, to clock.Instant) *bar {
	x := d.x(from)
	b := &bar{Kind: kind, X: x, Y: y, Width: max(3, d.x(to)-x), Height: height}
	d.Bars = append(d.Bars, b)
	return b
}

// fit returns the first of some labels for which there is room in the bar.
func (b *bar) fit(labels ...string) string {
	for _, label := range labels {
		if letterWidth*len([]rune(label))+12 <= b.Width {
			return label
		}
	}
	return ""
}

// drawWork draws a wait in which a client works.
func (d *drawing) drawWork(i int) *story {
	events := d.trace.Events
	e, l := &events[i], d.byName[events[i].Actor]
	if l == nil || !strings.HasPrefix(e.Step, sim.Work.String()+" ") {
		return nil
	}
	end := events[len(events)-1].At
	for k := i + 1; k < len(events); k++ {
		if events[k].Actor == e.Actor && events[k].Kind == sim.EventWake {
			end = events[k].At
			break
		}
	}
	b := d.bar("work", l, l.Strip, stripHeight, e.At, end)
	b.Label = b.fit("works "+e.Text, "works")
	b.Event = i
	return &b.story
}

// drawBeliefs draws who believes to hold the lock, with and without reason.
func (d *drawing) drawBeliefs() {
	h := &d.trace.History
	for i := range h.Grants {
		g := &h.Grants[i]
		l := d.laneOf(g)
		if l == nil {
			continue
		}
		lost := min(max(checker.LostAt(h, g.Holder), g.From.At), g.Until.At)
		text := fmt.Sprintf("%s believes that it holds the lock as %v from %s to %s", g.Holder.Name(), g.Holder, millis(g.From.At), millis(g.Until.At))
		if why := ends[g.End]; why != "" {
			text += ", when " + why
		}
		if lost > g.From.At || lost == g.Until.At {
			b := d.bar("belief", l, l.Bar, barHeight, g.From.At, lost)
			b.Colour, b.story = colour(g.Holder), story{Event: int(g.From.Index), Lines: []string{text}}
			b.Label = b.fit(tokened(g), g.Holder.String())
		}
		if lost < g.Until.At {
			b := d.bar("doubt", l, l.Bar, barHeight, lost, g.Until.At)
			b.Colour, b.story = colour(g.Holder), story{Event: int(g.From.Index), Lines: []string{text, "In truth it has lost the lock at " + millis(lost)}}
			b.Label = b.fit(g.Holder.Name()+" still believes", "still", "…")
		}
	}
}

// tokened names a grant with its fencing token.
func tokened(g *sim.Grant) string {
	if g.Fence == 0 {
		return g.Holder.String()
	}
	return fmt.Sprintf("%v token %d", g.Holder, g.Fence)
}

// ends say how a belief ended.
var ends = map[sim.End]string{
	sim.Open:     "the run ends",
	sim.Released: "it releases the lock",
	sim.Told:     "it is told of the loss",
	sim.Deadline: "its own deadline passes",
	sim.Died:     "it dies",
}

// laneOf returns the lane of the thread that was granted the lock.
func (d *drawing) laneOf(g *sim.Grant) *lane {
	if i := int(g.From.Index); i < len(d.trace.Events) {
		if l := d.byName[d.trace.Events[i].Actor]; l != nil {
			return l
		}
	}
	return d.byName[g.Holder.Name()]
}

// drawLocks draws what each server has of the lock.
func (d *drawing) drawLocks() {
	for _, t := range tenures(&d.trace.History) {
		l := d.byName[t.server]
		b := d.bar("lock", l, l.Bar, barHeight, t.from.At, t.until.At)
		own := wallAt(d.clocks[t.server], t.until.At)
		b.Colour, b.Label = colour(t.owner), b.fit(fmt.Sprintf("%v until %s by its clock", t.owner, own), fmt.Sprintf("%v until %s", t.owner, own), t.owner.String())
		text := fmt.Sprintf("%s holds the lock for %v from %s to %s", t.server, t.owner, millis(t.from.At), millis(t.until.At))
		if why := losses[t.end]; why != "" {
			text += fmt.Sprintf(", when %s, at %s by its own clock", why, own)
		}
		b.story = story{Event: int(t.from.Index), Lines: []string{text}}
	}
}

// losses say how a server came to hold a lock no longer.
var losses = map[sim.ChangeKind]string{
	sim.Removed:     "it is removed",
	sim.Overwritten: "it is overwritten",
	sim.Expired:     "it expires",
	sim.Forgotten:   "the server forgets it",
}

// drawValues draws whose value the resource has.
func (d *drawing) drawValues() {
	h := &d.trace.History
	for i, c := range h.Changes {
		if c.Kind != sim.Wrote {
			continue
		}
		until := h.Ended.At
		for _, next := range h.Changes[i+1:] {
			if next.Kind == sim.Wrote && next.Server == c.Server {
				until = next.At.At
				break
			}
		}
		l := d.byName[c.Server]
		b := d.bar("value", l, l.Strip, stripHeight, c.At.At, until)
		value := valueOf(d.trace, c)
		b.Colour, b.Label = colour(c.By), b.fit(value, c.By.String())
		b.story = story{Event: int(c.At.Index), Lines: []string{fmt.Sprintf("%s has %s since %s", c.Server, value, millis(c.At.At))}}
	}
}

// drawOverlaps draws where several clients believe to hold the lock.
func (d *drawing) drawOverlaps() {
	h := &d.trace.History
	for i := range h.Grants {
		for k := range h.Grants[:i] {
			first, second := &h.Grants[k], &h.Grants[i]
			from, to := second.From, first.Until
			if second.Until.Before(to) {
				to = second.Until
			}
			if !from.Before(to) || first.Holder.Client == second.Holder.Client {
				continue
			}
			b := band{X: d.x(from.At), Label: first.Holder.Name() + " and " + second.Holder.Name() + " believe"}
			b.Width = max(4, d.x(to.At)-b.X)
			for _, l := range d.Lanes {
				if l.Server {
					continue
				}
				if b.Bottom == 0 {
					b.Top = l.Top
				}
				b.Bottom = l.Bottom
			}
			d.Overlaps = append(d.Overlaps, b)
		}
	}
}
