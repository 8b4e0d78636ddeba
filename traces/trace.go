package traces

import (
	"time"

	"simrun/checker"
	"simrun/sim"
)

// Version is the version of the file format that this package writes. It reads
// this one alone.
const Version = 1

// A Trace is a schedule, what it was run on, and all that happened.
type Trace struct {
	Protocol   string
	Parameters Parameters
	Schedule   sim.Schedule
	Found      *Found // nil for a trace that no campaign found
	Verdict    []Judgement
	Defect     string // why the run was broken off; empty if it was not
	Hash       string // of the events
	Events     []sim.Event
	History    sim.History
}

// Parameters are what a protocol was run with.
type Parameters struct {
	Clients int
	Rounds  int
	Nodes   int
	TTL     time.Duration
	Work    time.Duration
	Token   string
}

// A Found says how a trace came about: as the minimal story of a violated
// check.
type Found struct {
	Check     string
	Seed      int         // 0 if no seed led to it
	NotNeeded []sim.Fault // faults of the seed's schedule that the story does without
}

// A Judgement is what one check said of the run.
type Judgement struct {
	Check  string
	State  checker.State
	At     sim.Stamp // where it broke, if it did
	Why    string
	Events []int32
}

// New returns the trace of a recorded run. It shares no memory with the run's
// result, which the world's next run overwrites.
func New(protocol string, p Parameters, s sim.Schedule, r sim.Result, checks []*checker.Check) *Trace {
	t := &Trace{
		Protocol: protocol, Parameters: p, Schedule: s.Clone(), Defect: r.Defect,
		Hash: sim.Hash(r.Events), Events: r.Events, History: r.History.Clone(),
	}
	for _, c := range checks {
		v := checker.Verdict{State: checker.Unknown, Why: r.Defect}
		if r.Defect == "" {
			v = c.Judge(&t.History)
		}
		t.Verdict = append(t.Verdict, Judgement{Check: c.Name, State: v.State, At: v.At, Why: v.Why, Events: v.Events})
	}
	return t
}

// Violated returns the judgement of the trace's worst violated check, or of
// the one that it was found for, or nil if nothing was violated.
func (t *Trace) Violated() *Judgement {
	var worst *Judgement
	for i := range t.Verdict {
		j := &t.Verdict[i]
		if j.State != checker.Violated {
			continue
		}
		if t.Found != nil && t.Found.Check == j.Check {
			return j
		}
		worst = j
	}
	return worst
}

// A Difference is the first place at which a run departs from its trace.
type Difference struct {
	Event      int    // its number, from 0; -1 where it is not an event that differs
	File, Here string // what the trace says, and what happened
}

// Compare returns the first difference between the trace and the same schedule
// run again, or nil. Of the verdicts it compares the states, of the checks that
// the trace has.
func (t *Trace) Compare(again *Trace) *Difference {
	for i := range max(len(t.Events), len(again.Events)) {
		file, here := eventAt(t.Events, i), eventAt(again.Events, i)
		if file != here {
			return &Difference{Event: i, File: file, Here: here}
		}
	}
	for _, j := range t.Verdict {
		if state := again.state(j.Check); state != j.State {
			return &Difference{Event: -1, File: j.Check + " " + string(j.State), Here: j.Check + " " + string(state)}
		}
	}
	return nil
}

func eventAt(events []sim.Event, i int) string {
	if i >= len(events) {
		return "the end of the run"
	}
	return events[i].String()
}

// state returns what a check said of the run.
func (t *Trace) state(check string) checker.State {
	for _, j := range t.Verdict {
		if j.Check == check {
			return j.State
		}
	}
	return "not judged"
}
