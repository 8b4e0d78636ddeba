package nodes

import "simrun/sim"

// A repeated is a message that a server sends again and again and that seldom
// changes. It keeps the last one as the interface that [sim.Machine.Send] takes,
// since heartbeats are most of what replicated servers do, and to make that
// anew each time is most of what a heartbeat costs.
type repeated[T interface {
	comparable
	sim.Request
}] struct {
	last    T
	request sim.Request
}

// of returns r as a request.
func (p *repeated[T]) of(r T) sim.Request {
	if p.request == nil || p.last != r {
		p.last, p.request = r, r
	}
	return p.request
}
