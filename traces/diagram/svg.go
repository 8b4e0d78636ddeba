package diagram

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"

	"simrun/traces"
)

// SVG writes a timeline of a trace as a picture that needs nothing else: a lane
// for each thread of a client and for each server, and time from left to right.
// A bar on a client's lane is its belief that it holds the lock, striped from
// where the lock was truly gone; a bar on a server's is whose lock it has.
func SVG(w io.Writer, t *traces.Trace) error {
	return timeline.Execute(w, draw(sceneOf(t).plan()))
}

//go:embed timeline.svg.tmpl
var timelineText string

var timeline = template.Must(template.New("timeline").Parse(timelineText))

// A drawing is what the template puts into shapes. All numbers are pixels.
type drawing struct {
	Title, About  string
	Width, Height int
	Left, Right   int // of the lanes
	Foot          int // of the lanes, where the times stand
	Lanes         []shape
	Struck        []shape
	Bars          []shape
	Arrows        []arrow
	Labels        []shape
	Breaches      []shape
	Ticks         []shape
	Folds         []int
	Key           int // where the key begins
	Reasons       []shape
}

// keyWidth is what the key below the picture takes, in pixels.
const keyWidth = 860

// A shape stands at a place, and has a size, a colour and text where it needs
// them.
type shape struct {
	X, Y, W, H int
	Colour     string
	Text       string
	Lines      []shape
	Vain       *shape // the striped part of a bar
}

// An arrow is a message.
type arrow struct {
	X1, Y1, X2, Y2 int
	Colour         string
	Text           string
	Reply          bool
	Lost           bool
	UnderWay       bool
}

func draw(p *plan) *drawing {
	d := &drawing{
		Title: printable("simrun: " + p.trace.Protocol),
		About: about(p.trace),
		Left:  leftMargin, Right: p.right, Foot: p.foot,
	}
	for i, l := range p.lanes {
		d.Lanes = append(d.Lanes, shape{Y: p.middle[i], Text: printable(l.title()), Colour: p.laneColour(l)})
	}
	d.spans(p)
	for i := range p.messages {
		d.arrow(p, &p.messages[i])
	}
	d.labels(p)
	d.ticks(p)
	d.breaches(p)
	return d
}

// about names the faults of a trace, as many as there is room for.
func about(t *traces.Trace) string {
	if len(t.Schedule.Faults) == 0 {
		return "no fault"
	}
	var names []string
	for _, f := range t.Schedule.Faults {
		names = append(names, f.String())
	}
	text := []rune("faults: " + printable(strings.Join(names, ", ")))
	if most := keyWidth / letter; len(text) > most {
		text = append(text[:most-1], '…')
	}
	return string(text)
}

func (p *plan) laneColour(l lane) string {
	if l.server {
		return "#333333"
	}
	return p.clientColour(l.client())
}

func (d *drawing) spans(p *plan) {
	for i := range p.spans {
		s := &p.spans[i]
		from, until := p.at(s.from), p.at(s.until)
		for _, lane := range p.lanesOf(s) {
			b := shape{X: from, Y: p.middle[lane] - barHeight/2, W: max(until-from, 2), H: barHeight, Colour: p.colour(s)}
			b.Text = printable(s.label() + ", " + p.during(*s))
			if s.kind == struck {
				b.Y, b.H = b.Y-lineGap, b.H+2*lineGap
				d.Struck = append(d.Struck, b)
				continue
			}
			b.Lines = []shape{{X: from + spacing/2, Y: p.middle[lane] + 4, Text: s.holder.String()}}
			if vain, ok := p.inVain(s); ok && vain < until {
				b.Vain = &shape{X: vain, Y: b.Y, W: until - vain, H: b.H}
			}
			d.Bars = append(d.Bars, b)
		}
	}
}

// short returns how far a message that does not arrive stays from its receiver.
func short(from, to int) int {
	if from < to {
		return -barHeight
	}
	return barHeight
}

// arrow draws a message that has a sender and a receiver.
func (d *drawing) arrow(p *plan, m *message) {
	from, to := p.laneOf(m.from), p.laneOf(m.to)
	if from < 0 || to < 0 {
		return
	}
	a := arrow{
		X1: p.at(p.moment(m.sent)), Y1: p.middle[from], Y2: p.middle[to], Colour: p.messageColour(m),
		Text: printable(m.from + " to " + m.to + ": " + m.text), Reply: m.reply, Lost: m.fate == lost, UnderWay: m.fate == underWay,
	}
	a.X2 = a.X1 + closest
	if m.fate != underWay {
		a.X2 = p.at(p.moment(m.end))
	}
	if a.Lost || a.UnderWay {
		a.X2 = max(a.X2, a.X1+closest)
		a.Y2 += short(a.Y1, a.Y2)
	}
	d.Arrows = append(d.Arrows, a)
}

func (p *plan) messageColour(m *message) string {
	client := lane{name: m.from}
	if m.reply {
		client = lane{name: m.to}
	}
	return p.clientColour(client.client())
}

func (d *drawing) labels(p *plan) {
	for _, l := range p.labels {
		x, y := p.at(l.when), topMargin
		if l.row.lane >= 0 {
			y = p.middle[l.row.lane] + barHeight/2 + lineGap
			if l.row.side == above {
				y = p.middle[l.row.lane] - barHeight/2 - lineGap - len(l.lines)*rowOfText
			}
		}
		d.Labels = append(d.Labels, shape{Text: printable(l.text), Lines: lines(l.lines, x, y)})
	}
}

// lines puts lines of text below a place.
func lines(text []string, x, y int) []shape {
	var list []shape
	for i, line := range text {
		list = append(list, shape{X: x, Y: y + (i+1)*rowOfText - 3, Text: line})
	}
	return list
}

// ticks tells the time below the lanes, as often as there is room, and where
// time is folded.
func (d *drawing) ticks(p *plan) {
	free := 0
	for i, m := range p.moments {
		if p.folds(i) {
			d.Folds = append(d.Folds, (p.x[i-1]+p.x[i])/2)
		}
		text := instant(m.at)
		width := widthOf([]string{text})
		if p.x[i] >= free && p.x[i]+width <= p.right && (i == 0 || p.moments[i-1].at != m.at) {
			d.Ticks = append(d.Ticks, shape{X: p.x[i], Text: text})
			free = p.x[i] + width + spacing
		}
	}
}

// breaches marks where checks are broken, and says how below the picture.
func (d *drawing) breaches(p *plan) {
	d.Key = d.Foot + 40
	y := d.Key + 24
	width := leftMargin
	for _, m := range p.marks {
		d.Breaches = append(d.Breaches, shape{X: p.at(m.when), Text: printable(m.text)})
	}
	for i := range p.breaches {
		b := &p.breaches[i]
		y += rowOfText + 2
		reason := printable(fmt.Sprintf("%s %s is broken: %s", instant(b.At.At), b.Check, b.Why))
		d.Reasons = append(d.Reasons, shape{Y: y, Text: reason})
		width = max(width, widthOf([]string{reason}))
	}
	d.Width, d.Height = max(d.Right, width+2*spacing, keyWidth), y+2*spacing
}
