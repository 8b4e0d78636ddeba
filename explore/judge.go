package explore

import (
	"simrun/checker"
	"simrun/sim"
)

// A Judge runs schedules of one space and judges them. Its memory is reused
// from schedule to schedule; it must not be shared between goroutines. Close
// it when done.
type Judge struct {
	world    *sim.World
	checks   []*checker.Check
	verdicts []checker.Verdict
}

// NewJudge returns a judge that applies the given checks.
func (sp *Space) NewJudge(checks []*checker.Check) *Judge {
	return &Judge{
		world:    sim.NewWorld(sp.Protocol.Setup(sp.Params)),
		checks:   checks,
		verdicts: make([]checker.Verdict, len(checks)),
	}
}

// Close frees the judge's world.
func (j *Judge) Close() { j.world.Close() }

// An Outcome is what one schedule led to. It is valid until its judge's next
// schedule.
type Outcome struct {
	sim.Result
	Verdicts []checker.Verdict // of the judge's checks, in their order
}

// Run runs a schedule and judges its history. A run that a defect of the
// protocol broke off is judged unknown throughout.
func (j *Judge) Run(s sim.Schedule) (Outcome, error) { return j.judge(j.world.Run(s)) }

// Watch does the same, and has the world watch what outages lose.
func (j *Judge) Watch(s sim.Schedule) (Outcome, error) { return j.judge(j.world.Watch(s)) }

// Record does the same with the full record of events.
func (j *Judge) Record(s sim.Schedule) (Outcome, error) { return j.judge(j.world.Record(s)) }

func (j *Judge) judge(r sim.Result, err error) (Outcome, error) {
	if err != nil {
		return Outcome{}, err
	}
	for i, c := range j.checks {
		if r.Defect != "" {
			j.verdicts[i] = checker.Verdict{State: checker.Unknown, Why: r.Defect}
		} else {
			j.verdicts[i] = c.Judge(r.History)
		}
	}
	return Outcome{Result: r, Verdicts: j.verdicts}, nil
}
