package sim_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"simrun/clock"
	"simrun/sim"
)

func TestDefectiveProgramIsReportedAndTheWorldGoesOn(t *testing.T) {
	var nothing map[string]int
	tests := []struct {
		name string
		do   func(*sim.Thread)
		want string
	}{
		{"panic", func(*sim.Thread) { panic("boom") }, `^panic: boom \(defect_external_test\.go:\d+\)$`},
		{"runtime error", func(*sim.Thread) { nothing["x"]++ }, `^panic: assignment to entry in nil map \(defect_external_test\.go:\d+\)$`},
		{"endless steps", func(c *sim.Thread) {
			for {
				c.Monotonic()
			}
		}, `^A took more than 100000 steps without an end of the run$`},
		{"sibling", func(c *sim.Thread) {
			c.Go("watchdog", func(*sim.Thread) { panic("boom") })
			c.Sleep(ms)
		}, `^panic: boom \(defect_external_test\.go:\d+\)$`},
		{"in the calm phase", func(c *sim.Thread) {
			c.Sleep(1500 * ms)
			panic("boom")
		}, `^panic: boom \(defect_external_test\.go:\d+\)$`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			good := lab{clients: 2, program: ask}
			want := sim.Hash(good.run(t).Events)

			defective := true
			l := lab{clients: 2, program: func(c *sim.Thread) {
				if defective {
					test.do(c)
				}
				ask(c)
			}}
			w := l.world()
			defer w.Close()
			result, err := w.Record(l.schedule(t))
			if err != nil || !regexp.MustCompile(test.want).MatchString(result.Defect) {
				t.Errorf("defect %q, error %v, want %s", result.Defect, err, test.want)
			}
			if last := result.Events[len(result.Events)-1]; last.Kind != sim.EventClose || last.Text != result.Defect {
				t.Errorf("the record ends with %v, want the defect", last)
			}

			defective = false
			result, err = w.Record(l.schedule(t))
			if err != nil || result.Defect != "" || sim.Hash(result.Events) != want {
				t.Errorf("the next run, defect %q and error %v, is not as in a world of its own", result.Defect, err)
			}
		})
	}
}

// Whoever serves events while it waits comes upon the panics of others. It must
// not see them, and nothing must happen after them.
func TestPanicOfOneClientIsNotSeenByAnother(t *testing.T) {
	l := lab{clients: 3, program: func(c *sim.Thread) {
		switch c.Client() {
		case 0:
			defer func() { _ = recover() }()
			c.Sleep(100 * ms)
		case 1:
			c.Sleep(ms)
			panic("boom")
		case 2:
			c.Sleep(2 * ms)
		}
	}}
	w := l.world()
	defer w.Close()
	result, err := w.Record(l.schedule(t))
	if err != nil || !strings.HasPrefix(result.Defect, "panic: boom ") {
		t.Errorf("defect %q, error %v, want the panic", result.Defect, err)
	}
	if last := result.Events[len(result.Events)-1]; last.At != clock.Instant(ms) {
		t.Errorf("the record ends with %v, want nothing after 1 ms", last)
	}
}

// A clumsy server panics.
type clumsy struct{ counter }

func (*clumsy) Serve(*sim.Machine, sim.Call) { panic("a bug of the server") }

func TestPanicOfAServerIsNoDefectOfTheProgram(t *testing.T) {
	w := sim.NewWorld(sim.Setup{
		Servers: []sim.ServerSpec{{Name: "n1", Server: new(clumsy)}},
		Program: func(c *sim.Thread) {
			defer func() { _ = recover() }()
			ask(c)
		},
		Probe: func(*sim.Thread) {}, Limit: time.Second, Patience: time.Second,
	})
	defer func() {
		if r := fmt.Sprint(recover()); !strings.HasPrefix(r, "a bug of the server (defect_external_test.go:") {
			t.Errorf("panic %q, want the server's and its place", r)
		}
	}()
	result, err := w.Run(sim.Schedule{Clients: []sim.Plan{{Rounds: 1}}, Noise: sim.Noise{Min: ms, Max: ms}})
	t.Errorf("the run goes on, with defect %q and error %v", result.Defect, err)
}
