package explore_test

import (
	"context"
	"testing"

	"simrun/checker"
	"simrun/explore"
	"simrun/protocols"
)

// BenchmarkSchedule measures one random schedule from its seed to all its
// verdicts. Compare ns/entry with that of BenchmarkFloor in package sim, which
// passes entries through the bare event queue and coroutines.
func BenchmarkSchedule(b *testing.B) {
	for _, p := range protocols.All {
		b.Run(p.Name, func(b *testing.B) {
			space := explore.NewSpace(p, p.Defaults(), explore.AllFaults())
			schedules := space.Schedules()
			judge := space.NewJudge(checker.All)
			defer judge.Close()
			b.ReportAllocs()
			events, entries, seed := 0, 0, 0
			for b.Loop() {
				seed++
				out, err := judge.Run(schedules.Example(seed))
				if err != nil {
					b.Fatal(err)
				}
				events += out.Count
				entries += out.Queued
			}
			b.ReportMetric(float64(events)/float64(b.N), "events/op")
			b.ReportMetric(float64(entries)/float64(b.N), "entries/op")
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(entries), "ns/entry")
		})
	}
}

// BenchmarkGenerate measures the drawing of a schedule alone.
func BenchmarkGenerate(b *testing.B) {
	p := protocols.Named("redlock")
	schedules := explore.NewSpace(p, p.Defaults(), explore.AllFaults()).Schedules()
	b.ReportAllocs()
	seed := 0
	for b.Loop() {
		seed++
		schedules.Example(seed)
	}
}

// BenchmarkWorkers measures a campaign of 10 000 Redlock schedules with one
// worker and with two.
func BenchmarkWorkers(b *testing.B) {
	p := protocols.Named("redlock")
	for _, workers := range []int{1, 2} {
		b.Run(string(rune('0'+workers)), func(b *testing.B) {
			c := explore.Campaign{
				Space:   explore.NewSpace(p, p.Defaults(), explore.AllFaults()),
				Checks:  checker.All,
				First:   1,
				Seeds:   10_000,
				Workers: workers,
			}
			for b.Loop() {
				c.Run(context.Background())
			}
		})
	}
}
