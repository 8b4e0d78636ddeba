package scenarios

import (
	"fmt"
	"strings"
	"time"

	"simrun/checker"
	"simrun/explore"
	"simrun/sim"
	"simrun/traces"
)

// A Run is what came of a script.
type Run struct {
	Script *Script
	Trace  *traces.Trace
	Breaks []string // names of checks, in the order of [checker.All]
	Story  string   // the run narrated
	Told   string   // the story and the verdicts, as they are recorded
}

// Run runs the script. Its error is a [*sim.LineError] that names the fault
// that does not fit the servers and clients, or that never strikes.
func (s *Script) Run() (*Run, error) {
	trace, struck, err := explore.Record(s.Protocol, s.Params, s.Schedule, checker.All)
	if err != nil {
		return nil, s.misfit(err)
	}
	for i := range struck {
		if !struck[i] {
			return nil, s.faulty(i, fmt.Errorf("the fault %q never strikes in this run", s.Schedule.Faults[i]))
		}
	}
	r := &Run{Script: s, Trace: trace}
	return r, r.tell()
}

// misfit finds the fault that the world does not take.
func (s *Script) misfit(err error) error {
	for i, f := range s.Schedule.Faults {
		alone := s.Schedule
		alone.Faults = []sim.Fault{f}
		if _, _, err := explore.Record(s.Protocol, s.Params, alone, nil); err != nil {
			return s.faulty(i, err)
		}
	}
	return err
}

// faulty places an error in the line of the i-th fault.
func (s *Script) faulty(i int, err error) error {
	if i < len(s.lines.faults) {
		return &sim.LineError{Line: s.lines.faults[i], Err: err}
	}
	return err
}

// tell narrates the run.
func (r *Run) tell() error {
	var b strings.Builder
	if err := traces.Timeline(&b, r.Trace); err != nil {
		return err
	}
	r.Story = b.String()
	b.WriteString("\n")
	for _, j := range r.Trace.Verdict {
		fmt.Fprintf(&b, "%s: %s", j.Check, j.State)
		if j.State == checker.Violated {
			fmt.Fprintf(&b, " at %.1f ms, %s", float64(j.At.At)/float64(time.Millisecond), j.Why)
			r.Breaks = append(r.Breaks, j.Check)
		}
		b.WriteString("\n")
	}
	r.Told = b.String()
	return nil
}

// Surprise says that the run breaks something else than its script has it. It
// is empty if it does not.
func (r *Run) Surprise() string {
	if want, got := list(r.Script.Breaks), list(r.Breaks); want != got {
		return fmt.Sprintf("line %d: the script breaks %s, this run breaks %s", r.Script.lines.breaks, want, got)
	}
	return ""
}

// Difference says where the run first departs from what was recorded. It is
// empty if it does not, or if nothing was recorded.
func (r *Run) Difference() string {
	if r.Script.Recorded == "" || r.Script.Recorded == r.Told {
		return ""
	}
	file, here := strings.Split(r.Script.Recorded, "\n"), strings.Split(r.Told, "\n")
	i := 0
	for i < len(file)-1 && i < len(here)-1 && file[i] == here[i] {
		i++
	}
	return fmt.Sprintf("line %d: the script has %s, this run has %s", r.Script.lines.recorded+i, lineAt(file, i), lineAt(here, i))
}

func lineAt(lines []string, i int) string {
	if i == len(lines)-1 && lines[i] == "" {
		return "its end"
	}
	return fmt.Sprintf("%q", lines[i])
}

// Rerecorded returns the script with this run as what was recorded.
func (r *Run) Rerecorded() *Script {
	s := *r.Script
	s.Recorded = r.Told
	return &s
}
