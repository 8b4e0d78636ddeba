package sim

import "time"

// nodePause freezes a server. Its clocks go on, and what arrives waits.
var nodePause = &Kind{
	Name:    "node-pause",
	Brief:   "a server freezes; what arrives waits until it runs again",
	Places:  []Place{BeforeRequest, AtInstant},
	Actors:  Servers,
	Unit:    Length,
	Amounts: lengths,
	strike: func(w *World, f *armed) {
		w.machines[f.server].freeze(time.Duration(f.Amount))
	},
}
