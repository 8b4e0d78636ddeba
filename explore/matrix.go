package explore

import (
	"context"

	"simrun/checker"
	"simrun/protocols"
	"simrun/sim"
)

// A Matrix says which locks keep which checks under the same faults.
type Matrix struct {
	Checks []*checker.Check
	Rows   []Row
}

// A Row is what a campaign found of one protocol.
type Row struct {
	Protocol *protocols.Protocol
	Report   *Report
	Stories  []Story // one for each violated check
}

// StoryOf returns the story of a check, or nil if it was not violated.
func (r *Row) StoryOf(c *checker.Check) *Story {
	for i := range r.Stories {
		if r.Stories[i].Check == c {
			return &r.Stories[i]
		}
	}
	return nil
}

// Compare runs a campaign for each protocol, with the parameters that it has
// by default. Once ctx is done, the matrix ends with the row that was under
// way. Progress, if not nil, is told how many schedules have been run in all.
func Compare(ctx context.Context, locks []*protocols.Protocol, faults Selection, c Campaign) *Matrix {
	m := &Matrix{Checks: c.Checks}
	progress := c.Progress
	for i, p := range locks {
		if ctx.Err() != nil {
			break
		}
		if progress != nil {
			c.Progress = func(done int) { progress(i*c.Seeds + done) }
		}
		c.Space = NewSpace(p, p.Defaults(), faults)
		row := Row{Protocol: p, Report: c.Run(ctx)}
		row.Stories = c.Stories(ctx, row.Report)
		m.Rows = append(m.Rows, row)
	}
	return m
}

// A ProofRow is what an exhaustive search found of one protocol.
type ProofRow struct {
	Protocol *protocols.Protocol
	Proof    *Proof
}

// Prove runs an exhaustive search for each protocol, with its smallest
// parameters. Once ctx is done, the rows end with the one that was under way.
func Prove(ctx context.Context, locks []*protocols.Protocol, faults Selection, x Exhaustive) []ProofRow {
	var rows []ProofRow
	progress, before := x.Progress, 0
	for i, p := range locks {
		if ctx.Err() != nil {
			break
		}
		if progress != nil {
			x.Progress = func(done, total int) {
				if total > 0 {
					rows := float64(i) + float64(done)/float64(total)
					total = int(float64(before+done) / rows * float64(len(locks)))
				}
				progress(before+done, total)
			}
		}
		x.Space = NewSpace(p, p.Smallest(), faults)
		row := ProofRow{p, x.Run(ctx)}
		before += row.Proof.Total()
		rows = append(rows, row)
	}
	return rows
}

// A Trial is what one schedule led to with one protocol.
type Trial struct {
	Protocol *protocols.Protocol
	Verdicts []checker.Verdict // in the order of the checks; nil if the schedule does not fit
	Misfit   error             // why it does not
}

// Try runs one schedule with each protocol. A schedule fits those that have
// everybody whom its faults strike.
func Try(s sim.Schedule, params protocols.Params, locks []*protocols.Protocol, checks []*checker.Check) []Trial {
	var trials []Trial
	for _, p := range locks {
		own := p.Defaults()
		own.TTL, own.Work = params.TTL, params.Work
		judge := NewSpace(p, own, nil).NewJudge(checks)
		t := Trial{Protocol: p}
		if out, err := judge.Run(s); err != nil {
			t.Misfit = err
		} else {
			t.Verdicts = append(t.Verdicts, out.Verdicts...)
		}
		judge.Close()
		trials = append(trials, t)
	}
	return trials
}
