package explore_test

import (
	"context"
	"strings"
	"testing"

	"simrun/checker"
	"simrun/explore"
	"simrun/protocols"
)

// halves returns the two shards of a small run of seeds or, with so many faults,
// of a search.
func halves(most int) []*explore.Part {
	p := protocols.Named("setnx")
	r := explore.Recipe{Protocol: p, Params: p.Smallest(), Faults: explore.AllFaults(), Checks: checker.All[:2], Most: most}
	if most < 0 {
		r.First, r.Seeds = 1, 100
	}
	return []*explore.Part{part(r, explore.Shard{Index: 1, Of: 2}, 1), part(r, explore.Shard{Index: 2, Of: 2}, 1)}
}

func TestMergeRefusesWhatIsNoWholeRun(t *testing.T) {
	for want, spoil := range map[string]func(parts []*explore.Part) []*explore.Part{
		"shard 2 of 2 is missing: a claim about all schedules needs every shard": func(parts []*explore.Part) []*explore.Part { return parts[:1] },
		"1.json: shard 1/2, but 1.json is that already: want each shard once": func(parts []*explore.Part) []*explore.Part {
			return append(parts, parts[0])
		},
		"2.json: of a run with -ttl 1s, but 1.json is of one with 300ms: want shards of one run": func(parts []*explore.Part) []*explore.Part {
			parts[1].Params.TTL = 1e9
			return parts
		},
		"2.json: of a run with -exhaustive none, but 1.json is of one with 1: want shards of one run": func(parts []*explore.Part) []*explore.Part {
			return []*explore.Part{parts[0], halves(-1)[1]}
		},
		"2.json: shard 2/3, but 1.json is shard 1/2: want shards of one division": func(parts []*explore.Part) []*explore.Part {
			parts[1].Shard.Of = 3
			return parts
		},
		"2.json: the simrun that ran it runs other schedules than this one, or judges them otherwise: want shards of one version": func(parts []*explore.Part) []*explore.Part {
			parts[1].Mark = "older"
			return parts
		},
		"1.json: its faults [] do not break mutual-exclusion here, as it says": func(parts []*explore.Part) []*explore.Part {
			parts[0].Proof.Checks[0].Breaks[0].Schedule.Faults = nil
			return parts
		},
	} {
		if _, err := explore.Merge(spoil(halves(1))); err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

func TestMergeRunsTheSeedsAgainThatAReportNames(t *testing.T) {
	parts := halves(-1)
	check := &parts[1].Report.Checks[0]
	for seed := 51; ; seed++ {
		if check.Seeds[0] != seed {
			check.Seeds[0] = seed
			break
		}
	}
	_, err := explore.Merge(parts)
	if err == nil || !strings.HasPrefix(err.Error(), "2.json: its seed 5") {
		t.Errorf("error %v, want one that says that a seed does not break the check", err)
	}
}

// A search that stops early knows less than one that does not, and a merged one
// no more than the shard that came least far.
func TestMergedSearchClaimsWhatAllShardsSearched(t *testing.T) {
	parts := halves(1)
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	r := parts[1].Recipe
	x := explore.Exhaustive{Space: r.Space(), Checks: r.Checks, Most: 1, Shard: parts[1].Shard, Workers: 1}
	parts[1].Proof, parts[1].Interrupted = x.Run(cancelled), true
	u, err := explore.Merge(parts)
	if err != nil {
		t.Fatal(err)
	}
	if u.Proof.Complete || u.Proof.Whole != 0 || !u.Interrupted || len(u.Incomplete) != 1 || u.Incomplete[0] != 2 {
		t.Errorf("complete %t, all with fewer than %d faults, interrupted %t, incomplete %v; want nothing claimed for lack of shard 2",
			u.Proof.Complete, u.Proof.Whole, u.Interrupted, u.Incomplete)
	}
	if c := u.Proof.Checks[0]; c.Least != 1 || len(c.Breaks) == 0 {
		t.Errorf("least %d, %d breakers; want what shard 1 found", c.Least, len(c.Breaks))
	}
}
