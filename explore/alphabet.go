package explore

import (
	"cmp"
	"slices"

	"simrun/clock"
	"simrun/sim"
)

// extensions returns every fault of the space's alphabet that can be the last
// to strike after those of a surveyed run, in a fixed order: each kind at each
// point that the run reached after its last fault, with each class of amount.
func (sp *Space) extensions(v *sim.Survey, faults []sim.Fault) []sim.Fault {
	var list []sim.Fault
	add := func(k *sim.Kind, a sim.Actor, p sim.Point, among int) {
		for _, amount := range sp.amounts(k, among) {
			f := sim.Fault{Kind: k, Actor: a, Point: p, Amount: amount}
			if follows(f, faults) {
				list = append(list, f)
			}
		}
	}
	for _, p := range v.After() {
		for _, c := range sp.Faults {
			if c.takes(p.Point) && sp.strikes(c.Kind, p.Actor, v) {
				add(c.Kind, p.Actor, p.Point, p.Among)
			}
		}
	}
	for _, at := range sp.moments(v, faults) {
		for _, c := range sp.Faults {
			p := sim.Point{Place: sim.AtInstant, At: at}
			if !c.takes(p) || at > 0 && fromTheStart(c.Kind) {
				continue
			}
			for _, actor := range sp.actorsAtInstants(c.Kind) {
				if sp.strikes(c.Kind, actor, v) {
					add(c.Kind, actor, p, 0)
				}
			}
		}
	}
	return list
}

// takes reports whether a choice of the selection covers a point.
func (c *Choice) takes(p sim.Point) bool {
	if c.Limited {
		return c.Place == p.Place && (p.Place != sim.BeforeStep || c.Purpose == p.Purpose)
	}
	return slices.Contains(c.Kind.Places, p.Place)
}

// fromTheStart reports whether a kind that strikes at instants is tried at the
// start alone: how fast a clock runs does not begin at a moment.
func fromTheStart(k *sim.Kind) bool { return k.Unit == sim.Rate }

// moments returns the instants at which faults are tried: the start, and where
// leases began and ended, if they do not lie before the last fault.
func (sp *Space) moments(v *sim.Survey, faults []sim.Fault) []clock.Instant {
	moments := slices.Clone(v.Moments)
	slices.Sort(moments)
	moments = slices.Compact(moments)
	last := clock.Instant(0)
	for _, f := range faults {
		if f.Point.Place == sim.AtInstant {
			last = max(last, f.Point.At)
		}
	}
	return slices.DeleteFunc(moments, func(at clock.Instant) bool { return at < last })
}

func (sp *Space) actorsAtInstants(k *sim.Kind) []sim.Actor {
	if k.Actors&sim.Connections != 0 {
		return sp.links()
	}
	return sp.single(k)
}

// strikes reports whether a kind can strike an actor, and can matter there: a
// step of a clock that a client never reads does nothing.
func (sp *Space) strikes(k *sim.Kind, a sim.Actor, v *sim.Survey) bool {
	if a.Link != sim.NoLink {
		return k.Actors&sim.Connections != 0
	}
	for _, s := range sp.servers {
		if s.Name == a.From {
			return s.MayBe(k.Actors &^ sim.Connections)
		}
	}
	return k.Actors&sim.Clients != 0 && (k.Unit != sim.Shift || v.Walls)
}

// amounts returns the classes of amount of a kind; where it picks one of several
// signals, every one but the first, which is handled first anyway.
func (sp *Space) amounts(k *sim.Kind, among int) []int64 {
	switch {
	case k.Unit == sim.Choice:
		var picks []int64
		for n := 2; n <= among; n++ {
			picks = append(picks, int64(n))
		}
		return picks
	case k.Amounts == nil:
		return []int64{0}
	case sp.only != nil:
		return sp.only
	}
	return k.Amounts(sp.Params.TTL)
}

// follows reports whether a fault may come after others. At one point, faults
// strike in the order in which they are listed; they are tried in the order of
// the table alone, and each kind once.
func follows(f sim.Fault, faults []sim.Fault) bool {
	for _, g := range faults {
		if g.Point == f.Point && (g.Actor == f.Actor || f.Point.Place == sim.AtInstant) && compare(g, f) >= 0 {
			return false
		}
	}
	return true
}

// compare orders faults of one point by kind, then by actor.
func compare(f, g sim.Fault) int {
	return cmp.Or(
		cmp.Compare(slices.Index(sim.Kinds, f.Kind), slices.Index(sim.Kinds, g.Kind)),
		cmp.Compare(f.Actor.String(), g.Actor.String()),
	)
}
