package sim

import "time"

// freeze stops the machine for d: what reaches it waits. One that is frozen longer
// already stays so.
func (m *Machine) freeze(d time.Duration) {
	until := m.world.now.Add(d)
	if m.down || m.frozen && m.until >= until {
		return
	}
	m.frozen, m.until = true, until
	m.freezes++
	m.world.queue.push(event{at: until, kind: serverThaws, ref: m.index, gen: m.freezes})
}

// thaw hands over what has waited, in the order in which it came. Where a fault
// crashes the machine meanwhile, the rest is lost.
func (m *Machine) thaw() {
	m.frozen = false
	w := m.world
	w.note(func() Event { return Event{Actor: m.spec.Name, Kind: EventHeal, Text: "runs again"} })
	pending, crashes := m.pending, m.crashes
	m.pending = nil
	for _, d := range pending {
		if m.crashes == crashes {
			m.deliver(d)
		} else {
			m.lose(d)
		}
	}
	if m.pending == nil {
		m.pending = pending[:0]
	}
}

// crash takes the machine down for d. Requests that wait for the end of a
// freeze are lost. A machine that is down already does not come back sooner.
func (m *Machine) crash(d time.Duration, keep bool) {
	w := m.world
	until := w.now.Add(d)
	keep = keep || m.spec.Durable
	m.forget = m.forget || !keep
	m.spec.Server.Crash(m, keep)
	if m.down && m.until >= until {
		return
	}
	m.down, m.frozen, m.until = true, false, until
	for _, d := range m.pending {
		m.lose(d)
	}
	m.pending = m.pending[:0]
	m.crashes++
	if d <= 0 {
		m.restart()
		return
	}
	w.queue.push(event{at: until, kind: serverRestarts, ref: m.index, gen: m.crashes})
}

// lose forgets what waited for the end of a freeze.
func (m *Machine) lose(d delivery) {
	if w := m.world; d.kind == requestArrives {
		w.drop(d.ref, w.senderOf(d.ref), m.spec.Name)
	}
}

func (m *Machine) restart() {
	m.down = false
	text := "restarts with what it had stored"
	if m.forget {
		text = "restarts empty"
	}
	m.forget = false
	m.world.note(func() Event { return Event{Actor: m.spec.Name, Kind: EventHeal, Text: text} })
	m.start()
}

// start lets the server do what it does first.
func (m *Machine) start() {
	if m.roles.starter != nil {
		m.roles.starter.Start(m)
	}
}

// heal ends the faults that are under way, and returns for how much longer the
// machine stays away all the same: one that will have forgotten its keys must
// not come back sooner than it was meant to, or the healing would do the harm
// that the delay prevents.
func (m *Machine) heal() time.Duration {
	m.setRate(0)
	if m.frozen {
		m.thaw()
	}
	if !m.down {
		return 0
	}
	if m.forget {
		return m.until.Sub(m.world.now)
	}
	m.restart()
	return 0
}
