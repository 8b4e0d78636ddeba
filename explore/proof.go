package explore

import (
	"cmp"
	"slices"

	"simrun/checker"
	"simrun/sim"
)

// A Proof is what an exhaustive search found.
type Proof struct {
	Schedules []int // by number of faults: how many were run
	Checks    []ProofCheck
	Defects   Defects
	Whole     int  // every schedule with fewer faults than this was run
	Complete  bool // every schedule with at most Most faults was run
}

// Total returns how many schedules were run in all.
func (p *Proof) Total() int {
	sum := 0
	for _, n := range p.Schedules {
		sum += n
	}
	return sum
}

// A ProofCheck is what an exhaustive search found of one check.
type ProofCheck struct {
	Check    *checker.Check
	Violated []int // by number of faults: how many schedules violate it
	Unknown  int
	Least    int       // the smallest number of faults that breaks it, -1 if none did
	Breaks   []Breaker // one for each set of kinds that breaks it with that many
}

// A Breaker is a set of kinds of fault that breaks a check, with a schedule that
// shows it: the first in the order of the search.
type Breaker struct {
	Kinds    string // such as "pause" or "pause + delay"
	Schedule sim.Schedule

	path []int // where it stands in the search
}

func newProof(checks []*checker.Check) *Proof {
	p := &Proof{}
	for _, c := range checks {
		p.Checks = append(p.Checks, ProofCheck{Check: c, Least: -1})
	}
	return p
}

// deepen makes room for the counts of schedules with one fault more.
func (p *Proof) deepen() {
	p.Schedules = append(p.Schedules, 0)
	for i := range p.Checks {
		p.Checks[i].Violated = append(p.Checks[i].Violated, 0)
	}
}

func (p *Proof) add(s sim.Schedule, out Outcome, path []int) {
	depth := len(s.Faults)
	p.Schedules[depth]++
	if out.Defect != "" {
		p.Defects.merge(Defects{Count: 1, Seed: 1, Text: out.Defect})
	}
	kinds := ""
	for i, v := range out.Verdicts {
		c := &p.Checks[i]
		switch v.State {
		case checker.Violated:
			if kinds == "" {
				kinds = kindsOf(s)
			}
			c.Violated[depth]++
			c.keep(Breaker{Kinds: kinds, Schedule: s, path: path})
		case checker.Unknown:
			c.Unknown++
		}
	}
}

// keep notes a breaker unless one of the same kinds comes before it.
func (c *ProofCheck) keep(b Breaker) {
	at := slices.IndexFunc(c.Breaks, func(old Breaker) bool { return old.Kinds == b.Kinds })
	switch {
	case at < 0:
		c.Breaks = append(c.Breaks, b.clone())
	case slices.Compare(b.path, c.Breaks[at].path) < 0:
		c.Breaks[at] = b.clone()
	}
}

// clone returns a breaker that shares no memory with the search.
func (b Breaker) clone() Breaker {
	b.Schedule, b.path = b.Schedule.Clone(), slices.Clone(b.path)
	return b
}

// merge adds a worker's part of the search at a depth. Breakers count at the
// first depth that has any.
func (p *Proof) merge(part *Proof, depth int) {
	p.Schedules[depth] += part.Schedules[depth]
	p.Defects.merge(part.Defects)
	for i := range p.Checks {
		c, o := &p.Checks[i], &part.Checks[i]
		c.Violated[depth] += o.Violated[depth]
		c.Unknown += o.Unknown
		if len(o.Breaks) > 0 && c.Least < 0 {
			c.Least = depth
		}
		if c.Least == depth {
			for _, b := range o.Breaks {
				c.keep(b)
			}
			c.sort()
		}
	}
}

// sort puts breakers in the order of the table of kinds.
func (c *ProofCheck) sort() {
	slices.SortFunc(c.Breaks, func(a, b Breaker) int {
		return cmp.Or(cmp.Compare(rank(a.Kinds), rank(b.Kinds)), cmp.Compare(a.Kinds, b.Kinds))
	})
}
