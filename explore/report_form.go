package explore

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"simrun/checker"
	"simrun/protocols"
)

// The form of a shard's report as a file. What a run is told stands before what
// it found.
type (
	partForm struct {
		Version     int             `json:"simrun_report"`
		Protocol    string          `json:"protocol"`
		Parameters  parametersForm  `json:"parameters"`
		Faults      string          `json:"faults"`
		Shard       string          `json:"shard"`
		Mark        string          `json:"fingerprint"`
		Elapsed     string          `json:"elapsed"`
		Complete    bool            `json:"complete"`
		Interrupted bool            `json:"interrupted"`
		Random      *randomForm     `json:"random,omitempty"`
		Exhaustive  *exhaustiveForm `json:"exhaustive,omitempty"`
	}
	parametersForm struct {
		Clients int    `json:"clients"`
		Rounds  int    `json:"rounds"`
		Nodes   int    `json:"nodes"`
		TTL     string `json:"ttl"`
		Work    string `json:"work"`
		Token   string `json:"token,omitempty"`
	}
)

func (p *Part) form() partForm {
	form := partForm{
		Version:  ReportVersion,
		Protocol: p.Protocol.Name,
		Parameters: parametersForm{
			Clients: p.Params.Clients, Rounds: p.Params.Rounds, Nodes: p.Params.Nodes,
			TTL: p.Params.TTL.String(), Work: p.Params.Work.String(), Token: string(p.Params.Token),
		},
		Faults: p.Faults.String(), Shard: p.Shard.String(), Mark: p.Mark,
		Elapsed: p.Elapsed.String(), Complete: p.Complete(), Interrupted: p.Interrupted,
	}
	if p.Proof != nil {
		form.Exhaustive = p.Proof.form(p.Most, p.Noisy)
	} else {
		form.Random = p.Report.form(p.First, p.Seeds)
	}
	return form
}

// part checks what JSON cannot, and returns the part. Its errors name the field.
func (form *partForm) part() (*Part, error) {
	p := &Part{Mark: form.Mark, Interrupted: form.Interrupted}
	var err error
	if p.Recipe, err = form.recipe(); err != nil {
		return nil, err
	}
	if p.Shard, err = ParseShard(form.Shard); err != nil {
		return nil, fmt.Errorf(`"shard" is %q: %w`, form.Shard, err)
	}
	if p.Elapsed, err = length("elapsed", form.Elapsed); err != nil {
		return nil, err
	}
	if form.Random != nil {
		p.Report, err = form.Random.report(p)
	} else {
		p.Proof, err = form.Exhaustive.proof(p)
	}
	if err != nil {
		return nil, err
	}
	if form.Complete != p.Complete() || form.Complete && form.Interrupted {
		return nil, fmt.Errorf(`"complete" is %t and "interrupted" %t: the numbers of schedules say otherwise`, form.Complete, form.Interrupted)
	}
	return p, nil
}

// recipe returns what the run was told.
func (form *partForm) recipe() (Recipe, error) {
	r := Recipe{Protocol: protocols.Named(form.Protocol), Most: -1}
	if r.Protocol == nil {
		return r, fmt.Errorf(`"protocol": unknown protocol %q`, form.Protocol)
	}
	var err error
	if r.Params, err = form.Parameters.params(); err != nil {
		return r, err
	}
	if err := r.Protocol.Accepts(r.Params); err != nil {
		return r, fmt.Errorf(`"parameters": %w`, err)
	}
	if r.Faults, err = ParseSelection(form.Faults); err != nil {
		return r, fmt.Errorf(`"faults": %w`, err)
	}
	var names []string
	switch random, exhaustive := form.Random, form.Exhaustive; {
	case (random == nil) == (exhaustive == nil):
		return r, errors.New(`want either "random" or "exhaustive"`)
	case random != nil:
		r.First, r.Seeds = random.First, random.Seeds
		for _, c := range random.Checks {
			names = append(names, c.Check)
		}
		err = cmp.Or(within("first_seed", r.First, 1, MaxSeeds), within("seeds", r.Seeds, 1, MaxSeeds))
	default:
		r.Most, r.Noisy = exhaustive.Most, exhaustive.Noisy
		for _, c := range exhaustive.Checks {
			names = append(names, c.Check)
		}
		err = cmp.Or(within("most_faults", r.Most, 0, MaxDepth), within("noisy", r.Noisy, 0, MaxNoisy))
	}
	if err != nil {
		return r, err
	}
	r.Checks, err = checksNamed(names)
	return r, err
}

func (form *parametersForm) params() (p protocols.Params, err error) {
	p = protocols.Params{Clients: form.Clients, Rounds: form.Rounds, Nodes: form.Nodes, Token: protocols.TokenSource(form.Token)}
	if p.TTL, err = length("ttl", form.TTL); err != nil {
		return p, err
	}
	p.Work, err = length("work", form.Work)
	return p, err
}

func checksNamed(names []string) ([]*checker.Check, error) {
	var checks []*checker.Check
	for i, name := range names {
		c := checker.Named(name)
		if c == nil || slices.Contains(checks, c) {
			return nil, fmt.Errorf(`"checks" %d: found %q, want the name of a check, each once`, i+1, name)
		}
		checks = append(checks, c)
	}
	if checks == nil {
		return nil, errors.New(`"checks" is empty: want one at least`)
	}
	return checks, nil
}
