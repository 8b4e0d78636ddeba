package explore

import (
	"context"
	"time"

	"simrun/checker"
	"simrun/clock"
	"simrun/sim"
)

// A Frontier is how much of one kind of fault a lock stands: a single fault of
// Keeps, or of any smaller amount that was tried, leaves the check unbroken at
// every point of the alphabet, and one of Breaks does not.
type Frontier struct {
	Keeps     int64 // in the kind's unit, to within Resolution
	Breaks    int64 // 0 if nothing up to Limit breaks it
	Limit     int64
	Stride    int64        // every multiple of it up to Breaks was tried
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

// KeepsQuietly reports whether a check holds without any fault. Where it does not,
// there is no frontier.
func (sp *Space) KeepsQuietly(check *checker.Check) bool {
	judge := sp.NewJudge([]*checker.Check{check})
	defer judge.Close()
	out, err := judge.Run(sp.Quiet())
	if err != nil {
		panic(err) // a schedule without faults fits every setup
	}
	return out.Verdicts[0].State != checker.Violated
}

// Frontier finds how much of a kind of fault the space's protocol stands before
// the check breaks, by exhaustive searches with a single fault. It goes up from
// nothing in strides, since a large amount can do less harm than a small one (a
// late message can come too late to matter), and bisects the first stride that
// breaks the check; within that one, more is presumed to do no less harm. Steps
// and rates are tried both ways. The frontier is incomplete once ctx is done.
func (sp *Space) Frontier(ctx context.Context, check *checker.Check, kind *sim.Kind, workers int) Frontier {
	unit := Resolution(kind)
	f := Frontier{Stride: int64(sp.Params.TTL/20) / unit * unit}
	f.Limit = strides * f.Stride
	if kind.Unit == sim.Rate {
		f.Stride, f.Limit = clock.MaxRate/50, clock.MaxRate
	}
	p := probe{space: sp, check: check, workers: workers}
	low, high := int64(0), f.Stride
	for !f.broken(ctx, &p, dose{kind, high}) {
		low, high = high, high+f.Stride
		if high > f.Limit || ctx.Err() != nil {
			f.Keeps = low
			return f
		}
	}
	for high-low > unit && ctx.Err() == nil {
		if middle := low + (high-low)/(2*unit)*unit; f.broken(ctx, &p, dose{kind, middle}) {
			high = middle
		} else {
			low = middle
		}
	}
	f.Keeps, f.Breaks = low, high
	return f
}

// strides is how many strides of a twentieth of the TTL are tried: ten TTLs.
const strides = 200

// broken searches with a single amount, and keeps the schedule that breaks the
// check.
func (f *Frontier) broken(ctx context.Context, p *probe, d dose) bool {
	s, broken := p.breaks(ctx, d)
	if broken {
		f.Schedule = s
	}
	f.Searches, f.Schedules = p.searches, p.schedules
	return broken
}
