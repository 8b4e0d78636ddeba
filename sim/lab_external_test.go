package sim_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"simrun/clock"
	"simrun/sim"
)

const ms = time.Millisecond

// The servers of a lab.
const (
	n1 sim.ServerID = iota
	n2
)

// A lab is a world of two counters on a network where every message takes a
// millisecond: a request is served one after it was sent, and its reply is
// there after two.
type lab struct {
	program func(*sim.Thread)
	probe   func(*sim.Thread) // does nothing where nil
	clients int               // one where 0
	work    time.Duration
	durable bool

	n1, n2 counter
}

// run records a run of the lab with the given faults.
func (l *lab) run(t *testing.T, faults ...string) sim.Result {
	t.Helper()
	w := l.world()
	t.Cleanup(w.Close)
	result, err := w.Record(l.schedule(t, faults...))
	if err != nil {
		t.Fatal(err)
	}
	if result.Defect != "" {
		t.Fatalf("the run broke off: %s", result.Defect)
	}
	if i := slices.Index(result.Struck, false); i >= 0 {
		t.Fatalf("fault %q did not strike", faults[i])
	}
	return result
}

func (l *lab) world() *sim.World {
	probe := l.probe
	if probe == nil {
		probe = func(*sim.Thread) {}
	}
	return sim.NewWorld(sim.Setup{
		Servers: []sim.ServerSpec{{Name: "n1", Server: &l.n1, Durable: l.durable}, {Name: "n2", Server: &l.n2}},
		Program: l.program, Probe: probe,
		Limit: time.Second, Patience: time.Second,
	})
}

func (l *lab) schedule(t *testing.T, faults ...string) sim.Schedule {
	t.Helper()
	s := sim.Schedule{
		Noise:   sim.Noise{Min: ms, Max: ms},
		Clients: make([]sim.Plan, max(1, l.clients)),
	}
	for i := range s.Clients {
		s.Clients[i] = sim.Plan{Client: i, Work: l.work, Rounds: 1}
	}
	for _, line := range faults {
		f, err := sim.ParseFault(line)
		if err != nil {
			t.Fatal(err)
		}
		s.Faults = append(s.Faults, f)
	}
	return s
}

// An add asks a counter to count one more. The number tells requests apart.
type add int

func (a add) String() string { return fmt.Sprintf("add %d", int(a)) }

// A total answers an [add]: how much has been counted.
type total int

func (n total) String() string { return fmt.Sprintf("total %d", int(n)) }

// A counter is a server that keeps a count and notes what it served, and when
// by its own wall clock.
type counter struct {
	count  int
	writer sim.Holder
	served []service

	settled []time.Duration // when it was asked to settle, by its wall clock
}

type service struct {
	request sim.Request
	by      string
	at      time.Duration // since the epoch
}

func (c *counter) Serve(m *sim.Machine, call sim.Call) {
	c.served = append(c.served, service{call.Request, call.By.Name(), time.Duration(m.Wall() - clock.Epoch)})
	c.count++
	m.Wrote(call.By, c.writer)
	c.writer = call.By
	m.Answer(call, total(c.count))
}

func (c *counter) Crash(_ *sim.Machine, keep bool) {
	if !keep {
		c.count, c.writer = 0, sim.Nobody
	}
}

func (c *counter) Settle(m *sim.Machine) {
	c.settled = append(c.settled, time.Duration(m.Wall()-clock.Epoch))
}

func (c *counter) Reset() { *c = counter{} }

// Elect does nothing: every counter leads itself.
func (c *counter) Elect(*sim.Machine, time.Duration) {}

// wantServed checks what was served and when, such as "add 1 at 1ms".
func (c *counter) wantServed(t *testing.T, want ...string) {
	t.Helper()
	var got []string
	for _, s := range c.served {
		got = append(got, fmt.Sprintf("%v at %v", s.request, s.at))
	}
	wantEqual(t, "served", got, want)
}

// A diary is what a client noted down of a run.
type diary []string

func (d *diary) note(format string, args ...any) { *d = append(*d, fmt.Sprintf(format, args...)) }

// call calls n1 and notes the reply and when it came by the client's clock.
func (d *diary) call(c *sim.Thread, r sim.Request, timeout time.Duration) {
	reply := c.Call(n1, r, timeout).Reply
	d.note("%v: %v at %v", r, reply, since(c))
}

// since returns how long the client's monotonic clock says the run has lasted.
func since(c *sim.Thread) time.Duration { return time.Duration(c.Monotonic()) }

func (d diary) want(t *testing.T, want ...string) {
	t.Helper()
	wantEqual(t, "noted", d, want)
}

func wantEqual(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s\n\t%s\nwant\n\t%s", what, strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}
