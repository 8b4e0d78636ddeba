package nodes_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"simrun/clock"
	"simrun/nodes"
	"simrun/sim"
)

// run lets client A run its program against one server, called n1, and
// returns what the server reported.
func run(t *testing.T, s sim.Server, program func(*sim.Thread), faults ...string) []sim.Change {
	t.Helper()
	schedule := sim.Schedule{Noise: sim.QuietNoise, Clients: []sim.Plan{{}}}
	for _, line := range faults {
		f, err := sim.ParseFault(line)
		if err != nil {
			t.Fatal(err)
		}
		schedule.Faults = append(schedule.Faults, f)
	}
	w := sim.NewWorld(sim.Setup{
		Servers: []sim.ServerSpec{{Name: "n1", Server: s}},
		Program: program,
		Probe:   func(*sim.Thread) {},
		Limit:   time.Minute,
	})
	defer w.Close()
	result, err := w.Run(schedule)
	if err != nil {
		t.Fatal(err)
	}
	if result.Defect != "" {
		t.Fatal(result.Defect)
	}
	return slices.Clone(result.History.Changes)
}

// ask sends requests to the server, one after the other, and returns the
// replies.
func ask(t *sim.Thread, requests ...sim.Request) []sim.Reply {
	var replies []sim.Reply
	for _, r := range requests {
		replies = append(replies, t.Call(0, r, time.Second).Reply)
	}
	return replies
}

// kinds strips changes of everything but what happened to whom.
func kinds(changes []sim.Change) []string {
	var s []string
	for _, c := range changes {
		s = append(s, string(c.Kind)+" "+c.Owner.String()+" by "+c.By.String())
	}
	return s
}

// A lease that nobody asks for any more is found expired in the end, at the
// instant at which it ended and not at the one at which it was noticed.
func TestLeasesEndOnTheServersWallClock(t *testing.T) {
	tests := []struct {
		name   string
		faults []string
		want   time.Duration
	}{
		{"undisturbed", nil, 301 * time.Millisecond},
		{"stepped forward", []string{"clock-step n1 at 100ms by +30ms"}, 271 * time.Millisecond},
		{"stepped forward past its end", []string{"clock-step n1 at 100ms by +1s"}, 100 * time.Millisecond},
		{"stepped backward", []string{"clock-step n1 at 100ms by -30ms"}, 331 * time.Millisecond},
		{"stepped backward in its last millisecond", []string{"clock-step n1 at 300ms by -30ms"}, 331 * time.Millisecond},
		{"stepped backward too late", []string{"clock-step n1 at 400ms by -1s"}, 301 * time.Millisecond},
		{"running 40 % fast", []string{"clock-rate n1 at 0s by +400000ppm"}, 215 * time.Millisecond},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			changes := run(t, new(nodes.Redis), func(t *sim.Thread) {
				ask(t, nodes.Set("lock", t.BeginAcquire(), nodes.NX, nodes.PX(ttl)))
				t.Sleep(time.Second)
			}, tt.faults...)
			want := []string{"took A#1 by A#1", "expired A#1 by nobody"}
			if diff := cmp.Diff(want, kinds(changes)); diff != "" {
				t.Fatalf("changes (-want +got):\n%s", diff)
			}
			if at := changes[1].At.At; at != clock.Instant(tt.want) {
				t.Errorf("the lease ends at %v, want %v", time.Duration(at), tt.want)
			}
		})
	}
}

func TestRestart(t *testing.T) {
	tests := []struct {
		fault   string
		replies []sim.Reply
		changes []string
	}{
		{"crash n1 before request 3 for 0s",
			[]sim.Reply{nodes.Bulk("A#1"), nodes.Int(2)},
			[]string{"took A#1 by A#1"}},
		{"crash n1 before request 3 for 400ms",
			[]sim.Reply{nodes.Nil{}, nodes.Int(2)},
			[]string{"took A#1 by A#1", "expired A#1 by nobody"}},
		{"amnesia n1 before request 3 for 0s",
			[]sim.Reply{nodes.Nil{}, nodes.Int(1)},
			[]string{"took A#1 by A#1", "forgotten A#1 by nobody"}},
		{"late-amnesia n1 before request 3 for 400ms",
			[]sim.Reply{nodes.Nil{}, nodes.Int(1)},
			[]string{"took A#1 by A#1", "forgotten A#1 by nobody"}},
	}
	for _, tt := range tests {
		t.Run(tt.fault, func(t *testing.T) {
			var replies []sim.Reply
			changes := run(t, new(nodes.Redis), func(t *sim.Thread) {
				ask(t, nodes.Set("lock", t.BeginAcquire(), nodes.NX, nodes.PX(ttl)), nodes.Incr("token"))
				t.Call(0, nodes.Get("lock"), 500*time.Millisecond) // lost, unless the server is back at once
				replies = ask(t, nodes.Get("lock"), nodes.Incr("token"))
			}, tt.fault)
			if diff := cmp.Diff(tt.replies, replies); diff != "" {
				t.Errorf("replies after the restart (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.changes, kinds(changes)); diff != "" {
				t.Errorf("changes (-want +got):\n%s", diff)
			}
		})
	}
}
