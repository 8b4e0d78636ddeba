package explore

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"simrun/checker"
	"simrun/protocols"
)

// breakers returns what a search finds of each check: the fewest faults that break
// it, and the sets of kinds that do.
func breakers(t *testing.T, p *protocols.Protocol, faults string, most int, whole bool) (map[string]string, int) {
	t.Helper()
	selection, err := ParseSelection(faults)
	if err != nil {
		t.Fatal(err)
	}
	space := NewSpace(p, p.Smallest(), selection)
	space.whole = whole
	x := Exhaustive{Space: space, Checks: checker.All, Most: most, Workers: 2}
	proof := x.Run(context.Background())
	found := make(map[string]string)
	for _, c := range proof.Checks {
		var sets []string
		for _, b := range c.Breaks {
			sets = append(sets, b.Kinds)
		}
		found[c.Check.Name] = fmt.Sprintf("%d: %q", c.Least, sets)
	}
	return found, proof.Total()
}

// Leaving out what cannot matter changes nothing that a search finds.
func TestLeavingOutWhatCannotMatterChangesNoVerdict(t *testing.T) {
	type search struct {
		protocol, faults string
		most             int
	}
	var searches []search
	for _, p := range protocols.All {
		searches = append(searches, search{p.Name, "all", 1})
	}
	for _, protocol := range []string{"check-then-write", "watchdog", "lua-release", "failover"} {
		for _, limited := range []string{"pause@check,death@check", "pause@renew,death@renew", "pause@write,death@write", "pause@work,death@work", "vanish@retry"} {
			searches = append(searches, search{protocol, limited, 1})
		}
	}
	for _, pair := range []string{"pause,crash", "death@release,vanish@write", "pause@read,death", "delay@reply,loss@reply", "partition,overrun", "clock-step,amnesia", "drift,clock-rate,pause@write"} {
		for _, protocol := range []string{"watchdog", "fencing", "redlock", "conditional-update", "row-lock"} {
			searches = append(searches, search{protocol, pair, 2})
		}
	}
	left, sum := 0, 0
	for _, s := range searches {
		p := protocols.Named(s.protocol)
		kept, fewer := breakers(t, p, s.faults, s.most, false)
		whole, all := breakers(t, p, s.faults, s.most, true)
		if diff := cmp.Diff(whole, kept); diff != "" {
			t.Errorf("%s, %s: (-%d schedules +%d of them):\n%s", s.protocol, s.faults, all, fewer, diff)
		}
		left, sum = left+fewer, sum+all
	}
	if 3*left > 2*sum {
		t.Errorf("%d of %d schedules are left, too many for the rules to have been tried", left, sum)
	}
}
