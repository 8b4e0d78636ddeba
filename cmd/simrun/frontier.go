package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"simrun/checker"
	"simrun/explore"
	"simrun/protocols"
	"simrun/sim"
	"simrun/traces"
)

// frontierKinds are the kinds of fault that there can be more or less of, by
// the words of -over.
var frontierKinds = map[string]string{"pause": "pause", "delay": "delay", "step": "clock-step", "rate": "clock-rate"}

// A quest is what the frontier command is told.
type quest struct {
	protocol *protocols.Protocol
	params   protocols.Params
	check    *checker.Check
	kind     *sim.Kind
	workers  int
	out      string
	json     bool
}

// frontier tells how much of one kind of fault a lock stands.
func (c *console) frontier(ctx context.Context, args []string) (int, error) {
	q, err := parseQuest(args)
	if err != nil {
		return 0, err
	}
	start := time.Now()
	f := explore.NewSpace(q.protocol, q.params, nil).Frontier(ctx, q.check, q.kind, q.workers)
	if ctx.Err() != nil {
		return exitInterrupted, errors.New("interrupted before the frontier was found")
	}
	took := time.Since(start)
	file, err := q.keep(&f)
	if err != nil {
		return 0, err
	}
	if q.json {
		return exitHeld, c.frontierJSON(q, f, file)
	}
	c.printf("%s keeps %s under any one %s of up to %s\n", q.protocol.Name, q.check.Name, q.kind.Name, amount(q.kind, f.Keeps))
	c.printf("(tried: every %s, then by halves)\n", amount(q.kind, f.Stride))
	if f.Breaks == 0 {
		c.printf("more was not tried\n")
	} else {
		c.printf("one of %s breaks it:\n", amount(q.kind, f.Breaks))
		c.faults("needed", f.Schedule.Faults)
		c.fact("replay", replayLine(file))
	}
	what := fmt.Sprintf("%s of %s", plural(f.Schedules, "schedule"), grouped(f.Searches)+" searches")
	c.printf("\n%s\n", pace(what, f.Schedules, took))
	return exitHeld, nil
}

func parseQuest(args []string) (*quest, error) {
	a, err := parseArguments(args, []string{"protocol", "check", "over", "clients", "rounds", "nodes", "ttl", "work", "token", "workers", "out"}, []string{"json"})
	if err != nil {
		return nil, err
	}
	if len(a.rest) > 0 {
		return nil, fmt.Errorf("unexpected %s: frontier takes flags alone", shellWord(a.rest[0]))
	}
	q := &quest{workers: runtime.NumCPU()}
	if q.protocol, err = protocolNamed(a); err != nil {
		return nil, err
	}
	q.params = paramsOf(q.protocol, true, a)
	a.numberFrom("workers", &q.workers, 1, maxWorkers)
	q.out, q.json = a.text("out", "simrun-out"), a.truth("json")
	if a.err != nil {
		return nil, a.err
	}
	if err := q.protocol.Accepts(q.params); err != nil {
		return nil, fmt.Errorf("-%w", err) // its text begins with the parameter's name
	}
	name, over := a.text("check", "mutual-exclusion"), a.text("over", "")
	if q.check = checker.Named(name); q.check == nil {
		return nil, fmt.Errorf("-check: unknown check %q%s", name, suggestion(name, checker.Names(), listShowsAll))
	}
	if q.kind = sim.KindNamed(frontierKinds[over]); q.kind == nil {
		return nil, fmt.Errorf("-over %s: want pause, delay, step or rate", shellWord(over))
	}
	if err := writable(q.out); err != nil {
		return nil, fmt.Errorf("-out %s: %w", shellWord(q.out), err)
	}
	return q, nil
}

// keep writes a trace of what breaks the check, if anything does.
func (q *quest) keep(f *explore.Frontier) (string, error) {
	if f.Breaks == 0 {
		return "", nil
	}
	t, _, err := explore.Record(q.protocol, q.params, f.Schedule, checker.All)
	if err != nil {
		return "", err
	}
	t.Found = &traces.Found{Check: q.check.Name}
	return save(t, q.out, fmt.Sprintf("%s-%s-frontier-%s", q.protocol.Name, q.check.Name, q.kind.Name))
}

// amount writes an amount of a kind in its unit.
func amount(k *sim.Kind, n int64) string {
	if k.Unit == sim.Rate {
		return fmt.Sprintf("%g %%", float64(n)/10_000)
	}
	return time.Duration(n).String()
}

func (c *console) frontierJSON(q *quest, f explore.Frontier, file string) error {
	form := struct {
		Protocol  string  `json:"protocol"`
		Check     string  `json:"check"`
		Over      string  `json:"over"`
		Keeps     string  `json:"keeps"`
		Breaks    *string `json:"breaks"` // null if nothing up to the limit does
		Stride    string  `json:"stride"` // every multiple was tried, up to what breaks it
		Fault     *string `json:"fault"`
		Trace     *string `json:"trace"`
		Searches  int     `json:"searches"`
		Schedules int     `json:"schedules"`
	}{Protocol: q.protocol.Name, Check: q.check.Name, Over: q.kind.Name, Keeps: amount(q.kind, f.Keeps), Stride: amount(q.kind, f.Stride), Searches: f.Searches, Schedules: f.Schedules}
	if f.Breaks != 0 {
		breaks, fault := amount(q.kind, f.Breaks), f.Schedule.Faults[0].String()
		form.Breaks, form.Fault, form.Trace = &breaks, &fault, &file
	}
	return c.encode(form)
}
