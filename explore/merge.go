package explore

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Union is what all shards of a run found together.
type Union struct {
	Recipe
	Elapsed     time.Duration // of all shards, one after the other
	Interrupted bool          // one of them was
	Incomplete  []int         // the shards that did not run all of their schedules
	Shards      int
	Report      *Report // of random schedules, or nil
	Proof       *Proof  // of an exhaustive search, or nil
}

// Merge puts the parts of a run together, whatever their order, one at least.
// What it returns is what the run would have found in one piece. Its error names
// the file of a part that is of another run, was there before, or claims what
// does not come out here, or it names the shards that are missing.
func Merge(parts []*Part) (*Union, error) {
	parts = slices.Clone(parts)
	for i, p := range parts {
		if err := p.joins(parts[:i]); err != nil {
			return nil, fmt.Errorf("%s: %w", p.File, err)
		}
	}
	slices.SortFunc(parts, func(a, b *Part) int { return a.Shard.Index - b.Shard.Index })
	if gaps := missing(parts); len(gaps) > 0 {
		return nil, fmt.Errorf("%s missing: a claim about all schedules needs every shard", ShardList(gaps, parts[0].Shard.Of))
	}
	u := newUnion(parts[0])
	mark := u.Fingerprint()
	for _, p := range parts {
		if p.Mark != mark {
			return nil, fmt.Errorf("%s: the simrun that ran it runs other schedules than this one, or judges them otherwise: want shards of one version", p.File)
		}
		if err := p.confirm(); err != nil {
			return nil, fmt.Errorf("%s: %w", p.File, err)
		}
		u.add(p)
	}
	return u, nil
}

// joins returns why a part cannot stand beside earlier ones.
func (p *Part) joins(earlier []*Part) error {
	if len(earlier) == 0 {
		return nil
	}
	first := earlier[0]
	mine, others := p.facts(), first.facts()
	for i, f := range mine {
		if f != others[i] {
			return fmt.Errorf("of a run with %s %s, but %s is of one with %s: want shards of one run", f.flag, f.value, first.File, others[i].value)
		}
	}
	if p.Shard.Of != first.Shard.Of {
		return fmt.Errorf("shard %v, but %s is shard %v: want shards of one division", p.Shard, first.File, first.Shard)
	}
	for _, e := range earlier {
		if e.Shard == p.Shard {
			return fmt.Errorf("shard %v, but %s is that already: want each shard once", p.Shard, e.File)
		}
	}
	return nil
}

func missing(parts []*Part) []int {
	var gaps []int
	for i := 1; i <= parts[0].Shard.Of; i++ {
		if !slices.ContainsFunc(parts, func(p *Part) bool { return p.Shard.Index == i }) {
			gaps = append(gaps, i)
		}
	}
	return gaps
}

// ShardList names shards with a verb: "shard 3 of 8 is", "shards 3 and 5 of 8 are".
func ShardList(shards []int, of int) string {
	names := make([]string, len(shards))
	for i, n := range shards {
		names[i] = strconv.Itoa(n)
	}
	last := len(names) - 1
	if last == 0 {
		return fmt.Sprintf("shard %s of %d is", names[0], of)
	}
	return fmt.Sprintf("shards %s and %s of %d are", strings.Join(names[:last], ", "), names[last], of)
}

// newUnion returns a union of no shards yet, for those of the run that p is of.
func newUnion(p *Part) *Union {
	u := &Union{Recipe: p.Recipe, Shards: p.Shard.Of}
	if p.Proof == nil {
		u.Report = newReport(u.Checks, u.Params.TTL)
		return u
	}
	u.Proof = newProof(u.Checks)
	u.Proof.Whole, u.Proof.Complete = u.Most+1, true
	return u
}

func (u *Union) add(p *Part) {
	u.Elapsed += p.Elapsed
	u.Interrupted = u.Interrupted || p.Interrupted
	if !p.Complete() {
		u.Incomplete = append(u.Incomplete, p.Shard.Index)
	}
	if u.Proof != nil {
		u.Proof.join(p.Proof)
	} else {
		u.Report.Merge(p.Report)
	}
}

// join adds what another shard of the search found. Breakers count at the first
// depth that has any.
func (p *Proof) join(o *Proof) {
	for len(p.Schedules) < len(o.Schedules) {
		p.deepen()
	}
	for depth, n := range o.Schedules {
		p.Schedules[depth] += n
	}
	p.Whole = min(p.Whole, o.Whole)
	p.Complete = p.Complete && o.Complete
	p.Defects.merge(o.Defects)
	for i := range p.Checks {
		p.Checks[i].join(&o.Checks[i])
	}
}

func (c *ProofCheck) join(o *ProofCheck) {
	c.Unknown += o.Unknown
	for depth, n := range o.Violated {
		c.Violated[depth] += n
	}
	if o.Least < 0 || c.Least >= 0 && c.Least < o.Least {
		return
	}
	if c.Least != o.Least {
		c.Least, c.Breaks = o.Least, nil
	}
	for _, b := range o.Breaks {
		c.keep(b)
	}
	c.sort()
}
