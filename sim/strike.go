package sim

import (
	"fmt"
	"strings"
	"time"
)

// An armed fault is one of the current run, its actors looked up.
type armed struct {
	Fault
	client int32 // the client concerned, every for all, none if there is none
	server int32 // likewise
	struck bool
}

const (
	none  int32 = -1
	every int32 = -2
)

// arm looks up whom the faults concern and puts them in place.
func (w *World) arm(faults []Fault) error {
	w.armed = w.armed[:0]
	for _, f := range faults {
		a, err := w.resolve(f)
		if err != nil {
			return fmt.Errorf("fault %q: %w", f, err)
		}
		w.armed = append(w.armed, a)
		w.place(a, int32(len(w.armed)-1))
	}
	return nil
}

// place marks where a fault will strike, so that a run asks about faults at
// these places alone.
func (w *World) place(a armed, id int32) {
	switch a.Point.Place {
	case AtInstant:
		w.queue.push(event{at: a.Point.At, kind: faultStrikes, ref: id})
	case BeforeStep:
		w.processes[a.client].stepsSet = true
	case BeforeRequest:
		w.machines[a.server].armed = true
	case OnRequest, OnReply:
		for i := range w.links {
			p, m := i/len(w.machines), i%len(w.machines)
			if a.concerns(int32(p), int32(m)) {
				w.links[i].armed = true
			}
		}
	}
}

func (a *armed) concerns(client, server int32) bool {
	return (a.client == client || a.client == every) && (a.server == server || a.server == every)
}

func (w *World) resolve(f Fault) (armed, error) {
	a := armed{Fault: f, client: none, server: none}
	names := []string{f.Actor.From}
	if f.Actor.Link != NoLink {
		names = append(names, f.Actor.To)
	}
	for _, name := range names {
		client, server := w.lookUp(name, f.Kind.Actors)
		switch {
		case client >= 0 && a.client == none:
			a.client = client
		case server >= 0 && a.server == none:
			a.server = server
		case name == "*" && len(names) == 2:
		case client >= 0 || server >= 0:
			return armed{}, fmt.Errorf("%q are two of a kind, want a client and a server", f.Actor)
		default:
			return armed{}, fmt.Errorf("unknown actor %q, want %s", name, w.actorNames(f.Kind.Actors))
		}
	}
	if a.client == none && a.server == none {
		return armed{}, fmt.Errorf("actor %q names nobody, want %s on one side at least", f.Actor, w.actorNames(f.Kind.Actors))
	}
	if len(names) == 2 {
		if a.client == none {
			a.client = every
		}
		if a.server == none {
			a.server = every
		}
	}
	if f.Point.Place == BeforeStep && a.client == none || f.Point.Place == BeforeRequest && a.server == none {
		return armed{}, fmt.Errorf("%s has no point %q", f.Actor, f.Point)
	}
	return a, nil
}

// lookUp returns the index of the client or of the server with the given name,
// and -1 for the other.
func (w *World) lookUp(name string, allowed Actors) (client, server int32) {
	if allowed&(Clients|Connections) != 0 {
		for i := range w.clients() {
			if w.processes[i].name == name {
				return int32(i), none
			}
		}
	}
	for i := range w.machines {
		spec := w.machines[i].spec
		if spec.Name != name {
			continue
		}
		if allowed&(Servers|Connections) != 0 || allowed&Forgetful != 0 && !spec.Durable {
			return none, int32(i)
		}
	}
	return none, none
}

// clients returns the processes that a fault can name: the probe comes when all
// faults have healed.
func (w *World) clients() []process { return w.processes[:len(w.processes)-1] }

func (w *World) actorNames(allowed Actors) string {
	var names []string
	if allowed&(Clients|Connections) != 0 {
		for i := range w.clients() {
			names = append(names, w.processes[i].name)
		}
	}
	for i := range w.machines {
		if _, server := w.lookUp(w.machines[i].spec.Name, allowed); server >= 0 {
			names = append(names, w.machines[i].spec.Name)
		}
	}
	return "one of " + strings.Join(names, ", ")
}

// strike makes a fault happen, unless the calm phase has begun.
func (w *World) strike(a *armed) {
	if w.calm || a.struck {
		return
	}
	a.struck = true
	w.note(func() Event { return Event{Actor: a.Actor.String(), Kind: EventFault, Text: a.Kind.Tell(a.Fault)} })
	if a.Kind.strike != nil {
		a.Kind.strike(w, a)
	}
}

func (w *World) strikeStep(p *process, purpose Purpose, n int) {
	for i := range w.armed {
		a := &w.armed[i]
		if a.Point.Place == BeforeStep && a.client == p.index && a.Point.Purpose == purpose && a.Point.N == n {
			w.strike(a)
		}
	}
}

func (w *World) strikeRequest(m *Machine) {
	for i := range w.armed {
		a := &w.armed[i]
		if a.Point.Place == BeforeRequest && a.server == m.index && a.Point.N == int(m.handled) {
			w.strike(a)
		}
	}
}

// meddle returns how much later a message arrives, and whether it is lost, by
// the faults that strike it.
func (w *World) meddle(l *link, m *message, place Place) (late time.Duration, lost bool) {
	if !l.armed {
		return 0, false
	}
	client := w.threads[m.thread].process.index
	for i := range w.armed {
		a := &w.armed[i]
		if a.Point.Place != place || a.Point.N != int(m.number) || !a.concerns(client, m.server) || w.calm {
			continue
		}
		w.strike(a)
		if a.Kind == loss {
			lost = true
		} else {
			late += time.Duration(a.Amount)
		}
	}
	return late, lost
}

// overrunOf returns how much longer than planned a client works in its present
// round.
func (w *World) overrunOf(p *process) time.Duration {
	var more time.Duration
	for i := range w.armed {
		a := &w.armed[i]
		if a.Point.Place == InRound && a.client == p.index && a.Point.N == p.round && !w.calm && !a.struck {
			w.strike(a)
			more += time.Duration(a.Amount)
		}
	}
	return more
}

// reorderWakeups lets the wake-up that the schedule picks go first after a
// pause.
func (w *World) reorderWakeups(p *process) {
	for i := range w.armed {
		a := &w.armed[i]
		if a.Point.Place == AfterPause && a.client == p.index && a.Point.N == int(p.freezes) && int(a.Amount) <= len(p.pending) {
			w.strike(a)
			first := p.pending[a.Amount-1]
			copy(p.pending[1:a.Amount], p.pending[:a.Amount-1])
			p.pending[0] = first
		}
	}
}
