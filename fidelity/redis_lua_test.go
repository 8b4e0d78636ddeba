package fidelity

import (
	"crypto/sha1"
	"fmt"
	"testing"

	lua "github.com/yuin/gopher-lua"
	"pgregory.net/rapid"

	"simrun/clock"
	"simrun/nodes"
	"simrun/sim"
)

// newLuaNode is the simulated server with scripts that run from their own text
// instead of as named procedures.
func newLuaNode() redisNode {
	node := newRedisNode()
	return func(now clock.Instant, wall clock.Wall, c nodes.Command) sim.Reply {
		if c.Verb != nodes.EVAL {
			return node(now, wall, c)
		}
		i := interpreter{script: c.Script, call: func(words []string) sim.Reply {
			c, refusal := nodes.ParseCommand(words)
			if refusal != "" {
				return refusal
			}
			return node(now, wall, c)
		}}
		return i.run([]string{c.Key}, []string{c.Value, nodes.Int(c.Expiry.N).String()})
	}
}

// An interpreter runs one script as Redis does.
type interpreter struct {
	script  *nodes.Script
	call    func(words []string) sim.Reply
	stopped nodes.Error // by an error of redis.call
}

// run returns what the server replies to EVAL.
func (i *interpreter) run(keys, args []string) sim.Reply {
	l := lua.NewState()
	defer l.Close()
	redis := l.NewTable()
	redis.RawSetString("call", l.NewFunction(i.redisCall))
	l.SetGlobal("redis", redis)
	l.SetGlobal("KEYS", list(l, keys))
	l.SetGlobal("ARGV", list(l, args))
	if err := l.DoString(i.script.Lua); err != nil && i.stopped == "" {
		return nodes.Error(err.Error())
	}
	if i.stopped != "" {
		return i.stopped
	}
	return replyOf(l.Get(-1))
}

func list(l *lua.LState, words []string) *lua.LTable {
	t := l.NewTable()
	for _, word := range words {
		t.Append(lua.LString(word))
	}
	return t
}

// redisCall is redis.call: an error of the command is one of the script, which
// names it and the line.
func (i *interpreter) redisCall(l *lua.LState) int {
	var words []string
	for n := 1; n <= l.GetTop(); n++ {
		words = append(words, l.CheckString(n))
	}
	switch r := i.call(words).(type) {
	case nodes.Error:
		caller, _ := l.GetStack(1)
		l.GetInfo("l", caller, nil)
		i.stopped = nodes.Error(fmt.Sprintf("%s script: %x, on @user_script:%d.", r, sha1.Sum([]byte(i.script.Lua)), caller.CurrentLine))
		l.RaiseError("%s", r)
	case nodes.Nil:
		l.Push(lua.LFalse)
	case nodes.Bulk:
		l.Push(lua.LString(r))
	case nodes.Int:
		l.Push(lua.LNumber(r))
	case nodes.Status:
		ok := l.NewTable()
		ok.RawSetString("ok", lua.LString(r))
		l.Push(ok)
	}
	return 1
}

// replyOf returns the reply that a script's value becomes.
func replyOf(v lua.LValue) sim.Reply {
	switch v := v.(type) {
	case lua.LNumber:
		return nodes.Int(v)
	case lua.LString:
		return nodes.Bulk(v)
	case lua.LBool:
		if v {
			return nodes.Int(1)
		}
	case *lua.LTable:
		if ok, is := v.RawGetString("ok").(lua.LString); is {
			return nodes.Status(ok)
		}
	}
	return nodes.Nil{}
}

// A named procedure does what the Lua text does that a real server is given. That
// the real server agrees is for the comparison of commands, which sends the text.
func TestANamedProcedureIsItsLuaText(t *testing.T) {
	sequences := anyRedisSteps(version{8, 4})
	rapid.Check(t, func(t *rapid.T) {
		steps := sequences.Draw(t, "steps")
		named, interpreted := newRedisNode().play(steps), newLuaNode().play(steps)
		for i := range steps {
			if named[i] != interpreted[i] {
				t.Fatalf("they differ at the last command\n\nnamed procedure:\n%s\nLua:\n%s",
					transcript(steps, named[:i+1]), transcript(steps, interpreted[:i+1]))
			}
		}
	})
}

// luaReplies are what scripts of a key k and the arguments 1 and 2 reply.
var luaReplies = []struct {
	lua  string
	want sim.Reply
}{
	{"return 3.7", nodes.Int(3)},
	{"return -3.7", nodes.Int(-3)},
	{"return KEYS[1] .. ARGV[2]", nodes.Bulk("k2")},
	{"return true", nodes.Int(1)},
	{"return false", nodes.Nil{}},
	{"return nil", nodes.Nil{}},
	{"", nodes.Nil{}},
	{"return redis.call('get', 'none')", nodes.Nil{}},
	{"return redis.call('set', 'k', 'v')", nodes.Status("OK")},
	{"return redis.call('set', 'k', 'v').ok", nodes.Bulk("OK")},
	{"return redis.call('incr', KEYS[1])", nodes.Int(1)},
	{"\nredis.call('pexpire', 'k', 'soon')", nodes.Error("ERR value is not an integer or out of range script: f8aa61f36558c8c6736d244517304344a4ce7420, on @user_script:2.")},
}

func TestTheInterpreterRepliesAsRedisDoes(t *testing.T) {
	for _, tt := range luaReplies {
		script := &nodes.Script{Name: "script", Lua: tt.lua}
		if got := newLuaNode().play([]redisStep{{script: script, words: []string{"k", "1", "2"}}})[0]; got != tt.want {
			t.Errorf("%s\nreplies %v, want %v", tt.lua, got, tt.want)
		}
	}
}
