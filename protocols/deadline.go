package protocols

import (
	"simrun/sim"
)

var deadline = &Protocol{
	Name:    "deadline",
	Brief:   "lua-release, and a job that stops by itself when the lease may be over",
	Source:  `"Distributed locks with Redis", production checklist, item 3`,
	Keeps:   []Promise{{"mutual-exclusion", "no holder pauses past its deadline, clocks drift by no more than the allowance, and the server neither loses keys nor has its clock moved"}, ownRelease},
	Nodes:   1,
	Lock:    setWithDeadline,
	Release: compareAndDelete,
}

// setWithDeadline counts the lease from before the server is asked, by the
// client's monotonic clock, and allows for drift.
func setWithDeadline(t *sim.Thread, e *Env, value string) (Lease, bool) {
	start := t.Monotonic()
	l, ok := setWithExpiry(t, e, value)
	validity, left := Remaining(e.TTL, 0)
	l.Deadline = start.Add(validity)
	return l, ok && left
}
