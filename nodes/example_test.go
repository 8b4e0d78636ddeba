package nodes_test

import (
	"fmt"
	"time"

	"simrun/clock"
	"simrun/nodes"
	"simrun/sim"
)

// A lease is taken, refused to another, and given back.
func ExampleRedis_Apply() {
	var redis nodes.Redis
	a, b := sim.Holder{Client: 1, Attempt: 1}, sim.Holder{Client: 2, Attempt: 1}
	now := clock.Epoch

	do := func(by sim.Holder, c nodes.Command) {
		reply, changes := redis.Apply(now, by, c)
		fmt.Println(c, "->", reply)
		for _, change := range changes {
			fmt.Printf("  %s %s\n", change.Kind, change.Owner)
		}
	}
	do(a, nodes.Set("lock", "A#1", nodes.NX, nodes.PX(300*time.Millisecond)))
	do(b, nodes.Set("lock", "B#1", nodes.NX, nodes.PX(300*time.Millisecond)))
	do(b, nodes.Eval(nodes.ReleaseScript, "lock", "B#1", 0))
	do(a, nodes.Eval(nodes.ReleaseScript, "lock", "A#1", 0))

	// Output:
	// SET lock A#1 NX PX 300 -> OK
	//   took A#1
	// SET lock B#1 NX PX 300 -> nil
	// EVAL release(lock, B#1) -> 0
	// EVAL release(lock, A#1) -> 1
	//   removed A#1
}

func ExampleParseCommand() {
	c, _ := nodes.ParseCommand([]string{"set", "lock", "A#1", "px", "300", "nx"})
	fmt.Println(c)
	_, err := nodes.ParseCommand([]string{"set", "lock", "A#1", "px"})
	fmt.Println(err)

	// Output:
	// SET lock A#1 NX PX 300
	// ERR syntax error
}
