package explore_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"simrun/checker"
	"simrun/explore"
	"simrun/protocols"
	"simrun/sim"
)

// part runs one shard of a recipe.
func part(r explore.Recipe, s explore.Shard, workers int) *explore.Part {
	p := &explore.Part{
		File: fmt.Sprintf("%d.json", s.Index), Recipe: r, Mark: r.Fingerprint(), Shard: s, Elapsed: time.Duration(s.Index) * time.Second,
	}
	if r.Most >= 0 {
		x := explore.Exhaustive{Space: r.Space(), Checks: r.Checks, Most: r.Most, Noisy: r.Noisy, Shard: s, Workers: workers}
		p.Proof = x.Run(context.Background())
		return p
	}
	first, seeds := s.Seeds(r.First, r.Seeds)
	c := explore.Campaign{Space: r.Space(), Checks: r.Checks, First: first, Seeds: seeds, Workers: workers}
	p.Report = c.Run(context.Background())
	return p
}

func written(t interface{ Fatal(...any) }, p *explore.Part) string {
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// found returns what a run found, as the only shard of it would write it.
func found(t interface{ Fatal(...any) }, u *explore.Union) string {
	return written(t, &explore.Part{Recipe: u.Recipe, Shard: explore.Shard{Index: 1, Of: 1}, Report: u.Report, Proof: u.Proof})
}

// recipes draws small runs of several protocols.
var recipes = rapid.Custom(func(t *rapid.T) explore.Recipe {
	p := protocols.Named(rapid.SampledFrom([]string{"setnx", "lua-release", "fencing", "redlock", "failover-fencing", "advisory-lock"}).Draw(t, "protocol"))
	faults, err := explore.ParseSelection(rapid.SampledFrom([]string{"none", "pause,amnesia", "loss,crash,overrun", "pause@write,delay,death"}).Draw(t, "faults"))
	if err != nil {
		t.Fatal(err)
	}
	r := explore.Recipe{Protocol: p, Params: p.Smallest(), Faults: faults, Checks: checker.All, Most: rapid.IntRange(-1, 1).Draw(t, "most")}
	if r.Most >= 0 {
		r.Noisy = rapid.IntRange(0, 1).Draw(t, "noisy")
	} else {
		r.First, r.Seeds = rapid.IntRange(1, 1000).Draw(t, "first"), rapid.IntRange(1, 200).Draw(t, "seeds")
	}
	return r
})

func TestShardsFindTogetherWhatOneRunFinds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := recipes.Draw(t, "recipe")
		one, err := explore.Merge([]*explore.Part{part(r, explore.Shard{Index: 1, Of: 1}, 1)})
		if err != nil {
			t.Fatal(err)
		}
		of := rapid.IntRange(2, 7).Draw(t, "shards")
		var parts []*explore.Part
		for _, i := range rapid.Permutation(slices.Collect(upTo(of))).Draw(t, "order") {
			parts = append(parts, part(r, explore.Shard{Index: i, Of: of}, 1+i%3))
		}
		merged, err := explore.Merge(parts)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(found(t, one), found(t, merged)); diff != "" {
			t.Errorf("merged shards found something else (-one run +merged):\n%s", diff)
		}
		if want := time.Duration(of*(of+1)/2) * time.Second; merged.Elapsed != want || len(merged.Incomplete) > 0 {
			t.Errorf("took %v, shards %v incomplete; want %v and none", merged.Elapsed, merged.Incomplete, want)
		}
	})
}

// upTo yields the numbers from 1 to n.
func upTo(n int) func(func(int) bool) {
	return func(yield func(int) bool) {
		for i := 1; i <= n && yield(i); i++ {
		}
	}
}

func TestReportsReadAsTheyWereWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		of := rapid.IntRange(1, 5).Draw(t, "shards")
		p := part(recipes.Draw(t, "recipe"), explore.Shard{Index: rapid.IntRange(1, of).Draw(t, "shard"), Of: of}, 1)
		text := written(t, p)
		again, err := explore.ReadPart(strings.NewReader(text))
		if err != nil {
			t.Fatalf("%v in:\n%s", err, text)
		}
		if diff := cmp.Diff(text, written(t, again)); diff != "" {
			t.Errorf("read otherwise than written (-written +read):\n%s", diff)
		}
		if p.Report != nil && p.Report.Unaware != again.Report.Unaware {
			t.Errorf("a spread with the median %v was read as one with %v", p.Report.Unaware.Median(), again.Report.Unaware.Median())
		}
	})
}

func TestShardsShareAllSeedsEvenly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		first, count := rapid.IntRange(1, explore.MaxSeeds).Draw(t, "first"), rapid.IntRange(1, explore.MaxSeeds).Draw(t, "count")
		of := rapid.IntRange(1, explore.MaxShards).Draw(t, "shards")
		next := first
		for i := 1; i <= of; i++ {
			from, share := explore.Shard{Index: i, Of: of}.Seeds(first, count)
			if from != next || share != count/of && share != count/of+1 {
				t.Fatalf("shard %d of %d begins with seed %d and has %d, want %d and an even share of %d", i, of, from, share, next, count)
			}
			next += share
		}
		if next != first+count {
			t.Errorf("the shards end before seed %d, want %d", next, first+count)
		}
	})
}

func TestShardsOfASearchAreDisjointAndCoverIt(t *testing.T) {
	space := small(t, "lua-release", 2, "pause@write,loss@reply,overrun")
	whole, n := sets(space, 2)
	covered := make(map[string]bool)
	for i := range upTo(5) {
		x := explore.Exhaustive{Space: space, Most: 2, Shard: explore.Shard{Index: i, Of: 5}, Workers: 1}
		part := 0
		x.Each = func(s sim.Schedule) { part++; covered[setOf(s.Faults)] = true }
		if got := x.Run(context.Background()).Total(); got != part {
			t.Errorf("shard %d counts %d schedules and runs %d", i, got, part)
		}
		n -= part
	}
	if n != 0 || len(covered) != len(whole) {
		t.Errorf("the shards run %d sets of faults, want %d, and leave %d schedules", len(covered), len(whole), n)
	}
}

// Of many defects a search tells one, which must not hang on who comes first.
func TestDefectsAreToldAlikeByShardsAndWorkers(t *testing.T) {
	p := broken(func(t *sim.Thread) { panic(fmt.Sprint("hopeless at ", t.Monotonic())) })
	r := explore.Recipe{Protocol: p, Params: p.Smallest(), Faults: explore.AllFaults(), Checks: checker.All[:1], Most: 1}
	r.Params.Clients = 1 // who meets nobody is hopeless after faults alone
	one := part(r, explore.Shard{Index: 1, Of: 1}, 1)
	var parts []*explore.Part
	var texts []string
	for i := range upTo(7) {
		p := part(r, explore.Shard{Index: i, Of: 7}, 1+i%3)
		parts, texts = append(parts, p), append(texts, p.Proof.Defects.Text)
	}
	merged, err := explore.Merge(parts)
	if err != nil {
		t.Fatal(err)
	}
	if one.Proof.Defects != merged.Proof.Defects || one.Proof.Defects.Text != slices.Min(texts) {
		t.Errorf("one run has the defects %+v, its shards %+v; want the same, told by the first of %q", one.Proof.Defects, merged.Proof.Defects, texts)
	}
}
