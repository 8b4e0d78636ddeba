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
	tag    int64
	rung   bool
}

// After lets the server's Ring be called with tag when d of the machine's own
// time is over.
func (m *Machine) After(d time.Duration, tag int64) {
	w := m.world
	m.heeds |= itsPace
	w.alarms = append(w.alarms, alarm{
		server: m.index, boot: m.crashes, at: m.clock.Monotonic(w.now).Add(max(d, 0)), tag: tag,
	})
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

func (m *Machine) ring(id int32) {
	w := m.world
	a := &w.alarms[id]
	if a.rung || a.boot != m.crashes || m.clock.Monotonic(w.now) < a.at {
		return
	}
	a.rung = true
	if t, ok := m.spec.Server.(Timed); ok {
		t.Ring(m, a.tag)
	}
}
