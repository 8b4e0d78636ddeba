package nodes_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"simrun/clock"
	"simrun/nodes"
	"simrun/sim"
)

// anyWord draws a word, the names of options among them.
var anyWord = rapid.OneOf(
	rapid.StringMatching(`[A-Za-z0-9#:'"-]{1,8}`),
	rapid.SampledFrom([]string{"NX", "IFEQ", "GET", "PX", "KEEPTTL", "ſ", "300"}),
)

// anyCommand draws a command of any verb but EVAL, with words from the
// generators for keys and values and with counts from the one for expiries.
func anyCommand(key, value *rapid.Generator[string], count *rapid.Generator[int64]) *rapid.Generator[nodes.Command] {
	return rapid.Custom(func(t *rapid.T) nodes.Command {
		c := nodes.Command{
			Verb: rapid.SampledFrom([]nodes.Verb{
				nodes.SET, nodes.SETNX, nodes.GET, nodes.DEL, nodes.DELEX,
				nodes.EXPIRE, nodes.PEXPIRE, nodes.TTL, nodes.PTTL, nodes.INCR,
			}).Draw(t, "verb"),
			Key: key.Draw(t, "key"),
		}
		switch c.Verb {
		case nodes.SET:
			c.Value = value.Draw(t, "value")
			c.Condition = nodes.Condition(rapid.IntRange(int(nodes.Always), int(nodes.IfEqual)).Draw(t, "condition"))
			c.Get = rapid.Bool().Draw(t, "get")
			c.Expiry.Form = nodes.Form(rapid.IntRange(int(nodes.Never), int(nodes.Keep)).Draw(t, "form"))
		case nodes.SETNX:
			c.Value = value.Draw(t, "value")
		case nodes.DELEX:
			c.Condition = nodes.IfEqual
		case nodes.EXPIRE:
			c.Expiry.Form = nodes.Seconds
		case nodes.PEXPIRE:
			c.Expiry.Form = nodes.Millis
		}
		if c.Condition == nodes.IfEqual {
			c.Compare = value.Draw(t, "compare")
		}
		if c.Expiry.Form != nodes.Never && c.Expiry.Form != nodes.Keep {
			c.Expiry.N = count.Draw(t, "count")
		}
		return c
	})
}

func TestACommandIsWhatItsTextSays(t *testing.T) {
	commands := anyCommand(anyWord, anyWord, rapid.Int64())
	rapid.Check(t, func(t *rapid.T) {
		c := commands.Draw(t, "command")
		if got, err := nodes.ParseCommand(strings.Fields(c.String())); err != "" || got != c {
			t.Fatalf("%q is read as %+v, %q, want %+v", c, got, err, c)
		}
	})
}

func FuzzParseCommand(f *testing.F) {
	for _, line := range []string{
		"SET lock A#1 NX PX 300", "set k v get keepttl xx", "SET k v EX 1 EX 2", "SET k v PXAT 9223372036854775807",
		"SET k v IFEQ w GET EXAT 1767225602", "SETNX k v", "GET k", "DEL k", "DELEX k", "DELEX k IFEQ v",
		"EXPIRE k -1", "PEXPIRE k -9223372036854775808", "TTL k", "PTTL k", "INCR k", "EVAL x", "EVAL x 0", "FOO a b", "",
	} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		c, err := nodes.ParseCommand(strings.Fields(line))
		if err != "" {
			if !strings.HasPrefix(err.String(), "ERR ") || strings.ContainsAny(err.String(), "\r\n") {
				t.Errorf("%q is refused with %q, want one line after ERR", line, err)
			}
			return
		}
		if again, err := nodes.ParseCommand(strings.Fields(c.String())); err != "" || again != c {
			t.Errorf("%q is read as %q and that as %q, %q", line, c, again, err)
		}
		if reply, _ := new(nodes.Redis).Apply(clock.Epoch, sim.Nobody, c); reply == nil {
			t.Errorf("%q has no reply", c)
		}
	})
}
