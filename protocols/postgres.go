package protocols

import (
	"simrun/nodes"
	"simrun/sim"
)

// postgres is one PostgreSQL server, for designs that hold locks on it between
// statements. Its keepalive is set to the TTL, by tcp_keepalives_idle and its
// like, so that the lock of a machine that is gone is free after about that
// long.
func postgres(params Params) []sim.ServerSpec {
	return []sim.ServerSpec{{Name: "postgres", Server: &nodes.Postgres{Keepalive: params.TTL}, Durable: true}}
}

// patientPostgres is one that leaves silent clients connected, as PostgreSQL
// does for two hours unless told otherwise: nothing depends on them.
func patientPostgres(Params) []sim.ServerSpec {
	return []sim.ServerSpec{{Name: "postgres", Server: new(nodes.Postgres), Durable: true}}
}

// query has a statement executed. After an error of the connection, as after no
// answer, the client's next query opens another.
func (e *Env) query(t *sim.Thread, to sim.ServerID, statement sim.Request) sim.Reception {
	r := t.Call(to, statement, e.QueryTimeout())
	if r.Reply == nodes.ConnectionLost {
		t.Close(to)
	}
	return r
}

// readFrom reads the inventory's row, with whatever statement does.
func (e *Env) readFrom(t *sim.Thread, to sim.ServerID, statement sim.Request) (nodes.Row, bool) {
	access := t.BeginAccess(sim.ReadAccess)
	r := e.query(t, to, statement)
	row, ok := r.Reply.(nodes.Row)
	t.EndAccess(access, outcome(r, ok), row.Writer)
	return row, ok
}

// writeTo writes the inventory's row, with whatever statement does.
func (e *Env) writeTo(t *sim.Thread, to sim.ServerID, statement sim.Request) bool {
	access := t.BeginAccess(sim.WriteAccess)
	r := e.query(t, to, statement)
	t.EndAccess(access, written(r, nodes.Rows(1)), sim.Nobody)
	return r.Reply == nodes.Rows(1)
}

// written returns what a client knows of a write that it expects to be answered
// with want. Where the connection is lost, it knows nothing.
func written(r sim.Reception, want sim.Reply) sim.Outcome {
	if r.Reply == nodes.ConnectionLost {
		return sim.Unknown
	}
	return outcome(r, r.Reply == want)
}
