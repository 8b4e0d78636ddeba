//go:build !386

package page_test

import (
	"io"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"simrun/checker"
	"simrun/explore"
	"simrun/protocols"
	"simrun/sim"
	"simrun/traces"
	"simrun/traces/page"
)

// long returns a trace of more than 10 000 events: six clients that get a
// Redlock over and over.
func long(t testing.TB) *traces.Trace {
	t.Helper()
	p := protocols.Named("redlock")
	schedule := sim.Schedule{Noise: sim.Noise{Seed: 3, Min: 500 * time.Microsecond, Max: 3 * time.Millisecond}}
	for i := range 6 {
		schedule.Clients = append(schedule.Clients, sim.Plan{Client: i, Work: 30 * time.Millisecond, Rounds: 16})
	}
	params := p.Defaults()
	params.Clients = len(schedule.Clients)
	trace, _, err := explore.Record(p, params, schedule, checker.All)
	if err != nil {
		t.Fatal(err)
	}
	if len(trace.Events) < 10_000 {
		t.Fatalf("%d events, want 10 000 at least", len(trace.Events))
	}
	return trace
}

// BenchmarkWrite measures a page of 10 000 events.
func BenchmarkWrite(b *testing.B) {
	trace := long(b)
	for b.Loop() {
		if err := page.Write(io.Discard, trace); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkStep measures a step on a page of 10 000 events, from the key to the
// next picture.
func BenchmarkStep(b *testing.B) {
	tab := open(b, long(b))
	step := chromedp.Evaluate[int](`new Promise(done => {
		document.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowRight"}));
		requestAnimationFrame(() => requestAnimationFrame(done));
	}).then(() => 1)`, chromedp.EvalAwaitPromise)
	for b.Loop() {
		if _, err := chromedp.Run(tab.ctx, step); err != nil {
			b.Fatal(err)
		}
	}
}
