package explore

import (
	"math"
	"slices"

	"simrun/sim"
)

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
