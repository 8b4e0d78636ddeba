package sim

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"simrun/clock"
)

// A Purpose says what a client's thread is busy with. Steps are counted by
// purpose, so that "A before write 1" still names the same step after the code
// that acquires the lock has changed.
type Purpose uint8

// The purposes of a client's steps, in the order of a round.
const (
	Acquire  Purpose = iota // taking the lock
	Token                   // fetching a fencing token
	Read                    // reading the resource
	Check                   // asking whether the lock is still held
	Work                    // working on what was read
	Write                   // writing the resource
	Release                 // giving the lock back
	Renew                   // prolonging the lease
	Retry                   // waiting before the next attempt
	Purposes                // the number of purposes
)

var purposeNames = [Purposes]string{"acquire", "token", "read", "check", "work", "write", "release", "renew", "retry"}

func (p Purpose) String() string { return purposeNames[p] }

// PurposeNamed returns the purpose with the given name.
func PurposeNamed(name string) (Purpose, bool) {
	for i, n := range purposeNames {
		if n == name {
			return Purpose(i), true
		}
	}
	return 0, false
}

// A Place is the kind of point at which a fault strikes.
type Place uint8

// The places of faults.
const (
	AtInstant     Place = iota // at an instant of true time
	BeforeStep                 // before a client takes its n-th step of a purpose
	BeforeRequest              // before a server handles the n-th request that reaches it
	OnRequest                  // on the n-th request of a client to a server
	OnReply                    // on the reply to the n-th request of a client to a server
	InRound                    // in the n-th round of a client
	AfterPause                 // after the n-th pause of a client
)

// A Point is where a fault strikes, as seen from the actor that it strikes.
type Point struct {
	Place   Place
	Purpose Purpose       // of the step, where Place is BeforeStep
	N       int           // counted from 1; unused where Place is AtInstant
	At      clock.Instant // where Place is AtInstant
}

// String returns the point as [ParseFault] reads it.
func (p Point) String() string {
	n := strconv.Itoa(p.N)
	switch p.Place {
	case AtInstant:
		return "at " + time.Duration(p.At).String()
	case BeforeStep:
		return "before " + p.Purpose.String() + " " + n
	case BeforeRequest:
		return "before request " + n
	case OnRequest:
		return "request " + n
	case OnReply:
		return "reply " + n
	case InRound:
		return "round " + n
	default:
		return "after pause " + n
	}
}

// parsePoint reads a point from the front of words and returns what is left.
func parsePoint(words []string) (Point, []string, error) {
	const want = `a point: "at 120ms", "before write 1", "before request 2", "request 3", "reply 3", "round 1" or "after pause 1"`
	if len(words) < 2 {
		return Point{}, nil, fmt.Errorf("found %q, want %s", strings.Join(words, " "), want)
	}
	if words[0] == "at" {
		at, err := parseTime(words[1])
		if err != nil || at < 0 {
			return Point{}, nil, fmt.Errorf("instant %q: want a time since the start of at most 1000h, such as 120ms", words[1])
		}
		return Point{Place: AtInstant, At: clock.Instant(at)}, words[2:], nil
	}
	point, used, ok := countedPoint(words)
	if !ok {
		return Point{}, nil, fmt.Errorf("found %q, want %s", strings.Join(words, " "), want)
	}
	if used == len(words) {
		return Point{}, nil, fmt.Errorf("a count is missing after %q, want one such as %q", strings.Join(words, " "), strings.Join(words, " ")+" 1")
	}
	n, err := strconv.ParseInt(words[used], 10, 31)
	if err != nil || n < 1 {
		return Point{}, nil, fmt.Errorf("count %q: want a number from 1 up", words[used])
	}
	point.N = int(n)
	return point, words[used+1:], nil
}

// countedPoint recognises the words before a point's count and returns how
// many they are.
func countedPoint(words []string) (Point, int, bool) {
	switch words[0] {
	case "request":
		return Point{Place: OnRequest}, 1, true
	case "reply":
		return Point{Place: OnReply}, 1, true
	case "round":
		return Point{Place: InRound}, 1, true
	case "after":
		return Point{Place: AfterPause}, 2, words[1] == "pause"
	case "before":
		if words[1] == "request" {
			return Point{Place: BeforeRequest}, 2, true
		}
		purpose, ok := PurposeNamed(words[1])
		return Point{Place: BeforeStep, Purpose: purpose}, 2, ok
	}
	return Point{}, 0, false
}
