package fidelity

import (
	"flag"
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"simrun/sim"
)

var redisScenes = flag.Int("redis.scenes", 400, "how many random scenes are played on real servers, at least, for each way to persist")

// A sceneDuel plays scenes on simulated and on real servers.
type sceneDuel struct {
	simulated func([]redisScene) ([]sim.Reply, error)
	begin     func() // makes the real servers as new
	enact     func(redisScene) sim.Reply
	scenes    *rapid.Generator[[]redisScene]

	budget int // of scenes, after which every sequence passes
	last   []redisScene
}

// spend plays scenes until n are played, and adds them to the count.
func (d *sceneDuel) spend(t *testing.T, n int, count tally) {
	for d.budget = n; d.budget > 0; {
		rapid.Check(t, func(t *rapid.T) {
			before := d.budget
			d.check(t)
			if d.budget == before {
				return
			}
			for _, s := range d.last {
				if row := redisEvents[s.what].row; row != "" {
					count[row]++
				}
				if s.waits() {
					count["WAIT"]++
				}
			}
		})
	}
}

// check plays the scenes of one run, and fails with both transcripts if they differ.
func (d *sceneDuel) check(t *rapid.T) {
	d.last = d.scenes.Draw(t, "scenes")
	if d.budget <= 0 {
		return
	}
	if err := d.play(d.last); err != nil {
		d.budget = math.MaxInt // for the shrinking
		t.Fatal(err)
	}
	d.budget -= len(d.last)
}

// play plays scenes, up to where the servers differ.
func (d *sceneDuel) play(scenes []redisScene) error {
	want, err := d.simulated(scenes)
	if err != nil {
		return err
	}
	d.begin()
	var simulated, real strings.Builder
	for _, s := range scenes {
		got := d.enact(s)
		if got == nil {
			fmt.Fprintf(&simulated, "  %s\n", s)
			fmt.Fprintf(&real, "  %s\n", s)
			continue
		}
		fmt.Fprintf(&simulated, "  %s -> %s\n", s, want[0])
		fmt.Fprintf(&real, "  %s -> %s\n", s, got)
		if got != want[0] {
			return fmt.Errorf("they differ at the last command\n\nsimulated:\n%s\nredis-server:\n%s", &simulated, &real)
		}
		want = want[1:]
	}
	return nil
}
