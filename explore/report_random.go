package explore

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"
)

// The form of what a shard found with random schedules.
type (
	randomForm struct {
		First     int         `json:"first_seed"` // of the whole run, like the next
		Seeds     int         `json:"seeds"`
		Schedules int         `json:"schedules"`
		Events    int64       `json:"events"`
		Checks    []checkForm `json:"checks"`
		Overlap   spreadForm  `json:"overlap"`
		Unaware   spreadForm  `json:"unaware"`
		Defects   defectsForm `json:"defects"`
	}
	checkForm struct {
		Check    string `json:"check"`
		Violated int    `json:"violated"`
		Unknown  int    `json:"unknown"`
		Empty    int    `json:"nothing_to_check"`
		Seeds    []int  `json:"first_seeds"`
	}
	spreadForm struct {
		Longest string      `json:"longest"`
		Steps   map[int]int `json:"steps"` // how many lie in each hundredth of the TTL
	}
	defectsForm struct {
		Count int    `json:"count"`
		Seed  int    `json:"first_seed,omitempty"`
		Text  string `json:"text,omitempty"`
	}
)

func (r *Report) form(first, seeds int) *randomForm {
	form := &randomForm{
		First: first, Seeds: seeds, Schedules: r.Schedules, Events: r.Events,
		Overlap: r.Overlap.form(), Unaware: r.Unaware.form(), Defects: defectsForm(r.Defects),
	}
	for _, c := range r.Checks {
		form.Checks = append(form.Checks, checkForm{c.Check.Name, c.Violated, c.Unknown, c.Empty, append([]int{}, c.Seeds...)})
	}
	return form
}

func (s *Spread) form() spreadForm {
	form := spreadForm{Longest: s.Longest.String(), Steps: make(map[int]int)}
	for i, n := range s.steps {
		if n > 0 {
			form.Steps[i] = n
		}
	}
	return form
}

func (form *randomForm) report(p *Part) (*Report, error) {
	r := newReport(p.Checks, p.Params.TTL)
	r.Schedules, r.Events, r.Defects = form.Schedules, form.Events, Defects(form.Defects)
	from, share := p.Shard.Seeds(p.First, p.Seeds)
	if err := within("schedules", r.Schedules, 0, share); err != nil {
		return nil, err
	}
	if r.Events < 0 || r.Events > maxEvents {
		return nil, fmt.Errorf(`"events" is %d: want a number from 0 to %d`, r.Events, int64(maxEvents))
	}
	lasting := 0
	for i, c := range form.Checks {
		if err := c.accept(r.Schedules, from, from+share-1); err != nil {
			return nil, fmt.Errorf("%q: %w", c.Check, err)
		}
		into := &r.Checks[i]
		into.Violated, into.Unknown, into.Empty, into.Seeds = c.Violated, c.Unknown, c.Empty, c.Seeds
		if into.Check.Lasts {
			lasting += c.Violated
		}
	}
	var err error
	if r.Overlap, err = form.Overlap.spread("overlap", p.Params.TTL, lasting); err != nil {
		return nil, err
	}
	if r.Unaware, err = form.Unaware.spread("unaware", p.Params.TTL, r.Schedules); err != nil {
		return nil, err
	}
	return r, form.Defects.accept(r.Schedules, from, from+share-1)
}

// accept checks what a shard says of a check, of so many schedules of the seeds
// from first to last.
func (form *checkForm) accept(schedules, first, last int) error {
	if err := cmp.Or(
		within("violated", form.Violated, 0, schedules),
		within("unknown", form.Unknown, 0, schedules-form.Violated),
		within("nothing_to_check", form.Empty, 0, schedules),
	); err != nil {
		return err
	}
	if want := min(form.Violated, KeptSeeds); len(form.Seeds) != want {
		return fmt.Errorf(`"first_seeds" are %d: want %d`, len(form.Seeds), want)
	}
	for _, seed := range form.Seeds {
		if err := within("first_seeds", seed, first, last); err != nil {
			return err
		}
		first = seed + 1 // they stand in order
	}
	return nil
}

func (form *spreadForm) spread(field string, ttl time.Duration, most int) (Spread, error) {
	s := newSpread(ttl)
	var err error
	if s.Longest, err = length("longest", form.Longest); err != nil {
		return s, fmt.Errorf("%q: %w", field, err)
	}
	last := 0
	for _, i := range slices.Sorted(maps.Keys(form.Steps)) {
		n := form.Steps[i]
		if err := cmp.Or(within("steps", i, 0, len(s.steps)-1), within("steps", n, 1, most-s.Count)); err != nil {
			return s, fmt.Errorf("%q: %w", field, err)
		}
		s.steps[i] = n
		s.Count += n
		last = i
	}
	if int(min(s.Longest/s.step, time.Duration(len(s.steps)-1))) != last {
		return s, fmt.Errorf(`%q: "longest" is %v, which is not in the last of its steps`, field, s.Longest)
	}
	return s, nil
}

func (form *defectsForm) accept(schedules, first, last int) error {
	if err := within("count", form.Count, 0, schedules); err != nil {
		return fmt.Errorf(`"defects": %w`, err)
	}
	if form.Count == 0 {
		first, last = 0, 0
	}
	if err := within("first_seed", form.Seed, first, last); err != nil {
		return fmt.Errorf(`"defects": %w`, err)
	}
	return nil
}
