package sim

import (
	"fmt"
	"time"
)

// lengths are the classes of duration that matter to a lease: short, just
// under its TTL, just over it, and far over it.
func lengths(ttl time.Duration) []int64 {
	return []int64{int64(ttl / 10), int64(ttl - ttl/10), int64(ttl + ttl/10), int64(3 * ttl)}
}

// pause freezes all threads of a client together, as a stop-the-world garbage
// collection, a migrating virtual machine or SIGSTOP does.
var pause = &Kind{
	Name:    "pause",
	Brief:   "a client freezes, all its threads together (garbage collection, SIGSTOP)",
	Places:  []Place{BeforeStep, AtInstant},
	Actors:  Clients,
	Unit:    Length,
	Amounts: lengths,
	Tell:    func(f Fault) string { return fmt.Sprintf("pause of %v begins", f.length()) },
	strike: func(w *World, f *armed) {
		w.freeze(w.client(f.from), time.Duration(f.Amount))
	},
}
