package page

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"simrun/clock"
	"simrun/sim"
	"simrun/traces"
)

// latencyWidth is how wide a message's usual latency is drawn.
const latencyWidth = 36

// margin and rightMargin are what the axis leaves free on its sides.
const (
	margin      = 28
	rightMargin = 60 // the last label stands in it
)

// maxWidth bounds the width of an axis. Longer runs are drawn closer.
const maxWidth = 60_000

// An axis maps true time to places on the page, in pixels. It is to scale, but
// for quiet stretches: where nothing happens for longer than two usual
// latencies, it is folded to the width of two.
type axis struct {
	knots []knot
	folds []fold
	width int
}

// A knot is an instant at which the axis starts or stops to be folded. Between
// two of them it is to scale.
type knot struct {
	at clock.Instant
	x  int
}

// A fold is a quiet stretch.
type fold struct{ from, to knot }

// newAxis returns the axis of all instants at which something happens.
func newAxis(instants []clock.Instant, latency time.Duration) *axis {
	at := slices.Clone(instants)
	slices.Sort(at)
	at = slices.Compact(at)
	if len(at) == 0 {
		at = []clock.Instant{0}
	}
	scale := int64(latencyWidth)
	a := layAxis(at, latency, scale)
	for a.width > maxWidth && scale > 1 {
		scale = max(1, scale*maxWidth/int64(a.width))
		a = layAxis(at, latency, scale)
	}
	return a
}

func layAxis(at []clock.Instant, latency time.Duration, scale int64) *axis {
	quiet := 2 * float64(latency)
	start := knot{at[0], margin}
	a := &axis{knots: []knot{start}}
	for i := 1; i <= len(at); i++ {
		if i < len(at) && between(at[i-1], at[i]) <= quiet {
			continue
		}
		end := knot{at[i-1], start.x + int(between(start.at, at[i-1])*float64(scale)/float64(latency))}
		if end.at > start.at {
			a.knots = append(a.knots, end)
		}
		if i < len(at) {
			start = knot{at[i], end.x + int(2*scale)}
			a.folds = append(a.folds, fold{end, start})
			a.knots = append(a.knots, start)
		}
		a.width = end.x + rightMargin
	}
	return a
}

// x returns the place of an instant.
func (a *axis) x(at clock.Instant) int {
	i, _ := slices.BinarySearchFunc(a.knots, at, func(k knot, at clock.Instant) int { return cmp.Compare(k.at, at) })
	switch {
	case i == len(a.knots):
		return a.knots[i-1].x
	case i == 0:
		return a.knots[0].x
	}
	from, to := a.knots[i-1], a.knots[i]
	part := between(from.at, at) / between(from.at, to.at)
	return from.x + int(part*float64(to.x-from.x)+0.5)
}

// between returns the nanoseconds from one instant to a later one. No file of a
// trace is too strange for it: the difference may not fit an integer.
func between(from, to clock.Instant) float64 {
	if d := to - from; d >= 0 {
		return float64(d)
	}
	return float64(to) - float64(from)
}

// A tick is a label of the axis.
type tick struct {
	X     int
	Label string
}

// tickGap is the least room between two labels.
const tickGap = 78

// ticks labels the beginning of every stretch that is to scale, and round times
// in those that are long enough.
func (a *axis) ticks() []tick {
	var ticks []tick
	free := 0
	add := func(at clock.Instant) {
		if x := a.x(at); x >= free {
			ticks = append(ticks, tick{x, millis(at)})
			free = x + tickGap
		}
	}
	for i, k := range a.knots {
		add(k.at)
		if i+1 == len(a.knots) || a.folded(k) {
			continue
		}
		next := a.knots[i+1]
		step := round(between(k.at, next.at) * tickGap / float64(max(1, next.x-k.x)))
		for at := k.at - k.at%step + step; k.at < at && at < next.at; at += step {
			add(at)
		}
	}
	return ticks
}

// folded reports whether a fold begins at a knot.
func (a *axis) folded(k knot) bool {
	return slices.ContainsFunc(a.folds, func(f fold) bool { return f.from == k })
}

// round returns the smallest of 1, 2, 5, 10, … µs that is not less than d.
func round(d float64) clock.Instant {
	least := clock.Instant(min(d, 1<<60))
	for power := clock.Instant(time.Microsecond); ; power *= 10 {
		for _, digit := range []clock.Instant{1, 2, 5} {
			if digit*power >= least {
				return digit * power
			}
		}
	}
}

// millis writes an instant as the timeline does.
func millis(at clock.Instant) string {
	return fmt.Sprintf("%.1f ms", float64(at)/float64(time.Millisecond))
}

// span writes a duration shortly.
func span(d time.Duration) string {
	unit := time.Duration(1)
	for unit < d/1000 {
		unit *= 10
	}
	return d.Round(unit).String()
}

// instantsOf returns when anything happened in a run.
func instantsOf(t *traces.Trace) []clock.Instant {
	var list []clock.Instant
	for _, e := range t.Events {
		list = append(list, e.At)
	}
	for _, c := range t.History.Changes {
		list = append(list, c.At.At)
	}
	return list
}

// latencyOf returns the usual latency of messages, that of the middle one.
func latencyOf(list []*traces.Trace) time.Duration {
	var all []time.Duration
	for _, t := range list {
		for _, e := range t.Events {
			if d := e.At.Sub(e.Sent); d > 0 && (e.Kind == sim.EventServe || e.Kind == sim.EventReceive || e.Kind == sim.EventHear) {
				all = append(all, d)
			}
		}
	}
	if len(all) == 0 {
		return sim.QuietNoise.Min
	}
	slices.Sort(all)
	return all[len(all)/2]
}
