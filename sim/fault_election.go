package sim

import "fmt"

// election makes a service of several members lose its leader. Until it has
// another, it answers nobody.
var election = &Kind{
	Name:    "election",
	Brief:   "a coordination service loses its leader and elects another",
	Places:  []Place{BeforeRequest, AtInstant},
	Actors:  Electors,
	Unit:    Length,
	Amounts: lengths,
	Tell:    func(f Fault) string { return fmt.Sprintf("loses its leader, elects another within %v", f.length()) },
	strike: func(w *World, f *armed) {
		m := w.server(f.from)
		m.roles.elector.Elect(m, f.length())
	},
}
