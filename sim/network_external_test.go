package sim_test

import (
	"testing"

	"pgregory.net/rapid"

	"simrun/sim"
)

// latencies returns how long each message of A took, in order.
func latencies(t *rapid.T, w *sim.World, s sim.Schedule) []int64 {
	r, err := w.Record(s)
	if err != nil {
		t.Fatal(err)
	}
	var took []int64
	for _, e := range r.Events {
		if e.Kind == sim.EventServe && e.Peer == "A" || e.Kind == sim.EventReceive && e.Actor == "A" {
			took = append(took, int64(e.At-e.Sent))
		}
	}
	return took
}

func TestNoiseIsAFunctionOfSeedAndMessage(t *testing.T) {
	l := lab{program: func(c *sim.Thread) {
		for range 3 {
			ask(c)
		}
	}}
	w := l.world()
	t.Cleanup(w.Close)
	rapid.Check(t, func(t *rapid.T) {
		s := sim.Schedule{Clients: []sim.Plan{{Client: 0}}}
		s.Noise.Seed = rapid.Uint64().Draw(t, "seed")
		s.Noise.Min = anyDuration(t, 1, 50*ms)
		s.Noise.Max = s.Noise.Min + anyDuration(t, ms, 50*ms)
		alone := latencies(t, w, s)
		distinct := map[int64]bool{}
		for _, d := range alone {
			distinct[d] = true
			if d < int64(s.Noise.Min) || d > int64(s.Noise.Max) {
				t.Fatalf("a message took %d, want %v to %v", d, s.Noise.Min, s.Noise.Max)
			}
		}
		if len(alone) != 6 || len(distinct) < 5 {
			t.Fatalf("6 messages took %v, want different times", alone)
		}
		s.Clients = append(s.Clients, sim.Plan{Client: 1})
		for i, d := range latencies(t, w, s) {
			if d != alone[i] {
				t.Fatalf("with another client, message %d took %d, want %d", i, d, alone[i])
			}
		}
	})
}
