package protocols

import (
	"time"

	"simrun/nodes"
	"simrun/sim"
)

var redlock = &Protocol{
	Name:   "redlock",
	Brief:  "SET NX PX on a majority of independent servers, held for a validity time that the client measures",
	Source: `redis.io/docs/latest/develop/clients/patterns/distributed-locks, "The Redlock Algorithm"`,
	Keeps: []Promise{
		{"mutual-exclusion", "no client pauses after it has acquired, clocks drift by no more than the allowance and are never stepped, and servers that lose keys stay away for a TTL"},
		ownRelease,
	},
	Nodes:   5,
	Lock:    Redlock{Quorum: Majority, Validity: Remaining}.Lock,
	Release: releaseAll,
}

// Redlock is the algorithm, less the two rules that its safety hangs on.
type Redlock struct {
	// Quorum returns how many of n servers must grant the lock.
	Quorum func(n int) int

	// Validity returns for how long the client may rely on a lock with the
	// given TTL that took elapsed to acquire, if it may at all.
	Validity func(ttl, elapsed time.Duration) (time.Duration, bool)
}

// Majority is more than half of n servers.
func Majority(n int) int { return n/2 + 1 }

// DriftAllowance is what clocks may differ by over a TTL: one per cent, and
// two milliseconds for Redis's own precision.
func DriftAllowance(ttl time.Duration) time.Duration { return ttl/100 + 2*time.Millisecond }

// Remaining is what the TTL leaves after the time it took to acquire the lock
// and the drift allowance.
func Remaining(ttl, elapsed time.Duration) (time.Duration, bool) {
	validity := ttl - elapsed - DriftAllowance(ttl)
	return validity, validity > 0
}

// Lock asks all servers at once and measures the time with the client's
// monotonic clock. Without a quorum, or without any validity left, it releases
// on all servers, also on those that seemed not to grant the lock.
func (r Redlock) Lock(t *sim.Thread, e *Env, value string) (Lease, bool) {
	start := t.Monotonic()
	votes := t.Broadcast(e.Locks, nodes.Set(lockKey, value, nodes.NX, nodes.PX(e.TTL)), e.NodeTimeout())
	granted := 0
	for _, v := range votes {
		if v.Reply == nodes.Status("OK") {
			granted++
		}
	}
	now := t.Monotonic()
	validity, left := r.Validity(e.TTL, now.Sub(start))
	l := Lease{Value: value, Deadline: now.Add(validity)}
	if granted >= r.Quorum(len(e.Locks)) && left {
		return l, true
	}
	t.For(sim.Release)
	releaseAll(t, e, l)
	return Lease{}, false
}

// releaseAll deletes the lock on every server that has it as the caller's own.
func releaseAll(t *sim.Thread, e *Env, l Lease) {
	t.Broadcast(e.Locks, nodes.Eval(nodes.ReleaseScript, lockKey, l.Value, 0), e.NodeTimeout())
}
