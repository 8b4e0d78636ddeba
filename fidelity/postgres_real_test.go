//go:build linux

package fidelity

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"simrun/nodes"
)

// A pgPlay is a script that a real server has followed so far, and its answers.
type pgPlay struct {
	*pgCluster
	pgScript
	clients [pgClients]pgClient
	gone    []uint32 // the backends whose connections have been ended
}

// A pgClient is a client of a real server.
type pgClient struct {
	conn   *pgconn.PgConn // nil if it is not connected
	asked  int            // the step whose answer it waits for
	answer chan string    // nil if it waits for none
}

// play begins a script on a fresh database. It must be ended with [pgPlay.end].
func (c *pgCluster) play() *pgPlay {
	c.do(pgFresh)
	return &pgPlay{pgCluster: c}
}

// next takes the next step.
func (p *pgPlay) next(step pgStep) {
	i := len(p.steps)
	p.steps, p.answers = append(p.steps, step), append(p.answers, pgAnswer{})
	p.take(i)
	for start := time.Now(); !p.settled(i); {
		if time.Since(start) > pgPatience {
			p.give(fmt.Sprintf("step %d, %v, does not come to an end", i+1, step))
		}
	}
}

// take takes a step, without waiting for what comes of it.
func (p *pgPlay) take(i int) {
	step := p.steps[i]
	client := &p.clients[step.client]
	switch step.act {
	case pgAsks:
		p.ask(client, i)
	case pgLeaves:
		p.connected(client)
		if !client.conn.IsClosed() {
			client.conn.Frontend().SendQuery(&pgproto3.Query{String: pgSQL(step)})
			_ = client.conn.Frontend().Flush() // fails if the server has ended the connection
		}
		p.hangUp(client)
	case pgHangsUp:
		p.hangUp(client)
	case pgIsEnded:
		if client.conn != nil {
			p.do(fmt.Sprintf("SELECT pg_terminate_backend(%d)", client.conn.PID()))
			p.gone = append(p.gone, client.conn.PID())
		}
	case pgCrashes:
		p.crash()
		p.gone = nil
	}
}

func (p *pgPlay) connected(c *pgClient) {
	if c.conn == nil {
		c.conn = p.connect()
	}
}

// ask sends a statement. That its client still waits here, though not in the
// simulated world, has been told already.
func (p *pgPlay) ask(c *pgClient, i int) {
	if c.answer != nil {
		return
	}
	p.connected(c)
	answer, conn, text := make(chan string, 1), c.conn, pgSQL(p.steps[i])
	c.asked, c.answer = i, answer
	go func() { answer <- pgResult(conn.Exec(context.Background(), text).ReadAll()) }()
}

// hangUp closes a client's end of its connection, without a word.
func (p *pgPlay) hangUp(c *pgClient) {
	if c.conn == nil {
		return
	}
	p.gone = append(p.gone, c.conn.PID())
	_ = c.conn.Conn().Close()
	*c = pgClient{}
}

// settled reports whether every client has been answered or waits for a lock, and
// every backend whose connection is gone has ended or waits for one.
func (p *pgPlay) settled(i int) bool {
	if step := p.steps[i]; step.act == pgAsks {
		p.hear(&p.clients[step.client], i)
	}
	if len(p.gone) == 0 && !slices.ContainsFunc(p.clients[:], func(c pgClient) bool { return c.answer != nil }) {
		return true
	}
	serving := p.backends()
	stuck := p.stuck()
	p.gone = slices.DeleteFunc(p.gone, func(pid uint32) bool { return !serving[pid] })
	calm := !slices.ContainsFunc(p.gone, func(pid uint32) bool { return !stuck[pid] })
	for n := range p.clients {
		if c := &p.clients[n]; c.answer != nil && !stuck[c.conn.PID()] {
			p.hear(c, i)
			calm = false // what it was answered may have moved others
		}
	}
	return calm
}

// hear takes a client's answer, if it comes soon.
func (p *pgPlay) hear(c *pgClient, during int) {
	select {
	case text := <-c.answer:
		p.answers[c.asked] = pgAnswer{during: during, text: text}
		c.answer = nil
		if text == pgLost {
			p.hangUp(c)
		}
	case <-time.After(time.Millisecond):
	}
}

// end ends what is left of a script. Connections that nobody has ended are kept
// for the next one.
func (p *pgPlay) end() {
	for n := range p.clients {
		if c := &p.clients[n]; c.answer != nil {
			p.do(fmt.Sprintf("SELECT pg_cancel_backend(%d)", c.conn.PID()))
			<-c.answer
		}
	}
	for n := range p.clients {
		c := &p.clients[n]
		if c.conn != nil && !slices.Contains(p.gone, c.conn.PID()) {
			if _, err := c.conn.Exec(context.Background(), pgForget).ReadAll(); err == nil {
				p.spare = append(p.spare, c.conn)
				continue
			}
		}
		p.hangUp(c)
	}
	p.endBackends()
}

// endBackends ends those whose connections are gone, and that still wait.
func (p *pgPlay) endBackends() {
	for start := time.Now(); len(p.gone) > 0; {
		for _, pid := range p.gone {
			p.do(fmt.Sprintf("SELECT pg_terminate_backend(%d)", pid))
		}
		serving := p.backends()
		p.gone = slices.DeleteFunc(p.gone, func(pid uint32) bool { return !serving[pid] })
		if time.Since(start) > pgPatience {
			p.give("the connections do not end")
		}
	}
}

// pgSQL is a statement as it is typed, but that it also reads and sets who wrote
// the quantity, as the simulated server does unasked.
func pgSQL(s pgStep) string {
	return strings.NewReplacer(
		"SELECT qty", "SELECT qty, updated_by",
		"RETURNING qty", "RETURNING qty, updated_by",
		"SET qty", fmt.Sprintf("SET updated_by = '%s', qty", pgWriter(s.client)),
	).Replace(s.request.String())
}

// pgResult is what a client reads of an answer, as the simulated server puts it.
func pgResult(results []*pgconn.Result, err error) string {
	var refusal *pgconn.PgError
	switch {
	case errors.As(err, &refusal) && refusal.Severity == "ERROR":
		return "ERROR: " + refusal.Message
	case err != nil || len(results) != 1:
		return pgLost
	}
	r := results[0]
	switch {
	case len(r.FieldDescriptions) == 0 && strings.ContainsAny(r.CommandTag.String(), "0123456789"):
		return nodes.Rows(r.CommandTag.RowsAffected()).String()
	case len(r.FieldDescriptions) == 0:
		return r.CommandTag.String()
	case len(r.Rows) != 1:
		return nodes.Rows(len(r.Rows)).String()
	}
	var words []string
	for i, value := range r.Rows[0] {
		switch name := r.FieldDescriptions[i].Name; {
		case len(value) == 0: // NULL, or void
		case name == "qty":
			words = append(words, "qty = "+string(value))
		case name == "updated_by":
			words = append(words, "updated_by "+string(value))
		default:
			words = append(words, string(value))
		}
	}
	if len(words) == 0 {
		return nodes.Rows(1).String()
	}
	return strings.Join(words, ", ")
}
