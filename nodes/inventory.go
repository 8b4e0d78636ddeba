package nodes

import (
	"fmt"

	"simrun/sim"
)

// Inventory is the resource that the locks protect: one durable row of a
// database table inventory(qty, fence_token, updated_by), and beside it a
// sequence as a durable source of fencing tokens. Each request is one
// statement, committed before it is answered; a crash loses nothing.
//
// The zero value is not ready for use; call [Inventory.Reset] first.
type Inventory struct {
	qty      int64
	fence    int64
	writer   sim.Holder
	sequence int64
}

// StartingQty is the quantity in a fresh [Inventory].
const StartingQty = 100

// A Guard says which fencing tokens a statement lets through.
type Guard uint8

// The guards of a statement.
const (
	Unguarded Guard = iota // every token, and none
	Newer                  // fence_token < $token
	NotOlder               // fence_token <= $token
)

func (g Guard) where(token int64) string {
	switch g {
	case Newer:
		return fmt.Sprintf(" WHERE fence_token < %d", token)
	case NotOlder:
		return fmt.Sprintf(" WHERE fence_token <= %d", token)
	}
	return ""
}

func (g Guard) admits(row, token int64) bool {
	return g == Unguarded || row < token || g == NotOlder && row == token
}

// A ReadRow reads the row. With a guard it carries the reader's token, which
// the row keeps, so that an older token is refused from now on.
type ReadRow struct {
	Guard Guard
	Token int64
}

func (r ReadRow) String() string {
	if r.Guard == Unguarded {
		return "SELECT qty FROM inventory"
	}
	return fmt.Sprintf("UPDATE inventory SET fence_token = %d%s RETURNING qty", r.Token, r.Guard.where(r.Token))
}

// A WriteRow writes the row. With a guard it carries the writer's token.
type WriteRow struct {
	Qty   int64
	Guard Guard
	Token int64
}

func (w WriteRow) String() string {
	set := ""
	if w.Guard != Unguarded {
		set = fmt.Sprintf(", fence_token = %d", w.Token)
	}
	return fmt.Sprintf("UPDATE inventory SET qty = %d%s%s", w.Qty, set, w.Guard.where(w.Token))
}

// A NextToken draws the next value of the sequence.
type NextToken struct{}

func (NextToken) String() string { return "SELECT nextval('fence')" }

// A Row is the reply to a [ReadRow] that was let through.
type Row struct {
	Qty    int64
	Writer sim.Holder
}

func (r Row) String() string {
	if r.Writer == sim.Nobody {
		return fmt.Sprintf("qty = %d", r.Qty)
	}
	return fmt.Sprintf("qty = %d, updated_by %s", r.Qty, r.Writer)
}

// Rows is the reply to a statement: how many rows it touched.
type Rows int

func (n Rows) String() string {
	if n == 1 {
		return "1 row"
	}
	return fmt.Sprintf("%d rows", int(n))
}

// Serve implements [sim.Server].
func (inv *Inventory) Serve(m *sim.Machine, c sim.Call) {
	switch r := c.Request.(type) {
	case ReadRow:
		m.Answer(c, inv.read(r))
	case WriteRow:
		m.Answer(c, inv.write(m, c.By, r))
	case NextToken:
		inv.sequence++
		m.Answer(c, Int(inv.sequence))
	default:
		m.Answer(c, Error(fmt.Sprintf("ERROR: syntax error in %q", r)))
	}
}

func (inv *Inventory) read(r ReadRow) sim.Reply {
	if !r.Guard.admits(inv.fence, r.Token) {
		return Rows(0)
	}
	if r.Guard != Unguarded {
		inv.fence = r.Token
	}
	return Row{Qty: inv.qty, Writer: inv.writer}
}

func (inv *Inventory) write(m *sim.Machine, by sim.Holder, w WriteRow) sim.Reply {
	if !w.Guard.admits(inv.fence, w.Token) {
		m.Changed(sim.Rejected, by, inv.writer)
		return Rows(0)
	}
	if w.Guard != Unguarded {
		inv.fence = w.Token
	}
	m.Wrote(by, inv.writer)
	inv.qty, inv.writer = w.Qty, by
	return Rows(1)
}

// Crash implements [sim.Server].
func (inv *Inventory) Crash(*sim.Machine, bool) {}

// Settle implements [sim.Server].
func (inv *Inventory) Settle(*sim.Machine) {}

// Reset implements [sim.Server].
func (inv *Inventory) Reset() { *inv = Inventory{qty: StartingQty} }
