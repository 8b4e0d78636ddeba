package sim

import (
	"fmt"
	"math"
	"time"
)

// clockStep moves the wall clock of a machine at once, as an operator or NTP
// does. Monotonic clocks do not notice.
var clockStep = &Kind{
	Name:   "clock-step",
	Brief:  "a machine's wall clock jumps forward or backward",
	Places: []Place{AtInstant, BeforeStep, BeforeRequest},
	Actors: Clients | Servers,
	Unit:   Shift,
	Amounts: func(ttl time.Duration) []int64 {
		over := int64(ttl + ttl/10)
		return []int64{int64(ttl / 10), -int64(ttl / 10), over, -over}
	},
	Tell: func(f Fault) string { return fmt.Sprintf("wall clock is stepped by %s", signed(f.length().String())) },
	strike: func(w *World, f *armed) {
		if w.isClient(f.from) {
			w.client(f.from).clock.Step(time.Duration(f.Amount))
		} else {
			w.server(f.from).stepClock(time.Duration(f.Amount))
		}
	},
}

// clockRate makes both clocks of a machine run fast or slow by far more than
// any lock allows for.
var clockRate = &Kind{
	Name:    "clock-rate",
	Brief:   "a machine's clocks run far too fast or too slow",
	Places:  []Place{AtInstant},
	Actors:  Clients | Servers,
	Unit:    Rate,
	Amounts: func(time.Duration) []int64 { return []int64{100_000, -100_000, 400_000, -400_000} },
	Tell:    tellRate,
	strike:  changeRate,
}

// drift is a rate that real crystals have. Two machines that drift apart by
// both extremes still stay within the allowance of one per cent that Redlock
// makes.
var drift = &Kind{
	Name:    "drift",
	Brief:   "a machine's clocks run a little fast or slow, within the usual drift allowance of 1 %",
	Places:  []Place{AtInstant},
	Actors:  Clients | Servers,
	Unit:    Rate,
	Amounts: func(time.Duration) []int64 { return []int64{500, -500, 4_000, -4_000} },
	Tell:    tellRate,
	strike:  changeRate,
}

func tellRate(f Fault) string {
	way := "fast"
	if f.Amount < 0 {
		way = "slow"
	}
	percent := math.Abs(float64(f.Amount)) / 10_000
	return fmt.Sprintf("clocks run %g %% %s from now on", percent, way)
}

func changeRate(w *World, f *armed) {
	if w.isClient(f.from) {
		w.setRate(w.client(f.from), f.Amount)
	} else {
		w.server(f.from).setRate(f.Amount)
	}
}
