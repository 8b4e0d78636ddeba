package sim_test

import (
	"fmt"
	"testing"
	"time"

	"simrun/clock"
	"simrun/sim"
)

// A gossip is a counter that passes every request on to the other one.
type gossip struct {
	counter
	other sim.ServerID
	heard diary
}

func (g *gossip) Serve(m *sim.Machine, c sim.Call) {
	m.Send(g.other, c.Request)
	g.counter.Serve(m, c)
}

func (g *gossip) Hear(m *sim.Machine, from sim.ServerID, r sim.Request) {
	g.heard.note("%v from n%d at %v", r, from+1, time.Duration(m.Wall()-clock.Epoch))
}

// pair returns two servers that talk to each other.
func pair() (a, b *gossip) { return &gossip{other: n2}, &gossip{other: n1} }

// say asks n1 to pass something on every 10 ms, from 0 ms on.
func say(times int) func(*sim.Thread) {
	return func(c *sim.Thread) {
		for i := range times {
			c.Call(n1, add(i+1), 5*ms)
			c.Sleep(8 * ms)
		}
		c.Sleep(100 * ms)
	}
}

// A message to n1 takes a millisecond, and so does that which n1 passes on.
func TestServersHearEachOther(t *testing.T) {
	tests := []struct {
		faults []string
		want   []string
	}{
		{nil, []string{"add 1 from n1 at 2ms", "add 2 from n1 at 12ms", "add 3 from n1 at 22ms"}},
		{[]string{"loss n1->n2 request 2"}, []string{"add 1 from n1 at 2ms", "add 3 from n1 at 22ms"}},
		{[]string{"delay n1->n2 request 1 for 30ms"}, []string{"add 1 from n1 at 32ms", "add 2 from n1 at 32ms", "add 3 from n1 at 32ms"}},
		{[]string{"delay n1->n2 request 2 for 5ms"}, []string{"add 1 from n1 at 2ms", "add 2 from n1 at 17ms", "add 3 from n1 at 22ms"}},
		{[]string{"partition n1<->n2 at 5ms for 10ms"}, []string{"add 1 from n1 at 2ms", "add 3 from n1 at 22ms"}},
		{[]string{"partition n1->n2 at 1.5ms for 10ms"}, []string{"add 3 from n1 at 22ms"}}, // the first is on its way, the second sent too soon
		{[]string{"partition n2->n1 at 0s for 30ms"}, []string{"add 1 from n1 at 2ms", "add 2 from n1 at 12ms", "add 3 from n1 at 22ms"}},
		{[]string{"node-pause n2 at 5ms for 20ms"}, []string{"add 1 from n1 at 2ms", "add 2 from n1 at 25ms", "add 3 from n1 at 25ms"}},
		{[]string{"crash n2 at 5ms for 10ms"}, []string{"add 1 from n1 at 2ms", "add 3 from n1 at 22ms"}},
		{[]string{"node-pause n2 at 5ms for 10ms", "crash n2 at 13ms for 1ms"}, []string{"add 1 from n1 at 2ms", "add 3 from n1 at 22ms"}},
	}
	for _, test := range tests {
		t.Run(fmt.Sprint(test.faults), func(t *testing.T) {
			a, b := pair()
			play(t, say(3), []sim.Server{a, b}, test.faults...)
			b.heard.want(t, test.want...)
			a.heard.want(t)
		})
	}
}

// The two directions between servers have nothing to do with each other, and
// neither do the messages of clients.
func TestLinksBetweenServersAreCountedByThemselves(t *testing.T) {
	a, b := pair()
	play(t, func(c *sim.Thread) {
		c.Broadcast([]sim.ServerID{n1, n2}, add(1), 5*ms)
		c.Sleep(50 * ms)
	}, []sim.Server{a, b}, "delay n1->n2 request 1 for 30ms")
	a.heard.want(t, "add 1 from n2 at 2ms")
	b.heard.want(t, "add 1 from n1 at 32ms")
}

// What n1 hears is no request that a fault could be armed before.
func TestMessagesOfServersAreNotCountedAsRequests(t *testing.T) {
	a, b := pair()
	play(t, func(c *sim.Thread) {
		c.Call(n1, add(1), 5*ms)
		c.Call(n2, add(2), 5*ms)
		c.Sleep(50 * ms)
	}, []sim.Server{a, b}, "clock-step n2 before request 1 by +1h")
	b.heard.want(t, "add 1 from n1 at 2ms")
	b.wantServed(t, "add 2 at 1h0m0.003s")
}

func TestTalkOfServersDoesNotKeepARunGoing(t *testing.T) {
	a := &chatter{other: n2}
	h := play(t, func(c *sim.Thread) { c.Sleep(10 * ms) }, []sim.Server{a, &chatter{other: n1}})
	if h.Ended.At != clock.Instant(30*ms) || a.heard == 0 {
		t.Errorf("the run ended at %v after %d words, want 30ms and some", time.Duration(h.Ended.At), a.heard)
	}
}

// A chatter answers every word of the other with one of its own.
type chatter struct {
	counter
	other sim.ServerID
	heard int
}

func (c *chatter) Start(m *sim.Machine) { m.Send(c.other, add(0)) }

func (c *chatter) Hear(m *sim.Machine, from sim.ServerID, r sim.Request) {
	c.heard++
	m.Send(from, r)
}
