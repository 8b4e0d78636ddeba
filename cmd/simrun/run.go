package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"simrun/checker"
	"simrun/explore"
	"simrun/traces"
)

// An outcome is all that a run found.
type outcome struct {
	*options
	*explore.Report
	division
	interrupted bool
	elapsed     time.Duration
	stories     []story
	defect      string // the trace of the first defect, if there is one
}

// A story is the smallest story of one check, and where it is kept.
type story struct {
	explore.Story
	trace *traces.Trace
	file  string
}

func (c *console) run(ctx context.Context, args []string) (int, error) {
	o, err := parseOptions(args)
	if err != nil {
		return 0, err
	}
	space := explore.NewSpace(o.protocol, o.params, o.faults)
	if idle := space.Idle(); len(idle) > 0 && !o.faults.All() {
		return 0, fmt.Errorf("-faults %v: there is nothing for %v to strike in a quiet run of %s", o.faults, idle, o.protocol.Name)
	}
	if err := c.announce(o); err != nil {
		return 0, err
	}
	if o.exhaustive >= 0 {
		return c.exhaust(ctx, o, space)
	}
	found, err := c.explore(ctx, o, space)
	if err != nil {
		return 0, err
	}
	return c.tell(ctx, found, space)
}

// announce prints the options, where a person reads them.
func (c *console) announce(o *options) error {
	if o.json {
		return nil
	}
	c.printf("%v\n", o)
	return c.out.Flush()
}

// campaign returns the random schedules that the options ask for.
func (o *options) campaign(space *explore.Space) *explore.Campaign {
	first, seeds := o.shard.Seeds(o.first, o.seeds)
	return &explore.Campaign{Space: space, Checks: o.checks, First: first, Seeds: seeds, Workers: o.workers}
}

// explore runs the schedules.
func (c *console) explore(ctx context.Context, o *options, space *explore.Space) (*outcome, error) {
	campaign := o.campaign(space)
	bar := c.progress(campaign.Seeds, o.quiet)
	campaign.Progress = bar.reached
	start := time.Now()
	found := &outcome{options: o, Report: campaign.Run(ctx)}
	found.elapsed = time.Since(start)
	bar.clear()
	var err error
	found.file, err = o.keepPart(&explore.Part{Report: found.Report, Elapsed: found.elapsed, Interrupted: ctx.Err() != nil})
	return found, err
}

// tell writes the traces of what was found, and prints it.
func (c *console) tell(ctx context.Context, f *outcome, space *explore.Space) (int, error) {
	stories := f.campaign(space).Stories(ctx, f.Report)
	f.interrupted = f.interrupted || ctx.Err() != nil
	if err := f.keepStories(stories); err != nil {
		return 0, err
	}
	if err := f.keepDefect(space); err != nil {
		return 0, err
	}
	if len(f.stories) > 0 || f.defect != "" {
		if err := keepIndex(f.out); err != nil {
			return 0, err
		}
	}
	if f.json {
		return f.exitCode(), c.reportJSON(f)
	}
	return f.exitCode(), c.report(f)
}

func (f *outcome) keepStories(stories []explore.Story) error {
	for _, s := range stories {
		t, _, err := explore.Record(f.protocol, f.params, s.Schedule, f.recorded())
		if err != nil {
			return err
		}
		t.Found = &traces.Found{Check: s.Check.Name, Seed: s.Seed, NotNeeded: s.Dropped}
		file, err := save(t, f.out, fmt.Sprintf("%s-%s-seed%d", f.protocol.Name, s.Check.Name, s.Seed))
		if err != nil {
			return err
		}
		f.stories = append(f.stories, story{Story: s, trace: t, file: file})
	}
	return nil
}

// recorded returns the checks whose verdicts a trace holds: all of them, and
// the models that the run was asked for.
func (f *outcome) recorded() []*checker.Check {
	checks := slices.Clone(checker.All)
	for _, c := range f.checks {
		if !slices.Contains(checks, c) {
			checks = append(checks, c)
		}
	}
	return checks
}

func (f *outcome) keepDefect(space *explore.Space) error {
	if f.Defects.Count == 0 {
		return nil
	}
	t, _, err := explore.Record(f.protocol, f.params, space.Schedule(f.Defects.Seed), f.recorded())
	if err != nil {
		return err
	}
	f.defect, err = save(t, f.out, fmt.Sprintf("%s-defect-seed%d", f.protocol.Name, f.Defects.Seed))
	return err
}

// storyOf returns the story of a check, or nil if it was not violated.
func (f *outcome) storyOf(check *checker.Check) *story {
	for i := range f.stories {
		if f.stories[i].Check == check {
			return &f.stories[i]
		}
	}
	return nil
}

func (f *outcome) exitCode() int {
	switch {
	case f.interrupted:
		return exitInterrupted
	case len(f.stories) > 0 || f.Defects.Count > 0:
		return exitViolated
	}
	return exitHeld
}
