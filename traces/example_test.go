package traces_test

import (
	"fmt"
	"os"

	"simrun/traces"
)

// Client A pauses for longer than its lease, right before it writes.
func ExampleStory() {
	trace, err := traces.Load("testdata/small.json")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, line := range trace.Schedule.Lines() {
		fmt.Println(line)
	}
	traces.Story(os.Stdout, trace)

	// Output:
	// noise seed 0 from 500µs to 500µs
	// client A starts at 0s works 30ms rounds 1
	// client B starts at 20ms works 30ms rounds 1
	// pause A before write 1 for 330ms
	// [    1.0 ms] A: SET lock A#1 NX PX 300 -> OK, holds the lock as A#1
	// [    2.0 ms] A: SELECT qty FROM inventory -> qty = 100
	// [    2.0 ms] A: works for 30ms
	// [   21.0 ms] B: SET lock B#1 NX PX 300 -> nil, does not get the lock
	// [   32.0 ms] A: does its outside effect for the first value
	// [   32.0 ms] A: pause of 330ms begins
	// [  241.7 ms] B: SET lock B#3 NX PX 300 -> nil, does not get the lock (after 1 more like it)
	// [  301.0 ms] A: its lock expires, unknown to it
	// [  347.6 ms] B: SET lock B#4 NX PX 300 -> OK, holds the lock as B#4
	// [  347.6 ms] => A and B both believe that they hold the lock
	// [  348.6 ms] B: SELECT qty FROM inventory -> qty = 100
	// [  348.6 ms] B: works for 30ms
	// [  362.0 ms] A: wakes up
	// [  363.0 ms] A: UPDATE inventory SET qty = 101 -> 1 row
	// [  363.0 ms] A: sends DEL lock to redis
	//              mutual-exclusion is broken: A still believes that it holds the lock when B is granted it
}
