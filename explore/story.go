package explore

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"simrun/checker"
	"simrun/sim"
)

// A Story is the smallest schedule found that violates a check.
type Story struct {
	Check  *checker.Check
	Seed   int // of the schedule that it was shrunk from
	Events int // how many events its run has
	Minimal

	// Suffices lists the sets of kinds of fault that break the check, each as
	// one text such as "pause" or "crash + drift": those of all kept seeds that
	// shrank to as few faults as the story has, in the order of the table.
	Suffices []string
}

// Stories returns a story for each violated check of the campaign's report, in
// the report's order. Every kept seed is minimised, and of the results the one
// with the fewest faults is told, then the one with the fewest events, then
// the one of the lowest seed. The stories do not depend on the number of
// workers. Once ctx is done, a check's first seed has to do.
func (c *Campaign) Stories(ctx context.Context, r *Report) []Story {
	tasks := r.tasks()
	results := make([]*Story, len(tasks))
	var next atomic.Int64
	var wait sync.WaitGroup
	for range c.Workers {
		wait.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(tasks) {
					return
				}
				if t := tasks[i]; t.nth == 0 || ctx.Err() == nil {
					results[i] = c.Space.story(t)
				}
			}
		})
	}
	wait.Wait()
	return smallest(r, results)
}

// A task is to minimise the nth kept seed of a check.
type task struct {
	check *checker.Check
	seed  int
	nth   int
}

// tasks lists what there is to minimise, every check's first seed before
// anybody's second.
func (r *Report) tasks() []task {
	var tasks []task
	for nth := range KeptSeeds {
		for _, c := range r.Checks {
			if nth < len(c.Seeds) {
				tasks = append(tasks, task{c.Check, c.Seeds[nth], nth})
			}
		}
	}
	return tasks
}

func (sp *Space) story(t task) *Story {
	s := &Story{Check: t.check, Seed: t.seed, Minimal: sp.Minimise(sp.Schedule(t.seed), t.check)}
	judge := sp.NewJudge(nil)
	defer judge.Close()
	out, err := judge.Run(s.Schedule)
	if err != nil {
		panic(err) // a minimal schedule has been run before
	}
	s.Events = out.Count
	return s
}

// smallest chooses a story for each violated check of the report.
func smallest(r *Report, candidates []*Story) []Story {
	var chosen []Story
	for _, c := range r.Checks {
		var best *Story
		for _, s := range candidates {
			if s != nil && s.Check == c.Check && (best == nil || s.compare(best) < 0) {
				best = s
			}
		}
		if best != nil {
			best.Suffices = sufficient(best, candidates)
			chosen = append(chosen, *best)
		}
	}
	return chosen
}

// sufficient lists the sets of kinds of those candidates that need no more
// faults than the best.
func sufficient(best *Story, candidates []*Story) []string {
	var sets []string
	for _, s := range candidates {
		if s == nil || s.Check != best.Check || len(s.Schedule.Faults) > len(best.Schedule.Faults) {
			continue
		}
		if set := kindsOf(s.Schedule); set != "" && !slices.Contains(sets, set) {
			sets = append(sets, set)
		}
	}
	slices.SortFunc(sets, func(a, b string) int { return cmp.Compare(rank(a), rank(b)) })
	return sets
}

// kindsOf names the kinds of a schedule's faults, in the order of the table.
func kindsOf(s sim.Schedule) string {
	var names []string
	for _, f := range s.Faults {
		names = append(names, f.Kind.Name)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Compare(rank(a), rank(b)) })
	return strings.Join(names, " + ")
}

// rank returns the place in the table of the first kind of a set.
func rank(set string) int {
	name, _, _ := strings.Cut(set, " + ")
	return slices.IndexFunc(sim.Kinds, func(k *sim.Kind) bool { return k.Name == name })
}

func (s *Story) compare(other *Story) int {
	return cmp.Or(
		cmp.Compare(len(s.Schedule.Faults), len(other.Schedule.Faults)),
		cmp.Compare(s.Events, other.Events),
		cmp.Compare(s.Seed, other.Seed),
	)
}
