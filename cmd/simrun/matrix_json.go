package main

import (
	"simrun/checker"
	"simrun/explore"
)

// The matrix as one JSON object.
type (
	matrixForm struct {
		Rows []rowForm `json:"rows"`
	}
	rowForm struct {
		Protocol  string     `json:"protocol"`
		Schedules int        `json:"schedules"`
		Checks    []cellForm `json:"checks"`
	}
	cellForm struct {
		Name     string   `json:"name"`
		Violated int      `json:"violated"`
		Unknown  int      `json:"unknown"`
		Empty    int      `json:"nothing_to_check"`
		Suffices []string `json:"suffices"` // sets of kinds of faults, the smallest found
	}
	trialForm struct {
		Protocol string                   `json:"protocol"`
		Fits     bool                     `json:"fits"`
		Verdict  map[string]checker.State `json:"verdict"`
	}
)

func (c *console) matrixJSON(m *explore.Matrix) error {
	form := matrixForm{Rows: []rowForm{}}
	for i := range m.Rows {
		row := &m.Rows[i]
		r := rowForm{Protocol: row.Protocol.Name, Schedules: row.Report.Schedules}
		for _, check := range row.Report.Checks {
			cell := cellForm{Name: check.Check.Name, Violated: check.Violated, Unknown: check.Unknown, Empty: check.Empty}
			if s := row.StoryOf(check.Check); s != nil {
				cell.Suffices = append([]string{}, s.Suffices...)
			}
			r.Checks = append(r.Checks, cell)
		}
		form.Rows = append(form.Rows, r)
	}
	return c.encode(form)
}

func (c *console) trialsJSON(trials []explore.Trial) error {
	form := []trialForm{}
	for _, t := range trials {
		f := trialForm{Protocol: t.Protocol.Name, Fits: t.Misfit == nil}
		if f.Fits {
			f.Verdict = make(map[string]checker.State)
		}
		for i, v := range t.Verdicts {
			f.Verdict[checker.All[i].Name] = v.State
		}
		form = append(form, f)
	}
	return c.encode(form)
}
