package main

import (
	"fmt"
	"os"
	"path/filepath"

	"simrun/explore"
)

// A division says what a report has to do with the shards of a run.
type division struct {
	file       string // the report of the shard that was run
	shards     int    // that were merged
	incomplete []int  // those of them that did not run all of their schedules
}

// parseShard reads which shard is run.
func (o *options) parseShard(a *arguments) error {
	text, given := a.values["shard"]
	if !given {
		return nil
	}
	var err error
	if o.shard, err = explore.ParseShard(text); err != nil {
		return fmt.Errorf("-shard %s: %w", shellWord(text), err)
	}
	if o.exhaustive < 0 && o.shard.Of > o.seeds {
		return fmt.Errorf("-shard %v: %s, want no more shards than that", o.shard, plural(o.seeds, "seed"))
	}
	return nil
}

// recipe returns what of the options decides what is found.
func (o *options) recipe() explore.Recipe {
	r := explore.Recipe{Protocol: o.protocol, Params: o.params, Faults: o.faults, Checks: o.checks, Most: o.exhaustive, Noisy: o.noisy}
	if o.exhaustive < 0 {
		r.First, r.Seeds = o.first, o.seeds
	}
	return r
}

// follow makes the options those of a recipe.
func (o *options) follow(r explore.Recipe) {
	o.protocol, o.params, o.faults, o.checks = r.Protocol, r.Params, r.Faults, r.Checks
	o.first, o.seeds, o.exhaustive, o.noisy = r.First, r.Seeds, r.Most, r.Noisy
}

// share returns how many random schedules there are to run.
func (o *options) share() int {
	_, n := o.shard.Seeds(o.first, o.seeds)
	return n
}

// keepPart writes the report of the shard that was run and returns the file's
// name, or an empty one for a whole run. The name has the fingerprint of the
// run, so that shards of different runs can lie side by side. The whole report of
// a shard is not replaced by one of a part of its schedules.
func (o *options) keepPart(p *explore.Part) (string, error) {
	if o.shard.Whole() {
		return "", nil
	}
	p.Recipe, p.Shard = o.recipe(), o.shard
	p.Mark = p.Fingerprint()
	p.Interrupted = p.Interrupted && !p.Complete()
	if err := os.MkdirAll(o.out, 0o777); err != nil {
		return "", fmt.Errorf("-out %s: %w", shellWord(o.out), cause(err))
	}
	name := fmt.Sprintf("%s-%s-shard-%d-of-%d.json", o.protocol.Name, p.Mark, o.shard.Index, o.shard.Of)
	file := filepath.Join(o.out, name)
	if old, err := explore.LoadPart(file); err == nil && old.Complete() && !p.Complete() {
		return file, nil
	}
	return file, p.Save(file)
}

// shardSuffix ends the names of traces of a shard's search, so that those of the
// merged one get names without a number.
func (o *options) shardSuffix() string {
	if o.shard.Whole() {
		return ""
	}
	return fmt.Sprintf("-%d-of-%d", o.shard.Index, o.shard.Of)
}

// scope says of which schedules alone what follows is claimed.
func (c *console) scope(s explore.Shard, d *division) {
	if !s.Whole() {
		c.printf("\nshard %d of %d: what follows is claimed of its schedules alone\n", s.Index, s.Of)
	}
	if len(d.incomplete) > 0 {
		c.printf("\n%s incomplete: what follows is claimed of the schedules that were run\n", explore.ShardList(d.incomplete, d.shards))
	}
}

// next says how the shard is put together with the others.
func (c *console) next(o *options, d *division) {
	if d.file == "" {
		return
	}
	c.fact("report", shellWord(d.file))
	end := fmt.Sprintf("-shard-%d-of-%d.json", o.shard.Index, o.shard.Of)
	c.fact("merge", fmt.Sprintf("simrun merge %s-shard-*-of-%d.json", shellWord(d.file[:len(d.file)-len(end)]), o.shard.Of))
}

// The form of a division as JSON, of which a whole run has nothing.
type divisionJSON struct {
	Shard      string `json:"shard,omitempty"`
	Report     string `json:"report,omitempty"`
	Incomplete []int  `json:"incomplete_shards,omitempty"`
}

func (d *division) form(s explore.Shard) divisionJSON {
	form := divisionJSON{Report: d.file, Incomplete: d.incomplete}
	if !s.Whole() {
		form.Shard = s.String()
	}
	return form
}
