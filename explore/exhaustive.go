package explore

import (
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

// leaf runs and judges one schedule, and counts all that lead to the same run, unless
// its last fault is not the last to strike: then it is found elsewhere in the search.
func (s *search) leaf(schedule sim.Schedule, path []int, later []extension) {
	if s.ctx.Err() != nil {
		return
	}
	run, outage := s.judge.Run, len(later) > 0 && s.x.Space.outage(schedule.Faults[s.depth-1])
	if outage {
		run = s.judge.Watch
	}
	out, err := run(schedule)
	if err != nil {
		panic(err) // the alphabet is made for the setup
	}
	if !strikesLast(s.judge.world.Strikes()) {
		return
	}
	if outage {
		s.alike(later)
	}
	s.credit(schedule, path, out, 0)
}

// alike counts as twins of the last fault those later extensions that lose the same.
func (s *search) alike(later []extension) {
	twins := &s.twins[s.depth-1]
	for i := range later {
		if e := &later[i]; !e.done && s.judge.world.LosesTheSame(e.fault) {
			e.done = true
			*twins = append(*twins, e.fault)
		}
	}
}

// credit counts a run for its schedule and for those that have twins in the place
// of its faults from the given one on.
func (s *search) credit(schedule sim.Schedule, path []int, out Outcome, from int) {
	if from == len(schedule.Faults) {
		s.count(schedule, path, out)
		return
	}
	s.credit(schedule, path, out, from+1)
	own := schedule.Faults[from]
	for _, twin := range s.twins[from] {
		schedule.Faults[from] = twin
		s.credit(schedule, path, out, from+1)
	}
	schedule.Faults[from] = own
}

func (s *search) count(schedule sim.Schedule, path []int, out Outcome) {
	s.proof.add(schedule, out, path)
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
