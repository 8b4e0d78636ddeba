package sim

import (
	"fmt"
	"time"
)

// nodePause freezes a server. Its clocks go on, and what arrives waits.
var nodePause = &Kind{
	Name:    "node-pause",
	Brief:   "a server freezes; what arrives waits until it runs again",
	Places:  []Place{BeforeRequest, AtInstant},
	Actors:  Servers,
	Unit:    Length,
	Amounts: lengths,
	Tell:    func(f Fault) string { return fmt.Sprintf("freezes for %v", f.length()) },
	strike: func(w *World, f *armed) {
		w.server(f.from).freeze(time.Duration(f.Amount))
	},
}
