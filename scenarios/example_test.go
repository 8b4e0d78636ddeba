package scenarios_test

import (
	"fmt"

	"simrun/scenarios"
)

// A scenario is run like any script, and says what the run breaks.
func Example() {
	s := scenarios.Named("invoices-4-fencing")
	run, err := s.Run()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(s.Title())
	fmt.Println("breaks", run.Breaks)
	// Output:
	// Invoices, fourth timeline: A's older token is refused, B's result stays
	// breaks [mutual-exclusion effect-once]
}
