package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
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

// maxSteps bounds a grid, so that a terminal has room for it.
const maxSteps = 40

// A quest is what the frontier command is told.
type quest struct {
	protocol *protocols.Protocol
	params   protocols.Params
	check    *checker.Check
	kind     *sim.Kind
	second   *sim.Kind // nil for the frontier of a single kind
	steps    int       // of each of two kinds
	svg      string    // the file for a picture of two kinds, if it is wanted
	workers  int
	out      string
	json     bool
}

// frontier tells how much of one kind of fault, or of two at once, a lock stands.
func (c *console) frontier(ctx context.Context, args []string) (int, error) {
	q, err := parseQuest(args)
	if err != nil {
		return 0, err
	}
	space := explore.NewSpace(q.protocol, q.params, nil)
	if !space.KeepsQuietly(q.check) {
		return 0, fmt.Errorf("%s breaks %s without any fault: want a check that it keeps, or fewer clients or rounds", q.protocol.Name, q.check.Name)
	}
	if q.second != nil {
		return c.grid(ctx, q, space)
	}
	start := time.Now()
	f := space.Frontier(ctx, q.check, q.kind, q.workers)
	if ctx.Err() != nil {
		return c.brokenOff("the frontier was found")
	}
	took := time.Since(start)
	var file string
	if f.Breaks > 0 {
		if file, err = q.keep(f.Schedule, q.kind.Name); err != nil {
			return 0, err
		}
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

// brokenOff says what an interrupt came before.
func (c *console) brokenOff(before string) (int, error) {
	fmt.Fprintf(c.stderr, "simrun: interrupted before %s\n", before)
	return exitInterrupted, nil
}

func parseQuest(args []string) (*quest, error) {
	a, err := parseArguments(args, []string{"protocol", "check", "over", "clients", "rounds", "nodes", "ttl", "work", "token", "workers", "out", "steps", "svg"}, []string{"json"})
	if err != nil {
		return nil, err
	}
	if len(a.rest) > 0 {
		return nil, fmt.Errorf("unexpected %s: frontier takes flags alone", shellWord(a.rest[0]))
	}
	q := &quest{workers: runtime.NumCPU(), steps: 12}
	if q.protocol, err = protocolNamed(a); err != nil {
		return nil, err
	}
	q.params = paramsOf(q.protocol, true, a)
	a.numberFrom("workers", &q.workers, 1, maxWorkers)
	a.numberFrom("steps", &q.steps, 1, maxSteps)
	q.out, q.json = a.text("out", "simrun-out"), a.truth("json")
	if a.err != nil {
		return nil, a.err
	}
	if err := q.protocol.Accepts(q.params); err != nil {
		return nil, fmt.Errorf("-%w", err) // its text begins with the parameter's name
	}
	name := a.text("check", "mutual-exclusion")
	if q.check = checker.Named(name); q.check == nil {
		return nil, fmt.Errorf("-check: unknown check %q%s", name, suggestion(name, checker.Names(), listShowsAll))
	}
	if err := q.goOver(a); err != nil {
		return nil, err
	}
	if err := writable(q.out); err != nil {
		return nil, fmt.Errorf("-out %s: %w", shellWord(q.out), err)
	}
	return q, nil
}

// goOver reads which kinds of fault there is more and more of, and what goes with
// two of them alone.
func (q *quest) goOver(a *arguments) error {
	over := a.text("over", "")
	first, second, two := strings.Cut(over, ",")
	q.kind, q.second = sim.KindNamed(frontierKinds[first]), sim.KindNamed(frontierKinds[second])
	if q.kind == nil || two && (q.second == nil || q.second == q.kind) {
		return fmt.Errorf("-over %s: want pause, delay, step or rate, or two of them such as pause,step", shellWord(over))
	}
	for _, name := range []string{"steps", "svg"} {
		if a.has(name) && !two {
			return fmt.Errorf("-%s goes with two kinds of fault, such as -over pause,step", name)
		}
	}
	if q.svg = a.text("svg", ""); a.has("svg") {
		if err := drawable(q.svg); err != nil {
			return fmt.Errorf("-svg %s: %w", shellWord(q.svg), err)
		}
	}
	return nil
}

// drawable returns why no picture could be written to a file.
func drawable(file string) error {
	if file == "" {
		return errors.New("want a file")
	}
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		return errors.New("is a folder")
	}
	folder := filepath.Dir(file)
	if _, err := os.Stat(folder); err != nil {
		return fmt.Errorf("folder %s: %w", shellWord(folder), cause(err))
	}
	return writable(folder)
}

// keep writes a trace of what breaks the check.
func (q *quest) keep(s sim.Schedule, over string) (string, error) {
	t, _, err := explore.Record(q.protocol, q.params, s, checker.All)
	if err != nil {
		return "", err
	}
	t.Found = &traces.Found{Check: q.check.Name}
	file, err := save(t, q.out, fmt.Sprintf("%s-%s-frontier-%s", q.protocol.Name, q.check.Name, over))
	if err != nil {
		return "", err
	}
	return file, keepIndex(q.out)
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
