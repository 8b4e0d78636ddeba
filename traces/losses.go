package traces

import (
	"slices"

	"simrun/checker"
	"simrun/clock"
	"simrun/sim"
)

// losses tells when clients truly lost their locks, where nobody says it to
// them: locks that ran out, and all others that their holders still believed
// in. It returns the lines by the events after which they belong.
func losses(h *sim.History, events []sim.Event) map[int][]line {
	lines := make(map[int][]line)
	for _, holder := range holders(h) {
		at := checker.LostAt(h, holder)
		if at == clock.Never || len(events) == 0 || at > events[len(events)-1].At {
			continue
		}
		after, expired := lossEvent(h, events, holder, at)
		l := line{at: at, what: "the lock of " + holder.String() + " expires"}
		if g := believer(h, holder, at, after); g != nil {
			l.who, l.what = holder.Name(), doubt(h, g, at, after, expired)
			after = max(after, int(g.From.Index))
		} else if !expired {
			continue
		}
		if after < len(events) {
			l.at, l.event = max(at, events[after].At), after
			lines[after] = append(lines[after], l)
		}
	}
	return lines
}

// doubt says what a holder should know and does not.
func doubt(h *sim.History, g *sim.Grant, lost clock.Instant, after int, expired bool) string {
	early := int(g.From.Index) > after
	switch {
	case lost == 0 && h.Quorum == 1:
		return "the lock was never its own, unknown to it"
	case lost == 0:
		return "no quorum ever held its lock, unknown to it"
	case h.Quorum > 1 && early:
		return "has lost its majority by now, unknown to it"
	case h.Quorum > 1:
		return "loses its majority, unknown to it"
	case expired && early:
		return "its lock has expired by now, unknown to it"
	case expired:
		return "its lock expires, unknown to it"
	case early:
		return "its lock is gone by now, unknown to it"
	}
	return "its lock is gone, unknown to it"
}

// holders lists who ever had a lock on a server or believed so.
func holders(h *sim.History) []sim.Holder {
	var list []sim.Holder
	for _, c := range h.Changes {
		if c.Kind == sim.Took && !slices.Contains(list, c.Owner) {
			list = append(list, c.Owner)
		}
	}
	for _, g := range h.Grants {
		if !slices.Contains(list, g.Holder) {
			list = append(list, g.Holder)
		}
	}
	return list
}

// believer returns the grant of a holder that did not notice the loss.
func believer(h *sim.History, holder sim.Holder, lost clock.Instant, after int) *sim.Grant {
	for i := range h.Grants {
		g := &h.Grants[i]
		if g.Holder == holder && (lost < g.Until.At || lost == g.Until.At && after < int(g.Until.Index)) {
			return g
		}
	}
	return nil
}

// lossEvent returns the event that took a holder's lock, and whether it ran
// out. Servers notice late that a lock has run out: that comes before all else
// of its instant, but for a step of the clock that made it so.
func lossEvent(h *sim.History, events []sim.Event, holder sim.Holder, lost clock.Instant) (after int, expired bool) {
	for _, c := range h.Changes {
		if c.Owner != holder || c.At.At != lost {
			continue
		}
		switch c.Kind {
		case sim.Expired:
			expired = true
		case sim.Removed, sim.Overwritten, sim.Forgotten:
			return int(c.At.Index), false
		}
	}
	for i, e := range events {
		if e.At < lost || e.At == lost && e.Kind == sim.EventFault {
			after = i
		}
	}
	return after, expired
}
