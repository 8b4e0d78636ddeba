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
// a lock that no quorum ever held, and [clock.Never] for one still held when
// the run ended.
func LostAt(h *sim.History, holder sim.Holder) clock.Instant {
	var buffer [16]clock.Instant
	ends := buffer[:0] // of the locks that servers held, in order
	held := 0
	for i := range h.Changes {
		c := &h.Changes[i]
		if c.Owner != holder {
			continue
		}
		switch c.Kind {
		case sim.Took:
			held++
		case sim.Removed, sim.Expired, sim.Forgotten, sim.Overwritten:
			ends = insert(ends, c.At.At)
		}
	}
	enough := held - h.Quorum // so many may go before the quorum is lost
	switch {
	case enough < 0:
		return 0
	case enough < len(ends):
		return ends[enough]
	}
	return clock.Never
}

func insert(sorted []clock.Instant, at clock.Instant) []clock.Instant {
	sorted = append(sorted, at)
	for i := len(sorted) - 1; i > 0 && sorted[i] < sorted[i-1]; i-- {
		sorted[i], sorted[i-1] = sorted[i-1], sorted[i]
	}
	return sorted
}
