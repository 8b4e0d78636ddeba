package nodes_test

import (
	"testing"
	"time"

	"simrun/nodes"
	"simrun/sim"
)

func TestGatewayWithoutKeysDoesWhatItIsAsked(t *testing.T) {
	lines := []scriptLine{
		{'A', nodes.Post{}, "201 Created"}, {'B', nodes.Post{}, "201 Created"}, {'B', nodes.Post{Key: "k"}, "201 Created"}, {'A', nodes.Get("lock"), "404 Not Found"},
	}
	got, h := play(t, new(nodes.Gateway), lines)
	compare(t, lines, got)
	wantEffects(t, h, "A#1", "B#1", "B#1")
}

func TestIdempotencyKeys(t *testing.T) {
	post := nodes.Post{Key: "invoice-1041"}
	const created, conflict = "201 Created", "409 Conflict"
	tests := []struct {
		name        string
		takes       time.Duration
		lease       time.Duration
		lines       []scriptLine
		faults      []string
		wantEffects []string
	}{
		{"a duplicate of what is done has its reply and no effect", beat / 4, beat,
			[]scriptLine{{'A', post, created}, {'B', post, created}, {'A', post, created}}, nil, []string{"A#1"}},
		{"a duplicate of what is pending conflicts", 2 * beat, 5 * beat,
			[]scriptLine{{'A', post, "2: " + created}, {'B', post, conflict}, {'C', nodes.Post{}, "400 Bad Request"}, {'B', post, created}}, nil, []string{"A#1"}},
		{"what a crash left pending conflicts until its lease is over", 2 * beat, 4*beat - beat/2,
			[]scriptLine{{'A', post, "no reply"}, {'B', post, conflict}, {'B', post, conflict}, {'B', post, conflict}, {'C', post, "6: " + created}, {'B', post, conflict}, {'D', post, created}},
			[]string{"crash n1 at 10ms for 0s"}, []string{"C#1"}},
		{"a crash after the effect has not forgotten it", beat / 4, beat,
			[]scriptLine{{'A', post, created}, {'B', post, created}}, []string{"crash n1 at 10ms for 0s"}, []string{"A#1"}},
		{"what a slow predecessor completes does not count", 2*beat + beat/2, beat,
			[]scriptLine{{'A', post, "no reply"}, {'B', nodes.Get("x"), "404 Not Found"}, {'B', post, "4: " + created}}, nil, []string{"B#1"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, h := play(t, &nodes.Gateway{Honours: true, Takes: tt.takes, Lease: tt.lease}, tt.lines, tt.faults...)
			compare(t, tt.lines, got)
			wantEffects(t, h, tt.wantEffects...)
		})
	}
}

// wantEffects fails unless the invoice was sent for the given attempts.
func wantEffects(t *testing.T, h *sim.History, by ...string) {
	t.Helper()
	ok := len(h.Effects) == len(by)
	for i := range by {
		ok = ok && h.Effects[i].Holder.String() == by[i] && h.Effects[i].Key == sim.Nobody
	}
	if !ok {
		t.Errorf("effects %v, want those of %v", h.Effects, by)
	}
}

func TestAlertsAreNoted(t *testing.T) {
	lines := []scriptLine{{'A', nodes.Alert{Text: "fire"}, "noted"}}
	got, h := play(t, nodes.Alerts{}, lines)
	compare(t, lines, got)
	if len(h.Effects)+len(h.Changes) > 0 || lines[0].request.String() != "ALERT fire" {
		t.Errorf("effects %v, changes %v, text %q", h.Effects, h.Changes, lines[0].request)
	}
}
