package explore_test

import (
	"context"
	"fmt"

	"simrun/checker"
	"simrun/explore"
	"simrun/protocols"
)

// A plain DEL removes whatever lock is there. A few hundred random schedules
// show it, and the first of them shrinks to a single fault.
func Example() {
	p := protocols.Named("setnx")
	faults, err := explore.ParseSelection("overrun")
	if err != nil {
		panic(err)
	}
	space := explore.NewSpace(p, p.Defaults(), faults)
	check := checker.Named("own-release")
	campaign := explore.Campaign{Space: space, Checks: []*checker.Check{check}, First: 1, Seeds: 500, Workers: 2}
	found := campaign.Run(context.Background()).Checks[0]
	fmt.Println("violated:", found.Violated > 0)

	minimal := space.Minimise(space.Schedule(found.Seeds[0]), check)
	for _, f := range minimal.Schedule.Faults {
		fmt.Println("needed:", f)
	}
	// Output:
	// violated: true
	// needed: overrun A round 1 for 330ms
}
