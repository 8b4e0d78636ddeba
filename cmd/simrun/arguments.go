package main

import (
	"flag"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// arguments are the flags of a command line as text, and what follows them.
// What they mean is asked afterwards, since it hangs on the protocol. The first
// error stays.
type arguments struct {
	values map[string]string
	rest   []string
	err    error
}

// parseArguments reads flags that take a value and switches that need none.
func parseArguments(args, flags, switches []string) (*arguments, error) {
	a := &arguments{values: make(map[string]string)}
	set := flag.NewFlagSet("simrun", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	for _, name := range flags {
		set.Func(name, "", func(v string) error { a.values[name] = v; return nil })
	}
	for _, name := range switches {
		set.BoolFunc(name, "", func(v string) error { a.values[name] = v; return nil })
	}
	for {
		if err := set.Parse(args); err != nil {
			return nil, reword(err, append(flags, switches...))
		}
		if set.NArg() == 0 {
			return a, nil
		}
		// Flags may follow a file, too.
		a.rest, args = append(a.rest, set.Arg(0)), set.Args()[1:]
	}
}

// reword says what is wrong with a flag, and what would be right.
func reword(err error, known []string) error {
	if name, unknown := strings.CutPrefix(err.Error(), "flag provided but not defined: -"); unknown {
		return fmt.Errorf("unknown flag -%s%s", name, flagSuggestion(name, known))
	}
	if name, missing := strings.CutPrefix(err.Error(), "flag needs an argument: "); missing {
		return fmt.Errorf("%s: want a value after it", name)
	}
	return err
}

func flagSuggestion(name string, known []string) string {
	if best := nearest(name, known); best != "" {
		return fmt.Sprintf(`: did you mean -%s? "simrun help" shows all`, best)
	}
	return `: "simrun help" shows all`
}

func (a *arguments) wrong(name, want string) {
	if a.err == nil {
		a.err = fmt.Errorf("-%s %s: want %s", name, shellWord(a.values[name]), want)
	}
}

// number reads a whole number, if the flag was given.
func (a *arguments) number(name string, to *int) {
	if text, given := a.values[name]; given {
		n, err := strconv.Atoi(text)
		if err != nil {
			a.wrong(name, "a whole number")
		}
		*to = n
	}
}

// numberFrom is number with bounds.
func (a *arguments) numberFrom(name string, to *int, least, most int) {
	if text, given := a.values[name]; given {
		n, err := strconv.Atoi(text)
		if err != nil || n < least || n > most {
			a.wrong(name, fmt.Sprintf("a number from %d to %d", least, most))
		}
		*to = n
	}
}

func (a *arguments) duration(name string, to *time.Duration) {
	if text, given := a.values[name]; given {
		d, err := time.ParseDuration(text)
		if err != nil {
			a.wrong(name, "a duration such as 300ms")
		}
		*to = d
	}
}

// has reports whether a flag was given.
func (a *arguments) has(name string) bool {
	_, given := a.values[name]
	return given
}

func (a *arguments) text(name, otherwise string) string {
	if text, given := a.values[name]; given {
		return text
	}
	return otherwise
}

func (a *arguments) truth(name string) bool {
	text, given := a.values[name]
	if !given {
		return false
	}
	on, err := strconv.ParseBool(text)
	if err != nil {
		a.wrong(name, "true or false, as in -"+name+"=true")
	}
	return on
}

// shellWord returns text as one word for a shell.
func shellWord(text string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./,@:+%", r) || r > 127
	}
	if text != "" && strings.IndexFunc(text, func(r rune) bool { return !plain(r) }) < 0 {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
