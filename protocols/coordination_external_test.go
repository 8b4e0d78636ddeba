package protocols_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"simrun/protocols"
	"simrun/sim"
)

// firstGrants returns who got the lock of a protocol whose Lock is another, in
// order, with one round of client A and B each.
func firstGrants(t *testing.T, of string, lock protocols.Lock, faults ...string) []string {
	t.Helper()
	p := *protocols.Named(of)
	p.Lock = lock
	params := p.Defaults()
	params.Clients, params.Rounds = 2, 1
	h := run(t, &p, params, append([]string{
		"noise seed 1 from 500µs to 500µs",
		"client A starts at 0s works 60ms rounds 1",
		"client B starts at 20ms works 60ms rounds 1",
	}, faults...)...)
	var names []string
	for _, g := range h.Grants {
		names = append(names, g.Holder.String())
	}
	return names
}

func wantGrants(t *testing.T, what string, grants []string, want ...string) {
	t.Helper()
	if want = append(want, "probe#1"); !slices.Equal(grants, want) {
		t.Errorf("%s: granted to %v, want %v", what, grants, want)
	}
}

// With a value of its own in the node's name, a client that does not hear of
// its node finds it again. Without, its orphan comes before the node that it
// creates next, and it queues behind itself.
func TestCuratorFindsTheNodeWhoseCreationIsNotAnswered(t *testing.T) {
	const lost = "loss zk->A reply 2"
	wantGrants(t, "protected", firstGrants(t, "zookeeper-lock", protocols.ZooKeeperLock{Protected: true}.Lock, lost), "A#1", "B#1")
	wantGrants(t, "not protected, nothing lost", firstGrants(t, "zookeeper-lock", protocols.ZooKeeperLock{}.Lock), "A#1", "B#1")
	// The orphan goes when A gives up and closes its session. Until then nobody
	// gets the lock, nor B, who comes behind it too.
	wantGrants(t, "not protected", firstGrants(t, "zookeeper-lock", protocols.ZooKeeperLock{}.Lock, lost), "B#2", "A#2")
}

// A create that never arrives is sent again, also by who finds no node.
func TestCuratorCreatesItsNodeAgainIfThereIsNone(t *testing.T) {
	wantGrants(t, "protected", firstGrants(t, "zookeeper-lock", protocols.ZooKeeperLock{Protected: true}.Lock, "loss A->zk request 2"), "B#1", "A#1")
}

// A client whose lease expires in the queue must not take the silence that
// follows for its turn (etcd-io/etcd#11456).
func TestEtcdWaiterReadsItsOwnKeyAgain(t *testing.T) {
	// B is cut off while it waits for A, and finds the queue before its key empty
	// when it is back, at a time when its lease is gone.
	cut := []string{"overrun A round 1 for 300ms", "partition B<->etcd at 40ms for 420ms"}
	for recheck, want := range map[bool]string{true: "B#2", false: "B#1"} {
		grants := firstGrants(t, "etcd-lock", protocols.EtcdLock{Recheck: recheck}.Lock, cut...)
		wantGrants(t, fmt.Sprintf("recheck %v", recheck), grants, "A#1", want)
	}
}

// Who is queued gives up its place in the end, and with it its key: no client
// waits for ever.
func TestQueuedClientsGiveUpTheirPlace(t *testing.T) {
	for name, holds := range map[string]string{"etcd-lock": "etcd", "zookeeper-lock": "zk"} {
		p := protocols.Named(name)
		params := p.Defaults()
		params.Clients, params.Rounds = 2, 1
		h := run(t, p, params,
			"noise seed 1 from 500µs to 500µs",
			"client A starts at 0s works 60ms rounds 1",
			"client B starts at 20ms works 60ms rounds 1",
			"overrun A round 1 for 5s",
		)
		// B tries ten times, three TTLs each.
		if b := h.Attempts; b < 5 {
			t.Errorf("%s: %d attempts while A holds the lock on %s for 5s", name, b, holds)
		}
		for _, g := range h.Grants[1:] {
			if g.From.At < h.Grants[0].Until.At {
				t.Errorf("%s: %s is granted the lock at %v, before A ends", name, g.Holder, time.Duration(g.From.At))
			}
		}
	}
}

// The tokens are revisions and zxids: in the order of the keys, whoever comes
// first.
func TestTokensGrowOverAnElection(t *testing.T) {
	for name, server := range map[string]string{"etcd-lock-fenced": "etcd", "zookeeper-lock-fenced": "zk"} {
		p := protocols.Named(name)
		params := p.Defaults()
		params.Clients, params.Rounds = 2, 2
		h := run(t, p, params,
			"noise seed 1 from 500µs to 3ms",
			"client A starts at 0s works 60ms rounds 2",
			"client B starts at 20ms works 60ms rounds 2",
			"election "+server+" at 100ms for 40ms",
		)
		last := int64(0)
		for _, g := range h.Grants {
			if g.Fence <= last {
				t.Errorf("%s: %s has token %d after %d", name, g.Holder, g.Fence, last)
			}
			last = g.Fence
		}
		if len(h.Grants) < 4 {
			t.Errorf("%s: %d grants, want those of two rounds of two clients", name, len(h.Grants))
		}
	}
}

// Nobody but who holds a lock that is fenced knows its token.
func TestUnfencedLocksGiveNoToken(t *testing.T) {
	for name, tokens := range map[string]bool{"etcd-lock": false, "zookeeper-lock": false, "etcd-lock-fenced": true, "zookeeper-lock-fenced": true} {
		p := protocols.Named(name)
		params := p.Defaults()
		params.Clients, params.Rounds = 1, 1
		h := run(t, p, params, "noise seed 1 from 500µs to 500µs", "client A starts at 0s works 60ms rounds 1")
		if g := h.Grants[0]; (g.Fence != 0) != tokens || g.End != sim.Released {
			t.Errorf("%s: token %d, belief ended %s; want a token: %v, and a release", name, g.Fence, g.End, tokens)
		}
	}
}
