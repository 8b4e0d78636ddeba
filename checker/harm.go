package checker

import (
	"time"

	"simrun/clock"
	"simrun/sim"
)

// Unaware returns the longest time for which a client went on believing after
// it had truly lost the lock: from the instant at which fewer servers than the
// quorum held it until the client stopped believing. It is 0 where every
// client stopped in time.
func Unaware(h *sim.History) time.Duration {
	var longest time.Duration
	for i := range h.Grants {
		g := &h.Grants[i]
		if lost := LostAt(h, g.Holder); lost < g.Until.At {
			longest = max(longest, g.Until.At.Sub(max(lost, g.From.At)))
		}
	}
	return longest
}

// LostAt returns the instant of true time at which a holder's lock was gone,
// by the servers' own account: no quorum of them held it any more. It is 0 for
// a lock that no quorum ever held at one time, and [clock.Never] for one still
// held when the run ended.
func LostAt(h *sim.History, holder sim.Holder) clock.Instant {
	var buffer [16]turn
	turns := buffer[:0]
	for i := range h.Changes {
		c := &h.Changes[i]
		if c.Owner != holder {
			continue
		}
		switch c.Kind {
		case sim.Took:
			turns = insert(turns, turn{at: c.At.At, servers: 1})
		case sim.Removed, sim.Expired, sim.Forgotten, sim.Overwritten:
			turns = insert(turns, turn{at: c.At.At, servers: -1})
		}
	}
	servers, had := 0, false
	for _, t := range turns {
		servers += t.servers
		if had && servers < h.Quorum {
			return t.at
		}
		had = had || servers >= h.Quorum
	}
	if had {
		return clock.Never
	}
	return 0
}

// A turn is the instant at which one server more or one less held a lock.
type turn struct {
	at      clock.Instant
	servers int
}

// insert keeps turns in the order of true time, in which changes do not come:
// servers notice an expiry late.
func insert(sorted []turn, t turn) []turn {
	sorted = append(sorted, t)
	for i := len(sorted) - 1; i > 0 && sorted[i].at < sorted[i-1].at; i-- {
		sorted[i], sorted[i-1] = sorted[i-1], sorted[i]
	}
	return sorted
}
