package sim

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Schedule says how one run differs from a quiet one. The zero value is the
// quiet run of no clients. Schedules are values: a run never changes one.
type Schedule struct {
	Noise   Noise
	Clients []Plan
	Faults  []Fault
}

// Noise is what the network adds to every message: a latency between Min and
// Max, chosen for each message by a hash of Seed and the message's label.
type Noise struct {
	Seed     uint64
	Min, Max time.Duration // 0 < Min <= Max
}

// QuietNoise gives every message the same latency of half a millisecond.
var QuietNoise = Noise{Min: 500 * time.Microsecond, Max: 500 * time.Microsecond}

// A Plan is what one client intends. The plans of a schedule stand in the order
// of their clients, which need not be without gaps.
type Plan struct {
	Client int           // 0 for client A
	Start  time.Duration // when it begins, after the start of the run
	Work   time.Duration // how long it works inside the critical section
	Rounds int           // how often it runs its job
}

// Clone returns a schedule that shares no memory with s.
func (s Schedule) Clone() Schedule {
	s.Clients = slices.Clone(s.Clients)
	s.Faults = slices.Clone(s.Faults)
	return s
}

// checkClients returns an error unless the plans stand in the order of their
// clients, each once.
func (s Schedule) checkClients() error {
	for i, p := range s.Clients {
		if p.Client < 0 || i > 0 && p.Client <= s.Clients[i-1].Client {
			return fmt.Errorf("client %d of the schedule: want clients in the order of their names, each once", p.Client)
		}
	}
	return nil
}

// Lines returns the schedule as text, one line for the noise, each client and
// each fault. [ParseSchedule] reads it back.
func (s Schedule) Lines() []string {
	lines := []string{fmt.Sprintf("noise seed %d from %v to %v", s.Noise.Seed, s.Noise.Min, s.Noise.Max)}
	for _, c := range s.Clients {
		lines = append(lines, c.String())
	}
	for _, f := range s.Faults {
		lines = append(lines, f.String())
	}
	return lines
}

// String returns the plan as [ParseSchedule] reads it.
func (p Plan) String() string {
	return fmt.Sprintf("client %s starts at %v works %v rounds %d", ClientName(p.Client), p.Start, p.Work, p.Rounds)
}

// A LineError tells which line of a schedule's text is wrong, and how.
type LineError struct {
	Line int // counted from 1
	Err  error
}

func (e *LineError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }

// Unwrap returns what is wrong with the line.
func (e *LineError) Unwrap() error { return e.Err }

// ParseSchedule reads a schedule from its lines: a noise line, a line for each
// client in the order of their names, then the faults. Its error is a
// [*LineError].
func ParseSchedule(lines []string) (Schedule, error) {
	var s Schedule
	for i, line := range lines {
		if err := s.parseLine(i, strings.Fields(line)); err != nil {
			return Schedule{}, &LineError{Line: i + 1, Err: err}
		}
	}
	if len(s.Clients) == 0 {
		return Schedule{}, &LineError{Line: len(lines) + 1, Err: fmt.Errorf(`no client: want a noise line and a line such as %q`, samplePlan)}
	}
	return s, nil
}

func (s *Schedule) parseLine(index int, words []string) error {
	switch {
	case index == 0:
		return s.parseNoise(words)
	case len(words) > 0 && words[0] == "client":
		return s.parseClient(words)
	}
	f, err := parseFault(words)
	if err != nil {
		return err
	}
	s.Faults = append(s.Faults, f)
	return nil
}

func (s *Schedule) parseNoise(words []string) error {
	const want = `want "noise seed 7 from 500µs to 3ms"`
	if len(words) != 7 || words[0] != "noise" || words[1] != "seed" || words[3] != "from" || words[5] != "to" {
		return fmt.Errorf("found %q, %s", strings.Join(words, " "), want)
	}
	seed, err := strconv.ParseUint(words[2], 10, 64)
	if err != nil {
		return fmt.Errorf("seed %q: want a number from 0 to 2^64-1", words[2])
	}
	low, errLow := parseTime(words[4])
	high, errHigh := parseTime(words[6])
	if errLow != nil || errHigh != nil || low <= 0 || high < low {
		return fmt.Errorf("latency from %q to %q: want two durations from 1ns to 1000h, the first no longer than the second, such as 500µs and 3ms", words[4], words[6])
	}
	s.Noise = Noise{Seed: seed, Min: low, Max: high}
	return nil
}

const samplePlan = "client A starts at 0s works 100ms rounds 2"

func (s *Schedule) parseClient(words []string) error {
	if len(words) != 9 || words[2] != "starts" || words[3] != "at" || words[5] != "works" || words[7] != "rounds" {
		return fmt.Errorf("found %q, want a client such as %q", strings.Join(words, " "), samplePlan)
	}
	number, known := clientNumber(words[1])
	if !known || number == probeClient {
		return fmt.Errorf("client %q: want a name from A to Z", words[1])
	}
	plan := Plan{Client: int(number) - 1}
	if n := len(s.Clients); n > 0 && s.Clients[n-1].Client >= plan.Client {
		return fmt.Errorf("client %s after client %s: want clients in the order of their names, each once", words[1], ClientName(s.Clients[n-1].Client))
	}
	var errStart, errWork, errRounds error
	plan.Start, errStart = parseTime(words[4])
	plan.Work, errWork = parseTime(words[6])
	plan.Rounds, errRounds = strconv.Atoi(words[8])
	switch {
	case errStart != nil || plan.Start < 0:
		return fmt.Errorf("client %s starts at %q: want a time from 0s to 1000h, such as 20ms", words[1], words[4])
	case errWork != nil || plan.Work < 0:
		return fmt.Errorf("client %s works %q: want a duration from 0s to 1000h, such as 100ms", words[1], words[6])
	case errRounds != nil || plan.Rounds < 1 || plan.Rounds > MaxRounds:
		return fmt.Errorf("client %s rounds %q: want a number from 1 to %d", words[1], words[8], MaxRounds)
	}
	s.Clients = append(s.Clients, plan)
	return nil
}

// MaxRounds bounds how often a client runs its job in one schedule.
const MaxRounds = 100

// MaxTime bounds every time in the text of a schedule, so that no sum of them
// overflows.
const MaxTime = 1000 * time.Hour

// parseTime reads a duration of at most [MaxTime] either way.
func parseTime(s string) (time.Duration, error) {
	d, err := time.ParseDuration(s)
	if err == nil && (d < -MaxTime || d > MaxTime) {
		return 0, strconv.ErrRange
	}
	return d, err
}
