package fidelity

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"simrun/sim"
)

// This file is what the tests of etcd and of ZooKeeper share: a sequence of
// requests goes to a simulated server and to the real one, and the accounts of
// what each answered must be the same.

// A wait is a request to nobody: time passes.
type wait time.Duration

func (w wait) String() string { return "wait " + time.Duration(w).String() }

// A restart is a request to nobody: the server crashes, and comes back with
// what it had stored.
type restart struct{}

func (restart) String() string { return "restart the server" }

// A silence is a request to nobody: a client says nothing more in its session.
type silence int64

func (s silence) String() string { return fmt.Sprintf("session 0x%x falls silent", int64(s)) }

// simulated returns what a simulated server answers to requests, nil where it
// does not. A request that blocks is answered when something happens later, and
// who asks goes on without the answer.
func simulated(t testing.TB, server sim.Server, requests []sim.Request, blocks func(sim.Request) bool) []sim.Reply {
	t.Helper()
	replies := make([]sim.Reply, len(requests))
	simulate(t, server, crashes(t, requests), func(t *sim.Thread) {
		for i, r := range requests {
			switch r := r.(type) {
			case wait:
				t.Sleep(time.Duration(r))
			case silence:
			case restart:
				t.Call(0, r, time.Millisecond) // the request before which it crashes
				t.Sleep(time.Second)           // an election
			default:
				ask := func(t *sim.Thread) { replies[i] = t.Call(0, r, time.Hour).Reply }
				if blocks(r) {
					t.Go("waiter", ask)
					t.Sleep(time.Millisecond)
				} else {
					ask(t)
				}
			}
		}
		t.Sleep(time.Millisecond)
	})
	return replies
}

// crashes returns the faults that restart a server where it is requested.
func crashes(t testing.TB, requests []sim.Request) (faults []sim.Fault) {
	t.Helper()
	served := 0
	for _, r := range requests {
		switch r.(type) {
		case wait, silence:
			continue
		}
		served++
		if r != (restart{}) {
			continue
		}
		f, err := sim.ParseFault(fmt.Sprintf("crash server before request %d for 0s", served))
		if err != nil {
			t.Fatal(err)
		}
		faults = append(faults, f)
	}
	return faults
}

// simulate runs a client's program in a world with one server.
func simulate(t testing.TB, server sim.Server, faults []sim.Fault, program func(*sim.Thread)) {
	t.Helper()
	w := sim.NewWorld(sim.Setup{
		Servers: []sim.ServerSpec{{Name: "server", Server: server, Durable: true}},
		Program: program,
		Probe:   func(*sim.Thread) {},
		Limit:   time.Hour,
	})
	defer w.Close()
	result, err := w.Run(sim.Schedule{Noise: sim.QuietNoise, Clients: []sim.Plan{{}}, Faults: faults})
	if err != nil {
		t.Fatal(err)
	}
	if result.Defect != "" {
		t.Fatal(result.Defect)
	}
}

// An account is what was asked and what was answered, line by line.
type account []string

func (l account) String() string { return "  " + strings.Join(l, "\n  ") }

// transcribe writes down what was asked and answered.
func transcribe(requests []sim.Request, replies []sim.Reply, text func(sim.Reply) string) account {
	var lines account
	for i, r := range requests {
		line := r.String()
		if replies[i] != nil {
			line += " -> " + text(replies[i])
		}
		lines = append(lines, line)
	}
	return lines
}

// mustAgree fails with both accounts unless they are the same.
func mustAgree(t rapid.TB, simulated, real account) {
	t.Helper()
	if i := difference(simulated, real); i >= 0 {
		t.Fatalf("they differ in line %d\nsimulated:\n%s\nreal:\n%s", i+1, simulated, real)
	}
}

// difference returns the first line in which accounts of the same requests differ,
// or -1.
func difference(simulated, real account) int {
	for i := range simulated {
		if simulated[i] != real[i] {
			return i
		}
	}
	return -1
}

// flat generates sequences of some forty steps on average, which shrink to one.
func flat[Step any](step *rapid.Generator[Step]) *rapid.Generator[[]Step] {
	return rapid.Map(rapid.SliceOfN(rapid.SliceOfN(step, 1, -1), 1, -1), func(parts [][]Step) []Step {
		return slices.Concat(parts...)
	})
}

// checks sets how many sequences a test tries.
func checks(t *testing.T, n int) { set(t, "rapid.checks", strconv.Itoa(n)) }

// mustBeCaught fails unless the accounts of a wrong server and of the real one,
// which follow the same steps, differ, and few requests suffice for that.
func mustBeCaught[Step any](t *testing.T, steps *rapid.Generator[[]Step], few int, follow func([]Step) (account, account)) {
	t.Helper()
	var last []Step
	verdict := caught(t, 0, func(t *rapid.T) {
		last = steps.Draw(t, "steps")
		simulated, real := follow(last)
		mustAgree(t, simulated, real)
	})
	if verdict == "" {
		t.Fatal("a wrong server is not caught")
	}
	simulated, real := follow(fewest(last, func(steps []Step) bool {
		simulated, real := follow(steps)
		return difference(simulated, real) >= 0
	}))
	if len(simulated) > few || difference(simulated, real) < 0 {
		t.Errorf("it is caught with %d requests, want %d at most:\nsimulated:\n%s\nreal:\n%s", len(simulated), few, simulated, real)
	}
}

// sum returns how many steps there are in all.
func (y tally) sum() int {
	n := 0
	for _, steps := range y {
		n += steps
	}
	return n
}

// of returns the steps of some rows.
func (y tally) of(rows ...string) tally {
	some := tally{}
	for _, name := range rows {
		some[name] = y[name]
	}
	return some
}
