package traces

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"simrun/checker"
	"simrun/clock"
	"simrun/sim"
)

// The form of a trace file. Lists of small things take a line for each.
type (
	fileForm struct {
		Version    int            `json:"simrun"`
		Protocol   string         `json:"protocol"`
		Parameters parametersForm `json:"parameters"`
		Schedule   []string       `json:"schedule"`
		Found      *foundForm     `json:"found,omitempty"`
		Verdict    []verdictForm  `json:"verdict"`
		Defect     string         `json:"defect,omitempty"`
		Hash       string         `json:"hash"`
		Events     []eventForm    `json:"events"`
		History    historyForm    `json:"history"`
	}
	parametersForm struct {
		Clients int    `json:"clients"`
		Rounds  int    `json:"rounds"`
		Nodes   int    `json:"nodes"`
		TTL     string `json:"ttl"`
		Work    string `json:"work"`
		Token   string `json:"token,omitempty"`
	}
	foundForm struct {
		Check     string   `json:"check"`
		Seed      int      `json:"seed,omitempty"`
		NotNeeded []string `json:"faults_not_needed"`
	}
	verdictForm struct {
		Check  string        `json:"check"`
		State  checker.State `json:"state"`
		At     *sim.Stamp    `json:"at,omitempty"`
		Why    string        `json:"why,omitempty"`
		Events []int32       `json:"events,omitempty"`
	}
	eventForm struct {
		At    clock.Instant `json:"at"`
		Actor string        `json:"actor"`
		Kind  sim.EventKind `json:"kind"`
		Peer  string        `json:"peer,omitempty"`
		Msg   int32         `json:"msg,omitempty"`
		Sent  clock.Instant `json:"sent,omitempty"`
		Step  string        `json:"step,omitempty"`
		Text  string        `json:"text,omitempty"`
	}
	historyForm struct {
		Quorum   int           `json:"quorum"`
		Attempts int           `json:"attempts"`
		HealedAt sim.Stamp     `json:"healed_at"`
		Patience clock.Instant `json:"patience"`
		Ended    sim.Stamp     `json:"ended"`
		Final    sim.Holder    `json:"final"`
		Grants   []sim.Grant   `json:"grants"`
		Accesses []sim.Access  `json:"accesses"`
		Effects  []sim.Effect  `json:"effects"`
		Changes  []sim.Change  `json:"changes"`
	}
)

func (t *Trace) form() fileForm {
	form := fileForm{
		Version:  Version,
		Protocol: t.Protocol,
		Parameters: parametersForm{
			Clients: t.Parameters.Clients, Rounds: t.Parameters.Rounds, Nodes: t.Parameters.Nodes,
			TTL: t.Parameters.TTL.String(), Work: t.Parameters.Work.String(), Token: t.Parameters.Token,
		},
		Schedule: t.Schedule.Lines(),
		Defect:   t.Defect,
		Hash:     t.Hash,
		Events:   make([]eventForm, len(t.Events)),
	}
	if t.Found != nil {
		form.Found = &foundForm{Check: t.Found.Check, Seed: t.Found.Seed, NotNeeded: []string{}}
		for _, f := range t.Found.NotNeeded {
			form.Found.NotNeeded = append(form.Found.NotNeeded, f.String())
		}
	}
	for _, j := range t.Verdict {
		v := verdictForm{Check: j.Check, State: j.State, Why: j.Why, Events: j.Events}
		if j.State == checker.Violated {
			v.At = &j.At
		}
		form.Verdict = append(form.Verdict, v)
	}
	for i, e := range t.Events {
		form.Events[i] = eventForm(e)
	}
	h := &t.History
	form.History = historyForm{
		Quorum: h.Quorum, Attempts: h.Attempts, HealedAt: h.HealedAt, Patience: clock.Instant(h.Patience), Ended: h.Ended, Final: h.Final,
		Grants: h.Grants, Accesses: h.Accesses, Effects: h.Effects, Changes: h.Changes,
	}
	return form
}

// trace checks what JSON cannot, and returns the trace. Its errors name the
// field.
func (form *fileForm) trace() (*Trace, error) {
	t := &Trace{Protocol: form.Protocol, Defect: form.Defect, Hash: form.Hash}
	if t.Protocol == "" {
		return nil, errors.New(`"protocol" is missing: want the name of the protocol that was run`)
	}
	var err error
	if t.Parameters, err = form.Parameters.parameters(); err != nil {
		return nil, err
	}
	if t.Schedule, err = sim.ParseSchedule(form.Schedule); err != nil {
		return nil, fmt.Errorf(`"schedule" %w`, err)
	}
	if form.Found != nil {
		if t.Found, err = form.Found.found(); err != nil {
			return nil, err
		}
	}
	if t.Events, err = form.events(); err != nil {
		return nil, err
	}
	if t.History, err = form.History.history(t.Events); err != nil {
		return nil, err
	}
	t.Verdict, err = form.verdict()
	return t, err
}

func (form *parametersForm) parameters() (Parameters, error) {
	p := Parameters{Clients: form.Clients, Rounds: form.Rounds, Nodes: form.Nodes, Token: form.Token}
	var err error
	if p.TTL, err = time.ParseDuration(form.TTL); err != nil {
		return p, fmt.Errorf(`"parameters": "ttl" is %q: want a duration such as 300ms`, form.TTL)
	}
	if p.Work, err = time.ParseDuration(form.Work); err != nil {
		return p, fmt.Errorf(`"parameters": "work" is %q: want a duration such as 150ms`, form.Work)
	}
	return p, nil
}

func (form *foundForm) found() (*Found, error) {
	f := &Found{Check: form.Check, Seed: form.Seed}
	if err := known(form.Check); err != nil {
		return nil, fmt.Errorf(`"found": %w`, err)
	}
	for i, text := range form.NotNeeded {
		fault, err := sim.ParseFault(text)
		if err != nil {
			return nil, fmt.Errorf(`"found": "faults_not_needed" %d: %w`, i+1, err)
		}
		f.NotNeeded = append(f.NotNeeded, fault)
	}
	return f, nil
}

func known(check string) error {
	if checker.Named(check) == nil {
		return fmt.Errorf("unknown check %q, want one of %s", check, strings.Join(checker.Names(), ", "))
	}
	return nil
}

func (form *fileForm) events() ([]sim.Event, error) {
	if len(form.Events) == 0 {
		return nil, errors.New(`"events" is empty: want the events of a run, which ends with one at least`)
	}
	events := make([]sim.Event, len(form.Events))
	for i, e := range form.Events {
		events[i] = sim.Event(e)
	}
	if hash := sim.Hash(events); hash != form.Hash {
		return nil, fmt.Errorf(`"events" were changed after the trace was written: their hash is %q, "hash" says %q`, hash, form.Hash)
	}
	return events, nil
}

func (form *fileForm) verdict() ([]Judgement, error) {
	var list []Judgement
	seen := make(map[string]bool)
	for i, v := range form.Verdict {
		if err := v.accept(len(form.Events)); err != nil {
			return nil, fmt.Errorf(`"verdict" %d: %w`, i+1, err)
		}
		if seen[v.Check] {
			return nil, fmt.Errorf(`"verdict" %d: %q stands there twice, want each check once`, i+1, v.Check)
		}
		seen[v.Check] = true
		j := Judgement{Check: v.Check, State: v.State, Why: v.Why, Events: v.Events}
		if v.At != nil {
			j.At = *v.At
		}
		list = append(list, j)
	}
	return list, nil
}

// accept checks the judgement of a run of so many events.
func (v *verdictForm) accept(events int) error {
	if err := known(v.Check); err != nil {
		return err
	}
	switch v.State {
	case checker.Held, checker.Unknown:
	case checker.Violated:
		if len(v.Events) == 0 {
			return fmt.Errorf(`%q is violated by no "events", want the numbers of those that break it`, v.Check)
		}
	default:
		return fmt.Errorf("%q is %q, want held, violated or unknown", v.Check, v.State)
	}
	indices := slices.Clip(v.Events)
	if v.At != nil {
		indices = append(indices, v.At.Index)
	}
	for _, n := range indices {
		if err := within(n, events); err != nil {
			return fmt.Errorf("%q: %w", v.Check, err)
		}
	}
	return nil
}

func within(index int32, events int) error {
	if index < 0 || int(index) >= events {
		return fmt.Errorf("event %d does not exist, want a number from 0 to %d", index, events-1)
	}
	return nil
}

// history checks that the history is one of the events.
func (form *historyForm) history(events []sim.Event) (sim.History, error) {
	h := sim.History{
		Quorum: form.Quorum, Attempts: form.Attempts, HealedAt: form.HealedAt, Patience: time.Duration(form.Patience), Ended: form.Ended, Final: form.Final,
		Grants: form.Grants, Accesses: form.Accesses, Effects: form.Effects, Changes: form.Changes,
	}
	for _, s := range form.stamps() {
		if err := within(s.Index, len(events)); err != nil {
			return h, fmt.Errorf(`"history": %w`, err)
		}
		if at := events[s.Index].At; s.At < 0 || s.At > at {
			return h, fmt.Errorf(`"history": event %d was at %v, not at %v`, s.Index, time.Duration(at), time.Duration(s.At))
		}
	}
	return h, nil
}

func (form *historyForm) stamps() []sim.Stamp {
	stamps := []sim.Stamp{form.HealedAt, form.Ended}
	for _, g := range form.Grants {
		stamps = append(stamps, g.Call, g.From, g.Until)
	}
	for _, a := range form.Accesses {
		stamps = append(stamps, a.Call, a.Return)
	}
	for _, e := range form.Effects {
		stamps = append(stamps, e.At)
	}
	for _, c := range form.Changes {
		stamps = append(stamps, c.At)
	}
	return stamps
}
