package explore_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"simrun/checker"
	"simrun/explore"
	"simrun/protocols"
	"simrun/sim"
)

// pairs returns a small search: amounts of 90 ms to 360 ms against a TTL of 300 ms.
func pairs(protocol, check, rows, columns string) *explore.Pairs {
	p := protocols.Named(protocol)
	return &explore.Pairs{
		Space:   explore.NewSpace(p, p.Smallest(), nil),
		Check:   checker.Named(check),
		Kinds:   [2]*sim.Kind{sim.KindNamed(rows), sim.KindNamed(columns)},
		Steps:   4,
		Workers: 2,
	}
}

func TestGridIsTheSameFromEitherSide(t *testing.T) {
	one := pairs("lua-release", "mutual-exclusion", "pause", "clock-step").Run(context.Background())
	other := pairs("lua-release", "mutual-exclusion", "clock-step", "pause").Run(context.Background())
	sides := map[explore.Cell]explore.Cell{explore.RowAlone: explore.ColumnAlone, explore.ColumnAlone: explore.RowAlone}
	for row := range one.Cells {
		for column, cell := range one.Cells[row] {
			if turned, aside := sides[cell]; aside {
				cell = turned
			}
			if other.Cells[column][row] != cell {
				t.Errorf("row %d and column %d: %d, turned round: %d", row, column, one.Cells[row][column], other.Cells[column][row])
			}
		}
	}
}

func TestGridDoesNotDependOnTheNumberOfWorkers(t *testing.T) {
	grid := func(workers int) *explore.Grid {
		x := pairs("lua-release", "no-stale-write", "delay", "clock-step")
		x.Workers = workers
		return x.Run(context.Background())
	}
	one, three := grid(1), grid(3)
	if diff := cmp.Diff(one.Pair.Schedule.Lines(), three.Pair.Schedule.Lines()); diff != "" {
		t.Errorf("1 worker and 3 find different pairs:\n%s", diff)
	}
	one.Pair, three.Pair = nil, nil
	if diff := cmp.Diff(one, three); diff != "" {
		t.Errorf("1 worker and 3 find different grids:\n%s", diff)
	}
}

// The edges of a grid are a single kind each: up to its frontier they keep the
// check, and the next amount breaks it.
func TestEdgesOfAGridAreTheFrontiersOfItsKinds(t *testing.T) {
	x := pairs("lua-release", "mutual-exclusion", "pause", "clock-step")
	g := x.Run(context.Background())
	edges := [2][]explore.Cell{nil, g.Cells[0]}
	for _, row := range g.Cells {
		edges[0] = append(edges[0], row[0])
	}
	for axis, kind := range x.Kinds {
		f := x.Space.Frontier(context.Background(), x.Check, kind, 2)
		for i, amount := range g.Amounts[axis] {
			if broken := edges[axis][i] != explore.Keeps; broken != (amount >= f.Breaks) {
				t.Errorf("a %s of %d: broken is %t, but the frontier is at %d", kind.Name, amount, broken, f.Breaks)
			}
		}
	}
}

func TestPairBreaksWhatNeitherOfItsFaultsDoes(t *testing.T) {
	x := pairs("redlock", "no-stale-write", "pause", "delay")
	x.Space = explore.NewSpace(x.Space.Protocol, protocols.Params{Clients: 2, Rounds: 1, Nodes: 1, TTL: x.Space.Params.TTL, Work: x.Space.Params.Work}, nil)
	g := x.Run(context.Background())
	if g.Pair == nil {
		t.Fatal("found no pair")
	}
	judge := x.Space.NewJudge([]*checker.Check{x.Check})
	defer judge.Close()
	violated := func(faults ...sim.Fault) bool {
		s := g.Pair.Schedule
		s.Faults = faults
		out, err := judge.Run(s)
		if err != nil {
			t.Fatal(err)
		}
		return out.Verdicts[0].State == checker.Violated
	}
	faults := g.Pair.Schedule.Faults
	if len(faults) != 2 || !violated(faults...) || violated(faults[0]) || violated(faults[1]) {
		t.Fatalf("%v: want two faults that it takes both of", faults)
	}
	for axis, at := range []int{g.Pair.Row, g.Pair.Column} {
		if !slices.ContainsFunc(faults, func(f sim.Fault) bool { return f.Kind == x.Kinds[axis] && f.Amount == g.Amounts[axis][at] }) {
			t.Errorf("%v: want a %s of %d", faults, x.Kinds[axis].Name, g.Amounts[axis][at])
		}
	}
	for row := range g.Cells {
		for column, cell := range g.Cells[row] {
			if cell == explore.Together && row+column < g.Pair.Row+g.Pair.Column {
				t.Errorf("row %d and column %d break it together, and are smaller than %d and %d", row, column, g.Pair.Row, g.Pair.Column)
			}
		}
	}
}

func TestPairsAreNotRunWhereOneFaultIsEnough(t *testing.T) {
	x := pairs("lua-release", "mutual-exclusion", "pause", "clock-step")
	g := x.Run(context.Background())
	want := 2 * x.Steps // each kind alone
	for _, row := range g.Cells[1:] {
		for _, cell := range row[1:] {
			if cell == explore.Keeps || cell == explore.Together {
				want++
			}
		}
	}
	if g.Searches != want {
		t.Errorf("%d searches, want %d", g.Searches, want)
	}
}

// A lease's validity is what its client counts on, from before it asked: the TTL
// less the drift allowance, or what the client goes by instead.
func TestValidityIsWhenAClientStopsByItself(t *testing.T) {
	limited := make(map[string]time.Duration)
	for _, p := range protocols.All {
		if validity, ok := explore.NewSpace(p, p.Smallest(), nil).Validity(); ok {
			limited[p.Name] = validity
		}
	}
	if limited["redlock"] != 295*time.Millisecond || limited["deadline"] != 295*time.Millisecond {
		t.Errorf("redlock's is %v and deadline's %v, want 295ms", limited["redlock"], limited["deadline"])
	}
	for _, name := range []string{"lua-release", "watchdog", "conditional-update"} {
		if validity, ok := limited[name]; ok {
			t.Errorf("%s stops after %v, want it to go on", name, validity)
		}
	}
}
