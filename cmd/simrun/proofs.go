package main

import (
	"context"
	"fmt"
	"strings"

	"simrun/checker"
	"simrun/explore"
	"simrun/protocols"
)

// proofs compares protocols by the fewest faults that break each check, among
// all schedules with so many.
func (c *console) proofs(ctx context.Context, m *comparison) (int, error) {
	bar := c.progress(-1, m.quiet)
	x := explore.Exhaustive{Checks: m.campaign.Checks, Most: m.most, Noisy: m.noisy, Workers: m.campaign.Workers, Progress: bar.reachedOf}
	rows := explore.Prove(ctx, m.locks, m.faults, x)
	bar.clear()
	err := m.keepPage(m.pageOfProofs(rows))
	if err != nil {
		return 0, err
	}
	switch {
	case m.json:
		err = c.proofsJSON(rows)
	case m.markdown:
		c.proofsMarkdown(rows, m)
	default:
		c.proofsText(rows, m)
	}
	if ctx.Err() != nil {
		return exitInterrupted, err
	}
	return exitHeld, err
}

func (c *console) proofsText(rows []explore.ProofRow, m *comparison) {
	c.printf("%v\n\n", m)
	t := c.table("protocol", "loses", "to any one of")
	c.wrap(t, 3, widest(protocols.Names()), widest(checker.Names()))
	sum := 0
	for _, row := range rows {
		sum += row.Proof.Total()
		before := t.Length()
		for i := range row.Proof.Checks {
			if check := &row.Proof.Checks[i]; check.Least >= 0 {
				t.AppendRow([]any{row.Protocol.Name, check.Check.Name, sets(check)})
			}
		}
		if t.Length() == before {
			t.AppendRow([]any{row.Protocol.Name, soFar("nothing", row.Proof), ""})
		}
	}
	c.print(t)
	if n := len(rows); n > 0 && n == len(m.locks) && rows[n-1].Proof.Complete {
		c.printf("\nall %s with at most %s, of %s\n", plural(sum, "schedule"), plural(m.most, "fault"), plural(n, "protocol"))
	} else {
		c.printf("\ninterrupted after %s, with %d of %s\n", plural(sum, "schedule"), n, plural(len(m.locks), "protocol"))
	}
}

// soFar qualifies what only a complete search shows.
func soFar(text string, p *explore.Proof) string {
	if !p.Complete {
		text += " so far"
	}
	return text
}

// sets names the smallest sets of kinds that break a check.
func sets(check *explore.ProofCheck) string {
	if check.Least == 0 {
		return "(no fault is needed)"
	}
	var names []string
	for _, b := range check.Breaks {
		names = append(names, b.Kinds)
	}
	return strings.Join(names, ", ")
}

func (c *console) proofsMarkdown(rows []explore.ProofRow, m *comparison) {
	c.printf("| protocol |")
	for _, check := range m.campaign.Checks {
		c.printf(" %s |", check.Name)
	}
	c.printf(" schedules |\n|%s\n", strings.Repeat(" --- |", len(m.campaign.Checks)+2))
	for _, row := range rows {
		c.printf("| `%s` |", row.Protocol.Name)
		for i := range row.Proof.Checks {
			cell := soFar("none", row.Proof)
			if check := &row.Proof.Checks[i]; check.Least >= 0 {
				cell = fmt.Sprintf("**%d** %s", check.Least, sets(check))
			}
			c.printf(" %s |", cell)
		}
		c.printf(" %s |\n", grouped(row.Proof.Total()))
	}
}

func (c *console) proofsJSON(rows []explore.ProofRow) error {
	type cell struct {
		Name  string   `json:"name"`
		Least *int     `json:"least_faults"` // null if nothing breaks it
		Sets  []string `json:"sets"`         // of kinds of faults
	}
	type proof struct {
		Protocol  string `json:"protocol"`
		Schedules []int  `json:"schedules"` // by number of faults
		Complete  bool   `json:"complete"`
		Checks    []cell `json:"checks"`
	}
	form := []proof{}
	for _, row := range rows {
		p := proof{Protocol: row.Protocol.Name, Schedules: row.Proof.Schedules, Complete: row.Proof.Complete}
		for i := range row.Proof.Checks {
			found := &row.Proof.Checks[i]
			one := cell{Name: found.Check.Name, Sets: []string{}}
			if found.Least >= 0 {
				one.Least = &found.Least
			}
			for _, b := range found.Breaks {
				one.Sets = append(one.Sets, b.Kinds)
			}
			p.Checks = append(p.Checks, one)
		}
		form = append(form, p)
	}
	return c.encode(form)
}
