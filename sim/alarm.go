package sim

import (
	"time"

	"simrun/clock"
)

// An alarm is a timer of a server. It is lost when the server crashes.
type alarm struct {
	server int32
	boot   uint32 // how often the server had crashed when the alarm was set
	at     clock.Monotonic
	byWall bool // it moves with the steps of the wall clock
	tag    int64
	rung   bool
}

// After lets the server's Ring be called with tag when d of the machine's own
// time is over.
func (m *Machine) After(d time.Duration, tag int64) {
	m.heeds |= itsPace
	m.newAlarm(alarm{at: m.clock.Monotonic(m.world.now).Add(max(d, 0)), tag: tag})
}

// At lets the server's Ring be called with tag when the machine's wall clock reads
// at least when, be it by a step.
func (m *Machine) At(when clock.Wall, tag int64) {
	left := time.Duration(when - m.Wall())
	m.newAlarm(alarm{at: m.clock.Monotonic(m.world.now).Add(left), byWall: true, tag: tag})
}

func (m *Machine) newAlarm(a alarm) {
	w := m.world
	a.server, a.boot = m.index, m.crashes
	w.alarms = append(w.alarms, a)
	w.setAlarm(int32(len(w.alarms) - 1))
}

func (w *World) setAlarm(id int32) {
	a := &w.alarms[id]
	w.queue.push(event{at: w.machines[a.server].clock.When(w.now, a.at), kind: alarmRings, ref: id})
}

// resetAlarms sets the machine's alarms anew after a change of its clocks' rate.
func (m *Machine) resetAlarms() {
	for id, a := range m.world.alarms {
		if a.server == m.index && !a.rung {
			m.world.setAlarm(int32(id))
		}
	}
}

// stepAlarms sets those alarms of the machine anew that go by its wall clock, which
// has been stepped by d.
func (m *Machine) stepAlarms(d time.Duration) {
	for id := range m.world.alarms {
		if a := &m.world.alarms[id]; a.server == m.index && a.byWall && !a.rung {
			a.at = a.at.Add(-d)
			m.world.setAlarm(int32(id))
		}
	}
}

func (m *Machine) ring(id int32) {
	w := m.world
	a := &w.alarms[id]
	if a.rung || a.boot != m.crashes || m.clock.Monotonic(w.now) < a.at {
		return
	}
	a.rung = true
	if m.roles.timed != nil {
		m.roles.timed.Ring(m, a.tag)
	}
}
