//go:build linux

package fidelity

import (
	"os"
	"path/filepath"
	"time"

	"pgregory.net/rapid"

	"simrun/clock"
	"simrun/nodes"
	"simrun/sim"
)

// A crashingRedis is a real server that crashes now and then, and has afterwards
// what it had saved by then.
type crashingRedis struct {
	*redisServer
	saves saver
	now   clock.Wall    // as its clock reads
	jumps time.Duration // of its clock, so far
}

// A saver knows a way in which a real server saves what it has.
type saver interface {
	next(now clock.Wall) clock.Wall // when it may have something to save, after now
	wait(now clock.Wall)            // until it has saved what its clock has it save
	quota() int                     // how many changes it may be sent until wait is called
	crash()                         // it is gone, with all that was not saved
	restarted()                     // it is there again
}

// begin makes the server as new.
func (c *crashingRedis) begin() {
	c.kill()
	for _, name := range []string{"appendonlydir", "dump.rdb"} {
		c.must(os.RemoveAll(filepath.Join(c.folder, name)))
	}
	_, err := c.clock.WriteAt(make([]byte, 8), 8)
	c.must(err)
	c.jumps = 0
	c.set(clock.Epoch)
	c.start()
}

// set sets the server's clock.
func (c *crashingRedis) set(now clock.Wall) {
	c.now = now
	c.redisServer.set(now)
}

// pass has time pass for the server, which saves on the way what is to be saved.
func (c *crashingRedis) pass(to clock.Wall) {
	c.t.Helper()
	for next := c.saves.next(c.now); next < to; next = c.saves.next(c.now) {
		c.set(next)
		c.saves.wait(c.now)
	}
	c.set(to)
	c.saves.wait(c.now)
}

// askOften asks the server the same several times, and returns its last reply.
func (c *crashingRedis) askOften(words []string, times int) (reply sim.Reply) {
	c.t.Helper()
	for times > 0 {
		some := min(times, c.saves.quota())
		for range some {
			c.must(c.conn.send(words...))
		}
		for range some {
			reply = c.answer()
		}
		c.saves.wait(c.now)
		times -= some
	}
	return reply
}

// enact has the server live through a scene.
func (c *crashingRedis) enact(s redisScene) (reply sim.Reply) {
	c.t.Helper()
	c.pass(clock.Epoch.Add(time.Duration(s.at) + c.jumps))
	switch s.what {
	case asks:
		reply = c.askOften(s.ask.wire(), max(s.often, 1))
	case steps:
		c.sweep()
		c.saves.wait(c.now)
		c.jumps += s.by
		c.set(c.now.Add(s.by))
	case restarts:
		c.saves.crash()
		c.set(c.now.Add(s.by))
		c.start()
		c.saves.restarted()
	}
	c.saves.wait(c.now)
	return reply
}

// against plays scenes on the server, and on a simulated one.
func (c *crashingRedis) against(p nodes.Persistence, scenes *rapid.Generator[[]redisScene]) *sceneDuel {
	return &sceneDuel{
		simulated: func(scenes []redisScene) ([]sim.Reply, error) {
			server := &nodes.PersistentRedis{Persistence: p}
			return playScenes([]sim.ServerSpec{{Name: pairNames[0], Server: server}}, scenes)
		},
		begin:  c.begin,
		enact:  c.enact,
		scenes: scenes,
	}
}

// oneAfterTheOther gives scenes of one server their moments.
func oneAfterTheOther(drawn []redisScene) []redisScene {
	at := clock.Instant(moment)
	for i := range drawn {
		s := &drawn[i]
		s.at, s.server = at, 0
		if at = at.Add(moment); s.what == waits || s.what == restarts {
			at = at.Add(s.by)
		}
	}
	return drawn
}

// anyCrashScenes draws what happens to one server, with times and bursts as given;
// what it has after a crash at the end is asked for.
func anyCrashScenes(amounts []time.Duration, bursts []int) *rapid.Generator[[]redisScene] {
	amount := rapid.SampledFrom(amounts)
	scene := rapid.Custom(func(t *rapid.T) redisScene {
		s := redisScene{what: rapid.SampledFrom([]redisEvent{asks, asks, asks, asks, waits, waits, steps, restarts}).Draw(t, "what")}
		switch s.what {
		case asks:
			s.ask = anyRedisRequest.Filter(func(s redisStep) bool { return s.words[0] != "WAIT" }).Draw(t, "ask")
			if rapid.IntRange(0, 2).Draw(t, "burst") == 2 {
				s.ask, s.often = redisStep{words: []string{"INCR", "n"}}, rapid.SampledFrom(bursts).Draw(t, "often")
			}
		case steps:
			s.by = amount.Draw(t, "by")
			if rapid.Bool().Draw(t, "back") {
				s.by = -s.by
			}
		default:
			s.by = amount.Draw(t, "for")
		}
		return s
	})
	return rapid.Map(inParts(scene), func(drawn []redisScene) []redisScene {
		drawn = append(drawn, redisScene{what: restarts})
		for _, key := range []string{"k", "l", "n"} {
			drawn = append(drawn, redisScene{what: asks, ask: redisStep{words: []string{"GET", key}}})
		}
		return oneAfterTheOther(drawn)
	})
}
