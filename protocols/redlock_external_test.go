package protocols_test

import (
	"testing"
	"time"

	"simrun/protocols"
)

func TestMajorityIsMoreThanHalf(t *testing.T) {
	for n, want := range map[int]int{1: 1, 2: 2, 3: 2, 4: 3, 5: 3, 99: 50} {
		if got := protocols.Majority(n); got != want {
			t.Errorf("a majority of %d is %d, want %d", n, got, want)
		}
	}
}

func TestDriftAllowanceIsAHundredthAndTwoMilliseconds(t *testing.T) {
	for ttl, want := range map[time.Duration]time.Duration{
		20 * ms: 2200 * time.Microsecond, 300 * ms: 5 * ms, 10 * time.Second: 102 * ms,
	} {
		if got := protocols.DriftAllowance(ttl); got != want {
			t.Errorf("the allowance for a TTL of %v is %v, want %v", ttl, got, want)
		}
	}
}

func TestRemainingLeavesNothingAtTheLimit(t *testing.T) {
	const ttl = 300 * ms // with an allowance of 5 ms
	tests := []struct {
		elapsed, left time.Duration
		ok            bool
	}{
		{0, 295 * ms, true},
		{10 * ms, 285 * ms, true},
		{295*ms - 1, 1, true},
		{295 * ms, 0, false},
		{400 * ms, -105 * ms, false},
	}
	for _, test := range tests {
		left, ok := protocols.Remaining(ttl, test.elapsed)
		if left != test.left || ok != test.ok {
			t.Errorf("after %v there remain %v, %v, want %v, %v", test.elapsed, left, ok, test.left, test.ok)
		}
	}
}

// A lock on a minority is given back on every server, also where it seemed not
// to be granted, and the next attempt finds them all free.
func TestRedlockGivesAMinorityBack(t *testing.T) {
	p := protocols.Named("redlock")
	params := p.Defaults()
	params.Clients, params.Rounds = 1, 1
	h := run(t, p, params,
		"noise seed 1 from 500µs to 500µs",
		"client A starts at 0s works 30ms rounds 1",
		"loss A->n1 request 1",
		"loss n2->A reply 1", // it is granted, and A does not know
		"loss A->n3 request 1",
	)
	if len(h.Grants) == 0 || h.Grants[0].Holder.String() != "A#2" {
		t.Fatalf("grants %+v, want A's second attempt first", h.Grants)
	}
	took, gone := make(map[string]bool), make(map[string]bool)
	for _, c := range h.Changes {
		if c.Owner.String() != "A#1" {
			continue
		}
		took[c.Server] = true
		gone[c.Server] = gone[c.Server] || c.At.Before(h.Grants[0].Call)
	}
	if len(took) != 3 || !gone["n2"] || !gone["n4"] || !gone["n5"] {
		t.Errorf("A#1 was on %v, and gone from %v before A#2 began", took, gone)
	}
}
