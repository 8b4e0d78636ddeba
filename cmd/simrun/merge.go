package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"simrun/explore"
)

// merge puts the reports of all shards of a run together, and tells what the run
// would have told in one piece. The time is that of all shards, one after the
// other.
func (c *console) merge(ctx context.Context, args []string) (int, error) {
	o, files, err := parseMerge(args)
	if err != nil {
		return 0, err
	}
	var parts []*explore.Part
	for _, name := range files {
		p, err := explore.LoadPart(name)
		if err != nil {
			return 0, withSuggestion(err)
		}
		parts = append(parts, p)
	}
	u, err := explore.Merge(parts)
	if err != nil {
		return 0, err
	}
	o.follow(u.Recipe)
	if err := c.announce(o); err != nil {
		return 0, err
	}
	d := division{shards: u.Shards, incomplete: u.Incomplete}
	if u.Proof != nil {
		return c.tellProof(&search{options: o, Proof: u.Proof, division: d, interrupted: u.Interrupted, elapsed: u.Elapsed})
	}
	found := &outcome{options: o, Report: u.Report, division: d, interrupted: u.Interrupted, elapsed: u.Elapsed}
	return c.tell(ctx, found, u.Space())
}

// parseMerge returns the options that a merge is told, which are few, and the
// files.
func parseMerge(args []string) (*options, []string, error) {
	a, err := parseArguments(args, []string{"workers", "out"}, []string{"json", "quiet"})
	if err != nil {
		return nil, nil, err
	}
	if len(a.rest) == 0 {
		return nil, nil, errors.New("the reports are missing: want simrun merge and the files of all shards")
	}
	o := &options{workers: runtime.NumCPU()}
	a.numberFrom("workers", &o.workers, 1, maxWorkers)
	o.out = a.text("out", "simrun-out")
	o.json, o.quiet = a.truth("json"), a.truth("quiet")
	if a.err != nil {
		return nil, nil, a.err
	}
	if err := writable(o.out); err != nil {
		return nil, nil, fmt.Errorf("-out %s: %w", shellWord(o.out), err)
	}
	return o, a.rest, nil
}
