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

// besides is every fault but those named.
func besides(names ...string) string {
	return strings.Join(slices.DeleteFunc(sim.KindNames(), func(name string) bool { return slices.Contains(names, name) }), ",")
}

// What is known of the locks of coordination services. Their leases and
// sessions end by monotonic clocks, and clients keep them alive and stop when
// they no longer can, so that it takes a pause to make one believe for longer
// than it may. Durable tokens that are checked on reads too make even that
// harmless.
//
// A client of ZooKeeper that is cut off stops a third of the timeout before its
// session ends. One of etcd counts the TTL from the last answer that it
// received: if that was late, so is the end of its belief. That takes a delay of
// the very answer before the cut, which few seeds find; a script of package
// scenarios tells it.
var coordinationClaims = func() (claims []claim) {
	for _, lock := range []string{"etcd-lock", "zookeeper-lock"} {
		claims = append(claims,
			claim{lock, "", "pause", "mutual-exclusion", one},
			claim{lock, "", "pause", "no-stale-write", one},
			claim{lock, "", "pause", "no-lost-update", one},
			claim{lock, "", "delay@request", "no-stale-write", one}, // a write that is under way when its lease ends
			claim{lock, "", "delay", "mutual-exclusion", keeps},
			claim{lock, "", "loss", "mutual-exclusion", keeps},
			claim{lock, "", "clock-rate", "mutual-exclusion", keeps},
			claim{lock, "", "node-pause,clock-step,drift,crash,election,death,vanish,overrun", "mutual-exclusion", keeps},
		)
		for _, variant := range []string{lock, lock + "-fenced"} {
			claims = append(claims,
				claim{variant, "", "all", "own-release", keeps},
				claim{variant, "", "all", "progress", keeps},
				claim{variant, "", "death", "progress", keeps},
				claim{variant, "", "vanish", "progress", keeps},
				claim{variant, "", "election,death,vanish", "progress", keeps},
			)
		}
		claims = append(claims,
			claim{lock + "-fenced", "", "all", "no-stale-write", keeps},
			claim{lock + "-fenced", "", "all", "no-lost-update", keeps},
			claim{lock + "-fenced", "", "pause", "mutual-exclusion", one},
			claim{lock + "-fenced", "", "pause", "effect-once", one}, // nobody checks a token there
		)
	}
	return append(claims,
		claim{"zookeeper-lock", "", besides("pause", "clock-rate"), "mutual-exclusion", keeps},
		claim{"etcd-lock", "", "clock-rate,partition", "mutual-exclusion", 2},
		claim{"zookeeper-lock", "", "clock-rate,partition", "mutual-exclusion", 2},
	)
}()

func init() { claims = append(claims, coordinationClaims...) }

// Bugs that the real recipes had, or leave to who uses them.
var coordinationMutants = []struct {
	name   string
	of     string
	lock   protocols.Lock
	faults string
}{
	{"own key not read again after the wait (etcd-io/etcd#11456)", "etcd-lock", protocols.EtcdLock{}.Lock, "partition"},
	{"job goes on while the connection is suspended", "zookeeper-lock", protocols.ZooKeeperLock{Protected: true}.Lock, "partition,overrun"},
}

// Where the recipe keeps clients apart, its mutant does not.
func TestCoordinationMutantsAreFound(t *testing.T) {
	for _, m := range coordinationMutants {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			faults, err := explore.ParseSelection(m.faults)
			if err != nil {
				t.Fatal(err)
			}
			healthy := protocols.Named(m.of)
			mutated := *healthy
			mutated.Lock = m.lock
			check := checker.Named("mutual-exclusion")
			if found := campaign(explore.NewSpace(&mutated, mutated.Defaults(), faults), check, 10_000).Checks[0]; found.Violated == 0 {
				t.Error("the mutant is not found by 10 000 seeds")
			}
			if found := campaign(explore.NewSpace(healthy, healthy.Defaults(), faults), check, 10_000).Checks[0]; found.Violated > 0 {
				t.Errorf("the healthy lock is violated too, by %d schedules, first by seed %d", found.Violated, found.Seeds[0])
			}
		})
	}
}
