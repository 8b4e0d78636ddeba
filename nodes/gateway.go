package nodes

import (
	"fmt"
	"time"

	"simrun/sim"
)

// Gateway is an outside service that sends mails or takes payments, and can
// neither take them back nor check a fencing token.
//
// One that does not honour keys does what every request asks for, as often as
// it is asked. One that does keeps, durably, what became of each idempotency
// key: nothing yet, pending, or done together with the reply. A duplicate is
// answered with a conflict while the first request is pending, and with the
// first one's reply afterwards. The effect and its record as done are one
// transaction, but for the pending record to keep others away it must be written
// before, so that a crash in between leaves a key that nobody works on. It is
// pending for Lease, after which the next request takes it over.
// What a slow predecessor then completes must not count: a record is completed
// only by the request that made it pending last.
//
// (The shape of alphagov/pay-connector#4460 and idempot-dev/idempot-js#186; the
// crash in between is told in mhayk/Overpass#16.)
//
// The zero value honours no keys.
type Gateway struct {
	Honours bool
	Takes   time.Duration // how long a request with a key is pending
	Lease   time.Duration // how long a pending key keeps other requests away

	record   attempt
	attempts int64
}

// An attempt is the state of the one invoice's key: absent where it has no
// number.
type attempt struct {
	number int64
	call   sim.Call
	until  time.Duration // of the machine's monotonic time, while it is pending
	done   bool
}

// A Post asks the gateway to send the invoice. Without a key it carries nothing
// to recognise a duplicate by.
type Post struct{ Key string }

func (r Post) String() string {
	text := fmt.Sprintf("POST /mails invoice %d", Invoice)
	if r.Key != "" {
		text += ", Idempotency-Key: " + r.Key
	}
	return text
}

// The replies of a gateway.
const (
	Created  = Status("201 Created")
	Conflict = Error("409 Conflict")
)

// Serve implements [sim.Server].
func (g *Gateway) Serve(m *sim.Machine, c sim.Call) {
	post, ok := c.Request.(Post)
	now := time.Duration(m.Monotonic())
	switch {
	case !ok:
		m.Answer(c, Error("404 Not Found"))
	case !g.Honours:
		m.Did(c.By, sim.Nobody)
		m.Answer(c, Created)
	case post.Key == "":
		m.Answer(c, Error("400 Bad Request"))
	case g.record.done:
		m.Answer(c, Created)
	case g.record.number > 0 && now < g.record.until:
		m.Answer(c, Conflict)
	default:
		g.attempts++
		g.record = attempt{number: g.attempts, call: c, until: now + g.Lease}
		m.After(g.Takes, g.attempts)
	}
}

// Ring implements [sim.Timed]: an attempt comes to its end.
func (g *Gateway) Ring(m *sim.Machine, number int64) {
	if number != g.record.number {
		return
	}
	g.record.done = true
	m.Did(g.record.call.By, sim.Nobody)
	m.Answer(g.record.call, Created)
}

// Crash implements [sim.Server]. Records are durable; the work on a pending one
// is lost.
func (g *Gateway) Crash(*sim.Machine, bool) {}

// Settle implements [sim.Server].
func (g *Gateway) Settle(*sim.Machine) {}

// Reset implements [sim.Server].
func (g *Gateway) Reset() { g.record, g.attempts = attempt{}, 0 }

// Alerts is where clients report what somebody should look into. It has no
// effect on anything.
type Alerts struct{}

// An Alert is such a report.
type Alert struct{ Text string }

func (a Alert) String() string { return "ALERT " + a.Text }

// Serve implements [sim.Server].
func (Alerts) Serve(m *sim.Machine, c sim.Call) { m.Answer(c, Status("noted")) }

// Crash implements [sim.Server].
func (Alerts) Crash(*sim.Machine, bool) {}

// Settle implements [sim.Server].
func (Alerts) Settle(*sim.Machine) {}

// Reset implements [sim.Server].
func (Alerts) Reset() {}
