package checker_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"simrun/checker"
	"simrun/clock"
	"simrun/sim"
)

const ms = time.Millisecond

// history reads a history from lines, one for each event of a run, so that the
// index of an event is the number of its line, counted from 1:
//
//	A#1 acquires         A#1 holds         A#1 holds token 33    A#1 ends told
//	A#1 reads            A#1 sees nobody   A#1 sees B#1          A#1 is refused
//	A#1 writes           A#1 is accepted   A#1 is refused        A#1 is unknown
//	A#1 mails for B#1    db applies A#1    db rejects A#1
//	n1 took A#1          n1 expired A#1    n1 expired A#1 since 300ms
//	n1 forgotten A#1     n1 removed A#1 by B#1
//	world heals          world ends
//
// A line may begin with the time since the start of the run; else it shares
// the instant of the line before. One server holds a quorum, and after the
// healing somebody must get the lock within 100 ms.
func history(t testing.TB, lines ...string) *sim.History {
	t.Helper()
	r := reader{t: t, h: &sim.History{Quorum: 1, Attempts: 1, Patience: 100 * ms}, now: sim.Stamp{Index: 1}, begun: make(map[sim.Holder]sim.Stamp)}
	for _, line := range lines {
		r.read(line)
	}
	r.end()
	return r.h
}

type reader struct {
	t     testing.TB
	h     *sim.History
	now   sim.Stamp                // of the present line
	begun map[sim.Holder]sim.Stamp // acquires
}

func (r *reader) read(line string) {
	words := strings.Fields(line)
	if d, err := time.ParseDuration(words[0]); err == nil {
		r.now.At = clock.Instant(d)
		words = words[1:]
	}
	switch actor := words[0]; {
	case actor == "world":
		r.world(words[1])
	case strings.Contains(actor, "#"):
		r.client(holder(r.t, actor), words[1], append(words[2:], ""))
	case actor == "db":
		r.resource(words[1], holder(r.t, words[2]))
	default:
		r.server(actor, sim.ChangeKind(words[1]), holder(r.t, words[2]), append(words[3:], ""))
	}
	r.now.Index++
}

func (r *reader) world(event string) {
	if event == "heals" {
		r.h.HealedAt = r.now
	} else {
		r.h.Ended = r.now
	}
}

func (r *reader) client(who sim.Holder, does string, rest []string) {
	h := r.h
	switch does {
	case "acquires":
		r.begun[who] = r.now
	case "holds":
		g := sim.Grant{Holder: who, Call: r.begun[who], From: r.now, End: sim.Open}
		if rest[0] == "token" {
			g.Fence, _ = strconv.ParseInt(rest[1], 10, 64)
		}
		h.Grants = append(h.Grants, g)
	case "ends":
		for i := range h.Grants {
			if g := &h.Grants[i]; g.Holder == who {
				g.Until, g.End = r.now, sim.End(rest[0])
			}
		}
	case "reads", "writes":
		kind := sim.AccessKind(strings.TrimSuffix(does, "s"))
		h.Accesses = append(h.Accesses, sim.Access{Holder: who, Kind: kind, Call: r.now, Outcome: sim.Unknown})
	case "sees":
		a := r.access(who)
		a.Return, a.Outcome, a.Seen = r.now, sim.Accepted, holder(r.t, rest[0])
	case "is":
		a := r.access(who)
		if a.Outcome = sim.Outcome(rest[0]); a.Outcome != sim.Unknown {
			a.Return = r.now
		}
	case "mails":
		h.Effects = append(h.Effects, sim.Effect{Holder: who, Key: holder(r.t, rest[1]), At: r.now})
	default:
		r.t.Fatalf("what does %q mean?", does)
	}
}

// access returns the holder's latest access.
func (r *reader) access(who sim.Holder) *sim.Access {
	for i := len(r.h.Accesses) - 1; ; i-- {
		if a := &r.h.Accesses[i]; a.Holder == who {
			return a
		}
	}
}

func (r *reader) server(name string, kind sim.ChangeKind, owner sim.Holder, rest []string) {
	c := sim.Change{Server: name, Kind: kind, Owner: owner, At: r.now}
	switch {
	case kind == sim.Took:
		c.By = owner
	case rest[0] == "by":
		c.By = holder(r.t, rest[1])
	case rest[0] == "since":
		d, err := time.ParseDuration(rest[1])
		if err != nil {
			r.t.Fatal(err)
		}
		c.At.At = clock.Instant(d)
	}
	r.h.Changes = append(r.h.Changes, c)
}

func (r *reader) resource(does string, by sim.Holder) {
	c := sim.Change{Kind: sim.Wrote, Server: "db", By: by, Owner: r.h.Final, At: r.now}
	if does == "rejects" {
		c.Kind = sim.Rejected
	} else {
		r.h.Final = by
	}
	r.h.Changes = append(r.h.Changes, c)
}

// end gives what is open the end of the run.
func (r *reader) end() {
	h := r.h
	if h.Ended == (sim.Stamp{}) {
		h.Ended = r.now // right after the last line
	}
	for i := range h.Grants {
		if g := &h.Grants[i]; g.End == sim.Open {
			g.Until = h.Ended
		}
	}
	for i := range h.Accesses {
		if a := &h.Accesses[i]; a.Outcome == sim.Unknown {
			a.Return = h.Ended
		}
	}
}

func holder(t testing.TB, name string) (h sim.Holder) {
	t.Helper()
	if err := h.UnmarshalText([]byte(name)); err != nil {
		t.Fatal(err)
	}
	return h
}

// judge asks a check about the history that the lines tell.
func judge(t testing.TB, check string, lines ...string) checker.Verdict {
	t.Helper()
	return checker.Named(check).Judge(history(t, lines...))
}

func wantHeld(t *testing.T, got checker.Verdict) {
	t.Helper()
	want(t, got, checker.Verdict{State: checker.Held})
}

func want(t *testing.T, got, want checker.Verdict) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("verdict (-want +got):\n%s", diff)
	}
}

// at is the stamp of the event on the given line.
func at(index int32, after time.Duration) sim.Stamp {
	return sim.Stamp{Index: index, At: clock.Instant(after)}
}
