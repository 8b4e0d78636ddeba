package nodes_test

import (
	"strings"
	"testing"
	"time"

	"simrun/nodes"
	"simrun/sim"
)

// sentinelOf watches a set of n with a down-after of five seconds and an
// election of two. It is the server after the last of the set.
func sentinelOf(n int) *nodes.Sentinel {
	s := &nodes.Sentinel{Second: second, DownAfter: 5 * second, Election: 2 * second, Demotion: 8 * second}
	for i := range n {
		s.Members = append(s.Members, nodes.Member{ID: sim.ServerID(i), Name: []string{"n1", "n2", "n3"}[i]})
	}
	return s
}

// A master that is gone is missed after five seconds, at the next ping, and two
// later, when there has been an election, clients are told of another.
func TestSentinelNamesAnotherMaster(t *testing.T) {
	tests := []struct {
		name   string
		size   int
		faults []string
		want   string // the masters that it names, with the instants
	}{
		{"only if the master is gone", 2, nil, "n1"},
		{"after it crashed", 2, []string{"crash n1 at 310ms for 1s"}, "n1, n2 at 540ms"},
		{"after it froze", 2, []string{"node-pause n1 at 310ms for 1s"}, "n1, n2 at 540ms"},
		{"after it was cut off from the Sentinel alone", 2, []string{"partition n1<->sentinel at 310ms for 1s"}, "n1, n2 at 540ms"},
		{"not after a short outage", 2, []string{"crash n1 at 310ms for 140ms"}, "n1"},
		{"not if it answers during the election", 2, []string{"partition n1<->sentinel at 310ms for 171ms"}, "n1"},
		{"unless there is no other", 2, []string{"crash n1 at 310ms for 1s", "crash n2 at 310ms for 1s"}, "n1"},
		{"once the other is back", 2, []string{"crash n1 at 310ms for 1s", "crash n2 at 310ms for 400ms"}, "n1, n2 at 780ms"},
		{"that has come farther", 3, []string{"partition n1<->n2 at 200ms for 1s", "crash n1 at 310ms for 1s"}, "n1, n3 at 540ms"},
		{"of two that have come equally far the first", 3, []string{"crash n1 at 310ms for 1s"}, "n1, n2 at 540ms"},
		{"and not one that was cut off from the master for long", 2, []string{"partition n1<->n2 at 0s for 3s", "crash n1 at 2s for 800ms"}, "n1"},
		{"also after a restart of its own", 2, []string{"crash n1 at 310ms for 1s", "crash sentinel at 320ms for 10ms"}, "n1, n2 at 560ms"},
		{"also after a restart during the election", 2, []string{"crash n1 at 310ms for 1s", "crash sentinel at 500ms for 10ms"}, "n1, n2 at 740ms"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var named []string
			set{size: tt.size, sentinel: sentinelOf(tt.size)}.run(t, func(c *sim.Thread) {
				c.BeginAcquire()
				last := ""
				for c.Monotonic() < 3e9 {
					if c.Monotonic() > 25e7 && c.Monotonic() < 26e7 {
						say(c, n1, nodes.Incr("token"))
					}
					got := say(c, sim.ServerID(tt.size), nodes.GetMaster{})
					if got != last && got != "no reply" {
						at := time.Duration(c.Monotonic()).Truncate(20 * time.Millisecond)
						named = append(named, strings.TrimSuffix(got+" at "+at.String(), " at 0s"))
						last = got
					}
					c.Sleep(5 * time.Millisecond)
				}
			}, tt.faults...)
			if got := strings.Join(named, ", "); got != tt.want {
				t.Errorf("the Sentinel names %s, want %s", got, tt.want)
			}
		})
	}
}

// The old master is cut off from the Sentinel alone, and takes writes until it
// has been seen as a master for eight seconds after that. What it took is lost.
func TestAnOldMasterTakesWritesUntilItIsDemoted(t *testing.T) {
	var before, after []string
	changes := set{sentinel: sentinelOf(2)}.run(t, func(c *sim.Thread) {
		c.Sleep(300 * time.Millisecond)
		before = append(before, say(c, n1, nodes.Set("lock", c.BeginAcquire(), nodes.NX, nodes.PX(time.Second))))
		before = append(before, say(c, n2, nodes.Set("lock", c.BeginAcquire(), nodes.NX, nodes.PX(time.Second))))
		for c.Monotonic() < 635e6 { // eight seconds after 393 ms
			if reply := say(c, n1, nodes.Incr("other")); strings.HasPrefix(reply, "READONLY") {
				t.Errorf("demoted at %v already", time.Duration(c.Monotonic()))
				break
			}
		}
		c.Sleep(2 * second)
		after = append(after, say(c, n1, nodes.Incr("other")), say(c, n1, getLock), say(c, n2, getLock), say(c, n1, nodes.Get("other")))
	}, "partition n1<->sentinel at 10ms for 380ms")
	wantSaid(t, before, "OK", "OK")
	wantSaid(t, after, "READONLY You can't write against a read only replica.", `"A#2"`, `"A#2"`, "nil")
	wantChanges(t, changes, "n2 took A#2") // the lock on n1 never counted
}

// In a Cluster, a master that the majority does not reach takes writes for as
// long as the node timeout, and no longer.
func TestACutOffMasterOfAClusterStopsAtTheNodeTimeout(t *testing.T) {
	s := set{sentinel: sentinelOf(2)}
	s.NodeTimeout = 5 * second
	var said []string
	s.run(t, func(c *sim.Thread) {
		for _, at := range []time.Duration{300, 400, 480} {
			c.Sleep(at*time.Millisecond - time.Duration(c.Monotonic()))
			said = append(said, say(c, n1, nodes.Incr("other")))
		}
	}, "partition n1<->sentinel at 291ms for 1s")
	wantSaid(t, said, "1", "2", "CLUSTERDOWN The cluster is down")
}

func TestAWaitEndsWhenItsMasterIsDemoted(t *testing.T) {
	var said string
	set{sentinel: sentinelOf(2)}.run(t, func(c *sim.Thread) {
		c.Sleep(300 * time.Millisecond)
		say(c, n1, nodes.Incr("token"))
		said = c.Call(n1, nodes.Wait{Replicas: 1}, time.Minute).Reply.String()
	}, "partition n1<->sentinel at 10ms for 380ms")
	if want := "UNBLOCKED force unblock from blocking operation, instance state changed (master -> replica?)"; said != want {
		t.Errorf("WAIT answers %s, want %s", said, want)
	}
}

// A replica that hears nothing of the failover is told when it can be reached.
func TestEveryReplicaFollowsTheNewMaster(t *testing.T) {
	var said []string
	set{size: 3, sentinel: sentinelOf(3)}.run(t, func(c *sim.Thread) {
		c.Sleep(600 * time.Millisecond)
		said = append(said, say(c, n2, nodes.Set("lock", c.BeginAcquire(), nodes.NX)), say(c, n3, getLock))
		c.Sleep(300 * time.Millisecond)
		said = append(said, say(c, n3, getLock))
	}, "crash n1 at 310ms for 3s", "partition n3<->sentinel at 310ms for 500ms")
	wantSaid(t, said, "OK", "nil", `"A#1"`)
}

// What the checks are told of a lock is what the newest master has of it.
func TestAFailoverTellsTheTruthOfTheLock(t *testing.T) {
	down := "crash n1 at 24ms for 900ms"
	unheard := []string{"partition n1<->n2 at 24ms for 900ms", "crash n1 at 70ms for 900ms"}
	tests := []struct {
		name   string
		lease  time.Duration
		faults []string
		want   []string
	}{
		{"the replica has it", time.Minute, []string{down}, []string{"n1 took A#1"}},
		{"the replica never received it", time.Minute, []string{down, "loss n1->n2 request 1"}, []string{"n1 took A#1", "n2 forgotten A#1"}},
		{"nor is it missed, having run out", 100 * time.Millisecond, []string{down, "loss n1->n2 request 1"}, []string{"n1 took A#1", "n2 expired A#1"}},
		{"the replica did not hear of its end", time.Minute, unheard, []string{"n1 took A#1", "n1 removed A#1", "n2 took A#1"}},
		{"nor does it matter, having run out", 100 * time.Millisecond, unheard, []string{"n1 took A#1", "n1 removed A#1"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			changes := set{sentinel: sentinelOf(2)}.run(t, func(c *sim.Thread) {
				c.Sleep(20 * time.Millisecond)
				say(c, n1, nodes.Set("lock", c.BeginAcquire(), nodes.NX, nodes.PX(tt.lease)))
				c.Sleep(40 * time.Millisecond)
				say(c, n1, nodes.Eval(nodes.ReleaseScript, "lock", "A#1", 0))
				c.Sleep(500 * time.Millisecond)
			}, tt.faults...)
			wantChanges(t, changes, tt.want...)
		})
	}
}

// n2 is told to be master, but is cut off before it can say so, and n1 is back:
// the Sentinel gives up the failover and has n2 follow n1 again. Until then the
// truth is with n2, and after it with n1.
func TestAFailoverThatIsGivenUpGivesTheTruthBack(t *testing.T) {
	var said []string
	changes := set{sentinel: sentinelOf(2)}.run(t, func(c *sim.Thread) {
		c.Sleep(800 * time.Millisecond)
		for _, to := range []sim.ServerID{n2, n1} {
			said = append(said, say(c, to, nodes.Set("lock", c.BeginAcquire(), nodes.NX, nodes.PX(time.Minute))))
		}
		c.Sleep(800 * time.Millisecond)
		said = append(said, say(c, n2, getLock), say(c, 2, nodes.GetMaster{}))
	}, "crash n1 at 310ms for 300ms", "partition n2->sentinel at 540ms for 400ms")
	wantSaid(t, said, "OK", "OK", `"A#2"`, "n1")
	wantChanges(t, changes, "n2 took A#1", "n2 forgotten A#1", "n2 took A#2")
}
