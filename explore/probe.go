package explore

import (
	"context"

	"simrun/checker"
	"simrun/sim"
)

// A dose is an amount of a kind of fault.
type dose struct {
	kind   *sim.Kind
	amount int64
}

// A probe finds out whether given doses of faults break a check, by exhaustive
// searches.
type probe struct {
	space    *Space
	check    *checker.Check
	workers  int
	progress func(done int) // as that of an Exhaustive search, over all searches

	searches  int
	schedules int // run in all of them
}

// breaks runs every schedule with at most one fault of each of the doses, whose
// kinds differ, and returns the first that breaks the check if it takes all of
// them. Steps and rates are tried both ways.
func (p *probe) breaks(ctx context.Context, doses ...dose) (sim.Schedule, bool) {
	narrow := *p.space
	narrow.Faults, narrow.only = nil, make(map[*sim.Kind][]int64)
	for _, d := range doses {
		narrow.Faults = append(narrow.Faults, Choice{Kind: d.kind})
		narrow.only[d.kind] = []int64{d.amount}
		if d.kind.Unit == sim.Shift || d.kind.Unit == sim.Rate {
			narrow.only[d.kind] = []int64{d.amount, -d.amount}
		}
	}
	x := Exhaustive{Space: &narrow, Checks: []*checker.Check{p.check}, Most: len(doses), Workers: p.workers}
	if p.progress != nil {
		before := p.schedules
		x.Progress = func(done, _ int) { p.progress(before + done) }
	}
	proof := x.Run(ctx)
	p.searches++
	p.schedules += proof.Total()
	if found := &proof.Checks[0]; found.Least == len(doses) {
		return found.Breaks[0].Schedule, true
	}
	return sim.Schedule{}, false
}
