//go:build linux

package fidelity

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"simrun/clock"
	"simrun/nodes"
	"simrun/sim"
)

// The check of the check: servers that are wrong in the ways that matter to a lock.
func TestAWrongRedisIsCaught(t *testing.T) {
	const few = 4
	tests := []struct {
		name string
		node func() redisNode
	}{
		{"that expires keys by true time", expiringByTrueTime},
		{"that releases without comparing", releasingWithoutComparing},
		{"whose readers find a key dead a millisecond early", expiringEarly},
	}
	s := startRedis(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := newDuel(t, s, tt.node)
			verdict := caught(t, 5*time.Minute, d.check)
			if !strings.Contains(verdict, "redis-server:\n") || len(d.last) > few {
				t.Errorf("it is caught with %d commands, want at most %d:\n%s", len(d.last), few, verdict)
			}
		})
	}
}

func expiringByTrueTime() redisNode {
	right := newRedisNode()
	return func(now clock.Instant, _ clock.Wall, c nodes.Command) sim.Reply {
		return right(now, clock.Epoch.Add(time.Duration(now)), c)
	}
}

func expiringEarly() redisNode {
	right := newRedisNode()
	return func(now clock.Instant, wall clock.Wall, c nodes.Command) sim.Reply {
		if c.Verb == nodes.GET {
			wall = wall.Add(time.Millisecond)
		}
		return right(now, wall, c)
	}
}

func releasingWithoutComparing() redisNode {
	right := newRedisNode()
	return func(now clock.Instant, wall clock.Wall, c nodes.Command) sim.Reply {
		if c.Script == nodes.ReleaseScript {
			c = nodes.Del(c.Key)
		}
		return right(now, wall, c)
	}
}

// A replica that expires keys by itself gives itself away when its clock goes back.
func TestAReplicaThatExpiresKeysByItselfIsCaught(t *testing.T) {
	const few = 8
	wrong := redisPair{replica: func(r *nodes.ReplicatedRedis) sim.Server { return newExpiringReplica(r) }}
	d := startPair(t).against(wrong, anyRedisScenes(asks, asks, steps))
	d.budget = math.MaxInt
	if caught(t, 0, d.check) == "" {
		t.Fatal("it is not caught")
	}
	verdict := func(scenes []redisScene) string { return fmt.Sprint(d.play(scenes)) }
	differ := func(scenes []redisScene) bool { return strings.Contains(verdict(scenes), "redis-server:\n") }
	if scenes := fewest(d.last, differ); !differ(scenes) || len(scenes) > few {
		t.Errorf("it is caught with %d scenes, want at most %d:\n%s", len(scenes), few, verdict(scenes))
	}
}

// An expiringReplica answers a read of a key that it has once found dead as if the
// key were gone for good, until its master says something of it.
type expiringReplica struct {
	*nodes.ReplicatedRedis
	expires map[string]int64
	gone    map[string]bool
}

func newExpiringReplica(r *nodes.ReplicatedRedis) *expiringReplica {
	return &expiringReplica{r, map[string]int64{}, map[string]bool{}}
}

// Hear implements [sim.Peer]: it reads from the stream when keys expire.
func (r *expiringReplica) Hear(m *sim.Machine, from sim.ServerID, said sim.Request) {
	r.ReplicatedRedis.Hear(m, from, said)
	words := strings.Fields(said.String())
	if len(words) < 2 {
		return
	}
	key, last := words[1], words[len(words)-1]
	delete(r.gone, key)
	delete(r.expires, key)
	if words[len(words)-2] == "PXAT" || words[0] == "PEXPIREAT" {
		r.expires[key], _ = strconv.ParseInt(last, 10, 64)
	}
}

// Serve implements [sim.Server].
func (r *expiringReplica) Serve(m *sim.Machine, c sim.Call) {
	command, _ := c.Request.(nodes.Command) // or a WAIT
	if at, mortal := r.expires[command.Key]; mortal && m.Wall().Millis() > at {
		r.gone[command.Key] = true
	}
	if r.gone[command.Key] && command.Verb == nodes.GET {
		m.Answer(c, nodes.Nil{})
		return
	}
	r.ReplicatedRedis.Serve(m, c)
}
