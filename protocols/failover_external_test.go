package protocols_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"simrun/checker"
	"simrun/clock"
	"simrun/protocols"
	"simrun/sim"
)

// failoverRun runs jobs of up to a TTL with a protocol.
func failoverRun(t *testing.T, name string, clients, rounds int, lines ...string) *sim.History {
	t.Helper()
	p := protocols.Named(name)
	params := p.Defaults()
	params.Clients, params.Rounds, params.Work = clients, rounds, params.TTL
	return run(t, p, params, append([]string{"noise seed 1 from 500µs to 500µs"}, lines...)...)
}

// A lock on a replicated Redis is lost when the newest master does not have it,
// whatever an older one still has.
func TestALockIsLostWithTheMasterThatHasIt(t *testing.T) {
	const (
		a1 = "client A starts at 20ms works 240ms rounds 1"
		b1 = "client B starts at 900ms works 1ms rounds 1"
	)
	tests := []struct {
		name   string
		faults []string
		want   time.Duration
	}{
		{"released", nil, 264500 * time.Microsecond},
		{"failed over with the lock, and not released", []string{"crash n1 at 24ms for 330ms"}, 322 * time.Millisecond},
		{"failed over without the lock", []string{"loss n1->n2 request 1", "crash n1 at 24ms for 330ms"}, 210500 * time.Microsecond},
		{"restarted without the lock", []string{"crash n1 at 40ms for 0s"}, 40 * time.Millisecond},
		{"back without the lock before it was missed", []string{"crash n1 at 40ms for 100ms"}, 140 * time.Millisecond},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := failoverRun(t, "failover", 2, 1, append([]string{a1, b1}, tt.faults...)...)
			if got := checker.LostAt(h, h.Grants[0].Holder); got != clock.Instant(tt.want) {
				t.Errorf("lost at %v, want %v", time.Duration(got), tt.want)
			}
		})
	}
}

// A lock that an old master gives away after another has taken its place is
// none: by the account of the newest it was never had.
func TestALockOfAnOldMasterWasNeverHad(t *testing.T) {
	h := failoverRun(t, "failover", 2, 1,
		"client A starts at 0s works 195ms rounds 1",
		"client B starts at 128ms works 100ms rounds 1",
		"partition n1<->sentinel at 10ms for 240ms")
	if b := h.Grants[1].Holder; b.Name() != "B" || checker.LostAt(h, b) != 0 {
		t.Errorf("%s, granted the lock second, lost it at %v, want B and 0", b, checker.LostAt(h, b))
	}
}

// A client asks the Sentinel at its start and after a call that failed.
func TestAClientAsksTheSentinelOnlyWhenItMust(t *testing.T) {
	tests := []struct {
		name   string
		faults []string
		want   int // how often A asks
	}{
		{"all well", nil, 1},
		{"a reply is lost", []string{"loss n1->A reply 1"}, 2},
		{"the Sentinel does not answer", []string{"loss A->sentinel request 1"}, 2},
		{"the master has been replaced", []string{"pause A before write 1 for 900ms", "node-pause n1 at 20ms for 300ms"}, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := protocols.Named("failover")
			params := p.Defaults()
			params.Clients = 1
			s, err := sim.ParseSchedule(append([]string{
				"noise seed 1 from 500µs to 500µs",
				"client A starts at 0s works 10ms rounds 2",
			}, tt.faults...))
			if err != nil {
				t.Fatal(err)
			}
			asked := 0
			for _, e := range record(t, p, params, s).Events {
				if e.Kind == sim.EventSend && e.Actor == "A" && e.Peer == "sentinel" {
					asked++
				}
			}
			if asked != tt.want {
				t.Errorf("A asks %d times, want %d", asked, tt.want)
			}
		})
	}
}

// The times of a failover are parts of the TTL, so that it takes as much of a
// lease whatever the lease is.
func TestAFailoverScalesWithTheTTL(t *testing.T) {
	for _, ttl := range []time.Duration{protocols.MinTTL, 300 * time.Millisecond, 30 * time.Second} {
		p := protocols.Named("failover")
		params := p.Defaults()
		params.Clients, params.Rounds, params.TTL, params.Work = 1, 1, ttl, ttl/2
		s, err := sim.ParseSchedule([]string{
			"noise seed 1 from 1µs to 1µs",
			"client A starts at 0s works " + (ttl / 2).String() + " rounds 1",
			"crash n1 at " + (ttl / 12).String() + " for " + (9 * ttl / 10).String(),
		})
		if err != nil {
			t.Fatal(err)
		}
		var noted []string
		for _, e := range record(t, p, params, s).Events {
			if e.Kind == sim.EventNote && strings.HasPrefix(e.Text, "names") {
				noted = append(noted, time.Duration(e.At).Round(ttl/100).String())
			}
		}
		if diff := cmp.Diff([]string{(8 * ttl / 10).String()}, noted); diff != "" {
			t.Errorf("TTL %v: instants at which a new master is named (-want +got):\n%s", ttl, diff)
		}
	}
}

func TestRedlockFencingTakesItsTokensFromTheSequence(t *testing.T) {
	if got := protocols.Named("redlock-fencing").Defaults().Token; got != protocols.Sequence {
		t.Errorf("tokens come from %q, want %q", got, protocols.Sequence)
	}
}
