package protocols

import (
	"simrun/nodes"
	"simrun/sim"
)

var watchdog = &Protocol{
	Name:    "watchdog",
	Brief:   "lua-release, renewed every TTL/3 by a thread of its own, which stops the job when told of loss",
	Source:  "redisson/redisson, lock watchdog; the demo's step 4 of \"Distributed locks with Redis\"",
	Keeps:   []Promise{{"mutual-exclusion", "no holder pauses or is cut off for longer than the rest of its lease, and the server neither loses keys nor has its clock moved"}, ownRelease},
	Nodes:   1,
	Lock:    setWithExpiry,
	Release: compareAndDelete,
	Renew:   compareAndProlong,
}

// compareAndProlong renews the lease only if it is still the caller's own.
func compareAndProlong(t *sim.Thread, e *Env, l Lease) bool {
	return e.ask(t, nodes.Eval(nodes.RenewScript, lockKey, l.Value, e.TTL)) != nodes.Int(0)
}

// watch starts the thread that renews the lease. It sets lost when it is told
// of the loss, and ends when over is set.
func (e *Env) watch(t *sim.Thread, l Lease) (lost, over sim.Cell) {
	lost, over = t.NewCell(), t.NewCell()
	t.Go("watchdog", func(t *sim.Thread) {
		t.For(sim.Renew)
		t.StopWhen(sim.Stop{On: over})
		for t.Sleep(e.TTL / 3) {
			if !e.Renew(t, e, l) {
				t.Store(lost, 1)
				return
			}
		}
	})
	return lost, over
}
