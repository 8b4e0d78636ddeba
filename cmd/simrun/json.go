package main

import (
	"encoding/json"
	"math"
	"slices"
	"time"

	"simrun/explore"
	"simrun/sim"
)

// The form of a run's report as JSON. What does not apply is null.
type (
	runJSON struct {
		Protocol    string  `json:"protocol"`
		Seeds       int     `json:"seeds"` // run, which is fewer than asked for after an interrupt
		FirstSeed   int     `json:"first_seed"`
		Workers     int     `json:"workers"`
		Elapsed     float64 `json:"elapsed_s"`
		Rate        float64 `json:"schedules_per_s"`
		Interrupted bool    `json:"interrupted"`
		Options     string  `json:"options"`
		divisionJSON
		Checks  []checkJSON `json:"checks"`
		Overlap *spreadJSON `json:"overlap"`
		Unaware *spreadJSON `json:"unaware"`
		Defects *defectJSON `json:"defects"`
	}
	checkJSON struct {
		Name          string   `json:"name"`
		Violated      int      `json:"violated"`
		Unknown       int      `json:"unknown"`
		Empty         int      `json:"nothing_to_check"`
		Schedules     int      `json:"schedules"`
		FirstSeed     *int     `json:"first_seed"`
		Trace         *string  `json:"trace"`
		NeededFaults  []string `json:"needed_faults"`
		MinimalFaults *int     `json:"minimal_faults"`
	}
	spreadJSON struct {
		Count   int     `json:"count"`
		Median  float64 `json:"median_ms"`
		Longest float64 `json:"longest_ms"`
	}
	defectJSON struct {
		Count     int    `json:"count"`
		FirstSeed int    `json:"first_seed"`
		Text      string `json:"text"`
		Trace     string `json:"trace"`
	}
)

// reportJSON prints what a run found as one JSON object.
func (c *console) reportJSON(f *outcome) error {
	first, _ := f.shard.Seeds(f.first, f.seeds)
	form := runJSON{
		Protocol:    f.protocol.Name,
		Seeds:       f.Schedules,
		FirstSeed:   first,
		Workers:     f.workers,
		Elapsed:     f.elapsed.Seconds(),
		Rate:        math.Round(rate(f.Schedules, f.elapsed)),
		Interrupted: f.interrupted,
		Options:     f.options.String(),
		Overlap:     spreadForm(&f.Overlap),
		Unaware:     spreadForm(&f.Unaware),

		divisionJSON: f.division.form(f.shard),
	}
	for i := range f.Checks {
		form.Checks = append(form.Checks, f.checkForm(&f.Checks[i]))
	}
	if d := &f.Defects; d.Count > 0 {
		form.Defects = &defectJSON{d.Count, d.Seed, d.Text, f.defect}
	}
	return c.encode(form)
}

func (f *outcome) checkForm(r *explore.CheckReport) checkJSON {
	form := checkJSON{Name: r.Check.Name, Violated: r.Violated, Unknown: r.Unknown, Empty: r.Empty, Schedules: f.Schedules}
	if s := f.storyOf(r.Check); s != nil {
		form.FirstSeed = &r.Seeds[0]
		form.Trace = &s.file
		form.NeededFaults = kinds(s.Schedule.Faults)
		form.MinimalFaults = new(len(s.Schedule.Faults))
	}
	return form
}

// kinds returns the names of the kinds of faults, each once.
func kinds(faults []sim.Fault) []string {
	names := []string{}
	for _, f := range faults {
		if !slices.Contains(names, f.Kind.Name) {
			names = append(names, f.Kind.Name)
		}
	}
	return names
}

func spreadForm(s *explore.Spread) *spreadJSON {
	if s.Count == 0 {
		return nil
	}
	ms := func(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
	return &spreadJSON{s.Count, ms(s.Median()), ms(s.Longest)}
}

// encode prints one JSON object.
func (c *console) encode(form any) error {
	e := json.NewEncoder(c.out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(form)
}
