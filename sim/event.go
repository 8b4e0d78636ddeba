package sim

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"simrun/clock"
)

// An Event is one entry of the full record of a run.
type Event struct {
	At    clock.Instant // true time
	Actor string        // who did it: A, A/watchdog, n2
	Kind  EventKind
	Peer  string        // the other side of a message
	Msg   int32         // the number of the message, 0 for none: a request and its reply share it
	Sent  clock.Instant // when an arriving message was sent, or an expired key expired
	Step  string        // the label of the client's step, such as "write 1"
	Text  string        // what was said or what happened
}

// An EventKind says what sort of thing an event is.
type EventKind string

// The kinds of event.
const (
	EventStart   EventKind = "start"   // a thread begins
	EventSend    EventKind = "send"    // a client sends a request
	EventServe   EventKind = "serve"   // a server handles a request
	EventAnswer  EventKind = "answer"  // a server sends a reply
	EventReceive EventKind = "receive" // a client gets a reply
	EventLate    EventKind = "late"    // a reply reaches a client that no longer waits for it
	EventTimeout EventKind = "timeout" // a client stops waiting for a reply
	EventDrop    EventKind = "drop"    // a message is lost
	EventTell    EventKind = "tell"    // a server sends a message to another server
	EventHear    EventKind = "hear"    // a server gets a message of another server
	EventChange  EventKind = "change"  // a server changes a lock or the resource
	EventNote    EventKind = "note"    // a server says what it has become or decided
	EventClock   EventKind = "clock"   // a client reads a clock
	EventWait    EventKind = "wait"    // a client waits for time to pass
	EventWake    EventKind = "wake"    // the wait is over
	EventCell    EventKind = "cell"    // a client reads or sets what its threads share
	EventAcquire EventKind = "acquire" // a client begins to acquire the lock
	EventGrant   EventKind = "grant"   // acquiring succeeded, belief begins
	EventDeny    EventKind = "deny"    // acquiring failed
	EventEnd     EventKind = "end"     // belief ends
	EventAccess  EventKind = "access"  // a client begins or ends an access of the resource
	EventEffect  EventKind = "effect"  // a client does something outside
	EventFault   EventKind = "fault"   // a fault strikes
	EventHeal    EventKind = "heal"    // a fault is over
	EventFinish  EventKind = "finish"  // a thread ends
	EventCalm    EventKind = "calm"    // all faults have healed, the calm phase begins
	EventClose   EventKind = "close"   // the run ends
)

// String returns the event on one line.
func (e Event) String() string {
	s := fmt.Sprintf("%d %s %s", e.At, e.Actor, e.Kind)
	if e.Peer != "" {
		s += " " + e.Peer
	}
	if e.Msg != 0 {
		s += fmt.Sprintf(" #%d", e.Msg)
	}
	if e.Sent != 0 {
		s += fmt.Sprintf(" sent %d", e.Sent)
	}
	if e.Step != "" {
		s += " [" + e.Step + "]"
	}
	if e.Text != "" {
		s += " " + e.Text
	}
	return s
}

// Hash returns a digest of events: equal records have equal digests on every
// machine.
func Hash(events []Event) string {
	h := sha256.New()
	for _, e := range events {
		fmt.Fprintln(h, e)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}
