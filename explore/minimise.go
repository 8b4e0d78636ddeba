package explore

import (
	"slices"

	"simrun/checker"
	"simrun/sim"
)

// A Minimal is a schedule that violates a check and from which nothing can be
// left out.
type Minimal struct {
	Schedule sim.Schedule
	Dropped  []sim.Fault // faults of the original that are not needed
	Runs     int         // how many schedules were tried
}

// Minimise shrinks a schedule that violates a check until it is 1-minimal: no
// single fault, client or round can be left out, and no number made simpler,
// without the check holding. What may be tried is what [Space.Simpler] lists.
//
// It works on values, not on the bits that a generator read, and goes round
// and round the list of simplifications instead of starting over after each
// success (after Zeller and Hildebrandt, Simplifying and Isolating
// Failure-Inducing Input, 2002). A schedule that does not violate the check is
// returned as it is.
func (sp *Space) Minimise(s sim.Schedule, check *checker.Check) Minimal {
	judge := sp.NewJudge([]*checker.Check{check})
	defer judge.Close()
	m := Minimal{Schedule: s}
	fails := func(t sim.Schedule) (bool, []bool) {
		m.Runs++
		out, err := judge.Run(t)
		if err != nil {
			return false, nil // a fault whose actor has been left out
		}
		return out.Verdicts[0].State == checker.Violated, slices.Clone(out.Struck)
	}
	failing, struck := fails(s)
	if !failing {
		return m
	}
	// Faults whose points were not reached go first, all at once.
	if reached := keepStruck(s, struck); len(reached.Faults) < len(s.Faults) {
		if ok, _ := fails(reached); ok {
			m.Schedule = reached
		}
	}
	for at, without := 0, 0; ; at++ {
		steps := sp.Simpler(m.Schedule)
		if without >= len(steps) {
			break
		}
		candidate := steps[at%len(steps)]
		if ok, _ := fails(candidate); ok {
			m.Schedule = candidate
			without = 0
			at-- // what moved into its place comes next
		} else {
			without++
		}
	}
	m.Dropped = dropped(s, m.Schedule)
	return m
}

func keepStruck(s sim.Schedule, struck []bool) sim.Schedule {
	t := s.Clone()
	t.Faults = t.Faults[:0]
	for i, f := range s.Faults {
		if struck[i] {
			t.Faults = append(t.Faults, f)
		}
	}
	return t
}

// dropped returns the faults of the original that have no counterpart in the
// minimal schedule. Faults keep their order, kind and actor while they shrink.
func dropped(original, minimal sim.Schedule) []sim.Fault {
	var gone []sim.Fault
	rest := minimal.Faults
	for _, f := range original.Faults {
		if len(rest) > 0 && rest[0].Kind == f.Kind && rest[0].Actor == f.Actor && rest[0].Point.Place == f.Point.Place && rest[0].Point.Purpose == f.Point.Purpose {
			rest = rest[1:]
			continue
		}
		gone = append(gone, f)
	}
	return gone
}
