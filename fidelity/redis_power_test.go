//go:build linux

package fidelity

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"simrun/clock"
	"simrun/nodes"
	"simrun/sim"
)

// failPower crashes the machine: the server is killed, and what of its append-only
// file had not been forced to the disk is gone.
func (s *redisServer) failPower() {
	s.t.Helper()
	s.kill()
	files, err := filepath.Glob(filepath.Join(s.folder, "appendonlydir", "*.incr.aof"))
	s.must(err)
	if len(files) != 1 {
		s.t.Fatalf("the append-only files are %q, want one", files)
	}
	var synced [8]byte
	_, err = s.clock.ReadAt(synced[:], int64(len(synced)))
	s.must(err)
	s.must(os.Truncate(files[0], int64(binary.NativeEndian.Uint64(synced[:]))))
}

// clear makes the server as new, which is stopped.
func (s *redisServer) clear() {
	s.kill()
	s.must(os.RemoveAll(filepath.Join(s.folder, "appendonlydir")))
	_, err := s.clock.WriteAt(make([]byte, 8), 8)
	s.must(err)
}

// sync waits until the server has done what its clock has it do with its file.
func (s *redisServer) sync() {
	s.t.Helper()
	s.ask("PING")
	for !strings.Contains(s.ask("INFO", "persistence").String(), "aof_pending_bio_fsync:0") {
		time.Sleep(100 * time.Microsecond)
	}
}

// The power fails late in a second, and is there again early in another.
const (
	early = 50 * time.Millisecond
	late  = 900 * time.Millisecond
	down  = 2*time.Second - late + early
)

// stageBySeconds gives scenes their moments such that it does not matter that the
// real server saves when its clock begins a second, and the simulated one when a
// second is over since it last did: between early and late, what happens in one
// second happens later in it than what happened in those before.
func stageBySeconds(drawn []redisScene) []redisScene {
	scenes := make([]redisScene, 0, len(drawn))
	second := clock.Instant(0)
	for i, s := range drawn {
		s.at, s.server = second.Add(early+time.Duration(i+1)*time.Millisecond), 0
		switch s.what {
		case waits:
			second = second.Add(s.by)
		case restarts:
			s.at = second.Add(late)
			second = second.Add(2 * time.Second)
		}
		scenes = append(scenes, s)
	}
	return scenes
}

var anyPowerScenes = rapid.Map(inParts(rapid.Custom(func(t *rapid.T) redisScene {
	s := redisScene{what: rapid.SampledFrom([]redisEvent{asks, asks, asks, asks, waits, steps, restarts}).Draw(t, "what")}
	seconds := rapid.Map(rapid.IntRange(1, 3), func(n int) time.Duration { return time.Duration(n) * time.Second })
	switch s.what {
	case asks:
		s.ask = anyRedisRequest.Filter(func(s redisStep) bool { return s.words[0] != "WAIT" }).Draw(t, "ask")
	case waits:
		s.by = seconds.Draw(t, "for")
	case steps:
		s.by = seconds.Draw(t, "by")
		if rapid.Bool().Draw(t, "back") {
			s.by = -s.by
		}
	case restarts:
		s.by = down
	}
	return s
})), stageBySeconds)

// A powerCut is a real server whose machine fails now and then.
type powerCut struct {
	*redisServer
	now   clock.Wall    // as its clock reads
	jumps time.Duration // of its clock, so far
}

// begin makes the server as new.
func (p *powerCut) begin() {
	p.clear()
	p.now, p.jumps = clock.Epoch, 0
	p.set(p.now)
	p.start()
}

// pass has time pass for the server: with each second that its clock begins, it
// may have something to save.
func (p *powerCut) pass(to clock.Wall) {
	p.t.Helper()
	const second = clock.Wall(time.Second)
	for next := (p.now/second + 1) * second; next < to; next += second {
		p.set(next)
		p.sync()
	}
	p.set(to)
	p.sync()
	p.now = to
}

// force has the server write to the disk that it has removed what was dead when it
// started, which the simulated one does not count as a change.
func (p *powerCut) force() {
	p.ask("CONFIG", "SET", "appendfsync", "always")
	p.ask("PING")
	p.ask("CONFIG", "SET", "appendfsync", "everysec")
}

// enact has the server live through a scene.
func (p *powerCut) enact(s redisScene) (reply sim.Reply) {
	p.t.Helper()
	p.pass(clock.Epoch.Add(time.Duration(s.at) + p.jumps))
	switch s.what {
	case asks:
		reply = p.ask(s.ask.wire()...)
	case steps:
		p.sweep()
		p.jumps += s.by
		p.now = p.now.Add(s.by)
		p.set(p.now)
	case restarts:
		p.failPower()
		p.now = p.now.Add(s.by)
		p.set(p.now)
		p.start()
		p.force()
	}
	p.sync()
	return reply
}

// What a crash of the machine leaves of an append-only file that is forced to the
// disk every second.
func TestAPowerFailureCostsWhatItCostsTheRealRedis(t *testing.T) {
	real := &powerCut{redisServer: startRedis(t, "--appendonly", "yes", "--appendfsync", "everysec")}
	d := &sceneDuel{
		simulated: func(scenes []redisScene) ([]sim.Reply, error) {
			server := &nodes.PersistentRedis{Persistence: nodes.AOFEverySecond(time.Second)}
			return playScenes([]sim.ServerSpec{{Name: pairNames[0], Server: server}}, scenes)
		},
		begin:  real.begin,
		enact:  real.enact,
		scenes: anyPowerScenes,
	}
	count := tally{}
	d.spend(t, *redisScenes, count)
	redisTable.record(t, real.version(), tally{powerFails: count[redisEvents[restarts].row]})
}
