package explore

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"strconv"
	"strings"

	"simrun/checker"
	"simrun/protocols"
	"simrun/sim"
)

// A Recipe says what a run runs. Runs of one recipe find the same, however many
// workers and shards they have.
type Recipe struct {
	Protocol *protocols.Protocol
	Params   protocols.Params
	Faults   Selection
	Checks   []*checker.Check
	First    int // the first seed of random schedules, up to MaxSeeds
	Seeds    int // how many of them, up to MaxSeeds
	Most     int // faults of an exhaustive search, up to MaxDepth; -1 for random schedules
	Noisy    int // schedules that the search starts from besides the quiet one, up to MaxNoisy
}

// The bounds of recipes. A search takes about a thousand times as long with each
// fault more.
const (
	MaxSeeds = 1_000_000_000 // so that the last seed fits 32 bits
	MaxDepth = 6
	MaxNoisy = 1_000_000
)

// Space returns the space of the recipe's schedules.
func (r *Recipe) Space() *Space { return NewSpace(r.Protocol, r.Params, r.Faults) }

// A fact is one thing that a recipe says, by the name of its flag.
type fact struct{ flag, value string }

// facts returns all that the recipe says. Of every recipe they have the same
// flags in the same order.
func (r *Recipe) facts() []fact {
	most := "none"
	if r.Most >= 0 {
		most = strconv.Itoa(r.Most)
	}
	checks := make([]string, len(r.Checks))
	for i, c := range r.Checks {
		checks[i] = c.Name
	}
	return []fact{
		{"-protocol", r.Protocol.Name},
		{"-clients", strconv.Itoa(r.Params.Clients)},
		{"-rounds", strconv.Itoa(r.Params.Rounds)},
		{"-nodes", strconv.Itoa(r.Params.Nodes)},
		{"-ttl", r.Params.TTL.String()},
		{"-work", r.Params.Work.String()},
		{"-token", string(r.Params.Token)},
		{"-faults", r.Faults.String()},
		{"-check", strings.Join(checks, ",")},
		{"-exhaustive", most},
		{"-noisy", strconv.Itoa(r.Noisy)},
		{"-seed", strconv.Itoa(r.First)},
		{"-seeds", strconv.Itoa(r.Seeds)},
	}
}

// Fingerprint returns a digest of what the recipe says and of what it leads to
// here: the events and verdicts of some of its schedules, and the faults with
// which a search begins. Two simruns that differ in it do not run the same.
func (r *Recipe) Fingerprint() string {
	hash := sha256.New()
	r.describe(hash)
	return hex.EncodeToString(hash.Sum(nil)[:4])
}

// describe writes the text of which the fingerprint is the digest.
func (r *Recipe) describe(w io.Writer) {
	fmt.Fprintln(w, r.facts())
	space := r.Space()
	judge := space.NewJudge(r.Checks)
	defer judge.Close()
	schedules := []sim.Schedule{space.Start(0), space.Start(1)}
	for seed := 1; seed <= 8; seed++ {
		schedules = append(schedules, space.Schedule(seed))
	}
	for _, s := range schedules {
		out, err := judge.Record(s)
		if err != nil {
			panic(err) // the space draws only faults that fit its setup
		}
		fmt.Fprintln(w, sim.Hash(out.Events))
		for _, v := range out.Verdicts {
			fmt.Fprintln(w, v.State)
		}
	}
	survey, err := judge.world.Survey(space.Quiet())
	if err != nil {
		panic(err) // a schedule without faults fits every setup
	}
	for _, e := range space.extensions(&survey, space.Quiet(), false) {
		fmt.Fprintln(w, e.fault, e.twins)
	}
}
