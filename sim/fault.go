package sim

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"simrun/clock"
)

// A Fault is one way in which a run differs from a quiet one: what happens, to
// whom, at which point, and how much of it.
type Fault struct {
	Kind   *Kind
	Actor  Actor
	Point  Point
	Amount int64 // nanoseconds, parts per million or a choice, as Kind.Unit says
}

// An Actor is whom a fault strikes: a client, a server, or what lies between
// one of each. "*" stands for all of them.
type Actor struct {
	From string
	Link Link
	To   string // empty where Link is NoLink
}

// A Link says which way messages between two actors are meant.
type Link uint8

// The directions of a link.
const (
	NoLink   Link = iota // a single actor
	OneWay               // from the first to the second
	BothWays             // either way
)

var linkSigns = [...]string{NoLink: "", OneWay: "->", BothWays: "<->"}

// String returns the actor as [ParseFault] reads it: A, n2, A->n2 or A<->n2.
func (a Actor) String() string { return a.From + linkSigns[a.Link] + a.To }

func parseActor(s string) Actor {
	for _, link := range []Link{BothWays, OneWay} {
		if from, to, ok := strings.Cut(s, linkSigns[link]); ok {
			return Actor{From: from, Link: link, To: to}
		}
	}
	return Actor{From: s}
}

// A Unit says what a fault's amount counts.
type Unit uint8

// The units of amounts.
const (
	NoAmount Unit = iota
	Length        // a duration: "for 330ms"
	Shift         // a signed duration: "by +330ms"
	Rate          // parts per million: "by -5000ppm"
	Choice        // one of several possibilities, counted from 1: "pick 2"
)

// A Kind is one sort of fault. All kinds stand in the table [Kinds].
type Kind struct {
	Name   string
	Brief  string  // what happens, in a few words
	Places []Place // where it can strike
	Actors Actors
	Unit   Unit

	// Amounts returns the classes of amount worth trying against leases of the
	// given TTL, the simplest first. Nil where Unit is NoAmount.
	Amounts func(ttl time.Duration) []int64

	// Tell says what happens, as a line of a story without its actor.
	Tell func(f Fault) string

	// strike makes it happen. It is nil for kinds that other code consults
	// when their point is reached (messages, rounds, wake-ups).
	strike func(w *World, f *armed)
}

// Actors says whom a kind of fault can strike.
type Actors uint8

// The sets of actors.
const (
	Clients     Actors = 1 << iota // any client
	Servers                        // any server
	Forgetful                      // servers that can lose what they store
	Connections                    // a client and a server, or two servers
	Electors                       // services that elect a leader
)

// Kinds is the table of all faults. A new kind is a file of its own and a line
// here.
var Kinds = []*Kind{
	pause,
	nodePause,
	clockStep,
	clockRate,
	drift,
	delay,
	loss,
	partition,
	crash,
	amnesia,
	lateAmnesia,
	election,
	death,
	vanish,
	overrun,
	wakeOrder,
}

// KindNamed returns the kind of fault with the given name, or nil.
func KindNamed(name string) *Kind {
	for _, k := range Kinds {
		if k.Name == name {
			return k
		}
	}
	return nil
}

// KindNames returns the names of all kinds of fault, in the table's order.
func KindNames() []string {
	names := make([]string, len(Kinds))
	for i, k := range Kinds {
		names[i] = k.Name
	}
	return names
}

// String returns the fault as [ParseFault] reads it, such as
// "pause A before write 1 for 330ms".
func (f Fault) String() string {
	s := f.Kind.Name + " " + f.Actor.String() + " " + f.Point.String()
	switch f.Kind.Unit {
	case Length:
		s += " for " + time.Duration(f.Amount).String()
	case Shift:
		s += fmt.Sprintf(" by %s", signed(time.Duration(f.Amount).String()))
	case Rate:
		s += fmt.Sprintf(" by %+dppm", f.Amount)
	case Choice:
		s += fmt.Sprintf(" pick %d", f.Amount)
	}
	return s
}

// length returns a fault's amount as a duration.
func (f Fault) length() time.Duration { return time.Duration(f.Amount) }

func signed(s string) string {
	if strings.HasPrefix(s, "-") {
		return s
	}
	return "+" + s
}

// ParseFault reads a fault from one line of text. Its error says what was
// found and what is wanted in its place.
func ParseFault(line string) (Fault, error) { return parseFault(strings.Fields(line)) }

func parseFault(words []string) (Fault, error) {
	if len(words) < 2 {
		return Fault{}, fmt.Errorf(`found %q, want a fault such as "pause A before write 1 for 330ms"`, strings.Join(words, " "))
	}
	kind := KindNamed(words[0])
	if kind == nil {
		return Fault{}, fmt.Errorf("unknown fault %q, want one of %s", words[0], strings.Join(KindNames(), ", "))
	}
	f := Fault{Kind: kind, Actor: parseActor(words[1])}
	if err := kind.accepts(f.Actor); err != nil {
		return Fault{}, err
	}
	point, rest, err := parsePoint(words[2:])
	if err != nil {
		return Fault{}, err
	}
	f.Point = point
	if !kind.strikesAt(point.Place) {
		return Fault{}, fmt.Errorf("a %s cannot strike %q, only %s", kind.Name, point, kind.placeNames())
	}
	f.Amount, err = parseAmount(kind.Unit, rest)
	return f, err
}

func (k *Kind) accepts(a Actor) error {
	between := k.Actors&Connections != 0
	if between != (a.Link != NoLink) || a.From == "" || between && a.To == "" {
		want := "a single actor, such as A or n2"
		if between {
			want = "two actors, such as A->n2 or A<->n2"
		}
		return fmt.Errorf("a %s strikes %s, not %q", k.Name, want, a)
	}
	return nil
}

func (k *Kind) strikesAt(p Place) bool {
	for _, q := range k.Places {
		if p == q {
			return true
		}
	}
	return false
}

func (k *Kind) placeNames() string {
	samples := map[Place]string{
		AtInstant: "at an instant (at 120ms)", BeforeStep: "before a step (before write 1)",
		BeforeRequest: "before a request (before request 2)", OnRequest: "a request (request 3)",
		OnReply: "a reply (reply 3)", InRound: "in a round (round 1)", AfterPause: "after a pause (after pause 1)",
	}
	var names []string
	for _, p := range k.Places {
		names = append(names, samples[p])
	}
	return strings.Join(names, " or ")
}

// amountForms holds, for each unit, the word before an amount and a sample.
var amountForms = [...]struct{ word, sample string }{
	Length: {"for", `"for 330ms", at most 1000h`},
	Shift:  {"by", `"by +330ms", at most 1000h either way`},
	Rate:   {"by", `"by -5000ppm", at most 500000ppm either way`},
	Choice: {"pick", `"pick 2"`},
}

func parseAmount(unit Unit, words []string) (int64, error) {
	text := strings.Join(words, " ")
	if unit == NoAmount {
		if len(words) > 0 {
			return 0, fmt.Errorf("found %q after the point, want nothing more", text)
		}
		return 0, nil
	}
	form := amountForms[unit]
	if len(words) != 2 || words[0] != form.word {
		return 0, fmt.Errorf("amount %q: want %s", text, form.sample)
	}
	n, err := parseNumber(unit, words[1])
	if err != nil {
		return 0, fmt.Errorf("amount %q: want %s", text, form.sample)
	}
	return n, nil
}

func parseNumber(unit Unit, s string) (int64, error) {
	switch unit {
	case Length, Shift:
		d, err := parseTime(s)
		if err == nil && unit == Length && d < 0 {
			return 0, strconv.ErrRange
		}
		return int64(d), err
	case Rate:
		digits, ok := strings.CutSuffix(s, "ppm")
		if !ok {
			return 0, strconv.ErrSyntax
		}
		n, err := strconv.ParseInt(digits, 10, 64)
		if err == nil && (n < -clock.MaxRate || n > clock.MaxRate) {
			return 0, strconv.ErrRange
		}
		return n, err
	default:
		n, err := strconv.ParseInt(s, 10, 32)
		if err == nil && n < 1 {
			return 0, strconv.ErrRange
		}
		return n, err
	}
}
