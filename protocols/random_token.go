package protocols

import (
	"simrun/nodes"
	"simrun/sim"
)

var randomToken = &Protocol{
	Name:   "random-token",
	Brief:  "lua-release, and the row is written by check-and-set of the lock's random value",
	Source: "antirez.com/news/101: a resource that can check tokens can check random ones",
	Keeps:  []Promise{exclusiveWhileTimely, ownRelease, {"no-lost-update", "always: the row is written only by who claimed it last"}},
	Nodes:  1,
	Service: func(params Params) []sim.ServerSpec {
		return append([]sim.ServerSpec{{Name: "redis", Server: new(nodes.Redis)}}, patientPostgres(params)...)
	},
	Lock:    setWithExpiry,
	Release: compareAndDelete,
	Job:     updateClaimed,
}

// updateClaimed leaves the lock's value in the row as it reads it, and writes
// the row only if it is still there. Claims have no order, so that an older
// holder's can come after a newer one's.
func updateClaimed(t *sim.Thread, e *Env, l Lease) sim.End {
	database := e.Locks[1]
	t.For(sim.Read)
	row, ok := e.readFrom(t, database, nodes.ClaimRow{Token: l.Value})
	if !ok {
		return sim.Released
	}
	t.For(sim.Work)
	t.Work()
	t.Effect(row.Writer)
	t.For(sim.Write)
	e.writeTo(t, database, nodes.WriteClaimed{Qty: row.Qty + 1, Token: l.Value})
	return sim.Released
}
