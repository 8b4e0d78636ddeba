package protocols_test

import (
	"fmt"
	"time"

	"simrun/checker"
	"simrun/nodes"
	"simrun/protocols"
	"simrun/sim"
)

// A lock of one's own is a composition like those of this package. This one
// takes a key with SET NX and gives it back with DEL, without asking whose it
// is by then.
func Example() {
	const key = "my-lock"
	mine := &protocols.Protocol{
		Name:  "mine",
		Nodes: 1,
		Lock: func(t *sim.Thread, e *protocols.Env, value string) (protocols.Lease, bool) {
			reply := t.Call(e.Locks[0], nodes.Set(key, value, nodes.NX, nodes.PX(e.TTL)), e.CallTimeout()).Reply
			return protocols.Lease{Value: value}, reply == nodes.Status("OK")
		},
		Release: func(t *sim.Thread, e *protocols.Env, _ protocols.Lease) {
			t.Call(e.Locks[0], nodes.Del(key), e.CallTimeout())
		},
	}

	world := sim.NewWorld(mine.Setup(mine.Defaults()))
	defer world.Close()
	schedule, err := sim.ParseSchedule([]string{
		"noise seed 1 from 1ms to 1ms",
		"client A starts at 0s works 100ms rounds 1",
		"client B starts at 310ms works 100ms rounds 1",
		"pause A before release 1 for 220ms",
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := world.Run(schedule)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, check := range checker.All {
		if v := check.Judge(result.History); v.State == checker.Violated {
			fmt.Printf("%s is broken at %v: %s\n", check.Name, time.Duration(v.At.At), v.Why)
		}
	}
	// Output:
	// mutual-exclusion is broken at 312ms: A still believes that it holds the lock when B is granted it
	// own-release is broken at 327ms: B#1's lock on redis was removed by A#1
}
