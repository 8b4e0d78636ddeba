package nodes_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"simrun/clock"
	"simrun/nodes"
	"simrun/sim"
)

const ttl = 300 * time.Millisecond

var (
	a1 = sim.Holder{Client: 1, Attempt: 1} // A#1
	b1 = sim.Holder{Client: 2, Attempt: 1} // B#1
)

// What a command changed is all that a verdict on the lock rests on.
func TestChanges(t *testing.T) {
	taken := nodes.Set("lock", "A#1", nodes.NX, nodes.PX(ttl)) // by A
	expired := nodes.Change{Kind: sim.Expired, Owner: a1, At: clock.Epoch.Add(301 * time.Millisecond)}
	tests := []struct {
		name    string
		after   time.Duration
		by      sim.Holder
		command nodes.Command
		want    []nodes.Change
	}{
		{"SET NX of a held lock", 0, b1, nodes.Set("lock", "B#1", nodes.NX), nil},
		{"SET XX of a held lock", 0, b1, nodes.Set("lock", "B#1", nodes.XX), []nodes.Change{{Kind: sim.Overwritten, Owner: a1}, {Kind: sim.Took, Owner: b1}}},
		{"SET of a held lock", 0, b1, nodes.Set("lock", "B#1"), []nodes.Change{{Kind: sim.Overwritten, Owner: a1}, {Kind: sim.Took, Owner: b1}}},
		{"SET of the same value", 0, a1, nodes.Set("lock", "A#1"), []nodes.Change{{Kind: sim.Prolonged, Owner: a1}}},
		{"SET of the same value by another", 0, b1, nodes.Set("lock", "A#1"), []nodes.Change{{Kind: sim.Prolonged, Owner: a1}}},
		{"SET IFEQ of another value", 0, b1, nodes.Set("lock", "B#1", nodes.IFEQ("B#1")), nil},
		{"SET IFEQ of the value", 0, a1, nodes.Set("lock", "A#1", nodes.IFEQ("A#1")), []nodes.Change{{Kind: sim.Prolonged, Owner: a1}}},
		{"SET of another lock", 0, b1, nodes.Set("other", "B#1"), []nodes.Change{{Kind: sim.Took, Owner: b1}}},
		{"SETNX of a held lock", 0, b1, nodes.SetNX("lock", "B#1"), nil},
		{"DEL by another", 0, b1, nodes.Del("lock"), []nodes.Change{{Kind: sim.Removed, Owner: a1}}},
		{"DEL of what is not there", 0, b1, nodes.Del("other"), nil},
		{"DELEX IFEQ of another value", 0, b1, nodes.DelIfEqual("lock", "B#1"), nil},
		{"DELEX IFEQ of the value", 0, a1, nodes.DelIfEqual("lock", "A#1"), []nodes.Change{{Kind: sim.Removed, Owner: a1}}},
		{"PEXPIRE by another", 0, b1, nodes.PExpire("lock", ttl), []nodes.Change{{Kind: sim.Prolonged, Owner: a1}}},
		{"PEXPIRE into the past", 0, b1, nodes.PExpire("lock", 0), []nodes.Change{{Kind: sim.Removed, Owner: a1}}},
		{"release by another", 0, b1, nodes.Eval(nodes.ReleaseScript, "lock", "B#1", 0), nil},
		{"release", 0, a1, nodes.Eval(nodes.ReleaseScript, "lock", "A#1", 0), []nodes.Change{{Kind: sim.Removed, Owner: a1}}},
		{"renewal by another", 0, b1, nodes.Eval(nodes.RenewScript, "lock", "B#1", ttl), nil},
		{"renewal", 0, a1, nodes.Eval(nodes.RenewScript, "lock", "A#1", ttl), []nodes.Change{{Kind: sim.Prolonged, Owner: a1}}},
		{"INCR", 0, b1, nodes.Incr("token"), nil},
		{"GET", 0, b1, nodes.Get("lock"), nil},

		{"GET of a dead lock", time.Second, b1, nodes.Get("lock"), []nodes.Change{expired}},
		{"SET NX of a dead lock", time.Second, b1, nodes.Set("lock", "B#1", nodes.NX), []nodes.Change{expired, {Kind: sim.Took, Owner: b1}}},
		{"renewal of a dead lock", time.Second, a1, nodes.Eval(nodes.RenewScript, "lock", "A#1", ttl), []nodes.Change{expired}},
		{"GET of another key than the dead lock", time.Second, b1, nodes.Get("other"), nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var r nodes.Redis
			_, changes := r.Apply(clock.Epoch, a1, taken)
			if want := []nodes.Change{{Kind: sim.Took, Owner: a1}}; !slices.Equal(changes, want) {
				t.Fatalf("%s changed %v, want %v", taken, changes, want)
			}
			_, changes = r.Apply(clock.Epoch.Add(tt.after), tt.by, tt.command)
			if !slices.Equal(changes, tt.want) {
				t.Errorf("%s changed %v, want %v", tt.command, changes, tt.want)
			}
		})
	}
}

// A counter is no lock: nothing that happens to it concerns anybody.
func TestCountersChangeNothing(t *testing.T) {
	var r nodes.Redis
	counting := []nodes.Command{
		nodes.Incr("token"), nodes.PExpire("token", ttl), nodes.Incr("token"), nodes.Del("token"), nodes.Incr("token"),
	}
	for _, c := range counting {
		if _, changes := r.Apply(clock.Epoch, a1, c); len(changes) != 0 {
			t.Errorf("%s changed %v", c, changes)
		}
	}
	_, changes := r.Apply(clock.Epoch, b1, nodes.Set("token", "1"))
	if want := []nodes.Change{{Kind: sim.Took, Owner: b1}}; !slices.Equal(changes, want) {
		t.Errorf("SET over a counter changed %v, want %v", changes, want)
	}
}

// Words that a story, which splits its lines at spaces, cannot show.
func TestErrorsForOddWords(t *testing.T) {
	long, longer := strings.Repeat("y", 100), strings.Repeat("x", 200)
	tests := []struct {
		words []string
		want  nodes.Error
	}{
		{nil, "ERR unknown command '', with args beginning with: "},
		{[]string{""}, "ERR unknown command '', with args beginning with: "},
		{[]string{"FOO", "a b", "", "x'y"}, "ERR unknown command 'FOO', with args beginning with: 'a b' '' 'x'y' "},
		{[]string{"F\nO", "a\r\nb"}, "ERR unknown command 'F O', with args beginning with: 'a  b' "},
		{[]string{longer}, nodes.Error("ERR unknown command '" + longer[:128] + "', with args beginning with: ")},
		{[]string{"FOO", long, longer, "z"}, nodes.Error("ERR unknown command 'FOO', with args beginning with: '" + long + "' '" + longer[:25] + "' ")},
		{[]string{"FOO", longer, "z"}, nodes.Error("ERR unknown command 'FOO', with args beginning with: '" + longer[:128] + "' ")},
		{[]string{"F\x00O", "a\x00b", "\x00", "c"}, "ERR unknown command 'F', with args beginning with: 'a' '' 'c' "},
		{[]string{"EXPIRE", "k", "1", "a\x00b"}, "ERR Unsupported option a"},
		{[]string{"ſET", "k", "v"}, "ERR unknown command 'ſET', with args beginning with: 'k' 'v' "},
		{[]string{"EXPIRE", "k", "1", "a\nb"}, "ERR Unsupported option a b"},
		{[]string{"EXPIRE", "k", "1", "a\r\n"}, "ERR Unsupported option a"},
		{[]string{"SET", "k", "v", "PX", " 300"}, "ERR value is not an integer or out of range"},
		{[]string{"SET", "k", "v", "PX", ""}, "ERR value is not an integer or out of range"},
		{[]string{"SET", "k", "v", ""}, "ERR syntax error"},
		{[]string{"SET", "k", "v", "ıFEQ", "w"}, "ERR syntax error"},
	}
	for _, tt := range tests {
		if _, err := nodes.ParseCommand(tt.words); err != tt.want {
			t.Errorf("%q is refused with\n%q, want\n%q", tt.words, err, tt.want)
		}
	}
}

func TestCommandsReadAsOneTypesThem(t *testing.T) {
	tests := []struct {
		command nodes.Command
		want    string
	}{
		{nodes.Set("lock", "A#1", nodes.NX, nodes.PX(ttl)), "SET lock A#1 NX PX 300"},
		{nodes.Set("lock", "A#1", nodes.IFEQ("A#1"), nodes.PX(ttl)), "SET lock A#1 IFEQ A#1 PX 300"},
		{nodes.Set("lock", "A#1", nodes.XX), "SET lock A#1 XX"},
		{nodes.SetNX("lock", "A#1"), "SETNX lock A#1"},
		{nodes.PExpire("lock", ttl), "PEXPIRE lock 300"},
		{nodes.DelIfEqual("lock", "A#1"), "DELEX lock IFEQ A#1"},
		{nodes.Get("lock"), "GET lock"},
		{nodes.Incr("token"), "INCR token"},
		{nodes.Eval(nodes.ReleaseScript, "lock", "A#1", 0), "EVAL release(lock, A#1)"},
		{nodes.Eval(nodes.RenewScript, "lock", "A#1", ttl), "EVAL renew(lock, A#1, 300)"},
	}
	for _, tt := range tests {
		if got := tt.command.String(); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}
