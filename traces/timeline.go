package traces

import (
	"fmt"
	"io"
	"slices"
	"time"

	"simrun/clock"
	"simrun/sim"
)

// Timeline narrates a trace as lines of text, in the order of true time:
//
//	[  47.0 ms] A: SET lock A#1 NX PX 300 -> OK, holds the lock as A#1
//	[ 298.0 ms] A: pause of 900ms begins
//
// A call is told when its last reply arrives, as its client would log it. One
// that is not answered in full is told where its messages went, too. Steps
// that only the client itself sees, such as readings of its clock, are left
// out, and of attempts that fail in the same way the first and the last are
// told.
func Timeline(w io.Writer, t *Trace) error { return tell(w, t, t.Events) }

// Story narrates a trace up to the moment that broke the violated check, and
// says how it did.
func Story(w io.Writer, t *Trace) error {
	j := t.Violated()
	if j == nil {
		return Timeline(w, t)
	}
	if err := tell(w, t, eventsUpTo(t, j)); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "%12s %s is broken: %s\n", "", j.Check, j.Why)
	return err
}

// eventsUpTo returns the events up to the last one that broke a check, and what
// followed it at once, such as the answer to a write.
func eventsUpTo(t *Trace, j *Judgement) []sim.Event {
	if len(j.Events) == 0 {
		return t.Events
	}
	end := min(int(slices.Max(j.Events)), len(t.Events)-1)
	for end+1 < len(t.Events) && t.Events[end+1].At == t.Events[end].At && t.Events[end+1].Actor == t.Events[end].Actor {
		end++
	}
	return t.Events[:end+1]
}

func tell(w io.Writer, t *Trace, events []sim.Event) error {
	told, _ := narrate(&t.History, events)
	for _, l := range told {
		if _, err := fmt.Fprintf(w, "[%7.1f ms] %s\n", millis(l.at), l); err != nil {
			return err
		}
	}
	return nil
}

func millis(at clock.Instant) float64 { return float64(at) / float64(time.Millisecond) }

// A line is one line of a timeline: who says or does what, to whom.
type line struct {
	at   clock.Instant
	who  string // nobody where the line concerns the whole world
	what string
	whom string // stands between what and rest
	rest string

	event   int   // the last one that it tells of
	turn    int   // of the thread whose line it is, see [narrator.say]
	call    *call // the call whose replies it tells, if any
	message bool  // it tells what became of one message
}

func (l line) String() string {
	text := l.what + l.whom + l.rest
	if l.who != "" {
		text = l.who + ": " + text
	}
	return text
}
