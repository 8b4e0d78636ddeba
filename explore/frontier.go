package explore

import (
	"context"
	"time"

	"simrun/checker"
	"simrun/clock"
	"simrun/sim"
)

// A Frontier is how much of one kind of fault a lock stands: a single fault of
// up to Keeps, at any point of the alphabet, leaves the check unbroken, and one
// of Breaks does not.
type Frontier struct {
	Keeps     int64 // in the kind's unit, to within Resolution
	Breaks    int64 // 0 if nothing up to Limit breaks it
	Limit     int64
	Schedule  sim.Schedule // that breaks it with an amount of Breaks
	Searches  int
	Schedules int
}

// Resolution is how close the two amounts of a frontier are: a millisecond, or
// ten parts per million.
func Resolution(k *sim.Kind) int64 {
	if k.Unit == sim.Rate {
		return 10
	}
	return int64(time.Millisecond)
}

// Frontier finds how much of a kind of fault the space's protocol stands before
// the check breaks, by bisection over exhaustive searches with a single fault.
// It presumes that more of it never does less harm. Steps and rates are tried
// both ways. The frontier is incomplete once ctx is done.
func (sp *Space) Frontier(ctx context.Context, check *checker.Check, kind *sim.Kind, workers int) Frontier {
	unit := Resolution(kind)
	f := Frontier{Limit: int64(10*sp.Params.TTL) / unit * unit}
	if kind.Unit == sim.Rate {
		f.Limit = clock.MaxRate
	}
	low, high := int64(0), f.Limit/unit
	if !f.broken(ctx, sp, check, kind, high*unit, workers) {
		f.Keeps = f.Limit
		return f
	}
	for high-low > 1 && ctx.Err() == nil {
		if middle := (low + high) / 2; f.broken(ctx, sp, check, kind, middle*unit, workers) {
			high = middle
		} else {
			low = middle
		}
	}
	f.Keeps, f.Breaks = low*unit, high*unit
	return f
}

// broken searches with a single amount, and keeps the schedule that breaks the
// check.
func (f *Frontier) broken(ctx context.Context, sp *Space, check *checker.Check, kind *sim.Kind, amount int64, workers int) bool {
	one := *sp
	one.Faults = Selection{{Kind: kind}}
	one.only = []int64{amount}
	if kind.Unit == sim.Shift || kind.Unit == sim.Rate {
		one.only = []int64{amount, -amount}
	}
	x := Exhaustive{Space: &one, Checks: []*checker.Check{check}, Most: 1, Workers: workers}
	proof := x.Run(ctx)
	f.Searches++
	f.Schedules += proof.Total()
	if proof.Checks[0].Least != 1 {
		return false
	}
	f.Schedule = proof.Checks[0].Breaks[0].Schedule
	return true
}
