package explore_test

import (
	"testing"

	"simrun/checker"
	"simrun/explore"
	"simrun/nodes"
	"simrun/protocols"
	"simrun/sim"
)

func TestOurLock(t *testing.T) {
	ours := *protocols.Named("lua-release")
	ours.Name = "ours"
	ours.Lock = func(t *sim.Thread, e *protocols.Env, value string) (protocols.Lease, bool) {
		start := t.Monotonic()
		set := nodes.Set("lock", value, nodes.NX, nodes.PX(e.TTL))
		reply := t.Call(e.Locks[0], set, e.CallTimeout()).Reply
		// We stop by ourselves when nine tenths of the lease are over.
		return protocols.Lease{Value: value, Deadline: start.Add(e.TTL * 9 / 10)}, reply == nodes.Status("OK")
	}
	faults, _ := explore.ParseSelection("delay,loss,partition,overrun")
	space := explore.NewSpace(&ours, ours.Defaults(), faults)
	space.Verify(t, 10_000, checker.Named("mutual-exclusion"), checker.Named("own-release"))
}
