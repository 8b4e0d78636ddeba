package checker_test

import (
	"testing"
	"time"

	"simrun/checker"
	"simrun/clock"
	"simrun/sim"
)

var a1 = sim.Holder{Client: 1, Attempt: 1}

func TestLostAt(t *testing.T) {
	tests := []struct {
		name   string
		quorum int
		lines  []string
		want   clock.Instant
	}{
		{"expired on the single server", 1,
			[]string{"1ms n1 took A#1", "300ms n1 expired A#1"}, 300},
		{"expired long before the server noticed", 1,
			[]string{"1ms n1 took A#1", "500ms n1 expired A#1 since 300ms", "n1 took B#1"}, 300},
		{"removed by another", 1,
			[]string{"1ms n1 took A#1", "200ms n1 removed A#1 by B#1"}, 200},
		{"forgotten by the server", 1,
			[]string{"1ms n1 took A#1", "150ms n1 forgotten A#1"}, 150},
		{"overwritten by another", 1,
			[]string{"1ms n1 took A#1", "120ms n1 overwritten A#1 by B#1", "n1 took B#1"}, 120},
		{"prolonged, then expired", 1,
			[]string{"1ms n1 took A#1", "100ms n1 prolonged A#1 by A#1", "400ms n1 expired A#1"}, 400},
		{"still held at the end", 1,
			[]string{"1ms n1 took A#1"}, clock.Never},
		{"never held", 1,
			[]string{"1ms n1 took B#1", "300ms n1 expired B#1"}, 0},

		{"two of five lost, a majority left", 3,
			[]string{"1ms n1 took A#1", "n2 took A#1", "n3 took A#1", "n4 took A#1", "n5 took A#1", "100ms n1 forgotten A#1", "200ms n2 expired A#1"}, clock.Never},
		{"the third of five lost", 3,
			[]string{"1ms n1 took A#1", "n2 took A#1", "n3 took A#1", "n4 took A#1", "n5 took A#1", "100ms n1 forgotten A#1", "200ms n2 expired A#1", "300ms n3 expired A#1", "n4 expired A#1"}, 300},
		{"one lost of a bare majority", 3,
			[]string{"1ms n1 took A#1", "n2 took A#1", "n3 took A#1", "100ms n2 forgotten A#1", "300ms n1 expired A#1", "n3 expired A#1"}, 100},
		{"expiries noticed in another order", 3,
			[]string{"1ms n1 took A#1", "n2 took A#1", "n3 took A#1", "n4 took A#1", "400ms n4 expired A#1 since 320ms", "n1 expired A#1 since 300ms", "n2 expired A#1 since 310ms"}, 310},
		{"a minority", 3,
			[]string{"1ms n1 took A#1", "n2 took A#1", "300ms n1 expired A#1"}, 0},
		{"three, but never at one time", 3,
			[]string{"1ms n1 took A#1", "n2 took A#1", "50ms n1 forgotten A#1", "60ms n3 took A#1"}, 0},
		{"a late request that arrives when the majority is gone", 3,
			[]string{"1ms n1 took A#1", "n2 took A#1", "n3 took A#1", "50ms n1 forgotten A#1", "60ms n4 took A#1", "300ms n2 expired A#1"}, 50},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			h := history(t, test.lines...)
			h.Quorum = test.quorum
			want := test.want
			if want != clock.Never {
				want *= clock.Instant(ms)
			}
			if got := checker.LostAt(h, a1); got != want {
				t.Errorf("lost at %v, want %v", time.Duration(got), time.Duration(want))
			}
		})
	}
}

func TestUnawareIsTheTimeFromLossToNotice(t *testing.T) {
	tests := []struct {
		name  string
		lines []string
		want  time.Duration
	}{
		{"stopped before the loss",
			[]string{"A#1 acquires", "1ms n1 took A#1", "A#1 holds", "299ms A#1 ends deadline", "300ms n1 expired A#1"}, 0},
		{"told of the loss late",
			[]string{"A#1 acquires", "1ms n1 took A#1", "A#1 holds", "300ms n1 expired A#1", "345ms A#1 ends told"}, 45 * ms},
		{"lost before the acquire returned",
			[]string{"A#1 acquires", "1ms n1 took A#1", "300ms n1 expired A#1", "500ms A#1 holds", "510ms A#1 ends released"}, 10 * ms},
		{"never had it",
			[]string{"A#1 acquires", "1ms A#1 holds", "21ms A#1 ends released"}, 20 * ms},
		{"never noticed",
			[]string{"A#1 acquires", "1ms n1 took A#1", "A#1 holds", "300ms n1 expired A#1", "1s world ends"}, 700 * ms},
		{"the longest of several",
			[]string{
				"A#1 acquires", "n1 took A#1", "A#1 holds", "300ms n1 expired A#1", "390ms A#1 ends released",
				"B#1 acquires", "n1 took B#1", "B#1 holds", "690ms n1 expired B#1", "700ms B#1 ends released",
			}, 90 * ms},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := checker.Unaware(history(t, test.lines...)); got != test.want {
				t.Errorf("unaware for %v, want %v", got, test.want)
			}
		})
	}
}
