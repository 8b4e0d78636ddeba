package sim

import "time"

// death ends a client for good, without a word to anybody: its lock, if it
// holds one, is left behind.
var death = &Kind{
	Name:   "death",
	Brief:  "a client dies, leaving its lock behind",
	Places: []Place{BeforeStep, AtInstant},
	Actors: Clients,
	strike: func(w *World, f *armed) {
		w.kill(&w.processes[f.client])
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
}
