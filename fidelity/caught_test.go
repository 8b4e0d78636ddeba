package fidelity

import (
	"flag"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// A trial is a test that is meant to fail.
type trial struct {
	testing.TB
	verdict string
}

func (t *trial) Logf(string, ...any)       {}
func (t *trial) Log(...any)                {}
func (t *trial) Errorf(f string, a ...any) { t.verdict += fmt.Sprintf(f, a...) }
func (t *trial) Failed() bool              { return t.verdict != "" }
func (t *trial) FailNow()                  {}

// caught returns what rapid says of a property that is meant not to hold, or "" if
// it has held ten thousand times. What the property drew last is what it failed with,
// the shortest that was found in the time to shrink.
func caught(t *testing.T, shrink time.Duration, property func(*rapid.T)) string {
	t.Helper()
	set(t, "rapid.nofailfile", "true")
	set(t, "rapid.shrinktime", shrink.String())
	try := &trial{TB: t}
	for i := 0; i < 100 && !try.Failed(); i++ {
		rapid.Check(try, property)
	}
	return try.verdict
}

// fewest returns as few of the steps as still fail, of which neither one nor two
// can be left out: two where they undo each other. Its work depends on how many
// there are, not on how fast the machine is, as with rapid's shrinking.
func fewest[Step any](steps []Step, fails func([]Step) bool) []Step {
	for size := len(steps); size > 0; {
		shorter := steps
		for end := len(steps); end > 0; end -= size {
			without := slices.Delete(slices.Clone(shorter), max(0, end-size), end)
			if fails(without) {
				shorter = without
			}
		}
		if len(shorter) == len(steps) {
			size /= 2
		}
		steps, size = shorter, min(size, len(shorter))
	}
	for second := range steps {
		for first := range second {
			without := slices.Delete(slices.Delete(slices.Clone(steps), second, second+1), first, first+1)
			if fails(without) {
				return fewest(without, fails)
			}
		}
	}
	return steps
}

func TestFewestLeavesOutWhatGoesInPairs(t *testing.T) {
	got := fewest([]int{1, 0, -3, 0, 3, 2, -1}, func(some []int) bool {
		sum := 0
		for _, n := range some {
			sum += n
		}
		return sum == 2
	})
	if !slices.Equal(got, []int{2}) {
		t.Errorf("%v are left, want 2 alone", got)
	}
}

func TestFewestLeavesNoStepThatCanGo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		needed := rapid.SliceOfDistinct(rapid.IntRange(0, 30), rapid.ID[int]).Draw(t, "needed")
		slices.Sort(needed)
		all := make([]int, 31)
		for i := range all {
			all[i] = i
		}
		got := fewest(all, func(some []int) bool {
			return !slices.ContainsFunc(needed, func(n int) bool { return !slices.Contains(some, n) })
		})
		if !slices.Equal(got, needed) {
			t.Fatalf("%v are left, want %v", got, needed)
		}
	})
}

// set sets a flag for the time of a test.
func set(t *testing.T, name, value string) {
	t.Helper()
	f := flag.Lookup(name)
	before := f.Value.String()
	t.Cleanup(func() { f.Value.Set(before) })
	if err := f.Value.Set(value); err != nil {
		t.Fatal(err)
	}
}
