//go:build linux

package fidelity

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"simrun/clock"
	"simrun/nodes"
)

// A journal is a real server's append-only file that is forced to the disk every
// second.
type journal struct{ *redisServer }

// next implements [saver]: whenever the clock begins a second.
func (j journal) next(now clock.Wall) clock.Wall {
	return now - now%clock.Wall(time.Second) + clock.Wall(time.Second)
}

// wait implements [saver].
func (j journal) wait(clock.Wall) {
	j.t.Helper()
	j.ask("PING")
	for !strings.Contains(j.ask("INFO", "persistence").String(), "aof_pending_bio_fsync:0") {
		time.Sleep(100 * time.Microsecond)
	}
}

// quota implements [saver]: between any two writes the file may be forced.
func (j journal) quota() int { return 1 }

// crash implements [saver]: the power fails, and what of the file had not been forced
// to the disk is gone.
func (j journal) crash() {
	j.t.Helper()
	j.kill()
	files, err := filepath.Glob(filepath.Join(j.folder, "appendonlydir", "*.incr.aof"))
	j.must(err)
	if len(files) != 1 {
		j.t.Fatalf("the append-only files are %q, want one", files)
	}
	var synced [8]byte
	_, err = j.clock.ReadAt(synced[:], int64(len(synced)))
	j.must(err)
	j.must(os.Truncate(files[0], int64(binary.NativeEndian.Uint64(synced[:]))))
}

// restarted implements [saver]: the server writes to the disk that it has removed what
// was dead when it started, which the simulated one does not count as a change.
func (j journal) restarted() {
	j.ask("CONFIG", "SET", "appendfsync", "always")
	j.ask("PING")
	j.ask("CONFIG", "SET", "appendfsync", "everysec")
}

// What a crash of the machine leaves of an append-only file that is forced to the
// disk every second.
func TestAPowerFailureCostsWhatItCostsTheRealRedis(t *testing.T) {
	server := startRedis(t, "--appendonly", "yes", "--appendfsync", "everysec")
	real := &crashingRedis{redisServer: server, saves: journal{server}}
	d := real.against(nodes.AOFEverySecond(time.Second), anyCrashScenes([]time.Duration{
		moment, 490 * time.Millisecond, 980 * time.Millisecond, 990 * time.Millisecond,
		time.Second, 2 * time.Second, 3 * time.Second,
	}, []int{2, 3}))
	count := tally{}
	d.spend(t, *redisScenes, count)
	redisTable.record(t, real.version(), tally{powerFails: count[redisEvents[restarts].row]})
}
