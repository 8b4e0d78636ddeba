//go:build linux

package fidelity

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"testing"
	"time"

	"simrun/clock"
	"simrun/nodes"
)

// snapshots are what a real server saves at its save points, in a process of their
// own.
type snapshots struct {
	*redisServer
	points []nodes.SavePoint
}

var persistenceField = regexp.MustCompile(`(rdb_\w+):(\d+)`)

// state is what the server says of its snapshots.
func (s snapshots) state() (changes int, last clock.Wall, busy bool) {
	s.t.Helper()
	fields := map[string]int{}
	for _, match := range persistenceField.FindAllStringSubmatch(s.ask("INFO", "persistence").String(), -1) {
		fields[match[1]], _ = strconv.Atoi(match[2])
	}
	last = clock.Wall(fields["rdb_last_save_time"]) * clock.Wall(time.Second)
	return fields["rdb_changes_since_last_save"], last, fields["rdb_bgsave_in_progress"] != 0
}

// next implements [saver]: the first of the save points whose changes there are.
func (s snapshots) next(now clock.Wall) clock.Wall {
	s.t.Helper()
	changes, last, _ := s.state()
	soonest := clock.Wall(clock.Never)
	for _, p := range s.points {
		if changes >= p.Changes {
			soonest = min(soonest, last.Add(p.After+time.Second))
		}
	}
	return soonest
}

// wait implements [saver].
func (s snapshots) wait(now clock.Wall) {
	s.t.Helper()
	for begun := time.Now(); ; time.Sleep(100 * time.Microsecond) {
		if _, _, busy := s.state(); !busy && s.next(now) > now {
			return
		}
		if time.Since(begun) > patience {
			s.t.Fatalf("redis-server does not save at its save points:\n%s", s.ask("INFO", "persistence"))
		}
	}
}

// quota implements [saver]: as many as there are until the next save point has enough.
func (s snapshots) quota() int {
	s.t.Helper()
	changes, _, _ := s.state()
	least := math.MaxInt
	for _, p := range s.points {
		if changes < p.Changes {
			least = min(least, p.Changes-changes)
		}
	}
	return least
}

// crash implements [saver].
func (s snapshots) crash() { s.kill() }

// restarted implements [saver].
func (s snapshots) restarted() {}

// What kill -9 leaves of a server that saves at save points, as they are shipped.
func TestACrashCostsWhatItCostsTheRealRedisThatTakesSnapshots(t *testing.T) {
	shipped := nodes.SavePoints(time.Second)
	save := ""
	for _, p := range shipped.Points {
		save += fmt.Sprintf("%d %d ", int(p.After.Seconds()), p.Changes)
	}
	server := startRedis(t, "--save", save)
	real := &crashingRedis{redisServer: server, saves: snapshots{server, shipped.Points}}
	d := real.against(shipped, anyCrashScenes([]time.Duration{
		250 * time.Millisecond, time.Second,
		59 * time.Second, 60 * time.Second, 61 * time.Second,
		299 * time.Second, 300 * time.Second, 301 * time.Second,
		time.Hour, time.Hour + time.Second,
	}, []int{2, 98, 99, 100, 101, 9_900, 9_999, 10_000, 10_001}))
	count := tally{}
	d.spend(t, *redisScenes/2, count)
	redisTable.record(t, real.version(), tally{isKilled: count[redisEvents[restarts].row]})
}
