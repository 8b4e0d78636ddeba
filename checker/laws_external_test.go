package checker_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"simrun/checker"
	"simrun/sim"
)

// stories draws the lines of runs of a few critical sections that no lock
// keeps apart. Which of them goes on next is chosen anew for each event, mostly
// the first that has not ended, so that some do follow one another.
var stories = rapid.Custom(func(t *rapid.T) []string {
	var sections [][]string
	for i := range rapid.IntRange(1, 6).Draw(t, "sections") {
		sections = append(sections, section(t, i))
	}
	var lines []string
	now, value, seen := time.Duration(0), "nobody", make(map[string]string)
	for len(sections) > 0 {
		i := rapid.IntRange(0, 6*len(sections)).Draw(t, "next")
		if i >= len(sections) {
			i = 0
		}
		line := sections[i][0]
		if sections[i] = sections[i][1:]; len(sections[i]) == 0 {
			sections = slices.Delete(sections, i, i+1)
		}
		who, does, _ := strings.Cut(line, " ")
		switch does {
		case "looks": // the resource reads out its value
			seen[who] = value
			continue
		case "sees", "mails for":
			line += " " + seen[who]
		}
		if by, ok := strings.CutPrefix(line, "db applies "); ok {
			value = by
		}
		now += time.Duration(rapid.IntRange(0, 30).Draw(t, "ms")) * ms
		lines = append(lines, now.String()+" "+line)
	}
	return lines
})

// section returns what the i-th of them does, and what others do for it.
func section(t *rapid.T, i int) []string {
	who := sim.Holder{Client: int32(i%4) + 1, Attempt: int32(i/4) + 1}.String()
	token := max(0, i+1-rapid.IntRange(0, 3).Draw(t, "token"))
	lines := []string{"@ acquires", fmt.Sprintf("@ holds token %d", token), "n1 took @", "@ reads", "@ looks", "@ sees", "@ mails for"}
	switch rapid.IntRange(0, 6).Draw(t, "fate") {
	case 0:
		lines = append(lines, "@ writes", "db applies @", "@ is accepted", "@ ends released", "n1 removed @ by @")
	case 1: // it releases the first one's lock
		lines = append(lines, "@ writes", "db applies @", "@ is accepted", "@ ends released", "n1 removed A#1 by @")
	case 2: // the answer is lost
		lines = append(lines, "@ writes", "db applies @", "@ ends released")
	case 3: // the request is lost
		lines = append(lines, "@ writes", "@ is unknown", "@ ends told")
	case 4: // the request is late
		lines = append(lines, "@ writes", "@ ends deadline", "db applies @")
	case 5: // it is refused
		lines = append(lines, "@ writes", "db rejects @", "@ is refused", "@ ends told")
	case 6: // its belief never ends
		lines = append(lines, "@ writes", "db applies @", "@ is accepted")
	}
	if rapid.Bool().Draw(t, "heals") {
		lines = slices.Insert(lines, 0, "world heals")
	}
	for i := range lines {
		lines[i] = strings.ReplaceAll(lines[i], "@", who)
	}
	return lines
}

// law checks a law of histories on random ones.
func law(t *testing.T, holds func(t *rapid.T, h *sim.History)) {
	t.Helper()
	rapid.Check(t, func(r *rapid.T) {
		lines := stories.Draw(r, "lines")
		r.Log(strings.Join(lines, "\n"))
		holds(r, history(t, lines...))
	})
}

func state(check string, h *sim.History) checker.State { return checker.Named(check).Judge(h).State }

func wantState(t *rapid.T, check string, h *sim.History, holds bool) {
	want := checker.Violated
	if holds {
		want = checker.Held
	}
	if got := state(check, h); got != want {
		t.Errorf("%s is %s, want %s", check, got, want)
	}
}

// The laws below would say nothing if the stories were all of one kind.
func TestStoriesBreakAndKeepEveryCheck(t *testing.T) {
	count := make(map[string]int)
	for seed := range 500 {
		h := history(t, stories.Example(seed+1)...)
		if state("owner-mutex", h) != state("fenced-mutex", h) {
			count["tokens alone"]++
		}
		if !checker.WitnessLosesNothing(h) && state("no-lost-update", h) == checker.Held {
			count["search alone"]++
		}
		if checker.WitnessesFork(h) {
			count["fork"]++
		} else if state("no-lost-update", h) == checker.Violated {
			count["loss without a fork"]++
		}
		for _, name := range checker.Names() {
			count[name+" "+string(state(name, h))]++
		}
	}
	cases := []string{"tokens alone", "search alone", "fork", "loss without a fork"}
	for _, name := range checker.Names() {
		cases = append(cases, name+" held", name+" violated")
	}
	for _, c := range cases {
		if count[c] < 5 {
			t.Errorf("%s: %d stories of 500, want more", c, count[c])
		}
	}
}

func TestMutualExclusionIsThatNoTwoBeliefsOverlap(t *testing.T) {
	law(t, func(t *rapid.T, h *sim.History) {
		overlap, longest := false, time.Duration(0)
		for i, g := range h.Grants {
			for _, first := range h.Grants[:i] {
				if g.From.Before(first.Until) {
					overlap = true
					longest = max(longest, min(first.Until.At, g.Until.At).Sub(g.From.At))
				}
			}
		}
		wantState(t, "mutual-exclusion", h, !overlap)
		if got := checker.Named("mutual-exclusion").Judge(h).Length; got != longest {
			t.Errorf("longest overlap %v, want %v", got, longest)
		}
	})
}

func TestNoStaleWriteIsThatNoTwoWritesAreOutOfOrder(t *testing.T) {
	law(t, func(t *rapid.T, h *sim.History) {
		grants := make(map[sim.Holder]sim.Grant)
		for _, g := range h.Grants {
			grants[g.Holder] = g
		}
		stale := false
		var earlier []sim.Grant // of writes
		for _, c := range h.Changes {
			if c.Kind == sim.Wrote {
				g := grants[c.By]
				stale = stale || slices.ContainsFunc(earlier, func(e sim.Grant) bool { return g.From.Before(e.Call) })
				earlier = append(earlier, g)
			}
		}
		wantState(t, "no-stale-write", h, !stale)
	})
}

func TestWitnessOfNoLossConvincesTheSearch(t *testing.T) {
	law(t, func(t *rapid.T, h *sim.History) {
		if checker.WitnessLosesNothing(h) && !checker.SearchLosesNothing(h) {
			t.Error("the order of the writes is a linearization, but the search finds none")
		}
	})
}

func TestWitnessOfAForkConvincesTheSearch(t *testing.T) {
	law(t, func(t *rapid.T, h *sim.History) {
		if checker.WitnessesFork(h) && checker.SearchLosesNothing(h) {
			t.Error("two updates replaced the same value, but the search finds a linearization")
		}
	})
}

func TestUpdatesAreLostWhereNoOrderExplainsThem(t *testing.T) {
	law(t, func(t *rapid.T, h *sim.History) {
		wantState(t, "no-lost-update", h, explained(sectionsOf(h), sim.Nobody, h.Final))
	})
}

// A section is a read-modify-write between its beginning and its end.
type rmw struct {
	seen, wrote sim.Holder
	begin, end  int32
	known       bool // to have happened
}

// sectionsOf returns the sections that may have written.
func sectionsOf(h *sim.History) []rmw {
	var all []rmw
	for _, w := range h.Accesses {
		if w.Kind != sim.WriteAccess || w.Outcome == sim.Refused {
			continue
		}
		for _, r := range h.Accesses {
			if r.Kind == sim.ReadAccess && r.Holder == w.Holder {
				all = append(all, rmw{r.Seen, w.Holder, r.Call.Index, w.Return.Index, w.Outcome == sim.Accepted})
			}
		}
	}
	return all
}

// explained reports whether some order of the sections that are left, with or
// without those that may not have happened, leads from one value to another.
func explained(left []rmw, value, final sim.Holder) bool {
	if len(left) == 0 {
		return value == final
	}
	for i, s := range left {
		if slices.ContainsFunc(left, func(other rmw) bool { return other.end < s.begin }) {
			continue // another was over before s began
		}
		rest := slices.Delete(slices.Clone(left), i, i+1)
		if s.seen == value && explained(rest, s.wrote, final) || !s.known && explained(rest, value, final) {
			return true
		}
	}
	return false
}

// A holder's place in any order of the acquires is before its belief, and its
// release ends the belief, so that the models can order no more than the
// beliefs themselves are ordered.
func TestModelsBreakExactlyWhereTheirChecksDo(t *testing.T) {
	law(t, func(t *rapid.T, h *sim.History) {
		exclusive := state("mutual-exclusion", h) == checker.Held
		ordered := state("token-order", h) == checker.Held
		wantState(t, "owner-mutex", h, exclusive)
		wantState(t, "fenced-mutex", h, exclusive && ordered)
		if got := checker.SearchLock(h, false); got != exclusive {
			t.Errorf("the search under the owner's mutex says %v, want %v", got, exclusive)
		}
		if got := checker.SearchLock(h, true); got != (exclusive && ordered) {
			t.Errorf("the search under the fenced mutex says %v, want %v", got, exclusive && ordered)
		}
	})
}

func TestJudgingRepeatsAndLeavesTheHistoryAlone(t *testing.T) {
	law(t, func(t *rapid.T, h *sim.History) {
		before := h.Clone()
		for _, name := range checker.Names() {
			first, second := checker.Named(name).Judge(h), checker.Named(name).Judge(h)
			if diff := cmp.Diff(first, second); diff != "" {
				t.Errorf("%s says another thing the second time:\n%s", name, diff)
			}
		}
		if diff := cmp.Diff(before, *h); diff != "" {
			t.Errorf("the history has changed:\n%s", diff)
		}
	})
}

// Whoever is blamed broke what held until then.
func TestViolationsNameEventsUpToTheirMoment(t *testing.T) {
	law(t, func(t *rapid.T, h *sim.History) {
		for _, name := range checker.Names() {
			v := checker.Named(name).Judge(h)
			if v.State == checker.Violated && (v.Why == "" || !slices.Contains(v.Events, v.At.Index) || !slices.IsSorted(v.Events)) {
				t.Errorf("%s: %+v, want a reason, and events in order with that of its moment", name, v)
			}
		}
	})
}
