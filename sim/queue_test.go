package sim

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"simrun/clock"
)

func TestQueuePopsByInstantThenInOrderOfScheduling(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var q queue
		var want []event // what is in the queue, in the order in which it must come out
		pop := func() {
			got := q.pop()
			if got.at != want[0].at || got.ref != want[0].ref {
				t.Fatalf("popped event %d of instant %d, want event %d of instant %d", got.ref, got.at, want[0].ref, want[0].at)
			}
			want = want[1:]
		}
		for i := range rapid.IntRange(0, 100).Draw(t, "operations") {
			if len(want) > 0 && rapid.Bool().Draw(t, "pop") {
				pop()
				continue
			}
			e := event{at: clock.Instant(rapid.IntRange(0, 9).Draw(t, "at")), ref: int32(i)}
			q.push(e)
			want = append(want, e)
			slices.SortStableFunc(want, func(e, f event) int { return cmp.Compare(e.at, f.at) })
		}
		for len(want) > 0 {
			pop()
		}
		if !q.empty() {
			t.Fatalf("%d events are left over", len(q.events))
		}
	})
}

func TestQueueIsAsNewAfterReset(t *testing.T) {
	var q queue
	q.push(event{at: 1})
	q.reset()
	q.push(event{at: 2, ref: 7})
	if e := q.pop(); e.ref != 7 || !q.empty() {
		t.Errorf("popped %+v and %d are left, want the one event pushed since", e, len(q.events))
	}
}
