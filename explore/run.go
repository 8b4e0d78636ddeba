package explore

import (
	"context"
	"sync"
	"sync/atomic"

	"pgregory.net/rapid"

	"simrun/checker"
	"simrun/sim"
)

// A Campaign is a range of seeds to run in a space.
type Campaign struct {
	Space   *Space
	Checks  []*checker.Check
	First   int // the first seed, from 1 up
	Seeds   int // how many
	Workers int

	// Progress, if not nil, is told now and then how many schedules have
	// been run. It is called from several goroutines.
	Progress func(done int)
}

// chunk is how many seeds a worker takes at a time: enough to make the taking
// cheap, few enough for all workers to end together.
const chunk = 64

// Run runs the campaign's schedules on all its workers until they are done or
// ctx is. The report does not depend on the number of workers.
func (c *Campaign) Run(ctx context.Context) *Report {
	var (
		next    atomic.Int64
		done    atomic.Int64
		wait    sync.WaitGroup
		reports = make([]*Report, c.Workers)
		gen     = c.Space.Schedules()
	)
	for i := range reports {
		reports[i] = newReport(c.Checks, c.Space.Params.TTL)
		wait.Go(func() {
			judge := c.Space.NewJudge(c.Checks)
			defer judge.Close()
			for ctx.Err() == nil {
				from := int(next.Add(chunk)) - chunk
				if from >= c.Seeds {
					return
				}
				size := min(chunk, c.Seeds-from)
				judge.runSeeds(ctx, gen, c.First+from, size, reports[i])
				if sum := done.Add(int64(size)); c.Progress != nil {
					c.Progress(int(sum))
				}
			}
		})
	}
	wait.Wait()
	for _, r := range reports[1:] {
		reports[0].Merge(r)
	}
	return reports[0]
}

func (j *Judge) runSeeds(ctx context.Context, gen *rapid.Generator[sim.Schedule], first, count int, r *Report) {
	for seed := first; seed < first+count && ctx.Err() == nil; seed++ {
		out, err := j.Run(gen.Example(seed))
		if err != nil {
			panic(err) // the space draws only faults that fit its setup
		}
		r.add(seed, out)
	}
}

// Schedule returns the schedule that a seed stands for in a space.
func (sp *Space) Schedule(seed int) sim.Schedule { return sp.Schedules().Example(seed) }
