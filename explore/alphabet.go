package explore

import (
	"cmp"
	"slices"

	"simrun/clock"
	"simrun/sim"
)

// An extension is a fault that can be the last to strike after those of a run.
type extension struct {
	fault sim.Fault
	twins []sim.Fault // that would lead to the same run
	done  bool        // it was found to be another's twin, and counted
}

// extensions returns every fault of the space's alphabet that can be the last
// to strike after those of a surveyed run, in a fixed order: each kind at each
// point that the run reached after its last fault, with each class of amount. Where
// it is the last fault altogether, what cannot matter as such is left out too.
func (sp *Space) extensions(v *sim.Survey, s sim.Schedule, last bool) []extension {
	var list []extension
	m := sp.matter(v, s, last)
	add := func(c *Choice, p sim.Reached) {
		if sp.only != nil && slices.ContainsFunc(s.Faults, func(f sim.Fault) bool { return f.Kind == c.Kind }) {
			return
		}
		for _, amount := range sp.amounts(c.Kind, p.Among) {
			f := sim.Fault{Kind: c.Kind, Actor: p.Actor, Point: p.Point, Amount: amount}
			if !follows(f, s.Faults) || !sp.whole && !m.counts(f, p, c.Limited) {
				continue
			}
			if e := m.twin(list, f, p); e != nil {
				e.twins = append(e.twins, f)
			} else {
				list = append(list, extension{fault: f})
			}
		}
	}
	for _, p := range v.After() {
		for _, c := range sp.Faults {
			if c.takes(p.Point) && sp.strikes(c.Kind, p.Actor) {
				add(&c, p)
			}
		}
	}
	for _, at := range moments(v) {
		for _, c := range sp.Faults {
			p := sim.Point{Place: sim.AtInstant, At: at}
			if !c.takes(p) || at > 0 && fromTheStart(c.Kind) {
				continue
			}
			for _, actor := range sp.actorsAtInstants(c) {
				add(&c, sim.Reached{Actor: actor, Point: p})
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

// moments returns the instants at which faults are tried, in order: the start, and
// where leases began and ended, if they do not lie before the last fault.
func moments(v *sim.Survey) []clock.Instant {
	sorted := slices.Sorted(slices.Values(v.Moments))
	return slices.Compact(sorted)
}

// actorsAtInstants returns whom a choice strikes at an instant. A client acts in
// steps alone, and most servers act on requests alone, so that what strikes
// these is tried right before each; at instants it is tried on servers that act
// by themselves. Partitions cut links both ways or lose the replies, and cut nobody
// off from all clients but servers that act by themselves: the others might as well
// crash.
func (sp *Space) actorsAtInstants(c Choice) []sim.Actor {
	switch {
	case c.Kind.Actors&sim.Connections != 0:
		return slices.DeleteFunc(sp.links(), func(a sim.Actor) bool {
			toServer := a.Link == sim.OneWay && sp.server(a.To) != nil
			return toServer || a.From == "*" && !sp.server(a.To).ActsAlone()
		})
	case c.Limited || len(c.Kind.Places) == 1:
		return sp.single(c.Kind)
	}
	return slices.DeleteFunc(sp.single(c.Kind), func(a sim.Actor) bool {
		s := sp.server(a.From)
		return s == nil || !s.ActsAlone()
	})
}

// server returns the server with the given name, or nil for a client's.
func (sp *Space) server(name string) *sim.ServerSpec {
	for i := range sp.servers {
		if sp.servers[i].Name == name {
			return &sp.servers[i]
		}
	}
	return nil
}

// amounts returns the classes of amount of a kind, the simplest first: of steps and
// rates the greatest either way, of outages one that is short and one that lasts
// just longer than a lease; where the kind picks one of several signals, every one
// but the first, which is handled first anyway.
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
		return sp.only[k]
	}
	ttl := int64(sp.Params.TTL)
	amounts := k.Amounts(sp.Params.TTL)
	greatest := slices.Max(amounts)
	return slices.DeleteFunc(amounts, func(n int64) bool {
		switch {
		case k.Unit == sim.Shift || k.Unit == sim.Rate:
			return n != greatest && n != -greatest
		case slices.Contains(outages, k.Name):
			return n > ttl/2 && n < ttl || n > 2*ttl
		}
		return false
	})
}

// outages are the kinds that lose what is sent to a server meanwhile.
var outages = []string{"partition", "crash", "election"}

// follows reports whether a fault may come after others. At one point, faults
// strike in the order in which they are listed; they are tried in the order of
// the table alone, and each kind once. Of a message that is lost it does not matter
// how late it is, so that one fault strikes it.
func follows(f sim.Fault, faults []sim.Fault) bool {
	onMessage := f.Point.Place == sim.OnRequest || f.Point.Place == sim.OnReply
	for _, g := range faults {
		samePoint := g.Point == f.Point && (g.Actor == f.Actor || f.Point.Place == sim.AtInstant)
		if samePoint && (onMessage || compare(g, f) >= 0) {
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
