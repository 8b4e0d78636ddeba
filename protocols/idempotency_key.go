package protocols

import (
	"simrun/nodes"
	"simrun/sim"
)

var idempotencyKey = &Protocol{
	Name:    "idempotency-key",
	Brief:   "no lock: every request for the invoice carries the same key, and the gateway honours it",
	Source:  `"Distributed locks and their limits", the design that does not need the lock; alphagov/pay-connector#4460`,
	Keeps:   []Promise{once},
	Nodes:   1,
	Service: honouringGateway,
	Job:     postWithKey,
}

func honouringGateway(params Params) []sim.ServerSpec {
	gateway := &nodes.Gateway{Honours: true, Takes: params.TTL / 10, Lease: params.TTL}
	return []sim.ServerSpec{{Name: "gateway", Server: gateway, Durable: true}}
}

// postWithKey asks until it is told that the invoice is sent. Asking again is
// safe: a request that is pending is answered with a conflict, one that is done
// with its reply. The gateway is the last of the servers.
func postWithKey(t *sim.Thread, e *Env, _ Lease) sim.End {
	t.For(sim.Work)
	t.Work()
	for range attempts {
		t.For(sim.Write)
		if t.Call(e.Locks[len(e.Locks)-1], nodes.Post{Key: "invoice-1041"}, e.CallTimeout()).Reply == nodes.Created {
			break
		}
		t.For(sim.Retry)
		t.Sleep(t.Jitter(e.TTL/6, e.TTL/2))
	}
	return sim.Released
}
