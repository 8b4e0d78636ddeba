package explore

import (
	"math"
	"slices"
	"time"

	"simrun/checker"
)

// A Report is what a campaign found. Reports of disjoint seeds merge.
type Report struct {
	Schedules int // how many were run
	Checks    []CheckReport
	Overlap   Spread // the longest overlap of beliefs, over the schedules in which any did
	Unaware   Spread // how long a client went on believing after the true loss, likewise
	Defects   Defects
	Events    int64 // in all
}

// A CheckReport is what a campaign found of one check.
type CheckReport struct {
	Check    *checker.Check
	Violated int
	Unknown  int
	Empty    int   // schedules in which there was nothing to check
	Seeds    []int // the first seeds that violate it, in order, at most KeptSeeds
}

// KeptSeeds is how many violating seeds a report names for each check.
const KeptSeeds = 16

// Defects are the schedules that a protocol's own fault broke off.
type Defects struct {
	Count int
	Seed  int    // the first
	Text  string // what happened there
}

func newReport(checks []*checker.Check, ttl time.Duration) *Report {
	r := &Report{Overlap: newSpread(ttl), Unaware: newSpread(ttl)}
	for _, c := range checks {
		r.Checks = append(r.Checks, CheckReport{Check: c})
	}
	return r
}

func (r *Report) add(seed int, out Outcome) {
	r.Schedules++
	r.Events += int64(out.Count)
	if out.Defect != "" {
		r.Defects.merge(Defects{Count: 1, Seed: seed, Text: out.Defect})
	}
	for i, v := range out.Verdicts {
		c := &r.Checks[i]
		switch v.State {
		case checker.Violated:
			c.Violated++
			c.keep(seed)
			if c.Check.Lasts {
				r.Overlap.add(v.Length)
			}
		case checker.Unknown:
			c.Unknown++
		}
		if v.Empty {
			c.Empty++
		}
	}
	if unaware := checker.Unaware(out.History); unaware > 0 {
		r.Unaware.add(unaware)
	}
}

func (c *CheckReport) keep(seed int) {
	if len(c.Seeds) == KeptSeeds && seed > c.Seeds[KeptSeeds-1] {
		return
	}
	at, _ := slices.BinarySearch(c.Seeds, seed)
	c.Seeds = slices.Insert(c.Seeds, at, seed)
	c.Seeds = c.Seeds[:min(len(c.Seeds), KeptSeeds)]
}

// Merge adds what another campaign of the same checks found with other seeds.
func (r *Report) Merge(other *Report) {
	r.Schedules += other.Schedules
	r.Events += other.Events
	r.Defects.merge(other.Defects)
	r.Overlap.merge(&other.Overlap)
	r.Unaware.merge(&other.Unaware)
	for i := range r.Checks {
		c, o := &r.Checks[i], &other.Checks[i]
		c.Violated += o.Violated
		c.Unknown += o.Unknown
		c.Empty += o.Empty
		for _, seed := range o.Seeds {
			c.keep(seed)
		}
	}
}

// merge keeps the text of the first seed, and of several for one seed, as a
// search has them, that which sorts first: it does not depend on who merges what.
func (d *Defects) merge(o Defects) {
	if d.Count == 0 || o.Count > 0 && (o.Seed < d.Seed || o.Seed == d.Seed && o.Text < d.Text) {
		d.Seed, d.Text = o.Seed, o.Text
	}
	d.Count += o.Count
}

// UpperBound returns the greatest share of violating schedules that is still
// compatible, at 95 % confidence, with none among n: the one for which n
// schedules without a violation have a probability of 5 %.
func UpperBound(n int) float64 {
	if n == 0 {
		return 1
	}
	return 1 - math.Pow(0.05, 1/float64(n))
}

// A Spread is a distribution of durations in steps of a hundredth of the TTL,
// so that it takes the same memory whatever it holds.
type Spread struct {
	Count   int
	Longest time.Duration
	step    time.Duration
	steps   [2000]int
}

func newSpread(ttl time.Duration) Spread { return Spread{step: max(1, ttl/100)} }

func (s *Spread) add(d time.Duration) {
	s.Count++
	s.Longest = max(s.Longest, d)
	s.steps[min(int(d/s.step), len(s.steps)-1)]++
}

func (s *Spread) merge(o *Spread) {
	s.Count += o.Count
	s.Longest = max(s.Longest, o.Longest)
	for i, n := range o.steps {
		s.steps[i] += n
	}
}

// Median returns the duration that half of them do not exceed, to within a
// hundredth of the TTL.
func (s *Spread) Median() time.Duration {
	seen := 0
	for i, n := range s.steps {
		if seen += n; 2*seen >= s.Count && n > 0 {
			return min(s.Longest, time.Duration(i+1)*s.step)
		}
	}
	return 0
}
