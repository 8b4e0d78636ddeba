package sim

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"simrun/clock"
)

// A History is what the clients of one run saw and what the servers did, in
// the order in which it happened. It is all that a verdict may rest on.
//
// Every entry carries stamps. A stamp's Index is unique in its run and orders
// everything that happened, also within one instant; it is the number of the
// event in the full record of the same run.
type History struct {
	Quorum   int           // servers that must hold a key for its owner to have the lock
	Attempts int           // acquires begun
	Grants   []Grant       // completed acquires, in the order in which they completed
	Accesses []Access      // reads and writes of the resource, in the order of their calls
	Effects  []Effect      // what was done outside, in order
	Changes  []Change      // what servers did to locks and to the resource, in order
	Final    Holder        // the writer of the resource's value at the end of the run
	HealedAt Stamp         // when all faults had healed and the calm phase began
	Patience time.Duration // how long after HealedAt the lock must be had
	Ended    Stamp         // the end of the run
}

// A Stamp is a moment of a run.
type Stamp struct {
	Index int32
	At    clock.Instant
}

// Before reports whether s happened before t.
func (s Stamp) Before(t Stamp) bool { return s.Index < t.Index }

// MarshalText implements [encoding.TextMarshaler]: event 12 at 1.5 ms is
// written as 12@1.5ms.
func (s Stamp) MarshalText() ([]byte, error) {
	return fmt.Appendf(nil, "%d@%v", s.Index, time.Duration(s.At)), nil
}

// UnmarshalText implements [encoding.TextUnmarshaler].
func (s *Stamp) UnmarshalText(text []byte) error {
	index, at, ok := strings.Cut(string(text), "@")
	n, err := strconv.ParseInt(index, 10, 32)
	if !ok || err != nil || s.At.UnmarshalText([]byte(at)) != nil {
		return fmt.Errorf("stamp %q: want an event's number and its time, such as 12@1.5ms", text)
	}
	s.Index = int32(n)
	return nil
}

// A Grant is a completed acquire, its fencing token included, and the belief
// that it began.
type Grant struct {
	Holder Holder `json:"holder"`
	Fence  int64  `json:"fence"` // the fencing token, 0 where the lock has none
	Call   Stamp  `json:"call"`  // the acquire began
	From   Stamp  `json:"from"`  // the acquire returned, belief began
	Until  Stamp  `json:"until"` // belief ended, or the run did
	End    End    `json:"end"`
}

// An End says how a client's belief that it holds the lock ended. Only the
// client's own code ends a belief: a frozen client still believes.
type End string

// The ends of a belief.
const (
	Open     End = "open"     // it had not ended when the run did
	Released End = "released" // the client issued the release
	Told     End = "told"     // the client was told that the lock is lost
	Deadline End = "deadline" // the client's own deadline passed
	Died     End = "died"     // the client died
)

// An Access is a read or a write of the resource by a client.
type Access struct {
	Holder  Holder     `json:"holder"`
	Kind    AccessKind `json:"kind"`
	Call    Stamp      `json:"call"`
	Return  Stamp      `json:"return"` // the end of the run where the outcome is unknown
	Outcome Outcome    `json:"outcome"`
	Seen    Holder     `json:"seen"` // the writer of the value that a read returned
}

// An AccessKind tells reads from writes.
type AccessKind string

// The kinds of access.
const (
	ReadAccess  AccessKind = "read"
	WriteAccess AccessKind = "write"
)

// An Outcome is what a client knows of an access.
type Outcome string

// The outcomes of an access.
const (
	Accepted Outcome = "accepted"
	Refused  Outcome = "refused"
	Unknown  Outcome = "unknown" // no reply: not applied, applied, or yet to be applied
)

// An Effect is something done outside that no lock and no resource can take
// back, such as a mail sent. Key names the value that it was based on: doing
// it twice for one value is doing it twice.
type Effect struct {
	Holder Holder `json:"holder"`
	Key    Holder `json:"key"`
	At     Stamp  `json:"at"`
}

// A Change is something that a server did.
type Change struct {
	Kind   ChangeKind `json:"kind"`
	Server string     `json:"server"`
	By     Holder     `json:"by"`    // whose request it was; nobody for what the server did alone
	Owner  Holder     `json:"owner"` // whose lock or value was changed
	At     Stamp      `json:"at"`    // At.At may lie before the stamp's place in the order for an expiry, which is noticed late
}

// A ChangeKind says what a server did.
type ChangeKind string

// The kinds of change.
const (
	Took        ChangeKind = "took"        // By took the lock
	Removed     ChangeKind = "removed"     // By removed Owner's lock
	Prolonged   ChangeKind = "prolonged"   // By prolonged Owner's lock
	Overwritten ChangeKind = "overwritten" // By replaced Owner's lock with its own
	Expired     ChangeKind = "expired"     // Owner's lock ran out
	Forgotten   ChangeKind = "forgotten"   // the server lost Owner's lock
	Wrote       ChangeKind = "wrote"       // By replaced the value that Owner had written
	Rejected    ChangeKind = "rejected"    // By's write was refused
)

func (h *History) reset(quorum int, patience time.Duration) {
	*h = History{
		Quorum:   quorum,
		Patience: patience,
		Grants:   h.Grants[:0],
		Accesses: h.Accesses[:0],
		Effects:  h.Effects[:0],
		Changes:  h.Changes[:0],
	}
}

// close gives every open entry the end of the run.
func (h *History) close(end Stamp) {
	h.Ended = end
	for i := range h.Grants {
		if h.Grants[i].End == Open {
			h.Grants[i].Until = end
		}
	}
	for i := range h.Accesses {
		if h.Accesses[i].Outcome == Unknown && h.Accesses[i].Return == (Stamp{}) {
			h.Accesses[i].Return = end
		}
	}
}

// Clone returns a history that shares no memory with h.
func (h *History) Clone() History {
	c := *h
	c.Grants = slices.Clone(h.Grants)
	c.Accesses = slices.Clone(h.Accesses)
	c.Effects = slices.Clone(h.Effects)
	c.Changes = slices.Clone(h.Changes)
	return c
}
