package traces

import (
	"simrun/checker"
	"simrun/clock"
)

// losses tells when, up to some instant, clients truly lost their locks while
// they still believed that they held them, which they themselves do not see.
func losses(t *Trace, until clock.Instant) []line {
	var lines []line
	for i := range t.History.Grants {
		g := &t.History.Grants[i]
		lost := checker.LostAt(&t.History, g.Holder)
		if lost >= g.Until.At || lost > until {
			continue
		}
		lines = append(lines, line{
			at:   max(lost, g.From.At),
			text: g.Holder.Name() + ": its lock is gone, unknown to it",
		})
	}
	return lines
}
