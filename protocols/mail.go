package protocols

import (
	"simrun/nodes"
	"simrun/sim"
)

var mailUnderLock = &Protocol{
	Name:   "mail-under-lock",
	Brief:  "lua-release around a look whether the invoice is sent, the mail, and the record that it is sent",
	Source: `"Distributed locks and their limits": an email provider cannot check anything`,
	Keeps:  []Promise{exclusiveWhileTimely, ownRelease, {"effect-once", "every holder is done before its lease ends, and none fails between the mail and its record"}},
	Nodes:  1,
	Service: func(params Params) []sim.ServerSpec {
		return append([]sim.ServerSpec{
			{Name: "redis", Server: new(nodes.Redis)},
			{Name: "gateway", Server: new(nodes.Gateway), Durable: true},
		}, patientPostgres(params)...)
	},
	Lock:    setWithExpiry,
	Release: compareAndDelete,
	Job:     mailOnce,
}

// mailOnce sends the mail unless there is a record of it. Neither the lock nor
// the record can be part of what the gateway does.
func mailOnce(t *sim.Thread, e *Env, l Lease) sim.End {
	gateway, database := e.Locks[1], e.Locks[2]
	t.For(sim.Read)
	if e.query(t, database, nodes.ReadSent{}).Reply != nodes.Int(0) {
		return sim.Released
	}
	t.For(sim.Work)
	t.Work()
	t.For(sim.Write)
	if t.Call(gateway, nodes.Post{}, e.QueryTimeout()).Reply == nodes.Created {
		e.query(t, database, nodes.RecordSent{By: l.Value})
	}
	return sim.Released
}
