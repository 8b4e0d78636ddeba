package sim

import (
	"errors"
	"fmt"
	"strings"
)

// An armed fault is one of the current run, its actors looked up.
type armed struct {
	Fault
	from   endpoint // whom it strikes, or the first side of a link; every for all
	to     endpoint // the second side of a link, likewise; none if there is none
	struck bool
	at     Stamp // when it struck, with the number of the event, -1 if it did not
}

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
		w.client(a.from).stepsSet = true
	case BeforeRequest:
		w.server(a.from).armed = true
	case OnRequest, OnReply:
		for i := range w.links {
			if a.concerns(w.ends(i)) {
				w.links[i].armed, w.meddled = true, true
			}
		}
	}
}

// concerns reports whether a fault of a link is about messages from one
// endpoint to another.
func (a *armed) concerns(from, to endpoint) bool {
	return a.from.is(from) && a.to.is(to) || a.Actor.Link == BothWays && a.from.is(to) && a.to.is(from)
}

func (w *World) resolve(f Fault) (armed, error) {
	a := armed{Fault: f, to: none, at: Stamp{Index: -1}}
	var err error
	if a.from, err = w.lookUp(f.Actor.From, f.Kind.Actors); err != nil {
		return a, err
	}
	if f.Actor.Link == NoLink {
		return a, w.fits(&a)
	}
	if a.to, err = w.lookUp(f.Actor.To, f.Kind.Actors); err != nil {
		return a, err
	}
	return a, w.fitsLink(&a)
}

// fits checks that a fault of a single actor has its point there.
func (w *World) fits(a *armed) error {
	atClient := a.Point.Place == BeforeStep || a.Point.Place == InRound || a.Point.Place == AfterPause
	if atClient && !w.isClient(a.from) || a.Point.Place == BeforeRequest && w.isClient(a.from) {
		return fmt.Errorf("%s has no point %q", a.Actor, a.Point)
	}
	return nil
}

// fitsLink checks that messages of the fault's sort pass between its actors.
func (w *World) fitsLink(a *armed) error {
	toClient := w.mayBeClient(a.to)
	switch {
	case a.from == every && a.to == every:
		return errors.New(`"*" on both sides names nobody, want a name on one side at least`)
	case a.from == a.to || w.isClient(a.from) && w.isClient(a.to):
		return fmt.Errorf("%q are two of a kind, want a client and a server", a.Actor)
	case a.Point.Place == OnRequest && (a.Actor.Link == BothWays || w.isClient(a.to)):
		return fmt.Errorf("a request goes from a client to a server, such as A->%s, not %q", w.machines[0].spec.Name, a.Actor)
	case a.Point.Place == OnReply && (a.Actor.Link == BothWays || !toClient || w.isClient(a.from)):
		return fmt.Errorf("a reply goes from a server to a client, such as %s->A, not %q", w.machines[0].spec.Name, a.Actor)
	}
	return nil
}

// lookUp returns the client or server with the given name, if a kind of fault
// that strikes the allowed actors can strike it.
func (w *World) lookUp(name string, allowed Actors) (endpoint, error) {
	if name == "*" && allowed&Connections != 0 {
		return every, nil
	}
	for e := range endpoint(w.endpoints()) {
		if w.nameOf(e) == name && w.allows(e, allowed) {
			return e, nil
		}
	}
	return none, fmt.Errorf("unknown actor %q, want one of %s", name, strings.Join(w.known(allowed), ", "))
}

func (w *World) known(allowed Actors) (names []string) {
	for e := range endpoint(w.endpoints()) {
		if w.allows(e, allowed) {
			names = append(names, w.nameOf(e))
		}
	}
	return names
}

// allows reports whether an endpoint is among the actors that a fault can
// name. The probe is not: it comes when all faults have healed.
func (w *World) allows(e endpoint, actors Actors) bool {
	if w.isClient(e) {
		return actors&(Clients|Connections) != 0 && w.client(e).client != probeClient
	}
	return w.server(e).spec.MayBe(actors)
}
