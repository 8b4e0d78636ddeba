package fidelity

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"simrun/nodes"
)

var redisTable = table{name: "redis", rows: []row{
	{name: "SET", how: sequences, limit: "a server older than redis/redis#14784 keeps the key of a SET into the past until somebody asks for it: it is asked at once"},
	{name: "SET IFEQ", since: "8.4", how: "as its documentation says"},
	{name: "SETNX", how: sequences},
	{name: "GET", how: sequences},
	{name: "DEL", how: sequences, limit: redisLimits.of("DEL")},
	{name: "DELEX", since: "8.4", how: "as its documentation says"},
	{name: "EXPIRE", how: sequences, limit: redisLimits.of("EXPIRE")},
	{name: "PEXPIRE", how: sequences, limit: redisLimits.of("PEXPIRE")},
	{name: "TTL", how: sequences},
	{name: "PTTL", how: sequences},
	{name: "INCR", how: sequences},
	{name: "EVAL release", how: sequences + "; its Lua text on the real server, and by an interpreter on the simulated one"},
	{name: "EVAL renew", how: sequences + "; its Lua text on the real server, and by an interpreter on the simulated one"},
	{name: "what is refused", how: "words in any number and order, errors to the letter", limit: "commands that only the real server knows"},
	{name: "the wall clock is stepped", how: "forward and back, from a nanosecond to a second"},
	{name: "the server is stopped", how: "SIGSTOP while a command waits, time passes, SIGCONT"},
	{name: "a command to a master or its replica", how: scenes, limit: "malformed commands on a replica, which a client of simrun refuses by itself"},
	{name: "WAIT", how: scenes, limit: "while the replica is cut off"},
	{name: "WAIT times out", how: "a replica is missing, time passes, and the clock is stepped forward and back"},
	{name: "replicas are too old", how: "min-replicas-max-lag: the replica is stopped, time passes, and the master's clock is stepped", limit: "the real server counts its replicas once a second, and here whenever it is asked"},
	{name: "the clock of one of them is stepped", how: scenes, limit: "an active expire cycle comes before the step, as in simrun, and not 10 times a second"},
	{name: "one of them is stopped", how: scenes + ", with SIGSTOP"},
	{name: "one of them restarts", how: scenes + ", after kill -9, with no persistence or with AOF always", limit: "without persistence rdb-del-sync-files is on, or a replica finds its last full copy again"},
	{name: "the replica is cut off", how: scenes + ", its master out of reach", limit: "the master notices at once, where simrun loses the messages"},
	{name: "the replica is promoted", how: scenes + ", by REPLICAOF NO ONE"},
	{name: "the former master is demoted", how: scenes + ", by REPLICAOF"},
	{name: powerFails, how: "random scenes with AOF everysec: kill -9, and what was not forced to the disk is cut off"},
	{name: isKilled, how: "random scenes with RDB and the save points as shipped: kill -9", limit: "a crash while a snapshot is taken, which in simrun takes no time"},
}}

const (
	powerFails = "the power of its machine fails"
	isKilled   = "it is killed between two snapshots"
)

const scenes = "random scenes with a master and a replica, each with a clock of its own"

const sequences = "random sequences on two keys"

// A version is what comes before the second dot of a server's version.
type version struct{ major, minor int }

func redisVersion(s string) (v version, err error) {
	_, err = fmt.Sscanf(s, "%d.%d", &v.major, &v.minor)
	return v, err
}

func (v version) before(w version) bool {
	return v.major < w.major || v.major == w.major && v.minor < w.minor
}

// A redisLimit is what the simulated server does not know, or a real one.
type redisLimit struct {
	row   string // in which the table names it
	text  string
	since version // where real servers know it from some version on
	is    func(words []string) bool
}

type limits []redisLimit

var never = version{major: 1 << 30}

var redisLimits = limits{
	{"DEL", "more than one key", never, func(w []string) bool { return w[0] == "DEL" && len(w) > 2 }},
	{"EXPIRE", expireOptions, never, func(w []string) bool { return w[0] == "EXPIRE" && comparesExpiries(w) }},
	{"PEXPIRE", expireOptions, never, func(w []string) bool { return w[0] == "PEXPIRE" && comparesExpiries(w) }},
	{"DELEX", "", version{8, 4}, func(w []string) bool { return w[0] == "DELEX" }},
	{"SET", "", version{8, 4}, func(w []string) bool { return w[0] == "SET" && slices.Contains(w, "IFEQ") }},
}

const expireOptions = "NX, XX, GT and LT"

func comparesExpiries(w []string) bool {
	return len(w) > 3 && slices.Contains([]string{"NX", "XX", "GT", "LT"}, w[3])
}

// of returns what the table says of a row.
func (l limits) of(row string) string {
	for _, limit := range l {
		if limit.row == row {
			return limit.text
		}
	}
	return ""
}

// allow reports whether a server of a version and the simulated one can be
// compared in a step.
func (l limits) allow(v version, s redisStep) bool {
	if s.script != nil {
		return true
	}
	words := slices.Clone(s.words)
	for i := range words {
		words[i] = strings.ToUpper(words[i])
	}
	for _, limit := range l {
		if v.before(limit.since) && limit.is(words) {
			return false
		}
	}
	return true
}

// The simulated server knows no command that the table keeps silent about.
func TestEveryCommandOfRedisHasARow(t *testing.T) {
	for _, verb := range nodes.Verbs() {
		name := verb.String()
		found := slices.ContainsFunc(redisTable.rows, func(r row) bool {
			return r.name == name || strings.HasPrefix(r.name, name+" ")
		})
		if !found {
			t.Errorf("%s has no row in the table of what is compared", name)
		}
	}
}
