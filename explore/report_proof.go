package explore

import (
	"cmp"
	"errors"
	"fmt"

	"simrun/sim"
)

// The form of what a shard's search found.
type (
	exhaustiveForm struct {
		Most      int         `json:"most_faults"`
		Noisy     int         `json:"noisy"`
		Schedules []int       `json:"schedules"` // by number of faults
		Whole     int         `json:"all_with_fewer_than"`
		Checks    []proofForm `json:"checks"`
		Defects   defectsForm `json:"defects"`
	}
	proofForm struct {
		Check    string        `json:"check"`
		Violated []int         `json:"violated"` // by number of faults
		Unknown  int           `json:"unknown"`
		Breaks   []breakerForm `json:"breaks"` // with the fewest faults that violate it
	}
	breakerForm struct {
		Path   []int    `json:"path"`
		Faults []string `json:"faults"`
	}
)

func (p *Proof) form(most, noisy int) *exhaustiveForm {
	form := &exhaustiveForm{Most: most, Noisy: noisy, Schedules: append([]int{}, p.Schedules...), Whole: p.Whole, Defects: defectsForm(p.Defects)}
	for _, c := range p.Checks {
		check := proofForm{Check: c.Check.Name, Violated: append([]int{}, c.Violated...), Unknown: c.Unknown, Breaks: []breakerForm{}}
		for _, b := range c.Breaks {
			breaker := breakerForm{Path: b.path, Faults: []string{}}
			for _, f := range b.Schedule.Faults {
				breaker.Faults = append(breaker.Faults, f.String())
			}
			check.Breaks = append(check.Breaks, breaker)
		}
		form.Checks = append(form.Checks, check)
	}
	return form
}

func (form *exhaustiveForm) proof(p *Part) (*Proof, error) {
	proof := newProof(p.Checks)
	proof.Schedules, proof.Whole, proof.Defects = form.Schedules, form.Whole, Defects(form.Defects)
	proof.Complete = proof.Whole > p.Most
	depths := len(form.Schedules)
	if err := cmp.Or(within("schedules", depths, 0, p.Most+1), within("all_with_fewer_than", form.Whole, max(0, depths-1), depths)); err != nil {
		return nil, err
	}
	for _, n := range form.Schedules {
		if err := within("schedules", n, 0, maxCount-proof.Total()); err != nil {
			return nil, err
		}
	}
	if err := form.Defects.accept(proof.Total(), 1, 1); err != nil {
		return nil, err
	}
	for i := range form.Checks {
		if err := form.Checks[i].check(p, proof, &proof.Checks[i]); err != nil {
			return nil, fmt.Errorf("%q: %w", form.Checks[i].Check, err)
		}
	}
	return proof, nil
}

// check reads what a shard's search found of a check.
func (form *proofForm) check(p *Part, proof *Proof, into *ProofCheck) error {
	into.Violated, into.Unknown = form.Violated, form.Unknown
	if err := cmp.Or(within("violated", len(form.Violated), len(proof.Schedules), len(proof.Schedules)), within("unknown", form.Unknown, 0, proof.Total())); err != nil {
		return err
	}
	for depth, n := range form.Violated {
		if err := within("violated", n, 0, proof.Schedules[depth]); err != nil {
			return err
		}
		if n > 0 && into.Least < 0 {
			into.Least = depth
		}
	}
	if (into.Least >= 0) != (len(form.Breaks) > 0) {
		return errors.New(`"breaks" does not go with "violated"`)
	}
	for _, f := range form.Breaks {
		b, err := f.breaker(p, into.Least)
		if err != nil {
			return fmt.Errorf(`"breaks": %w`, err)
		}
		into.keep(b)
	}
	into.sort()
	return nil
}

// breaker reads a breaker with so many faults.
func (form *breakerForm) breaker(p *Part, depth int) (Breaker, error) {
	if len(form.Path) != depth+1 || len(form.Faults) != depth {
		return Breaker{}, fmt.Errorf("found %d faults and a path of %d numbers, want %d and %d", len(form.Faults), len(form.Path), depth, depth+1)
	}
	if err := within("path", form.Path[0], 0, p.Noisy); err != nil {
		return Breaker{}, err
	}
	first := 0
	for _, n := range form.Path[1:] {
		if err := within("path", n, 0, maxCount); err != nil {
			return Breaker{}, err
		}
	}
	if depth > 0 {
		first = form.Path[1]
	}
	if !p.Shard.takes(first) {
		return Breaker{}, fmt.Errorf(`"path" %v is that of another shard`, form.Path)
	}
	space := Space{Params: p.Params}
	b := Breaker{Schedule: space.Start(form.Path[0]), path: form.Path}
	for _, line := range form.Faults {
		f, err := sim.ParseFault(line)
		if err != nil {
			return Breaker{}, err
		}
		b.Schedule.Faults = append(b.Schedule.Faults, f)
	}
	b.Kinds = kindsOf(b.Schedule)
	return b, nil
}
