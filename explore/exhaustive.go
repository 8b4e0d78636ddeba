package explore

import (
	"context"
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

	// Each, if not nil, is told of every schedule that counts, which is valid until
	// it returns. It is called from several goroutines.
	Each func(s sim.Schedule)
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
			from := x.Space.Start(start)
			from.Faults = make([]sim.Fault, 0, depth)
			s.explore(from, append(make([]int, 0, depth+1), start))
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
	twins [][]sim.Fault // of each fault of the schedule that is under way

	first, firsts int // which of how many first faults is under way
	before        int // schedules with other numbers of faults, or from other starts
	judge         *Judge
}

// explore runs all schedules of the search's depth that begin with one, which
// stands at a path of the search: where it starts from, then the place of each fault
// among those that could follow.
func (s *search) explore(from sim.Schedule, path []int) {
	if s.depth == 0 {
		if s.x.Shard.takes(0) && s.next.Add(1) == 1 {
			s.leaf(from, path, nil)
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
	list := s.x.Space.extensions(&v, from, len(from.Faults)+1 == s.depth)
	if len(from.Faults) > 0 {
		for i := range list {
			s.follow(from, path, i, &list[i], list[i+1:])
		}
		return
	}
	for i := int(s.next.Add(1)) - 1; i < len(list) && s.ctx.Err() == nil; i = int(s.next.Add(1)) - 1 {
		if s.first, s.firsts = i, len(list); s.x.Shard.takes(i) {
			s.follow(from, path, i, &list[i], nil)
		}
	}
}

// follow explores what begins with a schedule and the i-th of its extensions. The
// later ones are given where nobody else explores them.
func (s *search) follow(from sim.Schedule, path []int, i int, e *extension, later []extension) {
	if e.done {
		return
	}
	s.twins = append(s.twins, e.twins)
	from.Faults, path = append(from.Faults, e.fault), append(path, i)
	if len(from.Faults) == s.depth {
		s.leaf(from, path, later)
	} else {
		s.explore(from, path)
	}
	s.twins = s.twins[:len(s.twins)-1]
}
