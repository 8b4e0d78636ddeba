package explore_test

import (
	"context"
	"strings"
	"testing"

	"simrun/checker"
	"simrun/explore"
	"simrun/sim"
)

// Explicit-state checkers, whose clients go on at the second grant and whose
// broadcast is one action, find the double majority after 13 of them: each client
// asks (2), two servers vote for each (4), the votes arrive (4), each client holds
// the lock (2), and one server forgets its vote (1). The smallest story here has
// the same 13; its clients also wait for the server that refuses, which votes no
// and whose vote arrives, twice.
func TestDoubleMajorityIsTheStoryThatExplicitStateCheckersFind(t *testing.T) {
	space := small(t, "redlock", 2, "amnesia")
	mutex := checker.Named("mutual-exclusion")
	x := explore.Exhaustive{Space: space, Checks: []*checker.Check{mutex}, Most: 1, Noisy: 2, Workers: 2}
	found := x.Run(context.Background()).Checks[0]
	if found.Least != 1 || len(found.Breaks) != 1 {
		t.Fatalf("broken by %d faults in %d ways, want one amnesia", found.Least, len(found.Breaks))
	}
	judge := space.NewJudge([]*checker.Check{mutex})
	defer judge.Close()
	out, err := judge.Record(found.Breaks[0].Schedule)
	if err != nil {
		t.Fatal(err)
	}
	var yes, no, grants int
	for _, e := range out.Events {
		refused := strings.HasSuffix(e.Text, "-> nil")
		switch e.Kind {
		case sim.EventAcquire, sim.EventFault:
			yes++
		case sim.EventAnswer, sim.EventReceive:
			if refused {
				no++
			} else {
				yes++
			}
		case sim.EventGrant:
			yes++
			grants++
		}
		if grants == 2 {
			break
		}
	}
	if yes != 13 || no != 4 {
		t.Errorf("%d events as explicit-state checkers count them and %d of refusals, want 13 and 4", yes, no)
	}
}
