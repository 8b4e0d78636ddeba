package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"simrun/explore"
	"simrun/traces"
)

// A search is what an exhaustive run found.
type search struct {
	*options
	*explore.Proof
	division
	interrupted bool // and not ended by its time limit
	elapsed     time.Duration
	files       map[*explore.Breaker]string // the traces
}

// exhaust runs every schedule with at most so many faults.
func (c *console) exhaust(ctx context.Context, o *options, space *explore.Space) (int, error) {
	within := ctx
	if o.limit > 0 {
		var cancel context.CancelFunc
		within, cancel = context.WithTimeout(ctx, o.limit)
		defer cancel()
	}
	bar := c.progress(-1, o.quiet)
	x := explore.Exhaustive{Space: space, Checks: o.checks, Most: o.exhaustive, Noisy: o.noisy, Shard: o.shard, Workers: o.workers, Progress: bar.reachedOf}
	start := time.Now()
	s := &search{options: o, Proof: x.Run(within)}
	s.elapsed = time.Since(start)
	bar.clear()
	s.interrupted = ctx.Err() != nil
	var err error
	if s.file, err = o.keepPart(&explore.Part{Proof: s.Proof, Elapsed: s.elapsed, Interrupted: s.interrupted}); err != nil {
		return 0, err
	}
	return c.tellProof(s)
}

// tellProof writes the traces of what was found, and prints it.
func (c *console) tellProof(s *search) (int, error) {
	if err := s.keep(); err != nil {
		return 0, err
	}
	if s.json {
		return s.exitCode(), c.proofJSON(s)
	}
	c.proof(s)
	return s.exitCode(), nil
}

// keep writes a trace of every breaker, and an index of them.
func (s *search) keep() error {
	s.files = make(map[*explore.Breaker]string)
	for i := range s.Checks {
		check := &s.Checks[i]
		for k := range check.Breaks {
			b := &check.Breaks[k]
			t, _, err := explore.Record(s.protocol, s.params, b.Schedule, s.checks)
			if err != nil {
				return err
			}
			t.Found = &traces.Found{Check: check.Check.Name}
			kinds := strings.ReplaceAll(b.Kinds, " + ", "-")
			name := strings.TrimSuffix(fmt.Sprintf("%s-%s-%s", s.protocol.Name, check.Check.Name, kinds), "-")
			if s.files[b], err = save(t, s.out, name+s.shardSuffix()); err != nil {
				return err
			}
		}
	}
	if len(s.files) == 0 {
		return nil
	}
	return keepIndex(s.out)
}

// proof prints how many faults break each check, then which and how.
func (c *console) proof(s *search) {
	if s.interrupted {
		c.printf("\ninterrupted after %s\n", plural(s.Total(), "schedule"))
	}
	c.scope(s.shard, &s.division)
	c.printf("\n")
	t := c.table("check", "result")
	for i := range s.Checks {
		t.AppendRow([]any{s.Checks[i].Check.Name, c.conclusion(s, &s.Checks[i])})
	}
	c.print(t)
	for i := range s.Checks {
		check := &s.Checks[i]
		if len(check.Breaks) > 0 {
			c.printf("\n%s: %s\n", c.paint.name(check.Check.Name), check.Check.Breaks)
		}
		for k := range check.Breaks {
			b := &check.Breaks[k]
			c.faults("needed", b.Schedule.Faults)
			c.fact("replay", replayLine(s.files[b]))
		}
	}
	if d := s.Defects; d.Count > 0 {
		c.printf("\n%s\n", c.paint.bad(fmt.Sprintf("%s were broken off: %s", plural(d.Count, "schedule"), d.Text)))
	}
	c.printf("\n%s\n", pace(plural(s.Total(), "schedule"), s.Total(), s.elapsed))
	c.next(s.options, &s.division)
}

// conclusion says what a search shows of a check.
func (c *console) conclusion(s *search, check *explore.ProofCheck) string {
	var text string
	if check.Least < 0 {
		text = c.paint.good("none among " + s.covered())
	} else {
		sets := make([]string, len(check.Breaks))
		for i, b := range check.Breaks {
			sets[i] = b.Kinds
		}
		least := plural(check.Least, "fault")
		if check.Least > s.Proof.Whole {
			least = "at most " + least // one shard came further than another
		}
		text = c.paint.bad(least)
		if check.Least > 0 {
			text += ": " + strings.Join(sets, ", ")
		}
	}
	if check.Unknown > 0 {
		text += fmt.Sprintf(", %s unknown", grouped(check.Unknown))
	}
	return text
}

// covered says which schedules were run.
func (s *search) covered() string {
	of := ""
	if !s.shard.Whole() {
		of = fmt.Sprintf(" of shard %v", s.shard)
	}
	all, whole := 0, s.Proof.Whole
	for _, n := range s.Schedules[:whole] {
		all += n
	}
	switch {
	case s.Complete:
		return fmt.Sprintf("all %s%s with at most %s", plural(all, "schedule"), of, plural(whole-1, "fault"))
	case whole == 0:
		return plural(s.Total(), "schedule") + of + " so far"
	}
	rest := fmt.Sprintf("%s of those with so many", grouped(s.Total()-all))
	if len(s.Schedules) > whole+1 {
		rest += " or more"
	}
	return fmt.Sprintf("all %s%s with fewer than %s, and %s", plural(all, "schedule"), of, plural(whole, "fault"), rest)
}

func (s *search) exitCode() int {
	if s.interrupted {
		return exitInterrupted
	}
	for i := range s.Checks {
		if s.Checks[i].Least >= 0 {
			return exitViolated
		}
	}
	if s.Defects.Count > 0 {
		return exitViolated
	}
	return exitHeld
}

// proofJSON prints the search as one JSON object.
func (c *console) proofJSON(s *search) error {
	type breaker struct {
		Kinds  string   `json:"kinds"`
		Faults []string `json:"faults"`
		Trace  string   `json:"trace"`
	}
	type check struct {
		Name     string    `json:"name"`
		Least    *int      `json:"least_faults"` // null if nothing breaks it
		Violated []int     `json:"violated"`     // by number of faults
		Unknown  int       `json:"unknown"`
		Breaks   []breaker `json:"breaks"`
	}
	form := struct {
		Protocol  string  `json:"protocol"`
		Schedules []int   `json:"schedules"` // by number of faults
		Complete  bool    `json:"complete"`
		Elapsed   float64 `json:"elapsed_s"`
		Workers   int     `json:"workers"`
		Options   string  `json:"options"`
		Defects   int     `json:"defects"`
		divisionJSON
		Checks []check `json:"checks"`
	}{s.protocol.Name, s.Schedules, s.Complete, s.elapsed.Seconds(), s.workers, s.options.String(), s.Defects.Count, s.division.form(s.shard), nil}
	for i := range s.Checks {
		found := &s.Checks[i]
		row := check{Name: found.Check.Name, Violated: found.Violated, Unknown: found.Unknown, Breaks: []breaker{}}
		if found.Least >= 0 {
			row.Least = &found.Least
		}
		for k := range found.Breaks {
			b := &found.Breaks[k]
			out := breaker{Kinds: b.Kinds, Faults: []string{}, Trace: s.files[b]}
			for _, f := range b.Schedule.Faults {
				out.Faults = append(out.Faults, f.String())
			}
			row.Breaks = append(row.Breaks, out)
		}
		form.Checks = append(form.Checks, row)
	}
	return c.encode(form)
}
