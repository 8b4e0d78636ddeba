package traces

import "simrun/clock"

// A Line is one line of a [Timeline], for pictures that tell it step by step.
type Line struct {
	At    clock.Instant
	Event int    // the number of the last event that it tells of
	Who   string // whose line it is, such as "A watchdog"; empty for the whole world
	Text  string // what happens, without who
}

// String returns the line as [Timeline] prints it, without its time.
func (l Line) String() string {
	if l.Who == "" {
		return l.Text
	}
	return l.Who + ": " + l.Text
}

// Lines narrates a trace as [Timeline] does, in the same order.
func Lines(t *Trace) []Line {
	var lines []Line
	told, _ := narrate(&t.History, t.Events)
	for _, l := range told {
		lines = append(lines, Line{At: l.at, Event: l.event, Who: l.who, Text: l.what + l.whom + l.rest})
	}
	return lines
}
