package sim

import (
	"simrun/clock"
)

// A Result is what one run left behind. It is valid until the world's next run.
type Result struct {
	History *History
	Events  []Event // the full record; nil unless asked for
	Count   int     // how many events there were, recorded or not
	Queued  int     // how many entries of the event queue were served
	Defect  string  // why the run was broken off; empty for a run that ended
	Struck  []bool  // for each fault of the schedule, whether its point was reached
}

// Reached tells how far the world's last run came: how many points of each
// sort there were at which a fault could have struck.
func (w *World) Reached() Reach {
	var r Reach
	for i := range w.processes {
		r.Steps = append(r.Steps, w.processes[i].steps)
	}
	for i := range w.machines {
		r.Handled = append(r.Handled, int(w.machines[i].handled))
	}
	for i := range w.processes {
		for j := range w.machines {
			r.Requests = append(r.Requests, int(w.link(endpoint(i), w.machines[j].end).requests))
		}
	}
	for i := range w.machines {
		for j := range w.machines {
			r.Between = append(r.Between, int(w.link(w.machines[i].end, w.machines[j].end).requests))
		}
	}
	r.End = w.history.HealedAt.At
	return r
}

// A Reach counts the points of a run. Clients stand in the order of the
// schedule's plans, then the probe.
type Reach struct {
	Steps    [][Purposes]int32 // by client: steps of each purpose
	Handled  []int             // by server: requests handled
	Requests []int             // by client, then server: requests sent
	Between  []int             // by server, then server: messages sent from the first to the second
	End      clock.Instant     // the end of the safety phase
}
