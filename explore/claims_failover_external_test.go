package explore_test

import (
	"slices"
	"strings"
	"testing"

	"simrun/checker"
	"simrun/explore"
	"simrun/protocols"
	"simrun/sim"
)

// What is known of locks on replicated, failing over and persistent Redis.
var failoverClaims = []claim{
	{"failover", "", "all", "own-release", keeps},
	{"failover-wait", "", "all", "own-release", keeps},
	{"failover", "", "drift,wake-order", "mutual-exclusion", keeps},
	{"failover", "", "crash", "mutual-exclusion", one},
	{"failover", "", "partition", "mutual-exclusion", one},
	{"failover-wait", "", "crash", "mutual-exclusion", one},
	{"failover-wait", "", "amnesia", "mutual-exclusion", one},

	// A failover makes the counter on the replica give its tokens again; what
	// the sequence has given it never does.
	{"failover-fencing", protocols.Incr, "crash", "token-order", one},
	{"failover-fencing", protocols.Incr, "crash", "no-stale-write", 2},
	{"failover-fencing", protocols.Sequence, "all", "no-stale-write", keeps},
	{"redlock-fencing", "", "all", "no-stale-write", keeps},
	{"redlock-fencing", "", "all", "no-lost-update", keeps},
	{"redlock-fencing", "", "all", "own-release", keeps},
	{"redlock-fencing", "", "amnesia", "mutual-exclusion", one},

	// Redlock needs servers that remember what they answered.
	{"redlock-aof-always", "", "crash", "mutual-exclusion", keeps},
	{"redlock-aof-always", "", "amnesia", "mutual-exclusion", one},
	{"redlock-aof-everysec", "", "crash", "mutual-exclusion", one},
	{"redlock-aof-no", "", "crash", "mutual-exclusion", one},
	{"redlock-rdb", "", "crash", "mutual-exclusion", one},
	{"cluster-failover", "", "crash", "mutual-exclusion", one},
	{"cluster-failover", "", "all", "own-release", keeps},
	{"redlock-aof-everysec", "", "late-amnesia", "mutual-exclusion", keeps},
}

func TestWhatIsKnownOfFailoverAndPersistenceComesOut(t *testing.T) { prove(t, failoverClaims) }

// On a replicated Redis it takes one fault of the master, or of the Sentinel's
// view of it, whatever happens to everything else.
func TestOneFaultOfTheMasterCostsTheLock(t *testing.T) {
	for _, fault := range []string{
		"crash n1", "amnesia n1", "node-pause n1", "partition n1<->sentinel",
	} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			if lines := breaksAlone(t, "failover", fault); lines == nil {
				t.Error("no schedule with it alone breaks mutual-exclusion")
			}
		})
	}
	// To be cut off from its replica does a master no harm that lasts while the
	// Sentinel does not mind.
	t.Run("partition n1<->n2", func(t *testing.T) {
		t.Parallel()
		if lines := breaksAlone(t, "failover", "partition n1<->n2"); lines != nil {
			t.Errorf("mutual-exclusion is broken by %v", lines)
		}
	})
}

// breaksAlone returns the first of 20 000 random schedules whose faults are all
// of the given kind and actor and which breaks mutual-exclusion, or nil.
func breaksAlone(t *testing.T, protocol, fault string) []string {
	t.Helper()
	kind, _, _ := strings.Cut(fault, " ")
	faults, err := explore.ParseSelection(kind)
	if err != nil {
		t.Fatal(err)
	}
	p := protocols.Named(protocol)
	space := explore.NewSpace(p, p.Defaults(), faults)
	judge := space.NewJudge([]*checker.Check{checker.Named("mutual-exclusion")})
	defer judge.Close()
	for seed := range 20_000 {
		s := space.Schedule(seed + 1)
		other := func(f sim.Fault) bool { return f.Kind.Name+" "+f.Actor.String() != fault }
		if len(s.Faults) == 0 || slices.ContainsFunc(s.Faults, other) {
			continue
		}
		out, err := judge.Run(s)
		if err != nil {
			t.Fatal(err)
		}
		if out.Verdicts[0].State == checker.Violated {
			return s.Lines()
		}
	}
	return nil
}
