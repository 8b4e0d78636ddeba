package sim_test

import (
	"fmt"
	"testing"
	"time"

	"simrun/sim"
)

// A hotel notes who comes and who goes, and each time an alarm rings whether
// the guest who came last would answer.
type hotel struct {
	counter
	last  sim.Conn
	diary diary
}

func (h *hotel) Serve(m *sim.Machine, c sim.Call) {
	h.last = c.Conn
	h.diary.note("%s %v", c.Request, time.Duration(m.Monotonic()))
	m.Answer(c, c.Request.(sim.Reply))
}

func (h *hotel) Closed(m *sim.Machine, c sim.Conn) {
	h.diary.note("closed %v %v", c == h.last, time.Duration(m.Monotonic()))
}

func (h *hotel) Start(m *sim.Machine) { m.After(20*ms, 0) }

func (h *hotel) Ring(m *sim.Machine, _ int64) { h.diary.note("answers %v", m.Answers(h.last)) }

// A word is a request that is its own reply.
type word string

func (w word) String() string { return string(w) }

func (h *hotel) run(t *testing.T, program func(*sim.Thread), faults ...string) {
	t.Helper()
	w := sim.NewWorld(sim.Setup{
		Servers: []sim.ServerSpec{{Name: "n1", Server: h}},
		Program: func(c *sim.Thread) {
			if c.Client() == 0 {
				program(c)
			}
			c.Sleep(100 * ms) // so that the run goes on without A
		},
		Probe: func(*sim.Thread) {}, Limit: time.Second,
	})
	t.Cleanup(w.Close)
	s := sim.Schedule{Noise: sim.Noise{Min: ms, Max: ms}, Clients: []sim.Plan{{}, {Client: 1}}}
	for _, line := range faults {
		f, err := sim.ParseFault(line)
		if err != nil {
			t.Fatal(err)
		}
		s.Faults = append(s.Faults, f)
	}
	if r, err := w.Run(s); err != nil || r.Defect != "" {
		t.Fatal(err, r.Defect)
	}
}

// A connection is first in, first out: that it is closed is heard after all that
// was sent on it.
func TestClosingComesAfterWhatWasSentBefore(t *testing.T) {
	var h hotel
	h.run(t, func(c *sim.Thread) {
		c.Call(n1, word("late"), 5*ms)
		c.Sleep(50 * ms)
	}, "delay A->n1 request 1 for 10ms")
	h.diary.want(t, "late 11ms", "closed true 11ms", "answers false")
}

func TestWhoAnswersProbes(t *testing.T) {
	stay := func(c *sim.Thread) { c.Call(n1, word("hello"), 5*ms); c.Sleep(50 * ms) }
	tests := []struct {
		name    string
		program func(*sim.Thread)
		faults  []string
		answers bool
	}{
		{"one who is there", stay, nil, true},
		{"one who is dead", stay, []string{"death A at 10ms"}, false},
		{"one whose machine is gone", stay, []string{"vanish A at 10ms"}, false},
		{"one who is frozen", stay, []string{"pause A at 10ms for 15ms"}, false},
		{"one who was frozen", stay, []string{"pause A at 10ms for 5ms"}, true},
		{"one whose answers are cut off", stay, []string{"partition A->n1 at 10ms for 15ms"}, false},
		{"one whose probes are cut off", stay, []string{"partition n1->A at 10ms for 15ms"}, false},
		{"one with another connection", func(c *sim.Thread) { c.Call(n1, word("hello"), 5*ms); c.Close(n1); c.Sleep(50 * ms) }, nil, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var h hotel
			h.run(t, tt.program, tt.faults...)
			want := fmt.Sprintf("answers %v", tt.answers)
			for _, line := range h.diary {
				if line == want {
					return
				}
			}
			t.Errorf("%v, want %q", h.diary, want)
		})
	}
}
