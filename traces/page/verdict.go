package page

import (
	"simrun/checker"
	"simrun/traces"
)

// A report is what is said of one run.
type report struct {
	Name     string
	Title    string
	Facts    string
	Broken   []*breach
	Held     []string
	Unknown  []string
	Defect   string
	Faults   []string
	Spared   []string // faults that were found not to be needed
	Found    bool     // the story is a smallest one: all its faults are needed
	Schedule []string
}

// A breach is a violated check.
type breach struct {
	Check  string
	Broken string // when such a check is broken
	Why    string
	Opens  bool // it is the one that the page opens with
	Events []culprit
}

// A culprit is an event that breaks a check.
type culprit struct {
	Number int // in its breach
	X, Y   int
	Text   string
	Step   int // the first step that tells of it, from 1
}

// reportOf says what came of a run.
func reportOf(d *drawing, name string, steps []*step, run int) *report {
	t := d.trace
	r := &report{Name: name, Defect: t.Defect, Facts: factsOf(t), Schedule: t.Schedule.Lines()}
	opens := openingOf(t)
	for i := range t.Verdict {
		j := &t.Verdict[i]
		switch j.State {
		case checker.Held:
			r.Held = append(r.Held, j.Check)
		case checker.Unknown:
			r.Unknown = append(r.Unknown, j.Check)
		case checker.Violated:
			b := &breach{Check: j.Check, Why: j.Why, Opens: j == opens, Broken: checker.Named(j.Check).Breaks}
			b.blame(d, j, steps, run)
			r.Broken = append(r.Broken, b)
		}
	}
	switch {
	case t.Defect != "":
		r.Title = name + " is broken off"
	case opens != nil:
		r.Title = name + " breaks " + opens.Check
	default:
		r.Title = name + " keeps what was checked"
	}
	for _, f := range t.Schedule.Faults {
		r.Faults = append(r.Faults, f.String())
	}
	if t.Found != nil {
		r.Found = true
		for _, f := range t.Found.NotNeeded {
			r.Spared = append(r.Spared, f.String())
		}
	}
	return r
}

// openingOf returns the judgement that the page opens with: that of the check that
// the trace was found for, else the first that is violated, since the checks begin
// with who was wrong about holding the lock.
func openingOf(t *traces.Trace) *traces.Judgement {
	if t.Found != nil {
		return t.Violated()
	}
	for i := range t.Verdict {
		if t.Verdict[i].State == checker.Violated {
			return &t.Verdict[i]
		}
	}
	return nil
}

// blame numbers the events that break the check.
func (b *breach) blame(d *drawing, j *traces.Judgement, steps []*step, run int) {
	for i, n := range j.Events {
		e := &d.trace.Events[n]
		c := culprit{Number: i + 1, X: d.x(e.At), Y: d.Top + axisHeight, Text: told(e)}
		if lanes := d.lanesOf(e.Actor); len(lanes) > 0 {
			c.Y = lanes[0].Middle()
		}
		for k, o := range b.Events {
			if o.Y == c.Y && c.X-o.X < badgeGap && o.X-c.X < badgeGap {
				c.X = b.Events[k].X + badgeGap
			}
		}
		for k, s := range steps {
			if s.Events[run] >= int(n) {
				c.Step = k + 1
				break
			}
		}
		b.Events = append(b.Events, c)
	}
}

// badgeGap is how far apart two numbers stand that would cover each other.
const badgeGap = 18
