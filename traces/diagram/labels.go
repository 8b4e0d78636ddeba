package diagram

import (
	"slices"

	"simrun/traces"
)

// A label is text in a row of the picture.
type label struct {
	row   row
	when  moment
	text  string
	lines []string
}

// A row is a line of labels: those of one row must not run into each other.
type row struct {
	lane int // -1 for what concerns the whole world, at the top
	side side
}

// A side says where a row stands at its lane.
type side uint8

const (
	above side = iota // what is sent
	below             // what happens
)

// labels returns the labels of the scene, in the order of their moments. Of
// requests that a thread sends to several servers at once there is one.
func (s *scene) labels() []label {
	var list []label
	for _, m := range s.messages {
		list = append(list, label{row: row{s.laneOf(m.from), above}, when: s.moment(m.sent), text: m.text})
	}
	for i := range s.Steps {
		list = append(list, s.labelOf(&s.Steps[i]))
	}
	slices.SortStableFunc(list, func(a, b label) int { return a.when.compare(b.when) })
	return joined(list)
}

// labelOf puts a step at its lane, or at the first of those that it is about.
func (s *scene) labelOf(step *traces.Line) label {
	lanes, text := s.told(step)
	l := label{row: row{-1, below}, when: moment{step.Event, step.At}, text: text}
	if len(lanes) > 0 {
		l.row.lane = lanes[0]
	}
	return l
}

// joined makes one label of those that stand in one place, and drops those that
// repeat the one before them at its instant.
func joined(list []label) []label {
	last := make(map[row]int)
	var kept []label
	for _, l := range list {
		l.lines = wrap(l.text)
		k, ok := last[l.row]
		switch {
		case ok && kept[k].text == l.text && kept[k].when.at == l.when.at:
		case ok && kept[k].when == l.when:
			kept[k].text += "; " + l.text
			kept[k].lines = append(kept[k].lines, l.lines...)
		default:
			last[l.row] = len(kept)
			kept = append(kept, l)
		}
	}
	return kept
}

// marks returns labels for the moments at which checks are broken.
func (s *scene) marks() []label {
	var list []label
	for _, b := range s.breaches {
		when := s.moment(int(b.At.Index))
		if last := len(list) - 1; last >= 0 && list[last].when == when {
			list[last].text += ", " + b.Check
		} else {
			list = append(list, label{when: when, text: b.Check})
		}
	}
	return list
}
