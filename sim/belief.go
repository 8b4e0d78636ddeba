package sim

import "strconv"

// NewAttempt says that what the thread does from now on is a new attempt, and
// returns a value that no other attempt has, such as A#1: what a real client
// draws at random.
func (t *Thread) NewAttempt() string {
	p := t.process
	p.attempts++
	t.holder = Holder{Client: p.client, Attempt: p.attempts}
	for len(p.values) < int(p.attempts) {
		p.values = append(p.values, Holder{Client: p.client, Attempt: int32(len(p.values) + 1)}.String())
	}
	return p.values[p.attempts-1]
}

// BeginAcquire records that the client begins an attempt to acquire the lock,
// and returns the attempt's value.
func (t *Thread) BeginAcquire() string {
	value := t.NewAttempt()
	w := t.world
	w.history.Attempts++
	t.acquiring = w.stamp()
	if w.recording {
		w.log(Event{Actor: t.name, Kind: EventAcquire, Text: value})
	}
	return value
}

// Granted records that acquiring succeeded, with the given fencing token (0 if
// the lock has none). The client believes from now on that it holds the lock.
func (t *Thread) Granted(fence int64) {
	w := t.world
	from := w.stamp()
	if w.recording {
		e := Event{Actor: t.name, Kind: EventGrant, Text: t.holder.String()}
		if fence != 0 {
			e.Text += " with fencing token " + strconv.FormatInt(fence, 10)
		}
		w.log(e)
	}
	w.history.Grants = append(w.history.Grants, Grant{
		Holder: t.holder, Fence: fence, Call: t.acquiring, From: from, End: Open,
	})
}

// Denied records that acquiring failed.
func (t *Thread) Denied(why string) {
	w := t.world
	w.stamp()
	if w.recording {
		w.log(Event{Actor: t.name, Kind: EventDeny, Text: why})
	}
}

// EndBelief records that the client stops believing that it holds the lock. It
// is a step: a client that is frozen before it still believes. Only the first
// end of a belief counts.
func (t *Thread) EndBelief(why End) {
	t.step()
	grants := t.world.history.Grants
	for i := len(grants) - 1; i >= 0; i-- {
		if grants[i].Holder == t.holder {
			if grants[i].End == Open {
				t.world.endBelief(&grants[i], t.name, why)
			}
			return
		}
	}
}

func (w *World) endBelief(g *Grant, actor string, why End) {
	g.End = why
	g.Until = w.stamp()
	if w.recording {
		w.log(Event{Actor: actor, Kind: EventEnd, Text: string(why)})
	}
}

// BeginAccess records that the client begins to read or write the resource,
// and returns the access's number for [Thread.EndAccess].
func (t *Thread) BeginAccess(kind AccessKind) int {
	w := t.world
	call := w.stamp()
	if w.recording {
		w.log(Event{Actor: t.name, Kind: EventAccess, Text: string(kind) + " begins"})
	}
	w.history.Accesses = append(w.history.Accesses, Access{Holder: t.holder, Kind: kind, Call: call, Outcome: Unknown})
	return len(w.history.Accesses) - 1
}

// EndAccess records how an access ended; seen is the writer of the value that
// a read returned. An access whose outcome is [Unknown] stays open.
func (t *Thread) EndAccess(access int, o Outcome, seen Holder) {
	w := t.world
	end := w.stamp()
	if w.recording {
		a := w.history.Accesses[access]
		text := string(a.Kind) + " " + string(o)
		if a.Kind == ReadAccess && o == Accepted {
			text += ", " + seen.Value()
		}
		w.log(Event{Actor: t.name, Kind: EventAccess, Text: text})
	}
	a := &w.history.Accesses[access]
	a.Outcome, a.Seen = o, seen
	if o != Unknown {
		a.Return = end
	}
}

// Effect records that the client does something outside, once for the value
// that key wrote.
func (t *Thread) Effect(key Holder) {
	t.step()
	w := t.world
	if w.surveying {
		w.shows(t.process)
	}
	at := w.stamp()
	if w.recording {
		w.log(Event{Actor: t.name, Kind: EventEffect, Step: t.label(), Text: "for " + key.Value()})
	}
	w.history.Effects = append(w.history.Effects, Effect{Holder: t.holder, Key: key, At: at})
}
