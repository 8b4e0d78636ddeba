package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"simrun/checker"
	"simrun/explore"
	"simrun/protocols"
)

// options are what a run is told on the command line.
type options struct {
	protocol *protocols.Protocol
	params   protocols.Params
	seeds    int
	first    int
	faults   explore.Selection
	checks   []*checker.Check
	workers  int
	out      string
	json     bool
	quiet    bool

	exhaustive int           // the most faults of an exhaustive search, -1 for random schedules
	noisy      int           // schedules that it starts from besides the quiet one
	limit      time.Duration // of the search, 0 for none

	shard explore.Shard // that is run
}

// The bounds of flags.
const (
	maxSeeds   = explore.MaxSeeds
	maxFaults  = explore.MaxDepth
	maxNoisy   = explore.MaxNoisy
	maxWorkers = 1024
)

func parseOptions(args []string) (*options, error) {
	a, err := parseArguments(args,
		[]string{"protocol", "seeds", "seed", "faults", "check", "clients", "rounds", "nodes", "ttl", "work", "token", "workers", "out", "exhaustive", "noisy", "for", "shard"},
		[]string{"json", "quiet"})
	if err != nil {
		return nil, err
	}
	if len(a.rest) > 0 {
		return nil, fmt.Errorf("unexpected %s: run takes flags alone", shellWord(a.rest[0]))
	}
	o := &options{seeds: 10_000, first: 1, workers: runtime.NumCPU(), exhaustive: -1}
	if o.protocol, err = protocolNamed(a); err != nil {
		return nil, err
	}
	a.numberFrom("exhaustive", &o.exhaustive, 0, maxFaults)
	a.numberFrom("noisy", &o.noisy, 0, maxNoisy)
	a.duration("for", &o.limit)
	o.params = paramsOf(o.protocol, o.exhaustive >= 0, a)
	if err := a.exclusive(o.exhaustive >= 0); err != nil {
		return nil, err
	}
	a.numberFrom("seeds", &o.seeds, 1, maxSeeds)
	a.numberFrom("seed", &o.first, 1, maxSeeds)
	a.numberFrom("workers", &o.workers, 1, maxWorkers)
	o.out = a.text("out", "simrun-out")
	o.json, o.quiet = a.truth("json"), a.truth("quiet")
	if a.err != nil {
		return nil, a.err
	}
	if err := o.parseShard(a); err != nil {
		return nil, err
	}
	if err := o.protocol.Accepts(o.params); err != nil {
		return nil, fmt.Errorf("-%w", err) // its text begins with the parameter's name
	}
	if o.faults, err = explore.ParseSelection(a.text("faults", "all")); err != nil {
		return nil, fmt.Errorf("-faults: %w", withSuggestion(err))
	}
	if o.checks, err = parseChecks(a.text("check", "all")); err != nil {
		return nil, fmt.Errorf("-check: %w", withSuggestion(err))
	}
	if err := writable(o.out); err != nil {
		return nil, fmt.Errorf("-out %s: %w", shellWord(o.out), err)
	}
	return o, nil
}

func protocolNamed(a *arguments) (*protocols.Protocol, error) {
	name, given := a.values["protocol"]
	if !given {
		return nil, fmt.Errorf("-protocol is missing: want a name such as redlock; %s", listShowsAll)
	}
	if p := protocols.Named(name); p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("unknown protocol %q%s", name, suggestion(name, protocols.Names(), listShowsAll))
}

// exclusive checks that random schedules are told of seeds alone, and an
// exhaustive search of none.
func (a *arguments) exclusive(exhaustive bool) error {
	_, seeds := a.values["seeds"]
	_, seed := a.values["seed"]
	_, limit := a.values["for"]
	_, noisy := a.values["noisy"]
	switch {
	case !exhaustive && noisy:
		return errors.New("-noisy goes with -exhaustive; random schedules are noisy anyway")
	case exhaustive && (seeds || seed):
		return errors.New("-exhaustive runs every schedule and takes no -seeds or -seed")
	case !exhaustive && limit:
		return errors.New("-for goes with -exhaustive; random schedules are limited by -seeds")
	}
	return nil
}

// paramsOf returns the protocol's defaults, small ones for an exhaustive search,
// with what the flags change. A job plans at most half of the TTL by default,
// whatever that is.
func paramsOf(p *protocols.Protocol, exhaustive bool, a *arguments) protocols.Params {
	params := p.Defaults()
	if exhaustive {
		params = p.Smallest()
	}
	a.number("clients", &params.Clients)
	a.number("rounds", &params.Rounds)
	a.number("nodes", &params.Nodes)
	a.duration("ttl", &params.TTL)
	params.Work = params.TTL / 2
	a.duration("work", &params.Work)
	params.Token = protocols.TokenSource(a.text("token", string(params.Token)))
	return params
}

// parseChecks reads a list of names of checks, among which all stands for all
// but the models.
func parseChecks(list string) ([]*checker.Check, error) {
	var checks []*checker.Check
	for name := range strings.SplitSeq(list, ",") {
		more := checker.All
		if name = strings.TrimSpace(name); name != "all" {
			c := checker.Named(name)
			if c == nil {
				return nil, &explore.UnknownName{What: "check", Name: name, Known: append([]string{"all"}, checker.Names()...)}
			}
			more = []*checker.Check{c}
		}
		for _, c := range more {
			if !slices.Contains(checks, c) {
				checks = append(checks, c)
			}
		}
	}
	return checks, nil
}

// checkList returns checks as [parseChecks] reads them.
func checkList(checks []*checker.Check) string {
	var words []string
	if n := len(checker.All); len(checks) >= n && slices.Equal(checks[:n], checker.All) {
		words, checks = append(words, "all"), checks[n:]
	}
	for _, c := range checks {
		words = append(words, c.Name)
	}
	return strings.Join(words, ",")
}

// String returns the command line that names every option.
func (o *options) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "simrun run -protocol %s", o.protocol.Name)
	if o.exhaustive >= 0 {
		fmt.Fprintf(&b, " -exhaustive %d -noisy %d", o.exhaustive, o.noisy)
	} else {
		fmt.Fprintf(&b, " -seeds %d -seed %d", o.seeds, o.first)
	}
	if o.limit > 0 {
		fmt.Fprintf(&b, " -for %v", o.limit)
	}
	if !o.shard.Whole() {
		fmt.Fprintf(&b, " -shard %v", o.shard)
	}
	fmt.Fprintf(&b, " -faults %v -check %s -clients %d -rounds %d -nodes %d -ttl %v -work %v",
		o.faults, checkList(o.checks),
		o.params.Clients, o.params.Rounds, o.params.Nodes, o.params.TTL, o.params.Work)
	if o.protocol.Tokens {
		fmt.Fprintf(&b, " -token %s", o.params.Token)
	}
	fmt.Fprintf(&b, " -workers %d -out %s", o.workers, shellWord(o.out))
	if o.json {
		b.WriteString(" -json")
	}
	if o.quiet {
		b.WriteString(" -quiet")
	}
	return b.String()
}

// writable returns why no trace could be written to a folder, which need not
// exist yet.
func writable(dir string) error {
	if dir == "" {
		return errors.New("want a folder for traces")
	}
	at := dir
	for {
		info, err := os.Stat(at)
		if err == nil && !info.IsDir() {
			return fmt.Errorf("%s is not a folder", shellWord(at))
		}
		if err == nil {
			break
		}
		if above := filepath.Dir(at); errors.Is(err, fs.ErrNotExist) && above != at {
			at = above
			continue
		}
		return cause(err)
	}
	probe, err := os.CreateTemp(at, ".simrun-*")
	if err != nil {
		return fmt.Errorf("cannot write there: %w", cause(err))
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}

// cause returns what went wrong with a file without the file's name.
func cause(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}
