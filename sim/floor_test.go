package sim

import (
	"testing"

	"simrun/clock"
)

// BenchmarkFloor passes entries through the bare event queue, with as many
// pending as a run of Redlock has, and resumes one of four coroutines for each.
// No simulation of this design can be faster than that.
func BenchmarkFloor(b *testing.B) {
	const entries, pending = 300, 12
	var q queue
	var threads [4]*coroutine
	for i := range threads {
		c := newCoroutine()
		defer c.stop()
		c.start(&Thread{body: func(*Thread) {
			for {
				c.park()
			}
		}})
		threads[i] = c
	}
	b.ReportAllocs()
	for b.Loop() {
		q.reset()
		for i := range pending {
			q.push(event{at: clock.Instant(i)})
		}
		for i := range entries {
			e := q.pop()
			threads[i%len(threads)].next()
			e.at += clock.Instant(mix(1, uint64(i)) % 1000)
			q.push(e)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/entries, "ns/entry")
}
