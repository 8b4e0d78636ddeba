package sim_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"simrun/clock"
	"simrun/sim"
)

// A doorman is a counter that numbers the connections on which it is asked,
// and notes those that close.
type doorman struct {
	counter
	conns []sim.Conn
	log   diary
}

func (d *doorman) Serve(m *sim.Machine, c sim.Call) {
	d.log.note("%v on %d", c.Request, d.number(c.Conn))
	d.counter.Serve(m, c)
}

func (d *doorman) Closed(m *sim.Machine, c sim.Conn) {
	d.log.note("%d closed at %v", d.number(c), time.Duration(m.Wall()-clock.Epoch))
}

func (d *doorman) number(c sim.Conn) int {
	i := slices.Index(d.conns, c)
	if i < 0 {
		d.conns = append(d.conns, c)
		i = len(d.conns) - 1
	}
	return i + 1
}

// sayTwice calls n1 at 0 and at 20 ms, and is done at 52 ms.
func sayTwice(c *sim.Thread) {
	c.Call(n1, add(1), 10*ms)
	c.Sleep(18 * ms)
	c.Call(n1, add(2), 10*ms)
	c.Sleep(30 * ms)
}

func TestConnectionClosesWhenItsClientIsDoneWithIt(t *testing.T) {
	tests := []struct {
		name   string
		faults []string
		want   []string
	}{
		{"when the client ends", nil,
			[]string{"add 1 on 1", "add 2 on 1", "1 closed at 53ms"}},
		{"when a reply does not come in time", []string{"loss n1->A reply 1"},
			[]string{"add 1 on 1", "1 closed at 11ms", "add 2 on 2", "2 closed at 61ms"}},
		{"when the client dies", []string{"death A at 10ms"},
			[]string{"add 1 on 1", "1 closed at 11ms"}},
		{"not when its machine is gone", []string{"vanish A at 10ms"},
			[]string{"add 1 on 1"}},
		{"not when it pauses", []string{"pause A at 10ms for 5ms"},
			[]string{"add 1 on 1", "add 2 on 1", "1 closed at 53ms"}},
		{"unheard through a partition", []string{"death A at 10ms", "partition A<->n1 at 5ms for 10ms"},
			[]string{"add 1 on 1"}},
		{"unheard through a partition one way", []string{"death A at 10ms", "partition A->n1 at 5ms for 10ms"},
			[]string{"add 1 on 1"}},
		{"heard through a partition the other way", []string{"death A at 10ms", "partition n1->A at 5ms for 10ms"},
			[]string{"add 1 on 1", "1 closed at 11ms"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var d doorman
			play(t, sayTwice, []sim.Server{&d}, test.faults...)
			d.log.want(t, test.want...)
		})
	}
}

func TestCloseClosesAConnectionOfTheThreadsOwn(t *testing.T) {
	var d, other doorman
	play(t, func(c *sim.Thread) {
		c.Go("second", func(c *sim.Thread) {
			c.Call(n1, add(1), 10*ms)
			c.Sleep(18 * ms)
			c.Call(n1, add(2), 10*ms)
			c.Sleep(time.Second)
		})
		c.Close(n1) // nothing was said on it
		c.Sleep(5 * ms)
		c.Call(n1, add(3), 10*ms)
		c.Call(n2, add(3), 10*ms)
		c.Close(n1)
		c.Close(n1)
		c.Call(n1, add(4), 10*ms)
		c.Sleep(20 * ms)
	}, []sim.Server{&d, &other})
	d.log.want(t, "add 1 on 1", "add 3 on 2", "2 closed at 10ms", "add 4 on 3", "add 2 on 1", "3 closed at 32ms", "1 closed at 32ms")
	other.log.want(t, "add 3 on 1", "1 closed at 32ms")
}

func TestServerHearsOfAClosedConnectionWhenItRuns(t *testing.T) {
	for fault, want := range map[string][]string{
		"node-pause n1 at 5ms for 15ms": {"add 1 on 1", "1 closed at 20ms"},
		"crash n1 at 5ms for 15ms":      {"add 1 on 1"},
	} {
		t.Run(fault, func(t *testing.T) {
			var d doorman
			play(t, func(c *sim.Thread) {
				c.Call(n1, add(1), 10*ms)
				c.Sleep(8 * ms)
				c.Close(n1)
				c.Sleep(30 * ms)
			}, []sim.Server{&d}, fault)
			d.log.want(t, want...)
		})
	}
}

// An election is told to the server, at its time, once.
func TestElectionIsLeftToTheServer(t *testing.T) {
	for fault, want := range map[string]string{
		"election n1 at 15ms for 30ms":          "30ms at 15ms",
		"election n1 before request 2 for 30ms": "30ms at 21ms",
	} {
		t.Run(fault, func(t *testing.T) {
			var e elector
			play(t, sayTwice, []sim.Server{&e}, fault)
			e.log.want(t, want)
			e.wantServed(t, "add 1 at 1ms", "add 2 at 21ms")
		})
	}
}

type elector struct {
	counter
	log diary
}

func (e *elector) Elect(m *sim.Machine, d time.Duration) {
	e.log.note("%v at %v", d, time.Duration(m.Wall()-clock.Epoch))
}

// A hermit has no members to elect a leader from.
type hermit struct{}

func (hermit) Serve(m *sim.Machine, c sim.Call) { m.Answer(c, total(0)) }
func (hermit) Crash(*sim.Machine, bool)         {}
func (hermit) Settle(*sim.Machine)              {}
func (hermit) Reset()                           {}

func TestElectionNeedsAnElector(t *testing.T) {
	w := sim.NewWorld(sim.Setup{
		Servers: []sim.ServerSpec{{Name: "n1", Server: hermit{}}, {Name: "n2", Server: new(counter)}},
		Program: func(*sim.Thread) {}, Probe: func(*sim.Thread) {},
		Limit: time.Second, Patience: time.Second,
	})
	defer w.Close()
	_, err := w.Run(new(lab).schedule(t, "election n1 at 10ms for 20ms"))
	const want = `fault "election n1 at 10ms for 20ms": unknown actor "n1", want one of n2`
	if fmt.Sprint(err) != want {
		t.Errorf("error %v, want %s", err, want)
	}
}
