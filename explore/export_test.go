package explore

import (
	"context"

	"simrun/checker"
	"simrun/sim"
)

// TakesBoth reports whether a fault of each kind, of the given amounts and at
// whatever points, breaks the check together and none does alone.
func (sp *Space) TakesBoth(check *checker.Check, first *sim.Kind, amount int64, second *sim.Kind, other int64) bool {
	p := probe{space: sp, check: check, workers: 2}
	_, both := p.breaks(context.Background(), dose{first, amount}, dose{second, other})
	return both
}
