package fidelity

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"pgregory.net/rapid"

	"simrun/clock"
	"simrun/nodes"
	"simrun/sim"
)

// A redisStep is one command to a Redis, and what happens before it.
type redisStep struct {
	wait   time.Duration // passes first
	jump   time.Duration // the server's wall clock is then stepped by
	frozen time.Duration // passes while the command waits at the server, which is stopped
	words  []string      // the command, or the script's key and arguments
	script *nodes.Script // where the command is EVAL
}

// command is the step's command as the simulated server reads it.
func (s redisStep) command() (nodes.Command, nodes.Error) {
	if s.script == nil {
		return nodes.ParseCommand(s.words)
	}
	c := nodes.Eval(s.script, s.words[0], s.words[1], 0)
	if len(s.words) == 3 {
		n, _ := strconv.ParseInt(s.words[2], 10, 64)
		c.Expiry = nodes.Expiry{Form: nodes.Millis, N: n}
	}
	return c, ""
}

// wire is the step's command as the real server is given it.
func (s redisStep) wire() []string {
	if s.script == nil {
		return s.words
	}
	return append([]string{"EVAL", s.script.Lua, "1"}, s.words...)
}

func (s redisStep) String() string {
	var b strings.Builder
	for _, d := range []struct {
		name   string
		amount time.Duration
	}{{"wait", s.wait}, {"clock", s.jump}, {"frozen for", s.frozen}} {
		if d.amount != 0 {
			fmt.Fprintf(&b, "(%s %v) ", d.name, d.amount)
		}
	}
	if s.script != nil {
		b.WriteString("EVAL " + s.script.Name + " ")
	}
	fmt.Fprintf(&b, "%q", s.words)
	return b.String()
}

// GoString is what a failed test calls the step.
func (s redisStep) GoString() string { return s.String() }

// transcript tells what was answered to the first steps.
func transcript(steps []redisStep, replies []sim.Reply) string {
	var b strings.Builder
	for i, reply := range replies {
		fmt.Fprintf(&b, "  %s -> %s\n", steps[i], reply)
	}
	return b.String()
}

// name is the row of the table that the step belongs to.
func (s redisStep) name() string {
	c, refusal := s.command()
	switch {
	case s.script != nil:
		return "EVAL " + s.script.Name
	case refusal != "":
		return "what is refused"
	case c.Verb == nodes.SET && c.Condition == nodes.IfEqual:
		return "SET IFEQ"
	}
	return c.Verb.String()
}

var (
	redisKeys   = rapid.SampledFrom([]string{"k", "l"})
	redisValues = rapid.OneOf(
		rapid.SampledFrom([]string{"A#1", "B#1"}),
		rapid.SampledFrom([]string{"7", "-1", "01", "", "two words\r\n", "9223372036854775807"}),
	)

	// Milliseconds that matter to leases of 300 of them, and the greatest numbers.
	redisCounts = rapid.SampledFrom([]int64{
		1, 2, 3, 299, 300, 301, 1000, 0, -1, -300, 9223372036854775, 9223372036854775807, -9223372036854775808,
	})
	redisNumbers = rapid.Map(redisCounts, func(n int64) string { return strconv.FormatInt(n, 10) })
	redisMillis  = rapid.Map(rapid.SampledFrom([]int64{1, 300, 1000, 0, -1, -300}), func(ms int64) string {
		return strconv.FormatInt(clock.Epoch.Millis()+ms, 10)
	})
	redisSeconds = rapid.Map(rapid.Int64Range(-1, 2), func(s int64) string {
		return strconv.FormatInt(clock.Epoch.Millis()/1000+s, 10)
	})

	redisPauses = rapid.OneOf(rapid.Just(time.Duration(0)), rapid.SampledFrom([]time.Duration{
		0, 1, 500 * time.Microsecond, time.Millisecond - 1, time.Millisecond, 2 * time.Millisecond,
		299 * time.Millisecond, 300 * time.Millisecond, 301 * time.Millisecond, time.Second,
	}))
	redisJumps = rapid.Custom(func(t *rapid.T) time.Duration {
		jump := redisPauses.Draw(t, "jump")
		if rapid.Bool().Draw(t, "back") {
			return -jump
		}
		return jump
	})
)

// anyRedisOption draws an option of SET, which may lack its number.
var anyRedisOption = rapid.OneOf(
	rapid.SampledFrom([][]string{{"NX"}, {"XX"}, {"nx"}, {"GET"}, {"KEEPTTL"}, {"PX"}, {"soon"}, {""}, {"IFEQ", "A#1"}}),
	rapid.Map(redisNumbers, func(n string) []string { return []string{"PX", n} }),
	rapid.Map(redisNumbers, func(n string) []string { return []string{"ex", n} }),
	rapid.Map(redisMillis, func(n string) []string { return []string{"PXAT", n} }),
	rapid.Map(redisSeconds, func(n string) []string { return []string{"EXAT", n} }),
)

// anyRedisSet draws a SET with options that go together.
var anyRedisSet = rapid.Custom(func(t *rapid.T) []string {
	words := []string{"SET", redisKeys.Draw(t, "key"), redisValues.Draw(t, "value")}
	condition := rapid.SampledFrom([]string{"", "NX", "XX", "IFEQ"}).Draw(t, "condition")
	if condition != "" {
		words = append(words, condition)
	}
	if condition == "IFEQ" {
		words = append(words, redisValues.Draw(t, "compare"))
	}
	if rapid.IntRange(0, 3).Draw(t, "get") == 3 {
		words = append(words, "GET")
	}
	switch form := rapid.SampledFrom([]string{"PX", "", "EX", "PXAT", "EXAT", "KEEPTTL"}).Draw(t, "form"); form {
	case "":
	case "KEEPTTL":
		words = append(words, form)
	case "PXAT":
		words = append(words, form, redisMillis.Draw(t, "instant"))
	case "EXAT":
		words = append(words, form, redisSeconds.Draw(t, "instant"))
	default:
		words = append(words, form, redisNumbers.Draw(t, "count"))
	}
	return words
})

// anyRedisWords draws a command of any name, with any number of any words.
var anyRedisWords = rapid.Custom(func(t *rapid.T) []string {
	name := rapid.SampledFrom([]string{
		"SET", "set", "SETNX", "GET", "DEL", "delex", "EXPIRE", "PEXPIRE", "TTL", "pttl", "INCR", "FOO", "", "G\r\nT",
	})
	word := rapid.OneOf(redisKeys, redisValues, redisNumbers, rapid.SampledFrom([]string{
		"NX", "IFEQ", "GT", "PX", "soon", "1.5", "+1", "0300", "\x00", strings.Repeat("y", 100),
	}))
	words := []string{name.Draw(t, "name")}
	words = append(words, rapid.SliceOfN(word, 0, 4).Draw(t, "words")...)
	if words[0] == "SET" && len(words) > 2 {
		for range rapid.IntRange(0, 3).Draw(t, "options") {
			words = append(words, anyRedisOption.Draw(t, "option")...)
		}
	}
	return words
})

// anyRedisCommand draws a step's command, mostly one that a lock might send.
func anyRedisCommand(t *rapid.T) redisStep {
	key := redisKeys.Draw(t, "key")
	simple := func(words ...string) redisStep { return redisStep{words: words} }
	switch rapid.IntRange(0, 13).Draw(t, "command") {
	case 0:
		return simple("GET", key)
	case 1:
		return simple("PTTL", key)
	case 2, 3, 4:
		return redisStep{words: anyRedisSet.Draw(t, "set")}
	case 5:
		return simple("SETNX", key, redisValues.Draw(t, "value"))
	case 6:
		return simple("DEL", key)
	case 7:
		return simple("DELEX", key, "IFEQ", redisValues.Draw(t, "value"))
	case 8:
		return simple(rapid.SampledFrom([]string{"PEXPIRE", "EXPIRE"}).Draw(t, "verb"), key, redisNumbers.Draw(t, "count"))
	case 9:
		return simple("TTL", key)
	case 10:
		return simple("INCR", key)
	case 11:
		return redisStep{script: nodes.ReleaseScript, words: []string{key, redisValues.Draw(t, "value")}}
	case 12:
		return redisStep{script: nodes.RenewScript, words: []string{key, redisValues.Draw(t, "value"), redisNumbers.Draw(t, "count")}}
	}
	return redisStep{words: anyRedisWords.Draw(t, "words")}
}

// anyRedisSteps draws a sequence of steps that a server of the version has in
// common with the simulated one.
func anyRedisSteps(v version) *rapid.Generator[[]redisStep] {
	step := rapid.Custom(func(t *rapid.T) redisStep {
		s := anyRedisCommand(t)
		s.wait = redisPauses.Draw(t, "wait")
		if rapid.IntRange(0, 3).Draw(t, "steps") == 3 {
			s.jump = redisJumps.Draw(t, "jump")
		}
		if rapid.IntRange(0, 63).Draw(t, "freezes") == 63 {
			s.frozen = redisPauses.Draw(t, "frozen")
		}
		return s
	}).Filter(func(s redisStep) bool { return redisLimits.allow(v, s) })
	return inParts(step)
}

// inParts draws a sequence as slices of slices: they are longer than slices, and
// shrink as well.
func inParts[T any](one *rapid.Generator[T]) *rapid.Generator[[]T] {
	parts := rapid.SliceOfN(rapid.SliceOfN(one, 1, 10), 1, 10)
	return rapid.Map(parts, func(parts [][]T) []T { return slices.Concat(parts...) })
}
