package traces

import (
	"fmt"
	"regexp"
)

// shorten leaves out what a thread does over and over with the same outcome,
// such as attempts to get a lock that is held: it keeps the first time and the
// last, and counts. What it leaves out are replies alone.
func shorten(lines []line) (kept, left []line) {
	drop := make([]bool, len(lines))
	for _, turns := range turnsOf(lines) {
		for len(turns) > 0 {
			same := 1
			for same < len(turns) && turns[same].repeats(turns[0]) {
				same++
			}
			if same > 2 {
				for _, t := range turns[1 : same-1] {
					for _, i := range t.lines {
						drop[i] = true
					}
				}
				last := turns[same-1].lines
				lines[last[len(last)-1]].rest += fmt.Sprintf(" (after %d more like it)", same-2)
			}
			turns = turns[same:]
		}
	}
	for i, l := range lines {
		if drop[i] {
			left = append(left, l)
		} else {
			kept = append(kept, l)
		}
	}
	return kept, left
}

// turnsOf returns the turns of each thread.
func turnsOf(lines []line) map[string][]turn {
	turns := make(map[string][]turn)
	for i, l := range lines {
		if l.turn == 0 {
			continue
		}
		own := turns[l.who]
		if len(own) == 0 || own[len(own)-1].number != l.turn {
			own = append(own, turn{number: l.turn, plain: true})
		}
		own[len(own)-1].add(i, l)
		turns[l.who] = own
	}
	return turns
}

// A turn is what a thread does in one go, such as an attempt to get the lock.
type turn struct {
	number int
	lines  []int
	text   string // without what differs from attempt to attempt
	plain  bool   // nothing but calls that were answered
}

var attempt = regexp.MustCompile(`#\d+`)

func (t *turn) add(i int, l line) {
	t.lines = append(t.lines, i)
	t.text += attempt.ReplaceAllString(l.String(), "#") + "\n"
	t.plain = t.plain && l.call != nil
}

func (t turn) repeats(first turn) bool { return t.plain && first.plain && t.text == first.text }
