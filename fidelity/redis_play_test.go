//go:build linux

package fidelity

import (
	"iter"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"simrun/clock"
	"simrun/nodes"
	"simrun/sim"
)

// play has the real server answer the same, one after the other.
func (s *redisServer) play(steps []redisStep) iter.Seq2[int, sim.Reply] {
	return func(yield func(int, sim.Reply) bool) {
		s.ask("FLUSHALL")
		now := clock.Epoch
		for i, step := range steps {
			now = now.Add(step.wait + step.jump)
			s.set(now)
			if step.frozen != 0 {
				s.freeze()
			}
			s.must(s.conn.send(step.wire()...))
			if step.frozen != 0 {
				now = now.Add(step.frozen)
				s.set(now)
				s.thaw()
			}
			if !yield(i, s.answer()) {
				return
			}
			s.removeThePast(now, step)
		}
	}
}

// removeThePast makes the server remove the key of a SET into the past, which
// older servers than redis/redis#14784 leave to whoever asks for it next.
func (s *redisServer) removeThePast(now clock.Wall, step redisStep) {
	c, refusal := step.command()
	if refusal != "" || c.Verb != nodes.SET {
		return
	}
	at := c.Expiry.N
	if c.Expiry.Form == nodes.UnixSeconds {
		at *= 1000
	}
	if c.Expiry.Form == nodes.UnixMillis || c.Expiry.Form == nodes.UnixSeconds {
		if at < now.Millis() {
			s.ask("GET", c.Key)
		}
	}
}

// version asks the server for its version.
func (s *redisServer) version() string {
	_, rest, _ := strings.Cut(s.ask("INFO", "server").(nodes.Bulk).String(), "redis_version:")
	version, _, _ := strings.Cut(rest, `\r\n`)
	return version
}

// A duel plays sequences of steps on a simulated and on a real server.
type duel struct {
	server *redisServer
	node   func() redisNode
	steps  *rapid.Generator[[]redisStep]

	count  tally
	last   []redisStep // the last sequence that was played
	played int         // commands, of all sequences
}

func newDuel(t testing.TB, s *redisServer, node func() redisNode) *duel {
	v, err := redisVersion(s.version())
	s.must(err)
	return &duel{server: s, node: node, steps: anyRedisSteps(v), count: tally{}}
}

// check plays one sequence, and fails with both transcripts if they differ.
func (d *duel) check(t *rapid.T) {
	d.last = d.steps.Draw(t, "steps")
	simulated := d.node().play(d.last)
	var real []sim.Reply
	for i, reply := range d.server.play(d.last) {
		if real = append(real, reply); reply != simulated[i] {
			t.Fatalf("they differ at the last command\n\nsimulated:\n%s\nredis-server:\n%s",
				transcript(d.last, simulated[:i+1]), transcript(d.last, real))
		}
	}
	d.tally()
}

func (d *duel) tally() {
	d.played += len(d.last)
	for _, s := range d.last {
		d.count[s.name()]++
		if s.jump != 0 {
			d.count["the wall clock is stepped"]++
		}
		if s.frozen != 0 {
			d.count["the server is stopped"]++
		}
	}
}
