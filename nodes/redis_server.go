package nodes

import "simrun/sim"

// Serve implements [sim.Server]: a Redis whose wall clock is the machine's.
func (r *Redis) Serve(m *sim.Machine, c sim.Call) {
	reply, changes := r.Apply(m.Wall(), c.By, c.Request.(Command))
	r.report(m, c.By, changes)
	m.Answer(c, reply)
}

// Crash implements [sim.Server]. Time elapses while the server is down: one that
// keeps its keys finds those dead that have expired since.
func (r *Redis) Crash(m *sim.Machine, keep bool) {
	if keep {
		return
	}
	r.Settle(m)
	for _, e := range r.entries {
		if e.owner != sim.Nobody {
			m.Changed(sim.Forgotten, sim.Nobody, e.owner)
		}
	}
	r.Reset()
}

// Settle implements [sim.Server]: it removes what has expired by now.
func (r *Redis) Settle(m *sim.Machine) {
	r.forgetChanges()
	now := m.Wall().Millis()
	for i := 0; i < len(r.entries); {
		if e := &r.entries[i]; e.expires != noExpiry && now > e.expires {
			r.expired(e)
			r.remove(e)
		} else {
			i++
		}
	}
	r.report(m, sim.Nobody, r.changes)
}

// Reset implements [sim.Server].
func (r *Redis) Reset() {
	r.entries = r.entries[:0]
}

func (r *Redis) report(m *sim.Machine, by sim.Holder, changes []Change) {
	for _, c := range changes {
		if c.Kind == sim.Expired {
			m.ExpiredAt(c.At, c.Owner)
		} else {
			m.Changed(c.Kind, by, c.Owner)
		}
	}
}
