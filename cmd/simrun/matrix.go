package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"

	"simrun/checker"
	"simrun/explore"
	"simrun/protocols"
	"simrun/traces"
)

// A comparison is what the matrix command is told.
type comparison struct {
	locks    []*protocols.Protocol
	faults   explore.Selection
	campaign explore.Campaign
	schedule string // a trace whose schedule is run instead
	most     int    // faults of an exhaustive search that is run instead, -1 for none
	noisy    int    // schedules that it starts from besides the quiet one
	json     bool
	markdown bool
	html     string // a folder for the page of the table and its stories, empty for none
	quiet    bool
}

// matrix compares protocols by the checks that they keep.
func (c *console) matrix(ctx context.Context, args []string) (int, error) {
	m, err := parseComparison(args)
	if err != nil {
		return 0, err
	}
	if m.schedule != "" {
		return exitHeld, c.tryAll(m)
	}
	if m.most >= 0 {
		return c.proofs(ctx, m)
	}
	if !m.json && !m.markdown {
		c.printf("%v\n\n", m)
		if err := c.out.Flush(); err != nil {
			return 0, err
		}
	}
	bar := c.progress(m.campaign.Seeds*len(m.locks), m.quiet)
	m.campaign.Progress = bar.reached
	found := explore.Compare(ctx, m.locks, m.faults, m.campaign)
	bar.clear()
	if err := m.keepPage(m.pageOf(found)); err != nil {
		return 0, err
	}
	switch {
	case m.json:
		err = c.matrixJSON(found)
	case m.markdown:
		c.matrixMarkdown(found)
	default:
		c.matrixText(found)
	}
	if ctx.Err() == nil {
		return exitHeld, err
	}
	if !m.json && !m.markdown {
		c.printf("\ninterrupted: %d of %s\n", len(found.Rows), plural(len(m.locks), "protocol"))
	}
	return exitInterrupted, err
}

func parseComparison(args []string) (*comparison, error) {
	a, err := parseArguments(args, []string{"seeds", "seed", "protocols", "faults", "workers", "schedule", "exhaustive", "noisy", "html"}, []string{"json", "markdown", "quiet"})
	if err != nil {
		return nil, err
	}
	if len(a.rest) > 0 {
		return nil, fmt.Errorf("unexpected %s: matrix takes flags alone", shellWord(a.rest[0]))
	}
	m := &comparison{most: -1, campaign: explore.Campaign{Checks: checker.All, First: 1, Seeds: 2_000, Workers: runtime.NumCPU()}}
	a.numberFrom("seeds", &m.campaign.Seeds, 1, maxSeeds)
	a.numberFrom("seed", &m.campaign.First, 1, maxSeeds)
	a.numberFrom("workers", &m.campaign.Workers, 1, maxWorkers)
	a.numberFrom("exhaustive", &m.most, 0, maxFaults)
	a.numberFrom("noisy", &m.noisy, 0, maxNoisy)
	if err := a.exclusive(m.most >= 0); err != nil {
		return nil, err
	}
	m.schedule, m.html = a.text("schedule", ""), a.text("html", "")
	m.json, m.markdown, m.quiet = a.truth("json"), a.truth("markdown"), a.truth("quiet")
	if a.err != nil {
		return nil, a.err
	}
	if m.json && m.markdown {
		return nil, errors.New("-json and -markdown: want one of them")
	}
	if m.html != "" && m.schedule != "" {
		return nil, errors.New("-html and -schedule: want one of them")
	}
	if m.html != "" {
		if err := writable(m.html); err != nil {
			return nil, fmt.Errorf("-html %s: %w", shellWord(m.html), err)
		}
	}
	if m.locks, err = parseProtocols(a.text("protocols", "all")); err != nil {
		return nil, fmt.Errorf("-protocols: %w", withSuggestion(err))
	}
	if m.faults, err = explore.ParseSelection(a.text("faults", "all")); err != nil {
		return nil, fmt.Errorf("-faults: %w", withSuggestion(err))
	}
	return m, nil
}

func parseProtocols(list string) ([]*protocols.Protocol, error) {
	if list == "all" {
		return protocols.All, nil
	}
	var locks []*protocols.Protocol
	for name := range strings.SplitSeq(list, ",") {
		p := protocols.Named(strings.TrimSpace(name))
		if p == nil {
			return nil, &explore.UnknownName{What: "protocol", Name: name, Known: append([]string{"all"}, protocols.Names()...)}
		}
		locks = append(locks, p)
	}
	return locks, nil
}

// String returns the command line that names every option but the form of the
// output.
func (m *comparison) String() string {
	return fmt.Sprintf("%s -workers %d", m.command(), m.campaign.Workers)
}

// command is String without the number of workers, on which nothing hangs.
func (m *comparison) command() string {
	list := "all"
	if len(m.locks) < len(protocols.All) {
		names := make([]string, len(m.locks))
		for i, p := range m.locks {
			names[i] = p.Name
		}
		list = strings.Join(names, ",")
	}
	how := fmt.Sprintf("-seeds %d -seed %d", m.campaign.Seeds, m.campaign.First)
	if m.most >= 0 {
		how = fmt.Sprintf("-exhaustive %d -noisy %d", m.most, m.noisy)
	}
	return fmt.Sprintf("simrun matrix -protocols %s %s -faults %v", list, how, m.faults)
}

// matrixText prints how often each lock breaks each check, then by which
// faults.
func (c *console) matrixText(m *explore.Matrix) {
	headers := []any{"protocol"}
	for _, check := range m.Checks {
		headers = append(headers, strings.ReplaceAll(check.Name, "-", "\n"))
	}
	t := c.table(headers...)
	for i := range m.Rows {
		row := &m.Rows[i]
		cells := []any{row.Protocol.Name}
		for k := range row.Report.Checks {
			cells = append(cells, c.share(&row.Report.Checks[k], row.Report.Schedules))
		}
		t.AppendRow(cells)
	}
	c.print(t)
	c.printf("\nshare of %s schedules that break it; 0: none of them, so at most %s at 95 %%; -: nothing to check\n",
		grouped(schedulesOf(m)), percent(explore.UpperBound(schedulesOf(m))))
	c.printf("\n")
	causes := c.table("protocol", "loses", "to any one of")
	c.wrap(causes, 3, widest(protocols.Names()), widest(checker.Names()))
	for i := range m.Rows {
		for k := range m.Rows[i].Stories {
			s := &m.Rows[i].Stories[k]
			causes.AppendRow([]any{m.Rows[i].Protocol.Name, s.Check.Name, suffices(s)})
		}
	}
	if causes.Length() > 0 {
		c.print(causes)
	}
}

// schedulesOf returns how many schedules every row was run through at least.
func schedulesOf(m *explore.Matrix) int {
	least := 0
	for i := range m.Rows {
		if n := m.Rows[i].Report.Schedules; i == 0 || n < least {
			least = n
		}
	}
	return least
}

// share tells how often a check was violated.
func (c *console) share(r *explore.CheckReport, schedules int) string {
	text := shareOf(r, schedules)
	switch {
	case r.Violated > 0:
		return c.paint.bad(text)
	case text == "0":
		return c.paint.good(text)
	}
	return text
}

func shareOf(r *explore.CheckReport, schedules int) string {
	decided := schedules - r.Unknown
	switch {
	case r.Violated > 0:
		return portion(r.Violated, decided)
	case r.Empty == decided:
		return "-"
	}
	return "0"
}

// suffices names the smallest sets of faults that break a check.
func suffices(s *explore.Story) string {
	if len(s.Schedule.Faults) == 0 {
		return "(no fault is needed)"
	}
	return strings.Join(s.Suffices, ", ")
}

// matrixMarkdown prints the matrix as a table for a document.
func (c *console) matrixMarkdown(m *explore.Matrix) {
	c.printf("| protocol |")
	for _, check := range m.Checks {
		c.printf(" %s |", check.Name)
	}
	c.printf("\n|%s\n", strings.Repeat(" --- |", len(m.Checks)+1))
	for i := range m.Rows {
		row := &m.Rows[i]
		c.printf("| `%s` |", row.Protocol.Name)
		for k := range row.Report.Checks {
			r := &row.Report.Checks[k]
			cell := c.share(r, row.Report.Schedules)
			if s := row.StoryOf(r.Check); s != nil {
				cell = fmt.Sprintf("**%s** %s", cell, suffices(s))
			}
			c.printf(" %s |", strings.TrimSpace(cell))
		}
		c.printf("\n")
	}
}

// tryAll runs the schedule of a trace with every lock that can take it.
func (c *console) tryAll(m *comparison) error {
	t, err := traces.Load(m.schedule)
	if err != nil {
		return err
	}
	trials := explore.Try(t.Schedule, explore.ParamsOf(t), m.locks, checker.All)
	if m.json {
		return c.trialsJSON(trials)
	}
	for _, line := range t.Schedule.Lines() {
		c.printf("%s\n", line)
	}
	c.printf("\n")
	table := c.table("protocol", "breaks")
	for _, trial := range trials {
		table.AppendRow([]any{trial.Protocol.Name, c.broken(trial)})
	}
	c.print(table)
	return nil
}

// broken names the checks that a trial broke.
func (c *console) broken(t explore.Trial) string {
	if t.Misfit != nil {
		return "cannot take it: " + t.Misfit.Error()
	}
	var names []string
	for i, v := range t.Verdicts {
		if v.State == checker.Violated {
			names = append(names, checker.All[i].Name)
		}
	}
	if len(names) == 0 {
		return c.paint.good("nothing")
	}
	return c.paint.bad(strings.Join(names, ", "))
}
