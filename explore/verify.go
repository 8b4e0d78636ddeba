package explore

import (
	"context"
	"runtime"
	"strings"

	"simrun/checker"
)

// TB is the part of [testing.TB] that [Space.Verify] needs.
type TB interface {
	Helper()
	Errorf(format string, args ...any)
}

// Verify runs the schedules of the seeds from 1 to seeds on all cores and
// fails the test for every check that one of them violates, with a minimal
// schedule that shows it. It is meant for the tests of one's own locks.
func (sp *Space) Verify(t TB, seeds int, checks ...*checker.Check) {
	t.Helper()
	c := Campaign{Space: sp, Checks: checks, First: 1, Seeds: seeds, Workers: runtime.GOMAXPROCS(0)}
	report := c.Run(context.Background())
	if d := report.Defects; d.Count > 0 {
		t.Errorf("%s: %d of %d schedules were broken off, first seed %d: %s", sp.Protocol.Name, d.Count, report.Schedules, d.Seed, d.Text)
	}
	for _, r := range report.Checks {
		if r.Violated == 0 {
			continue
		}
		m := sp.Minimise(sp.Schedule(r.Seeds[0]), r.Check)
		judge := sp.NewJudge([]*checker.Check{r.Check})
		out, err := judge.Run(m.Schedule)
		if err != nil {
			panic(err) // it has just been run
		}
		t.Errorf("%s: %s is violated by %d of %d schedules. The first, seed %d, shrinks to\n\t%s\nin which %s",
			sp.Protocol.Name, r.Check.Name, r.Violated, report.Schedules, r.Seeds[0],
			strings.Join(m.Schedule.Lines(), "\n\t"), out.Verdicts[0].Why)
		judge.Close()
	}
}
