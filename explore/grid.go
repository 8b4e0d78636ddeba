package explore

import (
	"context"

	"simrun/checker"
	"simrun/clock"
	"simrun/sim"
)

// Pairs is a search for the frontier of two kinds of fault at once: whether one
// fault of each breaks a check, for many amounts of both. Every pair of amounts
// is tried by itself, with the two faults at every point of the alphabet and in
// either order, since a large amount can do less harm than a small one.
type Pairs struct {
	Space   *Space
	Check   *checker.Check
	Kinds   [2]*sim.Kind // of the rows and of the columns, which differ
	Steps   int          // how many amounts of each kind, besides none
	Workers int

	// Progress, if not nil, is told now and then how many schedules have been
	// run. It is called from several goroutines.
	Progress func(done int)
}

// A Grid is what a search through pairs of faults found.
type Grid struct {
	Amounts   [2][]int64 // of the rows and of the columns, in their kinds' units, from 0, which is no fault, in equal steps
	Cells     [][]Cell   // by row and column
	Pair      *Pair      // the smallest of those whose cell is Together, nil if there are none
	Searches  int
	Schedules int
}

// A Cell says which of two faults break a check.
type Cell uint8

// The states of a cell.
const (
	Keeps       Cell = 0
	RowAlone    Cell = 1
	ColumnAlone Cell = 2
	EitherAlone Cell = RowAlone | ColumnAlone
	Together    Cell = 4 // both in one schedule do what neither does alone
)

// A Pair is two faults that together break what neither breaks alone.
type Pair struct {
	Row, Column int
	Schedule    sim.Schedule
}

// Run searches until it is done or ctx is; then the grid is incomplete. Of cells
// where a fault alone breaks the check, the pairs are not run. The grid does not
// depend on the number of workers.
func (x *Pairs) Run(ctx context.Context) *Grid {
	p := probe{space: x.Space, check: x.Check, workers: x.Workers, progress: x.Progress}
	g := &Grid{}
	var alone [2][]bool
	for axis, kind := range x.Kinds {
		g.Amounts[axis] = x.amounts(kind)
		for _, amount := range g.Amounts[axis] {
			broken := false
			if amount > 0 {
				_, broken = p.breaks(ctx, dose{kind, amount})
			}
			alone[axis] = append(alone[axis], broken)
		}
	}
	for row, rowAlone := range alone[0] {
		g.Cells = append(g.Cells, make([]Cell, len(alone[1])))
		for column, columnAlone := range alone[1] {
			cell := &g.Cells[row][column]
			if rowAlone {
				*cell |= RowAlone
			}
			if columnAlone {
				*cell |= ColumnAlone
			}
			if *cell != Keeps || row == 0 || column == 0 || ctx.Err() != nil {
				continue
			}
			rows, columns := dose{x.Kinds[0], g.Amounts[0][row]}, dose{x.Kinds[1], g.Amounts[1][column]}
			if s, broken := p.breaks(ctx, rows, columns); broken {
				*cell = Together
				g.keep(Pair{row, column, s})
			}
		}
	}
	g.Searches, g.Schedules = p.searches, p.schedules
	return g
}

// keep notes a pair unless a smaller one is known: one of fewer steps in all.
func (g *Grid) keep(p Pair) {
	if g.Pair == nil || p.Row+p.Column < g.Pair.Row+g.Pair.Column {
		g.Pair = &p
	}
}

// amounts returns the amounts of a kind that are tried: from none to six fifths
// of the TTL, so that what matters about a lease lies between, or to clocks that
// run at nearly half or one and a half times their speed. They are as far apart as
// the resolution of their kind at least.
func (x *Pairs) amounts(k *sim.Kind) []int64 {
	most, unit := int64(x.Space.Params.TTL)*6/5, Resolution(k)
	if k.Unit == sim.Rate {
		most = clock.MaxRate * 24 / 25
	}
	stride := max(most/int64(x.Steps)/unit, 1) * unit
	amounts := make([]int64, x.Steps+1)
	for i := range amounts {
		amounts[i] = int64(i) * stride
	}
	return amounts
}
