package protocols

import (
	"simrun/nodes"
	"simrun/sim"
)

var releaseAlert = &Protocol{
	Name:   "release-alert",
	Brief:  "lua-release, and an alert where the release finds that the lock was no longer the caller's",
	Source: `"Distributed locks with Redis", production checklist, item 6`,
	Keeps:  []Promise{exclusiveWhileTimely, ownRelease},
	Nodes:  1,
	Service: func(params Params) []sim.ServerSpec {
		return []sim.ServerSpec{{Name: "redis", Server: new(nodes.Redis)}, {Name: "alerts", Server: nodes.Alerts{}, Durable: true}}
	},
	Lock:    setWithExpiry,
	Release: compareDeleteAndAlert,
}

// compareDeleteAndAlert reports the loss of the lock, which comes to light when
// the harm is done.
func compareDeleteAndAlert(t *sim.Thread, e *Env, l Lease) {
	if e.ask(t, nodes.Eval(nodes.ReleaseScript, lockKey, l.Value, 0)) == nodes.Int(0) {
		t.Call(e.Locks[1], nodes.Alert{Text: l.Value + " lost its lock before it was released"}, e.CallTimeout())
	}
}
