package fidelity

import (
	"fmt"
	"slices"
	"time"

	"simrun/clock"
	"simrun/nodes"
	"simrun/sim"
)

// A redisPair are a simulated master and its replica, in a world of their own.
type redisPair struct {
	persistence nodes.Persistence
	replica     func(*nodes.ReplicatedRedis) sim.Server // where it is wrong on purpose
}

// promotion tells a server to become a master, or the replica of another.
type promotion struct {
	server sim.ServerID
	nodes.ReplicaOf
}

// An administrator passes on what a person who looks after servers tells them.
type administrator struct{}

func (administrator) Serve(m *sim.Machine, c sim.Call) {
	p := c.Request.(promotion)
	m.Send(p.server, p.ReplicaOf)
	m.Answer(c, nodes.Status("OK"))
}
func (administrator) Crash(*sim.Machine, bool) {}
func (administrator) Settle(*sim.Machine)      {}
func (administrator) Reset()                   {}

// theAdministrator is the place in the world, after the two servers.
const theAdministrator sim.ServerID = 2

var pairNames = []string{"n1", "n2"}

// play has the pair live through the scenes, and returns the replies in order.
func (p redisPair) play(scenes []redisScene) ([]sim.Reply, error) {
	replication := nodes.Replication{Second: moment, Persistence: p.persistence}
	var specs []sim.ServerSpec
	for i, server := range replication.Servers(0, pairNames...) {
		specs = append(specs, sim.ServerSpec{Name: pairNames[i], Server: server})
		if i == 1 && p.replica != nil {
			specs[i].Server = p.replica(server)
		}
	}
	return playScenes(append(specs, sim.ServerSpec{Name: "admin", Server: administrator{}}), scenes)
}

// playScenes has simulated servers live through the scenes, and returns the replies
// in order.
func playScenes(servers []sim.ServerSpec, scenes []redisScene) ([]sim.Reply, error) {
	var replies []sim.Reply
	program := func(c *sim.Thread) {
		for _, s := range scenes {
			c.Sleep(time.Duration(s.at) - time.Duration(c.Monotonic()))
			if reply := enact(c, s); reply != nil {
				replies = append(replies, reply)
			}
		}
	}
	faults, err := faultsOf(scenes)
	if err != nil {
		return nil, err
	}
	w := sim.NewWorld(sim.Setup{Servers: servers, Program: program, Probe: func(*sim.Thread) {}, Limit: 1000 * time.Hour})
	defer w.Close()
	result, err := w.Run(sim.Schedule{Noise: sim.QuietNoise, Clients: []sim.Plan{{}}, Faults: faults})
	if err == nil && result.Defect != "" {
		err = fmt.Errorf("%s", result.Defect)
	}
	return replies, err
}

// enact does what a scene asks of a client, and returns the reply.
func enact(c *sim.Thread, s redisScene) sim.Reply {
	server := sim.ServerID(s.server)
	switch {
	case s.what == promotes:
		c.Call(theAdministrator, promotion{server: server}, time.Hour)
	case s.what == demotes:
		master := nodes.Member{ID: sim.ServerID(s.leader), Name: pairNames[s.leader]}
		c.Call(theAdministrator, promotion{server, nodes.ReplicaOf{Host: master}}, time.Hour)
	case s.asked():
		request, refusal := s.request()
		if refusal != "" {
			return refusal
		}
		all := slices.Repeat([]sim.ServerID{server}, max(s.often, 1))
		return c.Broadcast(all, request, time.Hour)[len(all)-1].Reply
	}
	return nil
}

// faultsOf returns the faults of the scenes, as lines of a schedule.
func faultsOf(scenes []redisScene) ([]sim.Fault, error) {
	var lines []string
	var cut *redisScene
	mend := func(until clock.Instant) {
		if cut != nil {
			lines = append(lines, fmt.Sprintf("partition n1<->n2 at %v for %v", time.Duration(cut.at), until.Sub(cut.at)))
		}
		cut = nil
	}
	for i, s := range scenes {
		name, at := pairNames[s.server], time.Duration(s.at)
		switch s.what {
		case steps:
			lines = append(lines, fmt.Sprintf("clock-step %s at %v by %v", name, at, s.by))
		case freezes:
			lines = append(lines, fmt.Sprintf("node-pause %s at %v for %v", name, at, s.by))
		case restarts:
			lines = append(lines, fmt.Sprintf("crash %s at %v for %v", name, at, s.by))
		case cuts:
			cut = &scenes[i]
		case heals, demotes:
			mend(s.at)
		}
	}
	if len(scenes) > 0 {
		mend(scenes[len(scenes)-1].at.Add(longMoment))
	}
	var faults []sim.Fault
	for _, line := range lines {
		f, err := sim.ParseFault(line)
		if err != nil {
			return nil, err
		}
		faults = append(faults, f)
	}
	return faults, nil
}
