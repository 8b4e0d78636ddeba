package explore

import (
	"slices"
	"time"

	"simrun/clock"
	"simrun/sim"
)

// What cannot matter is left out of an exhaustive search:
//
//   - a step of a wall clock that its machine never looks at, and a change of rate
//     where nothing depends on it;
//   - a pause right before a step that concerns the client's own memory alone, which
//     nobody else can see: the same before the next step is tried;
//   - a pause of a client whose only thread would have slept on to the end of it; and
//     one at the end of such a sleep, since the same at its beginning is tried;
//   - a death before a step that nobody else sees: the client might as well die
//     before the next that somebody does;
//   - a delay of a reply for which its client waits no longer, but the shortest such;
//   - a restart at once of a server that does nothing but answer, with all that it
//     had stored, unless a pause of it lets requests wait that the crash loses;
//   - a fault on the second of two servers that the run so far has not told apart,
//     where all messages take the same time: the same on the first is tried;
//   - as the last fault, a partition that stops no message;
//   - a reply that nobody waits for any more, and servers' heartbeats, neither of
//     which is a point of a survey (see [sim.Survey]).
//
// A matter decides it for the faults that may follow those of a surveyed run.
type matter struct {
	space  *Space
	survey *sim.Survey
	faults []sim.Fault // of the survey
	last   bool        // no further fault will follow
	stood  []string    // servers for each of which an earlier one that is alike stands
}

func (sp *Space) matter(v *sim.Survey, s sim.Schedule, last bool) *matter {
	m := &matter{space: sp, survey: v, faults: s.Faults, last: last}
	for i, name := range sp.alike {
		alike := func(earlier string) bool { return !m.toldApart(earlier, name, s.Faults) }
		if s.Noise.Min == s.Noise.Max && slices.ContainsFunc(sp.alike[:i], alike) {
			m.stood = append(m.stood, name)
		}
	}
	return m
}

// strikes reports whether a kind can strike an actor.
func (sp *Space) strikes(k *sim.Kind, a sim.Actor) bool {
	if a.Link != sim.NoLink {
		return k.Actors&sim.Connections != 0
	}
	if s := sp.server(a.From); s != nil {
		return s.MayBe(k.Actors &^ sim.Connections)
	}
	return k.Actors&sim.Clients != 0
}

// counts reports whether it matters that a fault strikes at a point of the run.
// Where its kind is limited to some points, no other point can stand for them.
func (m *matter) counts(f sim.Fault, p sim.Reached, limited bool) bool {
	switch {
	case slices.Contains(m.stood, f.Actor.From), slices.Contains(m.stood, f.Actor.To):
		return false
	case f.Kind.Unit == sim.Shift:
		return m.survey.HeedsTheTime(f.Actor.From)
	case f.Kind.Unit == sim.Rate:
		return m.survey.HeedsItsPace(f.Actor.From)
	}
	switch f.Kind.Name {
	case "pause":
		return !m.sleepsThrough(f, p) && (limited || !p.Inner && !m.sleptBefore(f, p))
	case "death", "vanish":
		return p.Shows || limited || p.Point.Place == sim.AtInstant
	case "crash":
		return f.Amount > 0 || !m.space.server(f.Actor.From).OnlyAnswers() || m.paused(f.Actor)
	case "delay":
		return p.Wanted == 0 || m.space.isShortest(f, p.Wanted)
	case "partition":
		return !m.last || m.survey.Loses(f)
	}
	return true
}

// sleepsThrough reports whether nobody notices a pause, since the client sleeps.
func (m *matter) sleepsThrough(f sim.Fault, p sim.Reached) bool {
	return f.Amount < int64(p.Asleep) && !m.space.connected
}

// sleptBefore reports whether the same pause before the sleep that has just ended
// makes no difference: that one is over before all faults are healed.
func (m *matter) sleptBefore(f sim.Fault, p sim.Reached) bool {
	return p.Slept > 0 && p.At+clock.Instant(f.Amount) < m.space.heals && !m.space.connected
}

// paused reports whether a server is paused in the run.
func (m *matter) paused(server sim.Actor) bool {
	return slices.ContainsFunc(m.faults, func(g sim.Fault) bool { return g.Actor == server && g.Kind.Name == "node-pause" })
}

// isShortest reports whether a delay ends while its message is still wanted, or is
// the shortest that does not: a longer one does the same.
func (sp *Space) isShortest(f sim.Fault, wanted time.Duration) bool {
	for _, n := range sp.amounts(f.Kind, 0) {
		if n < f.Amount && n > int64(wanted) {
			return false
		}
	}
	return true
}

// toldApart reports whether two servers that clients treat alike have met with
// something different: a fault of their own, or one of a client that had sent a
// request to one of them and not yet to the other.
func (m *matter) toldApart(a, b string, faults []sim.Fault) bool {
	for i, f := range faults {
		for _, name := range []string{a, b} {
			if f.Actor.From == name || f.Actor.To == name {
				return true
			}
		}
		for _, client := range m.space.clients {
			if m.survey.Sent(client, a, i) != m.survey.Sent(client, b, i) {
				return true
			}
		}
	}
	return false
}
