package nodes_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"simrun/nodes"
	"simrun/sim"
)

// A writes some of seven keys, one every 10 ms from 0 on. The server restarts at
// once.
func TestACrashLosesWhatThePersistenceHadNotWritten(t *testing.T) {
	tests := []struct {
		name        string
		persistence nodes.Persistence
		writes      string
		fault       string
		want        string // the keys that are left
	}{
		{"none", nodes.Persistence{}, "abcdefg", "crash n1 at 65ms for 0s", ""},
		{"always", nodes.AOFAlways, "abcdefg", "crash n1 at 65ms for 0s", "abcdefg"},
		{"every second", nodes.AOFEverySecond(second), "abcdefg", "crash n1 at 65ms for 0s", "abcdef"},
		{"every second, just before", nodes.AOFEverySecond(second), "abc", "crash n1 at 29ms for 0s", ""},
		{"every second, just after", nodes.AOFEverySecond(second), "abc", "crash n1 at 30ms for 0s", "abc"},
		{"when the system likes", nodes.AOFWhenTheSystemLikes(2 * time.Millisecond), "abcdefg", "crash n1 at 65ms for 0s", "abcdef"},
		{"save points, too early", nodes.SavePoints(time.Millisecond), "abcdefg", "crash n1 at 65ms for 0s", ""},
		{"save points, an hour later", nodes.SavePoints(10 * time.Microsecond), "abcdefg", "crash n1 at 65ms for 0s", "abcd"},
		{"the disk is lost", nodes.AOFAlways, "abcdefg", "amnesia n1 at 65ms for 0s", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var left string
			run(t, &nodes.PersistentRedis{Persistence: tt.persistence}, func(c *sim.Thread) {
				for _, key := range tt.writes {
					ask(c, nodes.Incr(string(key)))
					c.Sleep(9 * time.Millisecond) // asking takes a millisecond
				}
				c.Sleep(20 * time.Millisecond)
				for _, key := range tt.writes {
					if ask(c, nodes.Get(string(key)))[0] == nodes.Bulk("1") {
						left += string(key)
					}
				}
			}, tt.fault)
			if left != tt.want {
				t.Errorf("after the crash there are %q, want %q", left, tt.want)
			}
		})
	}
}

// A server that has been idle for a second writes at once, and then when its clock
// begins another.
func TestTheFirstWriteAfterAnIdleSecondIsSaved(t *testing.T) {
	var left string
	run(t, &nodes.PersistentRedis{Persistence: nodes.AOFEverySecond(second)}, func(c *sim.Thread) {
		ask(c, nodes.Incr("a"))
		c.Sleep(100 * time.Millisecond)
		ask(c, nodes.Incr("b"))
		c.Sleep(9 * time.Millisecond)
		ask(c, nodes.Incr("c"))
		c.Sleep(40 * time.Millisecond)
		for _, key := range "abc" {
			if ask(c, nodes.Get(string(key)))[0] == nodes.Bulk("1") {
				left += string(key)
			}
		}
	}, "crash n1 at 119ms for 0s")
	if left != "ab" {
		t.Errorf("after the crash there are %q, want ab", left)
	}
}

// Changes are counted as the server counts them: a write that finds what it writes is
// one, and the end of a lease is one of an append-only file alone.
func TestASavePointCountsWritesAndNotWhatTheyChange(t *testing.T) {
	put := func(c *sim.Thread) { ask(c, nodes.Set("a", "1", nodes.NX, nodes.PX(5*time.Millisecond))) }
	look := func(c *sim.Thread) { ask(c, nodes.Get("a")) }
	write := func(c *sim.Thread) { ask(c, nodes.Set("b", "1")) }
	tests := []struct {
		name string
		does []func(*sim.Thread)
		want sim.Reply // what it has of b
	}{
		{"too few", []func(*sim.Thread){put, write}, nodes.Nil{}},
		{"another key", []func(*sim.Thread){put, put, write}, nodes.Bulk("1")},
		{"the same again", []func(*sim.Thread){put, write, write}, nodes.Bulk("1")},
		{"a look at what is dead", []func(*sim.Thread){put, look, write}, nodes.Nil{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			three := nodes.Persistence{Second: second, Points: []nodes.SavePoint{{Changes: 3}}}
			var got sim.Reply
			run(t, &nodes.PersistentRedis{Persistence: three}, func(c *sim.Thread) {
				for _, do := range tt.does {
					do(c)
					c.Sleep(6 * time.Millisecond)
				}
				c.Sleep(2 * second)
				got = ask(c, nodes.Get("b"))[0]
			}, "crash n1 at 70ms for 0s")
			if got != tt.want {
				t.Errorf("after the crash b is %v, want %v", got, tt.want)
			}
		})
	}
}

// Of two save points, the one that is reached first counts, whichever comes first in
// the configuration.
func TestTheEarlierSavePointComesFirst(t *testing.T) {
	points := nodes.Persistence{Second: second, Points: []nodes.SavePoint{{After: 2 * second, Changes: 1}, {Changes: 2}}}
	var left sim.Reply
	run(t, &nodes.PersistentRedis{Persistence: points}, func(c *sim.Thread) {
		ask(c, nodes.Incr("a"))
		ask(c, nodes.Incr("a"))
		c.Sleep(4 * second)     // both are reached, at 90 ms and at 30 ms
		ask(c, nodes.Incr("a")) // at 122 ms: late enough after 30 ms
		c.Sleep(second)
		left = ask(c, nodes.Get("a"))[0]
	}, "crash n1 at 149ms for 0s")
	if left != nodes.Bulk("3") {
		t.Errorf("after the crash there are %v, want 3", left)
	}
}

// The server goes by its wall clock: what is written after a step back is not saved
// before the clock has come to where it was.
func TestAClockThatIsSetBackHoldsUpSaving(t *testing.T) {
	var left string
	run(t, &nodes.PersistentRedis{Persistence: nodes.AOFEverySecond(second)}, func(c *sim.Thread) {
		for _, key := range "abcdef" {
			ask(c, nodes.Incr(string(key)))
			c.Sleep(9 * time.Millisecond)
		}
		c.Sleep(200 * time.Millisecond)
		for _, key := range "abcdef" {
			if ask(c, nodes.Get(string(key)))[0] == nodes.Bulk("1") {
				left += string(key)
			}
		}
	}, "clock-step n1 at 35ms by -1s", "crash n1 at 250ms for 0s")
	if left != "abc" {
		t.Errorf("after the crash there are %q, want abc", left)
	}
}

// What a crash takes back can be a release: the lock is there again.
func TestACrashReportsWhatItTakesBack(t *testing.T) {
	tests := []struct {
		name  string
		fault string
		want  []string
	}{
		{"the lock", "crash n1 at 20ms for 0s", []string{"took A#1 by A#1", "forgotten A#1 by nobody"}},
		{"the release", "crash n1 at 65ms for 0s", []string{"took A#1 by A#1", "removed A#1 by A#1", "took A#1 by nobody"}},
		{"nothing", "crash n1 at 95ms for 0s", []string{"took A#1 by A#1", "removed A#1 by A#1"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			changes := run(t, &nodes.PersistentRedis{Persistence: nodes.AOFEverySecond(second)}, func(c *sim.Thread) {
				ask(c, nodes.Set("lock", c.BeginAcquire(), nodes.NX, nodes.PX(ttl)))
				c.Sleep(50 * time.Millisecond)
				ask(c, nodes.Incr("other"))
				c.Sleep(9 * time.Millisecond)
				ask(c, nodes.Eval(nodes.ReleaseScript, "lock", "A#1", 0))
				c.Sleep(40 * time.Millisecond)
			}, tt.fault)
			if diff := cmp.Diff(tt.want, kinds(changes)); diff != "" {
				t.Errorf("changes (-want +got):\n%s", diff)
			}
		})
	}
}

// A key whose time runs out while its server is down is not there any more.
func TestARestartLoadsNoDeadKeys(t *testing.T) {
	var after sim.Reply
	changes := run(t, &nodes.PersistentRedis{Persistence: nodes.AOFAlways}, func(c *sim.Thread) {
		ask(c, nodes.Set("lock", c.BeginAcquire(), nodes.NX, nodes.PX(ttl)))
		c.Sleep(2 * ttl)
		after = ask(c, nodes.Get("lock"))[0]
	}, "crash n1 at 50ms for 300ms")
	if after != (nodes.Nil{}) {
		t.Errorf("the lock is %v, want nil", after)
	}
	if diff := cmp.Diff([]string{"took A#1 by A#1", "expired A#1 by nobody"}, kinds(changes)); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
}
