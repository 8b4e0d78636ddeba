package nodes

import (
	"fmt"

	"simrun/sim"
)

// Invoice is the number of the one invoice. In [sim.History.Effects] its
// sending has the key [sim.Nobody]: it must happen once, ever.
const Invoice = 1041

// A Transaction begins or ends a transaction block.
type Transaction string

// The statements that begin and end a transaction block.
const (
	Begin    Transaction = "BEGIN"
	Commit   Transaction = "COMMIT"
	Rollback Transaction = "ROLLBACK"
)

func (t Transaction) String() string { return string(t) }

// LockRow reads the inventory's row and locks it until the transaction ends.
type LockRow struct{}

func (LockRow) String() string { return "SELECT qty FROM inventory FOR UPDATE" }

// ClaimRow leaves a random token in the inventory's row, and reads it.
type ClaimRow struct{ Token string }

func (c ClaimRow) String() string {
	return fmt.Sprintf("UPDATE inventory SET token = '%s' RETURNING qty", c.Token)
}

// WriteClaimed writes the inventory's row if the token is still the caller's.
type WriteClaimed struct {
	Qty   int64
	Token string
}

func (w WriteClaimed) String() string {
	return fmt.Sprintf("UPDATE inventory SET qty = %d WHERE token = '%s'", w.Qty, w.Token)
}

// ReadInvoice reads the invoice's status.
type ReadInvoice struct{}

func (ReadInvoice) String() string {
	return fmt.Sprintf("SELECT status, sent_by FROM invoices WHERE id = %d", Invoice)
}

// SendInvoice has the invoice sent, as far as the database is concerned: it
// sets its status. That is the effect that must happen once, when it is
// committed.
type SendInvoice struct {
	By      string
	Pending bool // only if it has not been sent
}

func (s SendInvoice) String() string {
	text := fmt.Sprintf("UPDATE invoices SET status = 'SENT', sent_by = '%s' WHERE id = %d", s.By, Invoice)
	if s.Pending {
		text += " AND status = 'PENDING'"
	}
	return text
}

// ReadSent looks whether invoice_sent has a row for the invoice.
type ReadSent struct{}

func (ReadSent) String() string {
	return fmt.Sprintf("SELECT count(*) FROM invoice_sent WHERE id = %d", Invoice)
}

// RecordSent inserts a row into invoice_sent, which can have one for an
// invoice.
type RecordSent struct{ By string }

func (r RecordSent) String() string {
	return fmt.Sprintf("INSERT INTO invoice_sent VALUES (%d, '%s')", Invoice, r.By)
}

// Advisory calls one of the functions for advisory locks.
type Advisory struct {
	Function AdvisoryFunction
	Key      int64 // from 0 up
}

// An AdvisoryFunction is a function for advisory locks. Those of a session
// outlive its transactions, are counted, and are freed with the session; those
// of a transaction end with it alone.
type AdvisoryFunction string

// The functions for advisory locks. Those with "try" do not wait.
const (
	AdvisoryLock    AdvisoryFunction = "pg_advisory_lock"
	TryAdvisoryLock AdvisoryFunction = "pg_try_advisory_lock"
	AdvisoryUnlock  AdvisoryFunction = "pg_advisory_unlock"
	XactLock        AdvisoryFunction = "pg_advisory_xact_lock"
	TryXactLock     AdvisoryFunction = "pg_try_advisory_xact_lock"
)

func (a Advisory) String() string { return fmt.Sprintf("SELECT %s(%d)", a.Function, a.Key) }

// Bool is the reply of a function that says yes or no.
type Bool bool

func (b Bool) String() string {
	if b {
		return "t"
	}
	return "f"
}

// An InvoiceRow is the reply to a [ReadInvoice].
type InvoiceRow struct {
	Sent bool
	By   sim.Holder
}

func (r InvoiceRow) String() string {
	if r.Sent {
		return "SENT, " + r.By.String()
	}
	return "PENDING"
}

// tables are the rows of the database.
type tables struct {
	stock   stock
	invoice InvoiceRow
	sent    bool // invoice_sent has a row for the invoice
}

// stock is the row of the table inventory.
type stock struct {
	qty, fence int64
	token      string
	writer     sim.Holder
	version    int // how often qty was written
}

// view returns the rows as a session sees them: what is committed, and over it
// its own changes.
func (p *Postgres) view(s *session) tables {
	v := p.stored
	if s.wrote[inventoryRow] != sim.Nobody {
		v.stock = s.own.stock
	}
	if s.wrote[invoiceRow] != sim.Nobody {
		v.invoice = s.own.invoice
	}
	if s.wrote[sentKey] != sim.Nobody {
		v.sent = s.own.sent
	}
	return v
}

// commit makes the changes of a session everybody's.
func (p *Postgres) commit(m *sim.Machine, s *session) {
	old := p.stored
	p.stored = p.view(s)
	if s.logs {
		p.sequence.flush()
	}
	if p.stored.stock.version != old.stock.version {
		m.Wrote(p.stored.stock.writer, old.stock.writer)
	}
	if by := s.wrote[invoiceRow]; by != sim.Nobody {
		m.Did(by, sim.Nobody)
	}
}

// run executes a statement of a session within its transaction. It returns nil
// if the statement has to wait.
func (p *Postgres) run(m *sim.Machine, s *session, c sim.Call) sim.Reply {
	v := p.view(s)
	switch r := c.Request.(type) {
	case NextToken: // which no rollback takes back
		n, logs := p.sequence.next()
		s.logs = s.logs || logs
		return Int(n)
	case Advisory:
		return p.advise(m, s, c.By, r)
	case ReadInvoice:
		return v.invoice
	case ReadSent:
		return number(v.sent)
	case LockRow:
		if !p.take(m, s, c.By, inventoryRow, true) {
			return p.wait(s, inventoryRow)
		}
		s.logs = true
		return v.stock.read()
	case ReadRow:
		if r.Guard == Unguarded {
			return v.stock.read()
		}
		return p.update(s, c.By, inventoryRow, r.Guard.admits(v.stock.fence, r.Token), func(own *tables) sim.Reply {
			own.stock.fence = r.Token
			return own.stock.read()
		})
	case ClaimRow:
		return p.update(s, c.By, inventoryRow, true, func(own *tables) sim.Reply {
			own.stock.token = r.Token
			return own.stock.read()
		})
	case WriteRow:
		return p.write(m, s, c.By, r.Guard.admits(v.stock.fence, r.Token), func(row *stock) {
			row.qty = r.Qty
			if r.Guard != Unguarded {
				row.fence = r.Token
			}
		})
	case WriteClaimed:
		return p.write(m, s, c.By, v.stock.token == r.Token, func(row *stock) { row.qty = r.Qty })
	case SendInvoice:
		return p.update(s, c.By, invoiceRow, !r.Pending || !v.invoice.Sent, func(own *tables) sim.Reply {
			own.invoice = InvoiceRow{Sent: true, By: c.By}
			return Rows(1)
		})
	case RecordSent:
		if v.sent {
			return Error(`ERROR: duplicate key value violates unique constraint "invoice_sent_pkey"`)
		}
		return p.update(s, c.By, sentKey, true, func(own *tables) sim.Reply {
			own.sent = true
			return Rows(1)
		})
	}
	return Error(fmt.Sprintf("ERROR: syntax error in %q", c.Request))
}

func (row stock) read() Row { return Row{Qty: row.qty, Writer: row.writer} }

// update changes a row if a session finds it to match, once no other session
// has it locked. What has waited is executed anew: it matches or does not match
// the row as it is by then, and locks it either way.
func (p *Postgres) update(s *session, by sim.Holder, t target, matches bool, change func(own *tables) sim.Reply) sim.Reply {
	if !matches && !s.waited {
		return Rows(0)
	}
	s.logs = true
	if p.lock(s, t, true) == nil {
		return p.wait(s, t)
	}
	if !matches {
		return Rows(0)
	}
	s.own = p.view(s)
	s.wrote[t] = by
	return change(&s.own)
}

// write changes the quantity, and reports it if it may not.
func (p *Postgres) write(m *sim.Machine, s *session, by sim.Holder, matches bool, change func(row *stock)) sim.Reply {
	if !matches {
		m.Changed(sim.Rejected, by, p.stored.stock.writer)
	}
	return p.update(s, by, inventoryRow, matches, func(own *tables) sim.Reply {
		change(&own.stock)
		own.stock.writer = by
		own.stock.version++
		return Rows(1)
	})
}

// advise calls a function for advisory locks.
func (p *Postgres) advise(m *sim.Machine, s *session, by sim.Holder, a Advisory) sim.Reply {
	t := advisory + target(a.Key)
	switch a.Function {
	case AdvisoryUnlock:
		return Bool(p.unlock(m, s, by, t))
	case TryAdvisoryLock, TryXactLock:
		return Bool(p.take(m, s, by, t, a.Function == TryXactLock))
	}
	if !p.take(m, s, by, t, a.Function == XactLock) {
		return p.wait(s, t)
	}
	return Rows(1)
}
