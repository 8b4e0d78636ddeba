package page

import (
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"simrun/clock"
)

// instants draws the instants of a run: bursts of messages, and quiet between.
func instants(t *rapid.T) []clock.Instant {
	var list []clock.Instant
	at := rapid.SampledFrom([]clock.Instant{0, math.MinInt64}).Draw(t, "start")
	for range rapid.IntRange(1, 40).Draw(t, "events") {
		pause := rapid.SampledFrom([]time.Duration{0, time.Microsecond, time.Millisecond, 3 * time.Second, 1 << 57}).Draw(t, "pause")
		at = at.Add(time.Duration(rapid.Int64Range(0, int64(pause)).Draw(t, "more")))
		list = append(list, at)
	}
	return list
}

func latency(t *rapid.T) time.Duration {
	return time.Duration(rapid.Int64Range(1, int64(5*time.Millisecond)).Draw(t, "latency"))
}

func TestWhatComesLaterStandsFurtherRight(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list, last := instants(t), -1
		a := newAxis(list, latency(t))
		for _, at := range list {
			x := a.x(at)
			if x < last || x >= a.width {
				t.Fatalf("%v stands at %d of %d, after one at %d", at, x, a.width, last)
			}
			last = x
		}
	})
}

func TestTheAxisIsToScaleBetweenFolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		latency := latency(t)
		a := newAxis(instants(t), latency)
		if a.width >= maxWidth {
			t.Skip("drawn closer")
		}
		for i, k := range a.knots[1:] {
			from := a.knots[i]
			if a.folded(from) {
				continue
			}
			want := int64(float64(k.at.Sub(from.at)) * latencyWidth / float64(latency))
			if got := int64(k.x - from.x); got != want {
				t.Fatalf("from %v to %v there are %d pixels, want %d", from.at, k.at, got, want)
			}
		}
	})
}

func TestFoldsAreQuiet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list, latency := instants(t), latency(t)
		for _, f := range newAxis(list, latency).folds {
			if quiet := f.to.at.Sub(f.from.at); quiet <= 2*latency {
				t.Fatalf("%v are folded, want more than %v", quiet, 2*latency)
			}
			if slices.ContainsFunc(list, func(at clock.Instant) bool { return f.from.at < at && at < f.to.at }) {
				t.Fatalf("something happens in the fold from %v to %v", f.from.at, f.to.at)
			}
		}
	})
}

func TestLabelsOfTheAxisDoNotTouch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		last := -tickGap
		for _, tick := range newAxis(instants(t), latency(t)).ticks() {
			if tick.X < last+tickGap {
				t.Fatalf("labels at %d and %d, want %d between them", last, tick.X, tickGap)
			}
			last = tick.X
		}
	})
}
