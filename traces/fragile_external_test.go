package traces_test

import (
	"time"

	"simrun/protocols"
	"simrun/sim"
)

// fragile is a lock that panics.
var fragile = &protocols.Protocol{
	Name:  "fragile",
	Nodes: 1,
	Lock: func(t *sim.Thread, e *protocols.Env, value string) (protocols.Lease, bool) {
		t.Sleep(time.Millisecond)
		panic("no lock for " + value)
	},
}
