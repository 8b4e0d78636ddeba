package nodes

import "strings"

const syntaxError Error = "ERR syntax error"

// ParseCommand checks a command as it comes over the wire, word by word, and
// returns the error that the server would give for it, or "".
func ParseCommand(words []string) (Command, Error) {
	if len(words) == 0 {
		words = []string{""}
	}
	verb, ok := verbNamed(words[0])
	if !ok {
		return Command{}, unknownCommand(words[0], words[1:])
	}
	args := words[1:]
	c := Command{Verb: verb}
	if low, high := arity(verb); len(args) < low || high >= 0 && len(args) > high {
		return Command{}, wrongArity(verb)
	}
	c.Key = args[0]
	switch verb {
	case SET:
		c.Value = args[1]
		return c.options(args[2:])
	case SETNX:
		c.Value = args[1]
	case EXPIRE, PEXPIRE:
		return c.lifetime(args[1:])
	case DELEX:
		return c.comparison(args[1:])
	}
	return c, ""
}

// unknownCommand names what the server was given, but no more than quoted
// bytes each of the name and the arguments.
func unknownCommand(name string, args []string) Error {
	const quoted = 128
	list := ""
	for _, arg := range args {
		if len(list) >= quoted {
			break
		}
		list += "'" + beginning(arg, quoted-len(list)) + "' "
	}
	return oneLine("ERR unknown command '" + beginning(name, quoted) + "', with args beginning with: " + list)
}

// beginning returns at most n bytes of a word, and none from a NUL on: the server
// puts words into its errors as strings of C.
func beginning(word string, n int) string {
	word, _, _ = strings.Cut(word, "\x00")
	return word[:min(len(word), n)]
}

// oneLine makes an error of text that may hold what the client sent.
func oneLine(text string) Error {
	return Error(strings.NewReplacer("\r", " ", "\n", " ").Replace(strings.Trim(text, "\r\n")))
}

func wrongArity(v Verb) Error {
	return Error("ERR wrong number of arguments for '" + v.lower() + "' command")
}

// upper folds case as the server does: of ASCII letters alone.
func upper(word string) string {
	return strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' {
			return r - 'a' + 'A'
		}
		return r
	}, word)
}

func verbNamed(word string) (Verb, bool) {
	word = upper(word)
	for i, name := range verbs {
		if name == word && Verb(i) != EVAL {
			return Verb(i), true
		}
	}
	return 0, false
}

// arity returns the least and the greatest number of arguments, -1 for any.
func arity(v Verb) (int, int) {
	switch v {
	case SET, EXPIRE, PEXPIRE:
		return 2, -1
	case SETNX:
		return 2, 2
	case DELEX:
		return 1, -1
	}
	return 1, 1
}

// lifetime reads what follows EXPIRE key. The options NX, XX, GT and LT are
// not supported.
func (c Command) lifetime(args []string) (Command, Error) {
	if len(args) > 1 {
		return Command{}, oneLine("ERR Unsupported option " + beginning(args[1], len(args[1])))
	}
	n, ok := strictInt(args[0])
	if !ok {
		return Command{}, "ERR value is not an integer or out of range"
	}
	c.Expiry = Expiry{Form: Seconds, N: n}
	if c.Verb == PEXPIRE {
		c.Expiry.Form = Millis
	}
	return c, ""
}

// comparison reads what follows DELEX key.
func (c Command) comparison(args []string) (Command, Error) {
	switch {
	case len(args) == 0:
		c.Verb = DEL // without a condition it is DEL
		return c, ""
	case len(args) != 2:
		return Command{}, wrongArity(DELEX)
	case upper(args[0]) == "IFEQ":
		c.Condition, c.Compare = IfEqual, args[1]
		return c, ""
	}
	return Command{}, syntaxError
}

// options reads what follows SET key value. Like the server it finds every
// error of syntax before it looks at the number of an expiry.
func (c Command) options(args []string) (Command, Error) {
	number := "0"
	for len(args) > 0 {
		word, used := upper(args[0]), 1
		form := formNamed(word)
		switch {
		case word == "NX" && c.mayHave(IfAbsent):
			c.Condition = IfAbsent
		case word == "XX" && c.mayHave(IfPresent):
			c.Condition = IfPresent
		case word == "IFEQ" && c.Condition == Always && len(args) > 1:
			c.Condition, c.Compare, used = IfEqual, args[1], 2
		case word == "GET":
			c.Get = true
		case form == Keep && (c.Expiry.Form == Never || c.Expiry.Form == Keep):
			c.Expiry.Form = Keep
		case form != Never && form != Keep && len(args) > 1 && (c.Expiry.Form == Never || c.Expiry.Form == form):
			c.Expiry.Form, number, used = form, args[1], 2
		default:
			return Command{}, syntaxError
		}
		args = args[used:]
	}
	n, ok := strictInt(number)
	if !ok {
		return Command{}, "ERR value is not an integer or out of range"
	}
	c.Expiry.N = n
	return c, ""
}

func (c *Command) mayHave(condition Condition) bool {
	return c.Condition == Always || c.Condition == condition
}

func formNamed(word string) Form {
	for form, name := range forms {
		if name == word && name != "" {
			return Form(form)
		}
	}
	return Never
}
