package scenarios

import (
	"strings"

	"simrun/sim"
)

// Outcomes lists what an article would print of the run, in order and without
// times, up to the moment at which the probe comes in: who got the lock, paused
// and woke up, and what became of renewals, writes and releases.
func (r *Run) Outcomes() []string {
	var list []string
	victim := "" // whose lock the present release deletes
	for _, e := range r.Trace.Events {
		if e.Kind == sim.EventCalm {
			break
		}
		if rest, removed := strings.CutPrefix(e.Text, string(sim.Removed)+" "); removed && e.Kind == sim.EventChange {
			victim, _, _ = strings.Cut(rest, "#")
		}
		name, _, _ := strings.Cut(e.Actor, "/")
		if what := outcome(e, name, victim); what != "" {
			list = append(list, name+" "+what)
		}
	}
	return list
}

// outcome says what an event is to an article, or nothing.
func outcome(e sim.Event, name, victim string) string {
	switch {
	case e.Kind == sim.EventGrant:
		_, token, _ := strings.Cut(e.Text, " with fencing ")
		return strings.TrimSuffix("acquires the lock with "+token, " with ")
	case e.Kind == sim.EventFault && strings.HasPrefix(e.Text, "pause "):
		return "pauses"
	case e.Kind == sim.EventHeal && e.Text == "wakes up":
		return e.Text
	case e.Kind != sim.EventReceive:
		return ""
	}
	request, reply, _ := strings.Cut(e.Text, " -> ")
	switch {
	case strings.HasPrefix(request, "UPDATE") && reply == "1 row":
		return "writes"
	case strings.HasPrefix(request, "UPDATE") && reply == "0 rows":
		return "is refused"
	case strings.HasPrefix(request, "EVAL renew") && reply == "1":
		return "renews it"
	case strings.HasPrefix(request, "EVAL renew"):
		return "renews nothing"
	case !strings.HasPrefix(request, "DEL") && !strings.HasPrefix(request, "EVAL release"):
		return ""
	case reply == "0":
		return "deletes nothing"
	case victim == name:
		return "deletes its lock"
	}
	return "deletes the lock of " + victim
}

// Final names the client whose value the resource had when the probe came in.
func (r *Run) Final() string {
	name := ""
	h := &r.Trace.History
	for _, c := range h.Changes {
		if c.Kind == sim.Wrote && c.At.Before(h.HealedAt) {
			name = c.By.Name()
		}
	}
	return name
}
