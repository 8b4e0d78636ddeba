package nodes

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// A Command is a Redis command that has passed the server's syntax check.
// [ParseCommand] makes one from words, as they come over the wire; [Set] and
// its like make one in Go.
type Command struct {
	Verb      Verb
	Key       string
	Value     string
	Condition Condition
	Compare   string // what the present value must equal, where Condition is IfEqual, and for DELEX
	Get       bool   // SET … GET: reply with the old value
	Expiry    Expiry
	Script    *Script // where Verb is EVAL; Value and Expiry are its arguments
}

// A Verb is the name of a command.
type Verb uint8

// The commands that the server knows. DELEX and SET … IFEQ are of Redis 8.4.
const (
	SET Verb = iota
	SETNX
	GET
	DEL
	DELEX
	EXPIRE
	PEXPIRE
	TTL
	PTTL
	INCR
	EVAL
)

var verbs = [...]string{"SET", "SETNX", "GET", "DEL", "DELEX", "EXPIRE", "PEXPIRE", "TTL", "PTTL", "INCR", "EVAL"}

// Verbs returns all commands that the server knows.
func Verbs() []Verb {
	all := make([]Verb, len(verbs))
	for i := range all {
		all[i] = Verb(i)
	}
	return all
}

func (v Verb) String() string { return verbs[v] }
func (v Verb) lower() string  { return strings.ToLower(verbs[v]) }

// A Condition says when a SET does anything.
type Condition uint8

// The conditions of SET.
const (
	Always    Condition = iota
	IfAbsent            // NX
	IfPresent           // XX
	IfEqual             // IFEQ: only over a key that holds the given value
)

func (c Condition) allows(e *entry, value string) bool {
	switch c {
	case IfAbsent:
		return e == nil
	case IfPresent:
		return e != nil
	case IfEqual:
		return e != nil && e.value == value
	}
	return true
}

// An Expiry says when a key dies. The zero value is never.
type Expiry struct {
	Form Form
	N    int64 // in the unit of Form
}

// A Form is the form in which a command gives an expiry.
type Form uint8

// The forms of expiry.
const (
	Never       Form = iota
	Seconds          // EX: from now
	Millis           // PX: from now
	UnixSeconds      // EXAT: on the server's wall clock
	UnixMillis       // PXAT: on the server's wall clock
	Keep             // KEEPTTL: as the key has it
)

var forms = [...]string{Seconds: "EX", Millis: "PX", UnixSeconds: "EXAT", UnixMillis: "PXAT", Keep: "KEEPTTL"}

// from returns the expiry in Unix milliseconds for a command executed at now.
// SET refuses zero and less; EXPIRE takes it for the past. Both refuse what
// does not fit.
func (x Expiry) from(now int64, command string) (int64, Error) {
	if x.Form == Never || x.Form == Keep {
		return noExpiry, ""
	}
	n := x.N
	if command == "set" && n <= 0 {
		return 0, invalidExpire(command)
	}
	if x.Form == Seconds || x.Form == UnixSeconds {
		if n > math.MaxInt64/1000 || n < math.MinInt64/1000 {
			return 0, invalidExpire(command)
		}
		n *= 1000
	}
	if x.Form == Seconds || x.Form == Millis {
		if n > math.MaxInt64-now {
			return 0, invalidExpire(command)
		}
		n += now
	}
	return n, ""
}

func invalidExpire(command string) Error {
	return Error("ERR invalid expire time in '" + command + "' command")
}

// An Option is an option of [Set].
type Option func(Command) Command

// NX makes SET create the key only if it does not exist.
func NX(c Command) Command {
	c.Condition = IfAbsent
	return c
}

// XX makes SET replace the key only if it exists.
func XX(c Command) Command {
	c.Condition = IfPresent
	return c
}

// IFEQ makes SET replace the key only if it holds value.
func IFEQ(value string) Option {
	return func(c Command) Command {
		c.Condition, c.Compare = IfEqual, value
		return c
	}
}

// PX makes the key expire after ttl, which Redis counts in milliseconds.
func PX(ttl time.Duration) Option {
	return func(c Command) Command {
		c.Expiry = Expiry{Form: Millis, N: ttl.Milliseconds()}
		return c
	}
}

// Set returns SET key value with the given options.
func Set(key, value string, options ...Option) Command {
	c := Command{Verb: SET, Key: key, Value: value}
	for _, o := range options {
		c = o(c)
	}
	return c
}

// SetNX returns SETNX key value.
func SetNX(key, value string) Command { return Command{Verb: SETNX, Key: key, Value: value} }

// Get returns GET key.
func Get(key string) Command { return Command{Verb: GET, Key: key} }

// Del returns DEL key.
func Del(key string) Command { return Command{Verb: DEL, Key: key} }

// DelIfEqual returns DELEX key IFEQ value.
func DelIfEqual(key, value string) Command {
	return Command{Verb: DELEX, Key: key, Condition: IfEqual, Compare: value}
}

// PExpire returns PEXPIRE key with a ttl counted in milliseconds.
func PExpire(key string, ttl time.Duration) Command {
	return Command{Verb: PEXPIRE, Key: key, Expiry: Expiry{Form: Millis, N: ttl.Milliseconds()}}
}

// Incr returns INCR key.
func Incr(key string) Command { return Command{Verb: INCR, Key: key} }

// Eval returns EVAL of a script on one key. Value is its first argument, ttl,
// unless it is zero, its second, in milliseconds.
func Eval(s *Script, key, value string, ttl time.Duration) Command {
	c := Command{Verb: EVAL, Key: key, Value: value, Script: s}
	if ttl != 0 {
		c.Expiry = Expiry{Form: Millis, N: ttl.Milliseconds()}
	}
	return c
}

// String returns the command as one types it, and a script as a call.
func (c Command) String() string {
	if c.Verb == EVAL {
		s := "EVAL " + c.Script.Name + "(" + c.Key + ", " + c.Value
		if c.Expiry.Form != Never {
			s += ", " + strconv.FormatInt(c.Expiry.N, 10)
		}
		return s + ")"
	}
	return strings.Join(c.words(), " ")
}

func (c Command) words() []string {
	words := []string{c.Verb.String(), c.Key}
	number := strconv.FormatInt(c.Expiry.N, 10)
	switch c.Verb {
	case SETNX:
		return append(words, c.Value)
	case EXPIRE, PEXPIRE:
		return append(words, number)
	case DELEX:
		if c.Condition == IfEqual {
			return append(words, "IFEQ", c.Compare)
		}
		return words
	case SET:
		words = append(words, c.Value)
	default:
		return words
	}
	switch c.Condition {
	case IfAbsent:
		words = append(words, "NX")
	case IfPresent:
		words = append(words, "XX")
	case IfEqual:
		words = append(words, "IFEQ", c.Compare)
	}
	if c.Get {
		words = append(words, "GET")
	}
	switch c.Expiry.Form {
	case Never:
	case Keep:
		words = append(words, "KEEPTTL")
	default:
		words = append(words, forms[c.Expiry.Form], number)
	}
	return words
}
