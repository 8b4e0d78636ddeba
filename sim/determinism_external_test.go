package sim_test

import (
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"

	"simrun/clock"
	"simrun/sim"
)

// busy is a program that uses all that a thread can do.
func busy(c *sim.Thread) {
	for round := range c.Rounds() {
		c.Round(round + 1)
		c.For(sim.Acquire)
		c.BeginAcquire()
		votes := c.Broadcast(both, add(round), 30*ms)
		fence, ok := votes[0].Reply.(total)
		if !ok {
			c.Denied("no reply")
			c.For(sim.Retry)
			c.Sleep(c.Jitter(ms, 20*ms))
			continue
		}
		c.Granted(int64(fence))
		lost, over := c.NewCell(), c.NewCell()
		c.Go("watchdog", func(c *sim.Thread) { renew(c, lost, over) })
		c.StopWhen(sim.Stop{At: c.Monotonic().Add(80 * ms), On: lost})
		why := work(c)
		c.StopWhen(sim.Stop{})
		c.For(sim.Release)
		c.EndBelief(why)
		c.Store(over, 1)
	}
}

func renew(c *sim.Thread, lost, over sim.Cell) {
	c.For(sim.Renew)
	c.StopWhen(sim.Stop{On: over})
	for c.Sleep(10 * ms) {
		if c.Call(n2, add(100), 15*ms).Reply == nil && c.Stopped() == "" {
			c.Store(lost, 1)
			return
		}
	}
}

func work(c *sim.Thread) sim.End {
	c.For(sim.Read)
	access := c.BeginAccess(sim.ReadAccess)
	outcome, seen := sim.Unknown, sim.Nobody
	if c.Call(n1, add(200), 30*ms).Reply != nil {
		outcome, seen = sim.Accepted, sim.Holder{Client: 1, Attempt: 1}
	}
	c.EndAccess(access, outcome, seen)
	c.For(sim.Work)
	c.Work()
	c.Effect(seen)
	c.Wall()
	if why := c.Stopped(); why != "" {
		return why
	}
	return sim.Released
}

func busyLab() *lab {
	return &lab{program: busy, probe: busy}
}

func clone(h *sim.History) sim.History {
	c := *h
	c.Grants = append([]sim.Grant(nil), h.Grants...)
	c.Accesses = append([]sim.Access(nil), h.Accesses...)
	c.Effects = append([]sim.Effect(nil), h.Effects...)
	c.Changes = append([]sim.Change(nil), h.Changes...)
	return c
}

func TestScheduleGivesTheSameRunEveryTime(t *testing.T) {
	used := busyLab().world()
	t.Cleanup(used.Close)
	rapid.Check(t, func(t *rapid.T) {
		s := anySchedule(t, 200*ms)
		type outcome struct {
			history sim.History
			count   int
			defect  string
			struck  []bool
			reach   sim.Reach
		}
		run := func(w *sim.World, do func(sim.Schedule) (sim.Result, error)) (outcome, string) {
			r, err := do(s)
			if err != nil {
				t.Fatal(err)
			}
			struck := append([]bool(nil), r.Struck...)
			return outcome{clone(r.History), r.Count, r.Defect, struck, w.Reached()}, sim.Hash(r.Events)
		}
		fresh := busyLab().world()
		defer fresh.Close()
		want, hash := run(fresh, fresh.Record)
		if want.defect != "" {
			t.Fatal(want.defect)
		}
		recorded, again := run(used, used.Record)
		if again != hash {
			t.Error("the world that has been used records other events")
		}
		bare, _ := run(used, used.Run)
		for _, got := range []outcome{recorded, bare} {
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%q gives\n%+v\nthen\n%+v", s.Lines(), want, got)
			}
		}
	})
}

func TestStampsCountTheEventsOfTheFullRecord(t *testing.T) {
	w := busyLab().world()
	t.Cleanup(w.Close)
	rapid.Check(t, func(t *rapid.T) {
		r, err := w.Record(anySchedule(t, 200*ms))
		if err != nil {
			t.Fatal(err)
		}
		check := func(s sim.Stamp, kinds ...sim.EventKind) {
			e := r.Events[s.Index]
			for _, kind := range kinds {
				if e.Kind == kind && e.At == s.At {
					return
				}
			}
			t.Fatalf("stamp %+v stands for %v, want one of %v", s, e, kinds)
		}
		h := r.History
		for _, g := range h.Grants {
			check(g.Call, sim.EventAcquire)
			check(g.From, sim.EventGrant)
			check(g.Until, sim.EventEnd, sim.EventClose)
		}
		for _, a := range h.Accesses {
			check(a.Call, sim.EventAccess)
			check(a.Return, sim.EventAccess, sim.EventClose)
		}
		for _, e := range h.Effects {
			check(e.At, sim.EventEffect)
		}
		for _, c := range h.Changes {
			check(c.At, sim.EventChange)
		}
		check(h.HealedAt, sim.EventCalm)
		check(h.Ended, sim.EventClose)
		if n := len(r.Events); n != r.Count || n != int(h.Ended.Index)+1 {
			t.Fatalf("%d events, counted %d, the last stamp is %d", n, r.Count, h.Ended.Index)
		}
	})
}

func TestTrueTimeNeverRunsBackward(t *testing.T) {
	w := busyLab().world()
	t.Cleanup(w.Close)
	rapid.Check(t, func(t *rapid.T) {
		s := anySchedule(t, sim.MaxTime) // no sum of such times overflows
		r, err := w.Record(s)
		if err != nil || r.Defect != "" {
			t.Fatalf("error %v, defect %q", err, r.Defect)
		}
		var last clock.Instant
		for _, e := range r.Events {
			if e.At < last || e.At > clock.Instant(time.Second)+clock.Instant(r.History.Patience) {
				t.Fatalf("%v comes after %d", e, last)
			}
			last = e.At
		}
	})
}

func TestHashTellsRecordsApart(t *testing.T) {
	a := []sim.Event{{At: 1, Actor: "A", Kind: sim.EventStart}}
	b := []sim.Event{{At: 2, Actor: "A", Kind: sim.EventStart}}
	if sim.Hash(a) == sim.Hash(b) || sim.Hash(a) == sim.Hash(nil) || sim.Hash(a) != sim.Hash(a[:1:1]) {
		t.Error("equal hashes of different records, or different ones of equal records")
	}
}
