package nodes_test

import (
	"math"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"

	"simrun/clock"
	"simrun/nodes"
	"simrun/sim"
)

// A model is what a Redis is meant to be: a map whose entries die.
type model map[string]item

type item struct {
	value  string
	mortal bool
	dies   int64 // in Unix milliseconds, if it is mortal
}

// apply executes a command and returns the text of the reply.
func (m model) apply(now int64, c nodes.Command) string {
	if c.Verb == nodes.SET && timed(c.Expiry) && c.Expiry.N <= 0 {
		return "ERR invalid expire time in 'set' command" // without a look at the key
	}
	old, found := m[c.Key]
	if found && old.mortal && now > old.dies {
		delete(m, c.Key)
		old, found = item{}, false
	}
	switch c.Verb {
	case nodes.SET:
		return m.set(now, c, old, found)
	case nodes.SETNX:
		if !found {
			m[c.Key] = item{value: c.Value}
		}
		return yes(!found)
	case nodes.GET:
		return text(old, found)
	case nodes.DEL:
		delete(m, c.Key)
		return yes(found)
	case nodes.DELEX:
		equal := found && old.value == c.Compare
		if equal {
			delete(m, c.Key)
		}
		return yes(equal)
	case nodes.EXPIRE, nodes.PEXPIRE:
		return m.expire(now, c, old, found)
	case nodes.TTL, nodes.PTTL:
		return left(now, c, old, found)
	default:
		return m.incr(c, old, found)
	}
}

func (m model) set(now int64, c nodes.Command, old item, found bool) string {
	e := item{value: c.Value, mortal: c.Expiry.Form != nodes.Never}
	switch c.Expiry.Form {
	case nodes.Keep:
		e.mortal, e.dies = old.mortal, old.dies
	case nodes.Seconds:
		e.dies = now + c.Expiry.N*1000
	case nodes.Millis:
		e.dies = now + c.Expiry.N
	case nodes.UnixSeconds:
		e.dies = c.Expiry.N * 1000
	case nodes.UnixMillis:
		e.dies = c.Expiry.N
	}
	does := map[nodes.Condition]bool{
		nodes.Always:    true,
		nodes.IfAbsent:  !found,
		nodes.IfPresent: found,
		nodes.IfEqual:   found && old.value == c.Compare,
	}[c.Condition]
	if does {
		m[c.Key] = e
		if e.mortal && now > e.dies {
			delete(m, c.Key)
		}
	}
	if c.Get {
		return text(old, found)
	}
	if does {
		return "OK"
	}
	return "nil"
}

func (m model) expire(now int64, c nodes.Command, old item, found bool) string {
	if !found {
		return "0"
	}
	unit := map[nodes.Verb]int64{nodes.EXPIRE: 1000, nodes.PEXPIRE: 1}[c.Verb]
	m[c.Key] = item{value: old.value, mortal: true, dies: now + c.Expiry.N*unit}
	if c.Expiry.N <= 0 {
		delete(m, c.Key)
	}
	return "1"
}

func left(now int64, c nodes.Command, old item, found bool) string {
	switch {
	case !found:
		return "-2"
	case !old.mortal:
		return "-1"
	case c.Verb == nodes.TTL:
		return strconv.FormatInt(int64(math.Round(float64(old.dies-now)/1000)), 10)
	}
	return strconv.FormatInt(old.dies-now, 10)
}

func (m model) incr(c nodes.Command, old item, found bool) string {
	if !found {
		old.value = "0"
	}
	n, err := strconv.Atoi(old.value)
	if err != nil {
		return "ERR value is not an integer or out of range"
	}
	old.value = strconv.Itoa(n + 1)
	m[c.Key] = old
	return old.value
}

func timed(x nodes.Expiry) bool { return x.Form != nodes.Never && x.Form != nodes.Keep }

func text(e item, found bool) string {
	if !found {
		return "nil"
	}
	return strconv.Quote(e.value)
}

func yes(b bool) string {
	if b {
		return "1"
	}
	return "0"
}

func TestRedisIsAMapWhoseEntriesDie(t *testing.T) {
	commands := anyCommand(
		rapid.SampledFrom([]string{"k", "l"}),
		rapid.SampledFrom([]string{"A#1", "B#1", "7"}),
		rapid.OneOf(
			rapid.Int64Range(-2, 5),
			rapid.Map(rapid.Int64Range(-5, 5), func(ms int64) int64 { return clock.Epoch.Millis() + ms }),
		),
	)
	passes := rapid.Int64Range(-3, 5) // milliseconds; the clock goes back where it is negative
	rapid.Check(t, func(t *rapid.T) {
		var r nodes.Redis
		m, now := model{}, clock.Epoch
		for range rapid.IntRange(1, 40).Draw(t, "commands") {
			now = now.Add(time.Duration(passes.Draw(t, "passes")) * time.Millisecond)
			c := commands.Draw(t, "command")
			reply, _ := r.Apply(now, sim.Nobody, c)
			if want := m.apply(now.Millis(), c); reply.String() != want {
				t.Fatalf("at %d: %s -> %s, want %s", now.Millis(), c, reply, want)
			}
		}
	})
}
