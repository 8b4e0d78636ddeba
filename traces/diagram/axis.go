package diagram

import (
	"slices"
	"time"

	"simrun/clock"
)

// An axis gives moments their places from left to right. Time is to scale but
// for two things: a long quiet stretch is folded, and moments stand as far apart
// as what is written between them needs.
type axis struct {
	moments []moment // in order, each once
	x       []int    // their places
	needs   []need
}

// A need is room that one moment, by its number, must have before a later one.
type need struct{ from, to, room int }

// The measures of the axis, in pixels.
const (
	wanted  = 900 // the length of a scene with nothing written in it
	closest = 12  // between two instants
	folded  = 130 // between two moments, where nothing needs more
)

func newAxis(moments []moment) *axis {
	slices.SortFunc(moments, moment.compare)
	return &axis{moments: slices.Compact(moments)}
}

// number returns the number of a moment.
func (a *axis) number(m moment) int {
	i, _ := slices.BinarySearchFunc(a.moments, m, moment.compare)
	return min(i, len(a.moments)-1)
}

// need asks for room between two moments.
func (a *axis) need(from, to, room int) {
	if from < to {
		a.needs = append(a.needs, need{from, to, room})
	}
}

// place sets out the moments from a start. Every moment comes as early as the
// scale and the needs let it.
func (a *axis) place(start int) {
	a.x = make([]int, len(a.moments))
	for i := range a.moments {
		if i == 0 {
			a.x[i] = start
			continue
		}
		a.x[i] = a.x[i-1] + a.gap(i)
		for _, n := range a.needs {
			if n.to == i {
				a.x[i] = max(a.x[i], a.x[n.from]+n.room)
			}
		}
	}
}

// gap returns how far a moment stands from the one before where nothing is
// written.
func (a *axis) gap(i int) int {
	if a.moments[i].at <= a.moments[i-1].at {
		return 0
	}
	return max(closest, min(folded, a.toScale(i)))
}

// toScale returns how far a moment should stand from the one before.
func (a *axis) toScale(i int) int {
	first, last := a.moments[0].at, a.moments[len(a.moments)-1].at
	whole := max(last.Sub(first), time.Nanosecond)
	return int(float64(a.moments[i].at.Sub(a.moments[i-1].at)) / float64(whole) * wanted)
}

// folds reports whether the time before a moment is drawn shorter than to scale.
func (a *axis) folds(i int) bool { return i > 0 && a.x[i]-a.x[i-1] < a.toScale(i) }

// at returns the place of a moment.
func (a *axis) at(m moment) int { return a.x[a.number(m)] }

// instant returns the place of an instant, in proportion between two moments.
func (a *axis) instant(at clock.Instant) int {
	for i, m := range a.moments {
		if m.at < at {
			continue
		}
		if i == 0 || m.at == at {
			return a.x[i]
		}
		before := a.moments[i-1].at
		part := float64(at.Sub(before)) / float64(m.at.Sub(before))
		return a.x[i-1] + int(part*float64(a.x[i]-a.x[i-1]))
	}
	return a.x[len(a.x)-1]
}
