package explore

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"simrun/checker"
	"simrun/protocols"
	"simrun/sim"
)

// A comparison runs what a search takes for the same, and counts it by what it is.
type comparison struct {
	t     *testing.T
	space *Space
	judge *Judge
	count map[string]int
}

// compareAll compares for all protocols, from the quiet start and a noisy one, and
// from every n-th schedule with one fault, until a fault is the last and before.
func compareAll(t *testing.T, n int, compare func(c *comparison, from sim.Schedule, last bool)) map[string]int {
	count := map[string]int{}
	for _, p := range protocols.All {
		space := NewSpace(p, p.Smallest(), AllFaults())
		c := &comparison{t: t, space: space, judge: space.NewJudge(checker.All), count: count}
		for start := range 2 {
			from := space.Start(start)
			for _, last := range []bool{true, false} {
				compare(c, from, last)
				for i, e := range c.extensions(from, false) {
					if i%n == 0 {
						compare(c, with(from, e.fault), last)
					}
				}
			}
		}
		c.judge.Close()
	}
	return count
}

func (c *comparison) survey(s sim.Schedule) *sim.Survey {
	survey, err := c.judge.world.Survey(s)
	if err != nil {
		c.t.Fatal(err)
	}
	return &survey
}

func (c *comparison) extensions(s sim.Schedule, last bool) []extension {
	return c.space.extensions(c.survey(s), s, last)
}

func (c *comparison) same(why string, last bool, a, b sim.Schedule) {
	c.t.Helper()
	c.count[why]++
	if diff := cmp.Diff(c.story(a, last), c.story(b, last)); diff != "" {
		c.t.Errorf("%s, %s: %v and %v differ:\n%s", c.space.Protocol.Name, why, a.Faults, b.Faults, diff)
	}
}

// story tells what a schedule leads to, and, where its fault is not the last, which
// faults of others can follow.
func (c *comparison) story(s sim.Schedule, last bool) []string {
	out, err := c.judge.Run(s)
	if err != nil {
		c.t.Fatal(err)
	}
	var lines []string
	for i, v := range out.Verdicts {
		lines = append(lines, fmt.Sprint(c.judge.checks[i].Name, " ", v.State, " ", v.Why, " ", v.Length))
	}
	h := out.History
	for _, g := range h.Grants {
		lines = append(lines, fmt.Sprint(g.Holder, " holds from ", g.From.At, " to ", g.Until.At, " ", g.End))
	}
	for _, a := range h.Accesses {
		lines = append(lines, fmt.Sprint(a.Holder, " ", a.Kind, " at ", a.Call.At, " ", a.Outcome, " ", a.Seen))
	}
	lines = append(lines, fmt.Sprint("healed at ", h.HealedAt.At))
	if !last {
		for _, e := range c.extensions(s, false) {
			lines = append(lines, e.fault.String())
		}
	}
	return lines
}

func with(s sim.Schedule, f sim.Fault) sim.Schedule {
	s.Faults = append(slices.Clip(s.Faults), f)
	return s
}

func wantCompared(t *testing.T, count map[string]int, kinds ...string) {
	t.Helper()
	for _, k := range kinds {
		if count[k] < 500 {
			t.Errorf("%s: %d compared, too few", k, count[k])
		}
	}
}

// What an exhaustive search takes for the same run is the same, also as the
// beginning of others.
func TestTwinsLeadToTheSameRun(t *testing.T) {
	count := compareAll(t, 200, func(c *comparison, from sim.Schedule, last bool) {
		for _, e := range c.extensions(from, last) {
			for _, twin := range e.twins {
				c.same(e.fault.Kind.Name+" and "+twin.Kind.Name, last, with(from, e.fault), with(from, twin))
			}
		}
	})
	wantCompared(t, count, "death and vanish", "delay and loss")
}

// Outages that turn out to lose the same messages lead to the same run.
func TestOutagesThatLoseTheSameLeadToTheSameRun(t *testing.T) {
	count := compareAll(t, 40, func(c *comparison, from sim.Schedule, last bool) {
		list := c.extensions(from, true)
		for i, e := range list {
			if !last || !c.space.outage(e.fault) {
				continue
			}
			own := with(from, e.fault)
			if _, err := c.judge.Watch(own); err != nil {
				t.Fatal(err)
			}
			var same []sim.Fault
			for _, later := range list[i+1:] {
				if c.judge.world.LosesTheSame(later.fault) {
					same = append(same, later.fault)
				}
			}
			for _, f := range same {
				c.same(f.Kind.Name, true, own, with(from, f))
			}
		}
	})
	wantCompared(t, count, "partition", "crash")
}

// A pause that is left out does nothing, or what one does that is not.
func TestPausesLeftOutDoWhatOthersDo(t *testing.T) {
	count := compareAll(t, 50, func(c *comparison, from sim.Schedule, last bool) {
		survey := c.survey(from)
		m := c.space.matter(survey, from, last)
		var steps []sim.Reached
		for _, p := range survey.After() {
			if p.Point.Place == sim.BeforeStep {
				steps = append(steps, p)
			}
		}
		steps = slices.Clone(steps)
		for i, p := range steps {
			for _, amount := range c.space.amounts(sim.KindNamed("pause"), 0) {
				pause := func(p sim.Reached) sim.Fault {
					return sim.Fault{Kind: sim.KindNamed("pause"), Actor: p.Actor, Point: p.Point, Amount: amount}
				}
				switch f := pause(p); {
				case m.counts(f, p, false):
				case p.Inner:
					c.same("own memory", true, with(from, f), with(from, pause(next(steps[i+1:], p))))
				case m.sleepsThrough(f, p):
					c.same("asleep", true, with(from, f), from)
				default:
					if before, ok := beginning(steps[:i], p); ok {
						c.same("slept", true, with(from, f), with(from, pause(before)))
					}
				}
			}
		}
	})
	wantCompared(t, count, "own memory", "asleep", "slept")
}

func TestRestartsAtOnceLeftOutDoNothing(t *testing.T) {
	count := compareAll(t, 20, func(c *comparison, from sim.Schedule, last bool) {
		survey := c.survey(from)
		m := c.space.matter(survey, from, last)
		for _, p := range slices.Clone(survey.After()) {
			f := sim.Fault{Kind: sim.KindNamed("crash"), Actor: p.Actor, Point: p.Point}
			answers := p.Point.Place == sim.BeforeRequest && c.space.server(p.Actor.From).OnlyAnswers()
			if answers && !m.counts(f, p, false) {
				c.same("restart", true, with(from, f), from)
			}
		}
	})
	wantCompared(t, count, "restart")
}

// next returns the first step of the same client as p.
func next(steps []sim.Reached, p sim.Reached) sim.Reached {
	return steps[slices.IndexFunc(steps, func(q sim.Reached) bool { return q.Actor == p.Actor })]
}

// beginning returns the step with which the sleep began that ended with p, if it is
// among the steps: the last but one before it, since to go on sleeping is a step too.
func beginning(steps []sim.Reached, p sim.Reached) (sim.Reached, bool) {
	steps = slices.DeleteFunc(slices.Clone(steps), func(q sim.Reached) bool { return q.Actor != p.Actor })
	if len(steps) < 2 {
		return sim.Reached{}, false
	}
	return steps[len(steps)-2], true
}
