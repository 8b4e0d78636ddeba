package nodes_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"simrun/nodes"
	"simrun/sim"
)

func TestInventory(t *testing.T) {
	read := func(g nodes.Guard, token int64) sim.Request { return nodes.ReadRow{Guard: g, Token: token} }
	write := func(g nodes.Guard, token int64) sim.Request { return nodes.WriteRow{Qty: 99, Guard: g, Token: token} }
	fresh, written := nodes.Row{Qty: nodes.StartingQty}, nodes.Row{Qty: 99, Writer: a1}
	const one, none = nodes.Rows(1), nodes.Rows(0)
	tests := []struct {
		name     string
		requests []sim.Request
		want     []sim.Reply
	}{
		{"a fresh row",
			[]sim.Request{read(nodes.Unguarded, 0)},
			[]sim.Reply{fresh}},
		{"a written row tells its writer",
			[]sim.Request{write(nodes.Unguarded, 0), read(nodes.Unguarded, 0)},
			[]sim.Reply{one, written}},
		{"newer lets only greater tokens through",
			[]sim.Request{write(nodes.Newer, 7), write(nodes.Newer, 6), write(nodes.Newer, 7), write(nodes.Newer, 8)},
			[]sim.Reply{one, none, none, one}},
		{"not-older lets the same token through again",
			[]sim.Request{write(nodes.NotOlder, 7), write(nodes.NotOlder, 6), write(nodes.NotOlder, 7), write(nodes.NotOlder, 8), write(nodes.NotOlder, 7)},
			[]sim.Reply{one, none, one, one, none}},
		{"no token is an old token",
			[]sim.Request{write(nodes.Newer, 0), write(nodes.NotOlder, 0)},
			[]sim.Reply{none, one}},
		{"unguarded writes pass and leave the token alone",
			[]sim.Request{write(nodes.Newer, 7), write(nodes.Unguarded, 1), write(nodes.Newer, 7)},
			[]sim.Reply{one, one, none}},
		{"a refused write leaves the row and its token alone",
			[]sim.Request{read(nodes.NotOlder, 7), write(nodes.Newer, 6), read(nodes.Unguarded, 0), write(nodes.Newer, 8)},
			[]sim.Reply{fresh, none, fresh, one}},
		{"a guarded read raises the token against older writes",
			[]sim.Request{read(nodes.Newer, 7), write(nodes.NotOlder, 6), write(nodes.NotOlder, 7)},
			[]sim.Reply{fresh, none, one}},
		{"a guarded read is refused too",
			[]sim.Request{write(nodes.Newer, 7), read(nodes.NotOlder, 6), read(nodes.Newer, 7), read(nodes.NotOlder, 7)},
			[]sim.Reply{one, none, none, written}},
		{"an unguarded read raises nothing",
			[]sim.Request{read(nodes.Unguarded, 7), write(nodes.Newer, 1)},
			[]sim.Reply{fresh, one}},
		{"the sequence counts from one and has nothing to do with the row",
			[]sim.Request{nodes.NextToken{}, nodes.NextToken{}, write(nodes.Newer, 1), nodes.NextToken{}},
			[]sim.Reply{nodes.Int(1), nodes.Int(2), one, nodes.Int(3)}},
		{"it speaks no Redis",
			[]sim.Request{nodes.Get("lock")},
			[]sim.Reply{nodes.Error(`ERROR: syntax error in "GET lock"`)}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []sim.Reply
			run(t, new(nodes.Inventory), func(t *sim.Thread) {
				t.BeginAcquire()
				got = ask(t, tt.requests...)
			})
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("replies (-want +got):\n%s", diff)
			}
		})
	}
}

func TestInventoryReportsWrites(t *testing.T) {
	changes := run(t, new(nodes.Inventory), func(t *sim.Thread) {
		t.BeginAcquire()
		ask(t, nodes.WriteRow{Qty: 99, Guard: nodes.Newer, Token: 7})
		t.BeginAcquire()
		ask(t, nodes.ReadRow{Guard: nodes.Newer, Token: 6})
		ask(t, nodes.WriteRow{Qty: 98, Guard: nodes.Newer, Token: 6})
		ask(t, nodes.WriteRow{Qty: 98})
	})
	want := []string{"wrote nobody by A#1", "rejected A#1 by A#2", "wrote A#1 by A#2"}
	if diff := cmp.Diff(want, kinds(changes)); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
}

func TestInventorySurvivesCrashes(t *testing.T) {
	var got []sim.Reply
	run(t, new(nodes.Inventory), func(t *sim.Thread) {
		t.BeginAcquire()
		ask(t, nodes.WriteRow{Qty: 99}, nodes.NextToken{})
		t.Call(0, nodes.NextToken{}, ttl) // lost in the crash
		got = ask(t, nodes.ReadRow{}, nodes.NextToken{})
	}, "crash n1 before request 3 for 1ms")
	if diff := cmp.Diff([]sim.Reply{nodes.Row{Qty: 99, Writer: a1}, nodes.Int(2)}, got); diff != "" {
		t.Errorf("replies after the crash (-want +got):\n%s", diff)
	}
}

func TestStatementsReadAsOneTypesThem(t *testing.T) {
	tests := []struct {
		request sim.Request
		want    string
	}{
		{nodes.ReadRow{}, "SELECT qty FROM inventory"},
		{nodes.ReadRow{Guard: nodes.NotOlder, Token: 7}, "UPDATE inventory SET fence_token = 7 WHERE fence_token <= 7 RETURNING qty"},
		{nodes.WriteRow{Qty: 99}, "UPDATE inventory SET qty = 99"},
		{nodes.WriteRow{Qty: 99, Guard: nodes.Newer, Token: 7}, "UPDATE inventory SET qty = 99, fence_token = 7 WHERE fence_token < 7"},
		{nodes.NextToken{}, "SELECT nextval('fence')"},
	}
	for _, tt := range tests {
		if got := tt.request.String(); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}
