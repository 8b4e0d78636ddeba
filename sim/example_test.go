package sim_test

import (
	"fmt"
	"time"

	"simrun/sim"
)

// A register is a server that holds one lock, without an expiry.
type register struct{ owner sim.Holder }

type take struct{}

func (take) String() string { return "take the lock" }

type answer string

func (a answer) String() string { return string(a) }

func (r *register) Serve(m *sim.Machine, c sim.Call) {
	if r.owner != sim.Nobody {
		m.Answer(c, answer("it is taken"))
		return
	}
	r.owner = c.By
	m.Changed(sim.Took, c.By, c.By)
	m.Answer(c, answer("it is yours"))
}

func (r *register) Crash(_ *sim.Machine, keep bool) {
	if !keep {
		r.Reset()
	}
}

func (r *register) Settle(*sim.Machine) {}
func (r *register) Reset()              { *r = register{} }

// A server that forgets its lock gives it to a second client while the first
// still believes that it holds it.
func Example() {
	program := func(t *sim.Thread) {
		t.BeginAcquire()
		if t.Call(0, take{}, 50*time.Millisecond).Reply == answer("it is yours") {
			t.Granted(0)
			t.Work()
			t.EndBelief(sim.Released)
		}
	}
	world := sim.NewWorld(sim.Setup{
		Servers:  []sim.ServerSpec{{Name: "n1", Server: new(register)}},
		Program:  program,
		Probe:    func(*sim.Thread) {},
		Limit:    time.Second,
		Patience: time.Second,
	})
	defer world.Close()

	schedule, err := sim.ParseSchedule([]string{
		"noise seed 7 from 1ms to 1ms",
		"client A starts at 0s works 100ms rounds 1",
		"client B starts at 20ms works 100ms rounds 1",
		"amnesia n1 before request 2 for 0s",
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := world.Run(schedule)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, g := range result.History.Grants {
		fmt.Printf("%v believes from %v to %v\n", g.Holder, time.Duration(g.From.At), time.Duration(g.Until.At))
	}
	// Output:
	// A#1 believes from 2ms to 102ms
	// B#1 believes from 22ms to 122ms
}
