package explore

import "simrun/sim"

// What leads to the very same run is run once, and counts for all:
//
//   - a death and a vanish, where no server minds connections;
//   - the loss of a reply and a delay after which nobody waits for it, unless its client
//     may yet be paused meanwhile: it would find the late reply when it wakes up;
//   - as the last fault, outages of one server or link of which it turns out that they
//     lose the same messages (see [sim.World.LosesTheSame]).

// twin returns the extension at the same point that leads to the same run as a
// fault, or nil.
func (m *matter) twin(list []extension, f sim.Fault, p sim.Reached) *extension {
	if m.space.whole || m.space.only != nil {
		return nil
	}
	for i := len(list) - 1; i >= 0 && list[i].fault.Point == f.Point && list[i].fault.Actor == f.Actor; i-- {
		if m.same(list[i].fault, f, p) {
			return &list[i]
		}
	}
	return nil
}

// same reports whether two faults at one point lead to the same run.
func (m *matter) same(f, g sim.Fault, p sim.Reached) bool {
	first, second := f.Kind.Name, g.Kind.Name
	switch {
	case first == "death" && second == "vanish":
		return !m.space.connected
	case first == "delay" && second == "loss":
		unseen := m.last || p.Lone && !m.space.anytime
		return unseen && p.Wanted > 0 && f.Amount > int64(p.Wanted)
	}
	return false
}

// outage reports whether another fault than f may turn out to lose the same.
func (sp *Space) outage(f sim.Fault) bool {
	switch {
	case sp.whole || sp.only != nil || sp.connected:
		return false
	case f.Kind.Name == "crash":
		return f.Amount > 0 && f.Point.Place == sim.BeforeRequest && sp.server(f.Actor.From).OnlyAnswers()
	}
	return f.Kind.Name == "partition"
}
