package sim

import (
	"fmt"
	"time"
)

// death ends a client's process for good: its lock, if it holds one, is left
// behind. The system that it ran on closes its connections.
var death = &Kind{
	Name:   "death",
	Brief:  "a client's process dies, leaving its lock behind; its connections are closed",
	Places: []Place{BeforeStep, AtInstant},
	Actors: Clients,
	Tell:   func(Fault) string { return "dies" },
	strike: func(w *World, f *armed) {
		w.kill(w.client(f.from))
		w.hangUpAll(w.client(f.from))
	},
}

// vanish ends a client's whole machine, as a power cut does: nobody closes its
// connections, and servers have to find out for themselves.
var vanish = &Kind{
	Name:   "vanish",
	Brief:  "a client's machine is gone, leaving its lock and its connections behind",
	Places: []Place{BeforeStep, AtInstant},
	Actors: Clients,
	Tell:   func(Fault) string { return "its machine is gone" },
	strike: func(w *World, f *armed) {
		w.kill(w.client(f.from))
	},
}

// overrun makes a job work longer than planned. The client is not frozen: its
// watchdog and its deadline go on.
var overrun = &Kind{
	Name:    "overrun",
	Brief:   "a job works longer than planned",
	Places:  []Place{InRound},
	Actors:  Clients,
	Unit:    Length,
	Amounts: lengths,
	Tell:    func(f Fault) string { return fmt.Sprintf("the job will work %v longer than planned", f.length()) },
}

// wakeOrder picks which of the signals that came during a pause is handled
// first after it: the reply or the timeout, the worker or the watchdog.
var wakeOrder = &Kind{
	Name:    "wake-order",
	Brief:   "after a pause, another of the waiting signals is handled first",
	Places:  []Place{AfterPause},
	Actors:  Clients,
	Unit:    Choice,
	Amounts: func(time.Duration) []int64 { return []int64{2, 3} },
	Tell: func(f Fault) string {
		return fmt.Sprintf("signal %d of those that came during the pause is handled first", f.Amount)
	},
}
