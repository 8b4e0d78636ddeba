package explore_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"simrun/checker"
	"simrun/explore"
	"simrun/protocols"
	"simrun/sim"
)

// failing draws a protocol, a check and a schedule that violates it.
func failing(t *rapid.T) (*explore.Space, *checker.Check, sim.Schedule) {
	space := spaces[rapid.IntRange(0, len(spaces)-1).Draw(t, "protocol")]
	check := checker.All[rapid.IntRange(0, len(checker.All)-1).Draw(t, "check")]
	first := rapid.IntRange(1, 1_000_000).Draw(t, "seed")
	seeds := campaignFrom(space, check, first, 200).Checks[0].Seeds
	if len(seeds) == 0 {
		t.Skip("no schedule in reach violates the check")
	}
	return space, check, space.Schedule(seeds[0])
}

// spaces holds every protocol under all faults.
var spaces = func() (list []*explore.Space) {
	for _, p := range protocols.All {
		list = append(list, explore.NewSpace(p, p.Defaults(), explore.AllFaults()))
	}
	return list
}()

func violates(t *rapid.T, space *explore.Space, check *checker.Check, s sim.Schedule) bool {
	judge := space.NewJudge([]*checker.Check{check})
	defer judge.Close()
	out, err := judge.Run(s)
	if err != nil {
		return false
	}
	return out.Verdicts[0].State == checker.Violated
}

func TestMinimisedSchedulesStillFailAndAreOneMinimal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		space, check, s := failing(t)
		m := space.Minimise(s, check)
		if !violates(t, space, check, m.Schedule) {
			t.Fatalf("the minimised schedule keeps %s: %v", check.Name, m.Schedule.Lines())
		}
		for _, simpler := range space.Simpler(m.Schedule) {
			if violates(t, space, check, simpler) {
				t.Fatalf("simpler, and still violates %s:\n%v\nthan\n%v", check.Name, simpler.Lines(), m.Schedule.Lines())
			}
		}
		if again := space.Minimise(m.Schedule, check); !slices.Equal(again.Schedule.Lines(), m.Schedule.Lines()) {
			t.Fatalf("minimising again changed %v into %v", m.Schedule.Lines(), again.Schedule.Lines())
		}
	})
}

// Every fault, every client and every number must be among what the minimiser
// tries to leave out or to lower, or "1-minimal" would mean little.
func TestSimplerLeavesNothingOut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		space := spaces[rapid.IntRange(0, len(spaces)-1).Draw(t, "protocol")]
		s := space.Schedules().Draw(t, "schedule")
		simpler := space.Simpler(s)
		for i := range s.Faults {
			want := s.Clone()
			want.Faults = slices.Delete(want.Faults, i, i+1)
			if !contains(simpler, want) {
				t.Fatalf("fault %q is never left out", s.Faults[i])
			}
		}
		for i, plan := range s.Clients {
			if !slices.ContainsFunc(simpler, func(c sim.Schedule) bool { return !clientIn(c, plan.Client) }) {
				t.Fatalf("client %d is never left out", plan.Client)
			}
			if plan.Rounds > 1 && !slices.ContainsFunc(simpler, func(c sim.Schedule) bool {
				return len(c.Clients) == len(s.Clients) && c.Clients[i].Rounds == plan.Rounds-1
			}) {
				t.Fatalf("no round of client %d is ever left out", plan.Client)
			}
		}
		for _, c := range simpler {
			if slices.Equal(c.Lines(), s.Lines()) {
				t.Fatalf("a schedule is simpler than itself: %v", s.Lines())
			}
		}
	})
}

func contains(list []sim.Schedule, s sim.Schedule) bool {
	return slices.ContainsFunc(list, func(c sim.Schedule) bool { return slices.Equal(c.Lines(), s.Lines()) })
}

func clientIn(s sim.Schedule, client int) bool {
	return slices.ContainsFunc(s.Clients, func(p sim.Plan) bool { return p.Client == client })
}

func TestMinimisationTakesFewRuns(t *testing.T) {
	var runs []int
	for _, space := range spaces {
		for _, check := range checker.All {
			for _, seed := range campaignFrom(space, check, 1, 500).Checks[0].Seeds {
				runs = append(runs, space.Minimise(space.Schedule(seed), check).Runs)
			}
		}
	}
	slices.Sort(runs)
	t.Logf("%d minimisations: median %d runs, nine tenths within %d, at most %d",
		len(runs), runs[len(runs)/2], runs[len(runs)*9/10], runs[len(runs)-1])
	if median := runs[len(runs)/2]; median > 200 {
		t.Errorf("the median minimisation takes %d runs, want at most 200", median)
	}
}

func TestDroppedFaultsAreThoseThatTheStoryDoesWithout(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		space, check, s := failing(t)
		m := space.Minimise(s, check)
		if len(m.Dropped)+len(m.Schedule.Faults) != len(s.Faults) {
			t.Fatalf("of %d faults, %d are needed and %d are not", len(s.Faults), len(m.Schedule.Faults), len(m.Dropped))
		}
	})
}

func TestScheduleThatKeepsACheckIsNotMinimised(t *testing.T) {
	space := spaces[0]
	m := space.Minimise(space.Quiet(), checker.Named("mutual-exclusion"))
	if !slices.Equal(m.Schedule.Lines(), space.Quiet().Lines()) {
		t.Errorf("changed into %v", m.Schedule.Lines())
	}
}
