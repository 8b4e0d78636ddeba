package nodes_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"simrun/nodes"
	"simrun/sim"
)

// The servers of a set in a test, and the second that they go by.
const (
	n1 sim.ServerID = iota
	n2
	n3

	second = 30 * time.Millisecond
)

// A set is a replicated Redis, its master n1, on a network where every message
// takes half a millisecond.
type set struct {
	nodes.Replication
	size     int             // two where 0
	sentinel *nodes.Sentinel // none where nil
}

// run lets client A run its program and returns what happened to locks.
func (s set) run(t *testing.T, program func(*sim.Thread), faults ...string) []string {
	t.Helper()
	names := []string{"n1", "n2", "n3"}[:max(2, s.size)]
	s.Second = second
	var specs []sim.ServerSpec
	for i, server := range s.Servers(n1, names...) {
		specs = append(specs, sim.ServerSpec{Name: names[i], Server: server})
	}
	if s.sentinel != nil {
		specs = append(specs, sim.ServerSpec{Name: "sentinel", Server: s.sentinel, Durable: true})
	}
	schedule := sim.Schedule{Noise: sim.QuietNoise, Clients: []sim.Plan{{}}}
	for _, line := range faults {
		f, err := sim.ParseFault(line)
		if err != nil {
			t.Fatal(err)
		}
		schedule.Faults = append(schedule.Faults, f)
	}
	w := sim.NewWorld(sim.Setup{Servers: specs, Program: program, Probe: func(*sim.Thread) {}, Limit: time.Minute})
	defer w.Close()
	result, err := w.Run(schedule)
	switch {
	case err != nil:
		t.Fatal(err)
	case result.Defect != "":
		t.Fatal(result.Defect)
	case slices.Contains(result.Struck, false):
		t.Fatalf("of the faults %q these struck: %v", faults, result.Struck)
	}
	var changes []string
	for _, c := range result.History.Changes {
		changes = append(changes, c.Server+" "+string(c.Kind)+" "+c.Owner.String())
	}
	return changes
}

// say calls a server and returns its reply as a person reads it.
func say(t *sim.Thread, to sim.ServerID, r sim.Request) string {
	if reply := t.Call(to, r, second).Reply; reply != nil {
		return reply.String()
	}
	return "no reply"
}

// take takes a lock on n1 as A#1.
func take(t *sim.Thread) string {
	return say(t, n1, nodes.Set("lock", t.BeginAcquire(), nodes.NX, nodes.PX(ttl)))
}

var (
	getLock = nodes.Get("lock")
	pttl    = nodes.Command{Verb: nodes.PTTL, Key: "lock"}
)

func wantSaid(t *testing.T, said []string, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, said); diff != "" {
		t.Errorf("replies (-want +got):\n%s", diff)
	}
}

func wantChanges(t *testing.T, changes []string, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, changes); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
}

func TestAReplicaFollowsItsMaster(t *testing.T) {
	var said []string
	changes := set{}.run(t, func(c *sim.Thread) {
		take(c)
		said = append(said, say(c, n2, getLock))
		said = append(said, say(c, n1, nodes.Eval(nodes.ReleaseScript, "lock", "A#1", 0)))
		said = append(said, say(c, n2, getLock))
	})
	wantSaid(t, said, `"A#1"`, "1", "nil")
	wantChanges(t, changes, "n1 took A#1", "n1 removed A#1") // the replica's copy is no lock of its own
}

// Whatever commands the master executes, its replica has what it has once the
// stream has arrived, and after a message was lost too.
func TestAReplicaEndsUpWithWhatItsMasterHas(t *testing.T) {
	keys := rapid.SampledFrom([]string{"lock", "other", "token"})
	commands := rapid.SliceOfN(anyCommand(keys, rapid.SampledFrom([]string{"A#1", "B#1", "7"}), rapid.SampledFrom([]int64{1, 5, 20, 60_000, 90_000})), 1, 12)
	rapid.Check(t, func(r *rapid.T) {
		stream := commands.Draw(r, "commands")
		var faults []string
		if rapid.Bool().Draw(r, "loss") {
			faults = []string{"partition n1<->n2 at 3ms for 4ms"}
		}
		set{}.run(t, func(c *sim.Thread) {
			c.BeginAcquire()
			for _, command := range stream {
				say(c, n1, command)
			}
			c.Sleep(10*time.Millisecond + 3*second)
			for _, key := range []string{"lock", "other", "token"} {
				for _, look := range []nodes.Command{nodes.Get(key), {Verb: nodes.TTL, Key: key}} {
					if master, replica := say(c, n1, look), say(c, n2, look); master != replica {
						r.Errorf("after %v, %s is %s on the master and %s on the replica", stream, look, master, replica)
					}
				}
			}
		}, faults...)
	})
}

// Since Redis 7.0 lag does not lengthen a lease.
func TestLagLengthensALeaseOnlyBeforeRedis7(t *testing.T) {
	for relative, want := range map[bool]string{false: "199", true: "300"} {
		var said string
		set{Replication: nodes.Replication{RelativeExpiry: relative}}.run(t, func(c *sim.Thread) {
			take(c)
			c.Sleep(100*time.Millisecond - 500*time.Microsecond)
			said = say(c, n2, pttl)
		}, "delay n1->n2 request 1 for 100ms")
		if said != want {
			t.Errorf("relative expiry %v: the replica gives the lock %s ms, want %s", relative, said, want)
		}
	}
}

// A replica hides what its own clock says is dead, and shows it again if the
// clock goes back: it expires nothing by itself.
func TestAReplicaHidesExpiredKeysByItsOwnClock(t *testing.T) {
	var said []string
	changes := set{}.run(t, func(c *sim.Thread) {
		take(c)
		c.Sleep(10 * time.Millisecond)
		said = append(said, say(c, n2, getLock), say(c, n1, getLock))
		c.Sleep(20 * time.Millisecond)
		said = append(said, say(c, n2, getLock))
	}, "clock-step n2 at 5ms by +1s", "clock-step n2 at 20ms by -1s")
	wantSaid(t, said, "nil", `"A#1"`, `"A#1"`)
	wantChanges(t, changes, "n1 took A#1")
}

// What a master finds dead before its clock is changed is gone on its replica too,
// whose clock may say otherwise.
func TestAMasterTellsItsReplicaWhatHasExpired(t *testing.T) {
	var said string
	changes := set{}.run(t, func(c *sim.Thread) {
		take(c)
		c.Sleep(ttl + 30*time.Millisecond)
		said = say(c, n2, getLock)
	}, "clock-step n2 at 5ms by -1s", "clock-step n1 at 320ms by +1ms")
	wantSaid(t, []string{said}, "nil")
	wantChanges(t, changes, "n1 took A#1", "n1 expired A#1")
}

// What its own clock says is dead, a replica leaves alone in a restart, and when it
// becomes master: until somebody asks, it can be alive again or elsewhere.
func TestAReplicaNeverDropsAKeyByItself(t *testing.T) {
	tests := []struct {
		name   string
		ask    sim.ServerID
		faults []string
	}{
		{"in a restart", n2, []string{"partition n1<->n2 at 5ms for 1s", "crash n2 at 20ms for 0s", "clock-step n2 at 550ms by -3s"}},
		{"in a failover", n1, []string{"clock-step n1 at 15ms by -3s", "crash n1 at 24ms for 300ms"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var said string
			s := set{sentinel: sentinelOf(2)}
			s.Persistence = nodes.AOFAlways
			s.run(t, func(c *sim.Thread) {
				take(c)
				c.Sleep(900 * time.Millisecond)
				said = say(c, tt.ask, getLock)
			}, append(tt.faults, "clock-step n2 at 10ms by +2s")...)
			wantSaid(t, []string{said}, `"A#1"`)
		})
	}
}

func TestAReplicaRefusesWrites(t *testing.T) {
	const readOnly = "READONLY You can't write against a read only replica."
	tests := []struct {
		command nodes.Command
		want    string
	}{
		{nodes.Set("lock", "B#1", nodes.NX), readOnly},
		{nodes.SetNX("other", "B#1"), readOnly},
		{nodes.Del("other"), readOnly},
		{nodes.DelIfEqual("lock", "B#1"), readOnly},
		{nodes.Incr("token"), readOnly},
		{nodes.PExpire("lock", ttl), readOnly},
		{nodes.Eval(nodes.ReleaseScript, "lock", "A#1", 0), readOnly + " script: da95be954b5f97a6e356d2e2ca00971f840385bb, on @user_script:2."},
		{nodes.Eval(nodes.RenewScript, "lock", "A#1", ttl), readOnly + " script: c7228145d4291745e2a033f56530344da8d72871, on @user_script:2."},
		{nodes.Eval(nodes.ReleaseScript, "lock", "B#1", 0), "0"}, // it comes to no write
		{getLock, `"A#1"`},
	}
	for _, tt := range tests {
		var said []string
		changes := set{}.run(t, func(c *sim.Thread) {
			take(c)
			c.Sleep(5 * time.Millisecond)
			said = append(said, say(c, n2, tt.command), say(c, n2, getLock))
		})
		if diff := cmp.Diff([]string{tt.want, `"A#1"`}, said); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.command, diff)
		}
		wantChanges(t, changes, "n1 took A#1")
	}
}

func TestWaitCountsTheReplicasThatHaveTheWritesOfItsConnection(t *testing.T) {
	wait := func(replicas int) nodes.Wait { return nodes.Wait{Replicas: replicas, Timeout: 10 * time.Millisecond} }
	tests := []struct {
		name    string
		program func(c *sim.Thread) []string
		faults  []string
		want    []string
	}{
		{"both have it", func(c *sim.Thread) []string {
			return []string{take(c), say(c, n1, wait(2))}
		}, nil, []string{"OK", "2"}},
		{"one is cut off", func(c *sim.Thread) []string {
			return []string{take(c), say(c, n1, wait(2)), say(c, n1, wait(1))}
		}, []string{"partition n1<->n3 at 0s for 100ms"}, []string{"OK", "1", "1"}},
		{"none takes it back", func(c *sim.Thread) []string {
			return []string{take(c), say(c, n1, wait(1)), say(c, n1, getLock)}
		}, []string{"partition n1<->n2 at 0s for 100ms", "partition n1<->n3 at 0s for 100ms"}, []string{"OK", "0", `"A#1"`}},
		{"another connection has written nothing", func(c *sim.Thread) []string {
			c.Sleep(2 * second) // each has acknowledged the beginning
			ok := take(c)
			c.Close(n1)
			return []string{ok, say(c, n1, wait(1))}
		}, []string{"partition n1->n2 at 50ms for 100ms", "partition n1->n3 at 50ms for 100ms"}, []string{"OK", "2"}},
		{"it is for masters", func(c *sim.Thread) []string {
			return []string{say(c, n2, wait(1))[:45]}
		}, nil, []string{"ERR WAIT cannot be used with replica instance"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var said []string
			set{size: 3}.run(t, func(c *sim.Thread) { said = tt.program(c) }, tt.faults...)
			wantSaid(t, said, tt.want...)
		})
	}
}

func TestAWaitWithoutATimeoutLastsUntilTheReplicasHaveIt(t *testing.T) {
	var said string
	var took time.Duration
	set{}.run(t, func(c *sim.Thread) {
		take(c)
		start := c.Monotonic()
		said = c.Call(n1, nodes.Wait{Replicas: 1}, time.Minute).Reply.String()
		took = c.Monotonic().Sub(start)
	}, "partition n1<->n2 at 0s for 200ms")
	if said != "1" || took < 198*time.Millisecond || took > 200*time.Millisecond+3*second {
		t.Errorf("WAIT answers %s after %v, want 1 soon after the partition ends at 200ms", said, took)
	}
}

// A server that waits for acknowledgements goes by its wall clock, in milliseconds.
func TestAWaitTimesOutByTheWallClock(t *testing.T) {
	tests := []struct {
		step string
		want time.Duration // from its arrival at 1.5 ms on
	}{
		{"+0s", 20500 * time.Microsecond},
		{"+5ms", 15500 * time.Microsecond},
		{"+1h", 8500 * time.Microsecond},
		{"-1s", 1020500 * time.Microsecond},
	}
	for _, tt := range tests {
		var took time.Duration
		set{}.run(t, func(c *sim.Thread) {
			take(c)
			start := c.Monotonic()
			c.Call(n1, nodes.Wait{Replicas: 2, Timeout: 20 * time.Millisecond}, time.Minute)
			took = c.Monotonic().Sub(start) - time.Millisecond // on the way
		}, "clock-step n1 at 10ms by "+tt.step)
		if took != tt.want {
			t.Errorf("the clock is stepped by %s: WAIT takes %v, want %v", tt.step, took, tt.want)
		}
	}
}

// The bound on the age of acknowledgements lets writes through for as long.
func TestAMasterWithoutGoodReplicasRefusesWrites(t *testing.T) {
	var said []string
	set{Replication: nodes.Replication{MinReplicas: 1, MaxLag: 2 * second}}.run(t, func(c *sim.Thread) {
		set := func(key string) string { return say(c, n1, nodes.Set(key, "1")) }
		said = append(said, set("before anybody acknowledged"))
		c.Sleep(time.Second)
		said = append(said, set("all well"))
		c.Sleep(second)
		said = append(said, set("just cut off"))
		c.Sleep(2 * second)
		said = append(said, set("cut off"), say(c, n1, nodes.Get("just cut off")))
		for _, value := range []string{"2", "1"} {
			said = append(said, say(c, n1, nodes.Eval(nodes.ReleaseScript, "just cut off", value, 0)))
		}
	}, "partition n1<->n2 at 1010ms for 1s")
	const refusal = "NOREPLICAS Not enough good replicas to write."
	wantSaid(t, said, refusal, "OK", "OK", refusal, `"1"`,
		"0", refusal+" script: da95be954b5f97a6e356d2e2ca00971f840385bb, on @user_script:2.")
}

// How old they are, the master's wall clock says.
func TestAStepOfItsClockLeavesAMasterWithoutGoodReplicas(t *testing.T) {
	for _, tt := range []struct{ step, want string }{
		{"+1s", "NOREPLICAS Not enough good replicas to write."}, {"+60ms", "OK"}, {"-1h", "OK"},
	} {
		var said []string
		set{Replication: nodes.Replication{MinReplicas: 1, MaxLag: 2 * second}}.run(t, func(c *sim.Thread) {
			c.Sleep(100 * time.Millisecond) // the replica has acknowledged at 90 ms
			said = append(said, say(c, n1, nodes.Set("k", "1")))
			c.Sleep(second)
			said = append(said, say(c, n1, nodes.Set("k", "1")))
		}, "clock-step n1 at 95ms by "+tt.step)
		wantSaid(t, said, tt.want, "OK")
	}
}

func TestACrashOfTheMaster(t *testing.T) {
	tests := []struct {
		name        string
		persistence nodes.Persistence
		fault       string
		after       string // what the lock is on both servers afterwards
		changes     []string
	}{
		{"that persists nothing empties the replica", nodes.Persistence{}, "crash n1 at 50ms for 0s", "nil", []string{"n1 took A#1", "n1 forgotten A#1"}},
		{"that saves by the hour does too", nodes.SavePoints(second), "crash n1 at 50ms for 0s", "nil", []string{"n1 took A#1", "n1 forgotten A#1"}},
		{"that persists always costs nothing", nodes.AOFAlways, "crash n1 at 50ms for 10ms", `"A#1"`, []string{"n1 took A#1"}},
		{"costs the last second", nodes.AOFEverySecond(second), "crash n1 at 20ms for 10ms", "nil", []string{"n1 took A#1", "n1 forgotten A#1"}},
		{"keeps what is older than a second", nodes.AOFEverySecond(second), "crash n1 at 50ms for 10ms", `"A#1"`, []string{"n1 took A#1"}},
		{"with its disk costs all", nodes.AOFAlways, "amnesia n1 at 50ms for 10ms", "nil", []string{"n1 took A#1", "n1 forgotten A#1"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var said []string
			changes := set{Replication: nodes.Replication{Persistence: tt.persistence}}.run(t, func(c *sim.Thread) {
				take(c)
				c.Sleep(50*time.Millisecond + 3*second)
				said = append(said, say(c, n1, getLock), say(c, n2, getLock))
			}, tt.fault)
			wantSaid(t, said, tt.after, tt.after)
			wantChanges(t, changes, tt.changes...)
		})
	}
}

// A crash of the replica concerns nobody, and it gets everything again, also if
// that is lost the first time.
func TestAReplicaThatCrashesIsFilledAgain(t *testing.T) {
	for _, faults := range [][]string{
		{"amnesia n2 at 20ms for 10ms"},
		{"amnesia n2 at 20ms for 0s", "loss n2->n1 request 1"},
		{"amnesia n2 at 20ms for 0s", "loss n1->n2 request 2"},
	} {
		var said []string
		changes := set{}.run(t, func(c *sim.Thread) {
			take(c)
			c.Sleep(3 * second)
			said = append(said, say(c, n2, getLock))
		}, faults...)
		wantSaid(t, said, `"A#1"`)
		wantChanges(t, changes, "n1 took A#1")
	}
}

// What a replica had of the master before its restart is no acknowledgement of
// what the master has written since.
func TestAcknowledgementsAreOfOneHistory(t *testing.T) {
	var said string
	set{}.run(t, func(c *sim.Thread) {
		for range 5 {
			say(c, n1, nodes.Incr("token"))
		}
		c.Sleep(2 * second)
		say(c, n1, nodes.Incr("token"))
		said = say(c, n1, nodes.Wait{Replicas: 1, Timeout: 2 * second / 3})
	}, "crash n1 at 20ms for 0s", "partition n1->n2 at 20ms for 300ms")
	if said != "0" {
		t.Errorf("WAIT answers %s, want 0", said)
	}
}

// A disk that is lost while its server is down is lost.
func TestAServerCanLoseItsDiskWhileItIsDown(t *testing.T) {
	var said []string
	changes := set{Replication: nodes.Replication{Persistence: nodes.AOFAlways}}.run(t, func(c *sim.Thread) {
		take(c)
		c.Sleep(3 * second)
		said = append(said, say(c, n1, getLock))
	}, "crash n1 at 20ms for 20ms", "amnesia n1 at 30ms for 5ms")
	wantSaid(t, said, "nil")
	wantChanges(t, changes, "n1 took A#1", "n1 forgotten A#1")
}
