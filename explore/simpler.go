package explore

import (
	"slices"
	"time"

	"simrun/clock"
	"simrun/sim"
)

// Simpler lists every schedule that is one step simpler than s, the boldest
// steps first: a client fewer, a fault fewer, no noise, fewer rounds, a simpler
// number. Each step lowers something that no step raises, so that there is an
// end to any chain of them.
func (sp *Space) Simpler(s sim.Schedule) []sim.Schedule {
	c := &candidates{base: s}
	for i := range s.Clients {
		c.withoutClient(i)
	}
	for i := range s.Faults {
		c.change(func(t *sim.Schedule) { t.Faults = slices.Delete(t.Faults, i, i+1) })
	}
	if s.Noise.Max > s.Noise.Min {
		c.change(func(t *sim.Schedule) { t.Noise = sim.Noise{Min: s.Noise.Min, Max: s.Noise.Min} })
	}
	for i, plan := range s.Clients {
		sp.simplerPlan(c, i, plan)
	}
	for i, f := range s.Faults {
		sp.simplerFault(c, i, f)
	}
	return c.list
}

// candidates collects changed copies of a schedule.
type candidates struct {
	base sim.Schedule
	list []sim.Schedule
}

func (c *candidates) change(edit func(*sim.Schedule)) {
	t := c.base.Clone()
	edit(&t)
	c.list = append(c.list, t)
}

// withoutClient leaves out a client and the faults that strike it alone.
func (c *candidates) withoutClient(i int) {
	if len(c.base.Clients) == 1 {
		return
	}
	name := sim.ClientName(c.base.Clients[i].Client)
	c.change(func(t *sim.Schedule) {
		t.Clients = slices.Delete(t.Clients, i, i+1)
		t.Faults = slices.DeleteFunc(t.Faults, func(f sim.Fault) bool {
			return f.Actor.From == name || f.Actor.To == name
		})
	})
}

func (sp *Space) simplerPlan(c *candidates, i int, plan sim.Plan) {
	for _, n := range fewer(plan.Rounds) {
		c.change(func(t *sim.Schedule) { t.Clients[i].Rounds = n })
	}
	for _, d := range sp.earlier(plan.Start) {
		c.change(func(t *sim.Schedule) { t.Clients[i].Start = d })
	}
	for class := 1; class <= workClasses && sp.work(class) < plan.Work; class++ {
		c.change(func(t *sim.Schedule) { t.Clients[i].Work = sp.work(class) })
	}
}

func (sp *Space) simplerFault(c *candidates, i int, f sim.Fault) {
	if f.Kind.Amounts != nil {
		for _, amount := range sp.simplerAmounts(f) {
			c.change(func(t *sim.Schedule) { t.Faults[i].Amount = amount })
		}
	}
	if f.Point.Place == sim.AtInstant {
		for _, d := range sp.earlier(time.Duration(f.Point.At)) {
			c.change(func(t *sim.Schedule) { t.Faults[i].Point.At = clock.Instant(d) })
		}
		return
	}
	for _, n := range fewer(f.Point.N) {
		c.change(func(t *sim.Schedule) { t.Faults[i].Point.N = n })
	}
}

// simplerAmounts returns the classes of amount before f's own, or all of them
// if its amount is none of them, as in a trace that was edited by hand.
func (sp *Space) simplerAmounts(f sim.Fault) []int64 {
	classes := f.Kind.Amounts(sp.Params.TTL)
	if own := slices.Index(classes, f.Amount); own >= 0 {
		return classes[:own]
	}
	return classes
}

// fewer returns smaller counts to try: one, half and one less.
func fewer(n int) []int {
	var less []int
	for _, m := range []int{1, n / 2, n - 1} {
		if m >= 1 && m < n && !slices.Contains(less, m) {
			less = append(less, m)
		}
	}
	return less
}

// earlier returns smaller times to try: zero, half, a tenth of the TTL less,
// all in whole milliseconds.
func (sp *Space) earlier(d time.Duration) []time.Duration {
	var less []time.Duration
	for _, e := range []time.Duration{0, d / 2, d - sp.Params.TTL/10} {
		e = e.Truncate(time.Millisecond)
		if e >= 0 && e < d && !slices.Contains(less, e) {
			less = append(less, e)
		}
	}
	return less
}
