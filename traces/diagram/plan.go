package diagram

import (
	"simrun/checker"
	"simrun/sim"
)

// A plan says where everything in a timeline stands.
type plan struct {
	*scene
	*axis
	spans  []span
	labels []label
	marks  []label // of broken checks, at the top
	middle []int   // of each lane, from top to bottom
	head   int     // the height of the rows at the top
	foot   int     // where the lanes end
	right  int     // where the last text ends
}

// The measures of a timeline, in pixels.
const (
	topMargin  = 62 // for the title
	leftMargin = 110
	barHeight  = 16
	spacing    = 8 // between texts, and between lanes
	lineGap    = 4 // between a bar and its texts
)

func (s *scene) plan() *plan {
	p := &plan{scene: s, spans: s.spans(), labels: s.labels(), marks: s.marks()}
	p.axis = newAxis(p.everyMoment())
	p.askForRoom()
	p.place(leftMargin + 2*spacing)
	p.stack()
	return p
}

// everyMoment returns all moments at which there is something to draw.
func (p *plan) everyMoment() []moment {
	moments := []moment{{}}
	if n := len(p.Events); n > 0 {
		moments = []moment{p.moment(0), p.moment(n)}
	}
	for _, m := range p.messages {
		moments = append(moments, p.moment(m.sent))
		if m.fate != underWay {
			moments = append(moments, p.moment(m.end))
		}
	}
	for _, s := range p.spans {
		moments = append(moments, s.from, s.until)
	}
	for _, l := range p.labels {
		moments = append(moments, l.when)
	}
	for _, m := range p.marks {
		moments = append(moments, m.when)
	}
	return moments
}

// askForRoom keeps the texts of a row apart, and bars as long as their texts.
func (p *plan) askForRoom() {
	last := make(map[row]label)
	for _, l := range p.labels {
		if before, ok := last[l.row]; ok {
			p.need(p.number(before.when), p.number(l.when), widthOf(before.lines)+spacing)
		}
		last[l.row] = l
	}
	for _, s := range p.spans {
		if s.kind != struck {
			p.need(p.number(s.from), p.number(s.until), widthOf([]string{s.holder.String()})+spacing)
		}
	}
	for i := 1; i < len(p.marks); i++ {
		before := p.marks[i-1]
		p.need(p.number(before.when), p.number(p.marks[i].when), widthOf([]string{before.text})+spacing)
	}
}

// stack sets out the lanes from top to bottom, each as high as its texts.
func (p *plan) stack() {
	rows := make(map[row]int) // how many lines of text a row has
	for _, l := range p.labels {
		rows[l.row] = max(rows[l.row], len(l.lines))
		p.right = max(p.right, p.at(l.when)+widthOf(l.lines))
	}
	for _, m := range p.marks {
		p.right = max(p.right, p.at(m.when)+widthOf([]string{m.text}))
	}
	p.right = max(p.right, p.x[len(p.x)-1]) + 2*spacing
	p.head = topMargin + rows[row{-1, below}]*rowOfText
	y := p.head + spacing
	for i := range p.lanes {
		if i > 0 && p.lanes[i].server && !p.lanes[i-1].server {
			y += 2 * spacing
		}
		y += rows[row{i, above}]*rowOfText + barHeight/2 + lineGap + spacing
		p.middle = append(p.middle, y)
		y += rows[row{i, below}]*rowOfText + barHeight/2 + lineGap + spacing
	}
	p.foot = y + spacing
}

// lanesOf returns the lanes on which a span is drawn: a fault strikes all threads
// of a client.
func (p *plan) lanesOf(s *span) []int {
	var list []int
	for i, l := range p.lanes {
		if l.name == s.lane || s.kind == struck && l.client() == s.lane {
			list = append(list, i)
		}
	}
	return list
}

// inVain returns the place from which on a belief was without its lock, and
// whether there is one. Locks that no server has down are not lost.
func (p *plan) inVain(s *span) (int, bool) {
	h := &p.trace.History
	lost := checker.LostAt(h, s.holder)
	if s.kind != belief || lost >= s.until.at || !took(h) {
		return 0, false
	}
	return max(p.at(s.from), p.instant(lost)), true
}

func took(h *sim.History) bool {
	for _, c := range h.Changes {
		if c.Kind == sim.Took {
			return true
		}
	}
	return false
}
