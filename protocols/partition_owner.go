package protocols

import (
	"simrun/nodes"
	"simrun/sim"
)

var partitionOwner = &Protocol{
	Name:   "partition-owner",
	Brief:  "no lock: the invoice is in a partition of a queue, which one consumer of the group owns",
	Source: `"Distributed locks and their limits", the design that does not need the lock; kafka.apache.org/documentation, "Consumers"`,
	Keeps:  []Promise{{"effect-once", "no consumer is thought dead while it works, or fails between the effect and its commit"}},
	Nodes:  1,
	Service: func(params Params) []sim.ServerSpec {
		queue := &nodes.Queue{Partitions: 1, Messages: 1, SessionTimeout: params.TTL}
		return []sim.ServerSpec{{Name: "queue", Server: queue, Durable: true}}
	},
	Job: consume,
}

// consume deals with one message, if the client owns a partition that has one:
// the effect comes before the commit, so that a message is dealt with at least
// once. Then it leaves the group, lest the others wait for it.
func consume(t *sim.Thread, e *Env, _ Lease) sim.End {
	ask := func(r sim.Request) sim.Reply { return t.Call(e.Locks[0], r, e.QueryTimeout()).Reply }
	t.For(sim.Acquire)
	if generation, ok := ask(nodes.Join).(nodes.Generation); ok {
		t.For(sim.Read)
		if message, ok := ask(nodes.Fetch{Generation: generation}).(nodes.Message); ok {
			t.For(sim.Work)
			t.Work()
			t.Effect(sim.Nobody)
			t.For(sim.Write)
			ask(nodes.CommitOffset{Generation: generation, Partition: message.Partition, Offset: message.Offset + 1})
		}
	}
	t.For(sim.Release)
	ask(nodes.Leave)
	return sim.Released
}
