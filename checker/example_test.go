package checker_test

import (
	"fmt"
	"time"

	"simrun/checker"
	"simrun/clock"
	"simrun/sim"
)

// Client A is granted the lock and freezes. Its lease ends, B is granted the
// lock, and A has yet to learn of it.
func Example() {
	a := sim.Holder{Client: 1, Attempt: 1}
	b := sim.Holder{Client: 2, Attempt: 1}
	moment := func(index int32, d time.Duration) sim.Stamp {
		return sim.Stamp{Index: index, At: clock.Instant(d)}
	}
	h := &sim.History{
		Grants: []sim.Grant{
			{Holder: a, Call: moment(0, 0), From: moment(1, time.Millisecond), Until: moment(6, 900*time.Millisecond), End: sim.Told},
			{Holder: b, Call: moment(3, 310*time.Millisecond), From: moment(4, 311*time.Millisecond), Until: moment(5, 400*time.Millisecond), End: sim.Released},
		},
		Ended: moment(7, time.Second),
	}
	for _, name := range []string{"mutual-exclusion", "token-order"} {
		verdict := checker.Named(name).Judge(h)
		fmt.Println(name, verdict.State)
		if verdict.State == checker.Violated {
			fmt.Printf("  at %v: %s, for %v\n", time.Duration(verdict.At.At), verdict.Why, verdict.Length)
		}
	}
	// Output:
	// mutual-exclusion violated
	//   at 311ms: A still believes that it holds the lock when B is granted it, for 89ms
	// token-order held
}
