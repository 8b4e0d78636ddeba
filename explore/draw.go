package explore

import (
	"time"

	"pgregory.net/rapid"

	"simrun/sim"
)

// faults returns a draw for every choice of the selection that the space has
// an actor and a point for.
func (sp *Space) faults() []draw {
	var draws []draw
	for _, c := range sp.Faults {
		if d := sp.draw(c); d != nil {
			draws = append(draws, d)
		}
	}
	return draws
}

// Idle returns the choices of the selection that nothing in the space fits,
// such as a pause before renewing where nobody renews.
func (sp *Space) Idle() Selection {
	var idle Selection
	for _, c := range sp.Faults {
		if sp.draw(c) == nil {
			idle = append(idle, c)
		}
	}
	return idle
}

// draw returns a draw for one choice, or nil if nothing in the space fits it.
func (sp *Space) draw(c Choice) draw {
	var spots []spot
	for _, place := range c.Kind.Places {
		if c.Limited && c.Place != place {
			continue
		}
		if s := sp.spot(c, place); s != nil {
			spots = append(spots, s)
		}
	}
	if len(spots) == 0 {
		return nil
	}
	var amounts []int64
	if c.Kind.Amounts != nil {
		amounts = c.Kind.Amounts(sp.Params.TTL)
	}
	return func(t *rapid.T) sim.Fault {
		f := sim.Fault{Kind: c.Kind}
		f.Actor, f.Point = spots[pick(t, len(spots))](t)
		if amounts != nil {
			f.Amount = amounts[pick(t, len(amounts))]
		}
		return f
	}
}

// A spot draws an actor and a point of one place.
type spot func(t *rapid.T) (sim.Actor, sim.Point)

func (sp *Space) spot(c Choice, place sim.Place) spot {
	switch place {
	case sim.AtInstant:
		return sp.instants(c.Kind)
	case sim.BeforeStep:
		return sp.steps(c)
	case sim.BeforeRequest:
		return sp.handled(c.Kind)
	case sim.OnRequest, sim.OnReply:
		return sp.messages(place)
	case sim.InRound:
		return sp.counted(place, sp.Params.Rounds)
	default:
		return sp.counted(place, 2)
	}
}

// counted draws a client and a count, for points that are counted by client.
func (sp *Space) counted(place sim.Place, most int) spot {
	return func(t *rapid.T) (sim.Actor, sim.Point) {
		client := sp.clients[pick(t, len(sp.clients))]
		return sim.Actor{From: client}, sim.Point{Place: place, N: 1 + pick(t, most)}
	}
}

func (sp *Space) instants(k *sim.Kind) spot {
	actors := sp.single(k)
	if k.Actors&sim.Connections != 0 {
		actors = sp.links()
	}
	if len(actors) == 0 {
		return nil
	}
	moments := rapid.IntRange(0, int(sp.limit/time.Millisecond))
	return func(t *rapid.T) (sim.Actor, sim.Point) {
		actor := actors[pick(t, len(actors))]
		return actor, sim.Point{Place: sim.AtInstant, At: sp.instant(t, moments)}
	}
}

// single returns the clients and servers that a kind can strike.
func (sp *Space) single(k *sim.Kind) []sim.Actor {
	var actors []sim.Actor
	if k.Actors&sim.Clients != 0 {
		for _, name := range sp.clients {
			actors = append(actors, sim.Actor{From: name})
		}
	}
	for _, s := range sp.servers {
		if s.MayBe(k.Actors) {
			actors = append(actors, sim.Actor{From: s.Name})
		}
	}
	return actors
}

// links returns what a partition can cut: one client from one server, both
// ways and either way, a client from all servers, a server from all clients.
func (sp *Space) links() []sim.Actor {
	var actors []sim.Actor
	for _, client := range sp.clients {
		for _, s := range sp.servers {
			actors = append(actors,
				sim.Actor{From: client, Link: sim.BothWays, To: s.Name},
				sim.Actor{From: client, Link: sim.OneWay, To: s.Name},
				sim.Actor{From: s.Name, Link: sim.OneWay, To: client})
		}
		actors = append(actors, sim.Actor{From: client, Link: sim.BothWays, To: "*"})
	}
	for i, s := range sp.servers {
		actors = append(actors, sim.Actor{From: "*", Link: sim.BothWays, To: s.Name})
		for _, other := range sp.servers[i+1:] {
			if s.Talks() && other.Talks() {
				actors = append(actors, sim.Actor{From: s.Name, Link: sim.BothWays, To: other.Name})
			}
		}
	}
	return actors
}

// steps draws a client, a purpose that it has steps of, and one of these.
func (sp *Space) steps(c Choice) spot {
	var purposes []sim.Purpose
	for p := range sim.Purposes {
		if sp.anyTakes(p) && (!c.Limited || c.Purpose == p) {
			purposes = append(purposes, p)
		}
	}
	if len(purposes) == 0 {
		return nil
	}
	return func(t *rapid.T) (sim.Actor, sim.Point) {
		client := pick(t, len(sp.clients))
		p := purposes[pick(t, len(purposes))]
		n := 1 + pick(t, int(max(1, sp.reach.Steps[client][p])))
		return sim.Actor{From: sp.clients[client]}, sim.Point{Place: sim.BeforeStep, Purpose: p, N: n}
	}
}

// anyTakes reports whether a client of the quiet run took a step of a purpose.
func (sp *Space) anyTakes(p sim.Purpose) bool {
	for i := range sp.clients {
		if sp.reach.Steps[i][p] > 0 {
			return true
		}
	}
	return false
}

func (sp *Space) handled(k *sim.Kind) spot {
	servers := make([]int, 0, len(sp.servers))
	for i, s := range sp.servers {
		if s.MayBe(k.Actors) {
			servers = append(servers, i)
		}
	}
	if len(servers) == 0 {
		return nil
	}
	return func(t *rapid.T) (sim.Actor, sim.Point) {
		i := servers[pick(t, len(servers))]
		n := 1 + pick(t, max(1, sp.reach.Handled[i]))
		return sim.Actor{From: sp.servers[i].Name}, sim.Point{Place: sim.BeforeRequest, N: n}
	}
}

// messages draws a message of a client and a server or, where servers talk to
// each other, of two servers.
func (sp *Space) messages(place sim.Place) spot {
	lines := sp.lines(place)
	return func(t *rapid.T) (sim.Actor, sim.Point) {
		l := lines[pick(t, len(lines))]
		return l.actor, sim.Point{Place: place, N: 1 + pick(t, l.messages)}
	}
}

// A line is a link with the number of messages that a quiet run sends on it.
type line struct {
	actor    sim.Actor
	messages int
}

func (sp *Space) lines(place sim.Place) []line {
	var lines []line
	add := func(from, to string, messages int) {
		if place == sim.OnReply {
			from, to = to, from
		}
		lines = append(lines, line{sim.Actor{From: from, Link: sim.OneWay, To: to}, max(1, messages)})
	}
	for i, client := range sp.clients {
		for j, server := range sp.servers {
			add(client, server.Name, sp.reach.Requests[i*len(sp.servers)+j])
		}
	}
	for i, from := range sp.servers {
		for j, to := range sp.servers {
			// What one server says to another is answered by a message of its own.
			if sent := sp.reach.Between[i*len(sp.servers)+j]; sent > 0 && place == sim.OnRequest {
				add(from.Name, to.Name, sent)
			}
		}
	}
	return lines
}
