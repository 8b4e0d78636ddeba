package sim

import (
	"fmt"
	"time"
)

// downtimes are how long a crashed server stays away: not at all, or for the
// lengths that matter to a lease.
func downtimes(ttl time.Duration) []int64 { return append([]int64{0}, lengths(ttl)...) }

// crash restarts a server that persists every write before it answers: what it
// stored is still there, what had reached it unhandled is lost.
var crash = &Kind{
	Name:    "crash",
	Brief:   "a server crashes and comes back with all that it had stored",
	Places:  []Place{BeforeRequest, AtInstant},
	Actors:  Servers,
	Unit:    Length,
	Amounts: downtimes,
	Tell:    func(f Fault) string { return tellCrash(f, "keeping what it stored") },
	strike: func(w *World, f *armed) {
		w.server(f.from).crash(time.Duration(f.Amount), true)
	},
}

// amnesia restarts a server that does not persist: it comes back empty, at
// once or before the leases that it had granted have run out.
var amnesia = &Kind{
	Name:   "amnesia",
	Brief:  "a server crashes and comes back empty, sooner than the longest lease",
	Places: []Place{BeforeRequest, AtInstant},
	Actors: Forgetful,
	Unit:   Length,
	Amounts: func(ttl time.Duration) []int64 {
		return []int64{0, int64(ttl / 10)}
	},
	Tell:   func(f Fault) string { return tellCrash(f, "losing what it stored") },
	strike: forget,
}

// lateAmnesia is the remedy that redis.io recommends: a server that lost its
// keys stays away until every lease that it may have granted has run out.
var lateAmnesia = &Kind{
	Name:   "late-amnesia",
	Brief:  "a server crashes and comes back empty, but only after the longest lease",
	Places: []Place{BeforeRequest, AtInstant},
	Actors: Forgetful,
	Unit:   Length,
	Amounts: func(ttl time.Duration) []int64 {
		return []int64{int64(ttl + ttl/10), int64(3 * ttl)}
	},
	Tell:   func(f Fault) string { return tellCrash(f, "losing what it stored") },
	strike: forget,
}

func tellCrash(f Fault, how string) string {
	if f.Amount == 0 {
		return "crashes, " + how + ", and restarts at once"
	}
	return fmt.Sprintf("crashes, %s, and stays down for %v", how, f.length())
}

func forget(w *World, f *armed) {
	w.server(f.from).crash(time.Duration(f.Amount), false)
}
