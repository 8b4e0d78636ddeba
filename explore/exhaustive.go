package explore

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"simrun/checker"
	"simrun/sim"
)

// An Exhaustive search runs every schedule of the space's alphabet with 0, 1, …
// Most faults, in that order, starting from its quiet schedule and from as many
// noisy ones as it is told.
//
// A schedule with one fault more is made from every run by adding a fault at a
// point that the run reached after its last fault. Since the two runs are the
// same up to there, every set of faults is tried in the one order in which its
// faults strike, also where a point is reached only because of an earlier
// fault, and no set is remembered.
type Exhaustive struct {
	Space   *Space
	Checks  []*checker.Check
	Most    int // faults in a schedule
	Noisy   int // schedules to start from besides the quiet one
	Shard   Shard
	Workers int

	// Progress, if not nil, is told now and then how many schedules have been
	// run, and about how many there will be in all, 0 while nobody can tell. It
	// is called from several goroutines.
	Progress func(done, total int)

	// Each, if not nil, is told of every schedule that counts. It is called from
	// several goroutines.
	Each func(s sim.Schedule)
}

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

// Run searches until it is done or ctx is. The proof does not depend on the
// number of workers, unless it is incomplete.
func (x *Exhaustive) Run(ctx context.Context) *Proof {
	proof := newProof(x.Checks)
	var done atomic.Int64
	for depth := 0; depth <= x.Most && ctx.Err() == nil; depth++ {
		proof.deepen()
		for start := 0; start <= x.Noisy && ctx.Err() == nil; start++ {
			for _, part := range x.from(ctx, start, depth, &done, proof.Total()) {
				proof.merge(part, depth)
			}
		}
		if ctx.Err() == nil {
			proof.Whole = depth + 1
		}
	}
	proof.Complete = proof.Whole > x.Most
	return proof
}

// from searches one depth from one of the schedules to start from, after so many
// schedules with other faults, and returns the workers' parts.
func (x *Exhaustive) from(ctx context.Context, start, depth int, done *atomic.Int64, before int) []*Proof {
	var next atomic.Int64
	var wait sync.WaitGroup
	parts := make([]*Proof, x.Workers)
	for i := range parts {
		parts[i] = newProof(x.Checks)
		for range depth + 1 {
			parts[i].deepen()
		}
		wait.Go(func() {
			s := &search{
				x: x, ctx: ctx, start: start, depth: depth, next: &next, done: done, before: before,
				proof: parts[i], judge: x.Space.NewJudge(x.Checks),
			}
			defer s.judge.Close()
			s.explore(x.Space.Start(start), nil)
		})
	}
	wait.Wait()
	return parts
}

// A search is one worker's part of one depth: of the first faults, every worker
// takes its share.
type search struct {
	x     *Exhaustive
	ctx   context.Context
	start int
	depth int
	next  *atomic.Int64 // the first fault to take next
	done  *atomic.Int64
	proof *Proof

	first, firsts int // which of how many first faults is under way
	before        int // schedules with other numbers of faults, or from other starts
	judge         *Judge
}

// explore runs all schedules of the search's depth that begin with s, which
// stands at a path of the search.
func (s *search) explore(from sim.Schedule, path []int) {
	if len(path) == s.depth {
		if s.depth > 0 || s.x.Shard.takes(0) && s.next.Add(1) == 1 {
			s.leaf(from, path)
		}
		return
	}
	v, err := s.judge.world.Survey(from)
	if err != nil {
		panic(err) // the alphabet is made for the setup
	}
	if v.Defect != "" {
		return
	}
	list := s.x.Space.extensions(&v, from, len(path)+1 == s.depth)
	if len(path) > 0 {
		for i := range list {
			s.explore(with(from, list[i]), append(path, i))
		}
		return
	}
	for i := int(s.next.Add(1)) - 1; i < len(list) && s.ctx.Err() == nil; i = int(s.next.Add(1)) - 1 {
		if s.first, s.firsts = i, len(list); s.x.Shard.takes(i) {
			s.explore(with(from, list[i]), []int{i})
		}
	}
}

func with(s sim.Schedule, f sim.Fault) sim.Schedule {
	s.Faults = append(slices.Clip(s.Faults), f)
	return s
}

// leaf runs and judges one schedule, unless its last fault is not the last to
// strike: then it is found elsewhere in the search.
func (s *search) leaf(schedule sim.Schedule, path []int) {
	if s.ctx.Err() != nil {
		return
	}
	out, err := s.judge.Run(schedule)
	if err != nil {
		panic(err) // the alphabet is made for the setup
	}
	if !strikesLast(s.judge.world.Strikes()) {
		return
	}
	s.proof.add(schedule, out, append([]int{s.start}, path...))
	if s.x.Each != nil {
		s.x.Each(schedule)
	}
	if done := s.done.Add(1); s.x.Progress != nil && done%256 == 0 {
		s.x.Progress(int(done), s.estimate(int(done)))
	}
}

// estimate returns about how many schedules there will be in all, once the last
// depth is under way, which has nearly all of them. Later first faults have fewer
// others after them.
func (s *search) estimate(done int) int {
	if s.depth < s.x.Most || s.firsts == 0 {
		return 0
	}
	left := 1 - float64(s.first+1)/float64(s.firsts)
	share := 1 - math.Pow(left, float64(s.depth))
	starts := float64(s.x.Noisy + 1 - s.start)
	return s.before + int(float64(done-s.before)/share*starts)
}

// strikesLast reports whether faults strike in the order in which they stand.
func strikesLast(strikes []int32) bool {
	return !slices.Contains(strikes, -1) && slices.IsSorted(strikes)
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
	for i, v := range out.Verdicts {
		c := &p.Checks[i]
		switch v.State {
		case checker.Violated:
			c.Violated[depth]++
			c.keep(Breaker{Kinds: kindsOf(s), Schedule: s, path: slices.Clone(path)})
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
		b.Schedule = b.Schedule.Clone()
		c.Breaks = append(c.Breaks, b)
	case slices.Compare(b.path, c.Breaks[at].path) < 0:
		b.Schedule = b.Schedule.Clone()
		c.Breaks[at] = b
	}
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
