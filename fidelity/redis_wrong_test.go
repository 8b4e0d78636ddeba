//go:build linux

package fidelity

import (
	"flag"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"simrun/clock"
	"simrun/nodes"
	"simrun/sim"
)

// A trial is a test that is meant to fail.
type trial struct {
	testing.TB
	verdict string
}

func (t *trial) Logf(string, ...any)       {}
func (t *trial) Log(...any)                {}
func (t *trial) Errorf(f string, a ...any) { t.verdict += fmt.Sprintf(f, a...) }
func (t *trial) Failed() bool              { return t.verdict != "" }
func (t *trial) FailNow()                  {}

// caught returns what rapid says of a property that is meant not to hold, once it
// has shrunk it, or "" if it has held a thousand times. What the property drew
// last is the shortest that was found.
func caught(t *testing.T, property func(*rapid.T)) string {
	t.Helper()
	if err := flag.Set("rapid.nofailfile", "true"); err != nil {
		t.Fatal(err)
	}
	defer flag.Set("rapid.nofailfile", "false")
	try := &trial{TB: t}
	for i := 0; i < 10 && !try.Failed(); i++ {
		rapid.Check(try, property)
	}
	return try.verdict
}

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
	s := startRedis(t, "--save", "")
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := newDuel(t, s, tt.node)
			verdict := caught(t, d.check)
			if verdict == "" || len(d.last) > few {
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
