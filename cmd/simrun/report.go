package main

import (
	"fmt"
	"slices"
	"strconv"

	"simrun/explore"
	"simrun/sim"
	"simrun/traces"
)

// report prints what a run found, in parts with an empty line before each. But
// for the times it is the same for any number of workers.
func (c *console) report(f *outcome) error {
	if f.interrupted {
		c.printf("\ninterrupted after %s of %s\n", grouped(f.Schedules), plural(f.share(), "schedule"))
	}
	c.scope(f.shard, &f.division)
	c.printf("\n")
	c.checks(f)
	c.remarks(f)
	if f.quiet {
		c.kept(f)
	} else if err := c.stories(f); err != nil {
		return err
	}
	c.printf("\n%s\n", pace(plural(f.Schedules, "schedule"), f.Schedules, f.elapsed))
	c.next(f.options, &f.division)
	return nil
}

// checks prints the table of checks.
func (c *console) checks(f *outcome) {
	t := c.table("check", "result", "first seed")
	for i := range f.Checks {
		r := &f.Checks[i]
		seed := ""
		if r.Violated > 0 {
			seed = strconv.Itoa(r.Seeds[0])
		}
		t.AppendRow([]any{r.Check.Name, c.result(r, f.Schedules), seed})
	}
	c.print(t)
}

// result tells how often a check was violated, of the schedules that decide
// it. Never is no proof, only a bound.
func (c *console) result(r *explore.CheckReport, schedules int) string {
	decided := schedules - r.Unknown
	var text string
	if r.Empty == decided && decided > 0 {
		return nothingToCheck
	}
	if r.Violated > 0 {
		text = c.paint.bad(fmt.Sprintf("violated %s of %s", grouped(r.Violated), grouped(decided)))
	} else {
		text = c.paint.good(fmt.Sprintf("0 of %s (at most %s at 95 %%)", grouped(decided), percent(explore.UpperBound(decided))))
	}
	if r.Unknown > 0 {
		text += fmt.Sprintf(", %s unknown", grouped(r.Unknown))
	}
	return text
}

// nothingToCheck is the result of a check that no schedule put to the test,
// such as the order of tokens of a lock that has none.
const nothingToCheck = "nothing to check"

// remarks prints how far the harm went, and the defects of the protocol.
func (c *console) remarks(f *outcome) {
	var lines []string
	spread := func(what string, s *explore.Spread) {
		if s.Count > 0 {
			lines = append(lines, fmt.Sprintf("%s in %s: median %s, longest %s",
				what, plural(s.Count, "schedule"), milliseconds(s.Median()), milliseconds(s.Longest)))
		}
	}
	spread("beliefs overlapped", &f.Overlap)
	spread("clients believed on after the true loss", &f.Unaware)
	if d := &f.Defects; d.Count > 0 {
		lines = append(lines,
			c.paint.bad(fmt.Sprintf("%s of %s were broken off: first seed %d: %s", grouped(d.Count), plural(f.Schedules, "schedule"), d.Seed, d.Text)),
			"  "+replayLine(f.defect))
	}
	for i, line := range lines {
		if i == 0 {
			c.printf("\n")
		}
		c.printf("%s\n", line)
	}
}

// kept says where the traces are whose stories are not told.
func (c *console) kept(f *outcome) {
	if n := len(f.stories); n > 0 {
		c.printf("\n%s in %s\n", plural(n, "trace"), shellWord(f.out))
	}
}

// stories tells the smallest story of every violated check.
func (c *console) stories(f *outcome) error {
	for i := range f.stories {
		s := &f.stories[i]
		c.printf("\n%s: %s\n", c.paint.name(s.Check.Name), s.Check.Breaks)
		c.fact("from", fmt.Sprintf("seed %d, shrunk to %s and %s",
			s.Seed, plural(len(s.Schedule.Clients), "client"), plural(len(s.Schedule.Faults), "fault")))
		c.faults("needed", s.Schedule.Faults)
		c.faults("not needed", s.Dropped)
		if err := c.story(f, i); err != nil {
			return err
		}
		c.fact("replay", replayLine(s.file))
	}
	return nil
}

// story tells what happened, unless an earlier check has the same story.
func (c *console) story(f *outcome, i int) error {
	s := &f.stories[i]
	for _, earlier := range f.stories[:i] {
		if slices.Equal(earlier.Schedule.Lines(), s.Schedule.Lines()) {
			c.fact("story", "same story as "+earlier.Check.Name)
			c.fact("breaks", s.trace.Violated().Why)
			return nil
		}
	}
	return traces.Story(c.out, s.trace)
}

// fact prints a named value, and further values below it.
func (c *console) fact(name string, values ...string) {
	for _, v := range values {
		c.printf("  %-12s%s\n", name, v)
		name = ""
	}
}

func (c *console) faults(name string, faults []sim.Fault) {
	if len(faults) == 0 && name == "needed" {
		c.fact(name, "no fault")
	}
	for _, f := range faults {
		c.fact(name, f.String())
		name = ""
	}
}

func replayLine(file string) string { return "simrun replay " + shellWord(file) }
