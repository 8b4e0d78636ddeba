package explore

import (
	"fmt"
	"time"

	"simrun/checker"
	"simrun/sim"
)

// A Part is what one shard of a run found.
type Part struct {
	File string // that it was read from
	Recipe
	Mark        string // the recipe's fingerprint where the shard was run
	Shard       Shard
	Elapsed     time.Duration
	Interrupted bool    // by a user, and not by a time limit
	Report      *Report // of random schedules, or nil
	Proof       *Proof  // of an exhaustive search, or nil
}

// Complete reports whether the shard ran all of its schedules.
func (p *Part) Complete() bool {
	if p.Proof != nil {
		return p.Proof.Complete
	}
	_, share := p.Shard.Seeds(p.First, p.Seeds)
	return p.Report.Schedules == share
}

// confirm runs the schedules again that a part names, and returns an error about
// the first that does not lead to what the part says.
func (p *Part) confirm() error {
	space := p.Space()
	judge := space.NewJudge(p.Checks)
	defer judge.Close()
	breaks := func(s sim.Schedule, check int) bool {
		out, err := judge.Run(s)
		return err == nil && out.Verdicts[check].State == checker.Violated
	}
	if p.Proof != nil {
		for i, c := range p.Proof.Checks {
			for _, b := range c.Breaks {
				if !breaks(b.Schedule, i) {
					return fmt.Errorf("its faults %v do not break %s here, as it says", b.Schedule.Faults, c.Check.Name)
				}
			}
		}
		return nil
	}
	for i, c := range p.Report.Checks {
		for _, seed := range c.Seeds {
			if !breaks(space.Schedule(seed), i) {
				return fmt.Errorf("its seed %d does not break %s here, as it says", seed, c.Check.Name)
			}
		}
	}
	if d := p.Report.Defects; d.Count > 0 {
		if out, err := judge.Run(space.Schedule(d.Seed)); err != nil || out.Defect != d.Text {
			return fmt.Errorf("its seed %d is not broken off here as it says", d.Seed)
		}
	}
	return nil
}
