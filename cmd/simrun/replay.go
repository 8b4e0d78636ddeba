package main

import (
	"errors"
	"fmt"

	"simrun/checker"
	"simrun/explore"
	"simrun/protocols"
	"simrun/traces"
)

// replay runs the schedule of a trace again and tells whether the same
// happened.
func (c *console) replay(args []string) (int, error) {
	a, err := parseArguments(args, pictureFlags(), []string{"json", "quiet", "update"})
	if err != nil {
		return 0, err
	}
	asJSON, quiet, update := a.truth("json"), a.truth("quiet"), a.truth("update")
	_, drawn := a.drawn(asJSON)
	switch {
	case a.err != nil:
		return 0, a.err
	case len(a.rest) == 0:
		return 0, errors.New("the trace is missing: want simrun replay FILE")
	case len(a.rest) > 1:
		return 0, fmt.Errorf("unexpected %s: replay takes one file", shellWord(a.rest[1]))
	}
	r, err := rerun(a.rest[0])
	if err != nil {
		return 0, err
	}
	if r.difference != nil && update {
		if err := r.now.Save(r.name); err != nil {
			return 0, err
		}
		r.updated = true
	}
	if r.accepted() {
		if err := c.draw(a, r.now); err != nil {
			return 0, err
		}
	}
	if asJSON {
		err = c.replayJSON(r)
	} else if r.accepted() && !drawn {
		err = c.replayText(r, quiet)
	}
	if err == nil && !r.accepted() {
		err = fmt.Errorf("%s: %s; replay -update keeps what this run has", r.name, r.difference)
	}
	return exitCode(r.now), err
}

// A replayed is a trace and what its schedule leads to now.
type replayed struct {
	name       string
	now        *traces.Trace
	difference *difference // nil if the same happened
	updated    bool        // the file was rewritten
}

// accepted reports whether the file and the run agree by now.
func (r *replayed) accepted() bool { return r.difference == nil || r.updated }

type difference traces.Difference

func (d *difference) String() string {
	if d.Event < 0 {
		return fmt.Sprintf("the verdict differs: the file has %s, this run has %s", d.File, d.Here)
	}
	return fmt.Sprintf("event %d differs: the file has %s, this run has %s", d.Event, d.File, d.Here)
}

// rerun loads a trace and runs its schedule again.
func rerun(name string) (*replayed, error) {
	old, err := traces.Load(name)
	if err != nil {
		return nil, err
	}
	p := protocols.Named(old.Protocol)
	if p == nil {
		return nil, fmt.Errorf("%s: unknown protocol %q%s", name, old.Protocol, suggestion(old.Protocol, protocols.Names(), listShowsAll))
	}
	params := explore.ParamsOf(old)
	if err := p.Accepts(params); err != nil {
		return nil, fmt.Errorf(`%s: "parameters": %w`, name, err)
	}
	now, _, err := explore.Record(p, params, old.Schedule, checksIn(old))
	if err != nil {
		return nil, fmt.Errorf(`%s: "schedule": %w`, name, err)
	}
	now.Found = old.Found
	return &replayed{name: name, now: now, difference: (*difference)(old.Compare(now))}, nil
}

// checksIn returns the checks whose verdicts a trace holds, or all if it holds
// none.
func checksIn(t *traces.Trace) []*checker.Check {
	if len(t.Verdict) == 0 {
		return checker.All
	}
	var checks []*checker.Check
	for _, j := range t.Verdict {
		checks = append(checks, checker.Named(j.Check)) // which the reader of traces has seen to exist
	}
	return checks
}

func exitCode(t *traces.Trace) int {
	if t.Violated() != nil || t.Defect != "" {
		return exitViolated
	}
	return exitHeld
}

func (c *console) replayText(r *replayed, quiet bool) error {
	if !quiet {
		if err := traces.Timeline(c.out, r.now); err != nil {
			return err
		}
		c.printf("\n")
	}
	c.verdict(r.now)
	word := "same"
	if r.updated {
		word = "updated"
		c.printf("\n%s", r.difference)
	}
	c.printf("\n%s: %s, hash %s\n", word, plural(len(r.now.Events), "event"), r.now.Hash)
	return nil
}

// verdict prints what every check says.
func (c *console) verdict(t *traces.Trace) {
	for _, j := range t.Verdict {
		state := string(j.State)
		switch j.State {
		case checker.Held:
			state = c.paint.good(state)
		case checker.Violated:
			state = c.paint.bad(state)
		}
		if j.Why != "" {
			state += ": " + j.Why
		}
		c.printf("%-18s%s\n", j.Check, state)
	}
}

func (c *console) replayJSON(r *replayed) error {
	form := struct {
		Same       bool                     `json:"same"`
		Verdict    map[string]checker.State `json:"verdict"`
		Events     int                      `json:"events"`
		Hash       string                   `json:"hash"`
		Difference *string                  `json:"difference"`
		Updated    bool                     `json:"updated"`
	}{
		Same: r.difference == nil, Verdict: make(map[string]checker.State),
		Events: len(r.now.Events), Hash: r.now.Hash, Updated: r.updated,
	}
	for _, j := range r.now.Verdict {
		form.Verdict[j.Check] = j.State
	}
	if r.difference != nil {
		form.Difference = new(r.difference.String())
	}
	return c.encode(form)
}
