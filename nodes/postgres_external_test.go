package nodes_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"simrun/nodes"
	"simrun/sim"
)

// A line of a script: the client whose letter it begins with makes a request,
// and is answered. "waits" stands for an answer that comes after the next line's
// request, "4: 1 row" for one that comes after the request of line 4.
type scriptLine struct {
	client  byte
	request sim.Request
	want    string
}

const beat = 20 * time.Millisecond

// hangUp closes a client's connection.
type hangUp struct{}

func (hangUp) String() string { return `\q` }

// play runs a script against a server, a line every beat, and returns what every
// line was answered.
func play(t testing.TB, s sim.Server, lines []scriptLine, faults ...string) ([]string, *sim.History) {
	t.Helper()
	answers := make([]string, len(lines))
	schedule := sim.Schedule{Noise: sim.QuietNoise}
	for i := range 4 {
		schedule.Clients = append(schedule.Clients, sim.Plan{Client: i})
	}
	for _, line := range faults {
		f, err := sim.ParseFault(line)
		if err != nil {
			t.Fatal(err)
		}
		schedule.Faults = append(schedule.Faults, f)
	}
	w := sim.NewWorld(sim.Setup{
		Servers: []sim.ServerSpec{{Name: "n1", Server: s, Durable: true}},
		Limit:   time.Minute,
		Probe:   func(*sim.Thread) {},
		Program: func(c *sim.Thread) {
			c.NewAttempt()
			for i, line := range lines {
				if int(line.client-'A') != c.Client() {
					continue
				}
				c.Sleep(time.Duration(i)*beat - time.Duration(c.Monotonic()))
				if line.request == (hangUp{}) {
					c.Close(0)
					continue
				}
				answers[i] = "no reply"
				if r := c.Call(0, line.request, 2*time.Second).Reply; r != nil {
					answers[i] = r.String()
					if after := int(time.Duration(c.Monotonic()) / beat); after > i {
						answers[i] = fmt.Sprintf("%d: %s", after, r)
					}
				}
			}
			c.Sleep(time.Duration(len(lines))*beat - time.Duration(c.Monotonic()))
		},
	})
	t.Cleanup(w.Close)
	result, err := w.Run(schedule)
	if err != nil {
		t.Fatal(err)
	}
	if result.Defect != "" {
		t.Fatal(result.Defect)
	}
	h := result.History.Clone()
	return answers, &h
}

func (l scriptLine) String() string { return fmt.Sprintf("%c: %s", l.client, l.request) }

// The statements of the scripts, by what one types.
var (
	send      = nodes.SendInvoice{By: "x", Pending: true}
	sendAgain = nodes.SendInvoice{By: "x"}
	record    = nodes.RecordSent{By: "x"}
	lockRow   = nodes.LockRow{}
	readRow   = nodes.ReadRow{}
	tryLock   = advisory(nodes.TryAdvisoryLock)
	lock      = advisory(nodes.AdvisoryLock)
	unlock    = advisory(nodes.AdvisoryUnlock)
	tryXact   = advisory(nodes.TryXactLock)
	xact      = advisory(nodes.XactLock)
)

func advisory(f nodes.AdvisoryFunction) sim.Request { return nodes.Advisory{Function: f, Key: 7} }
func setQty(n int64) sim.Request                    { return nodes.WriteRow{Qty: n} }

const (
	duplicate = `ERROR: duplicate key value violates unique constraint "invoice_sent_pkey"`
	aborted   = "ERROR: current transaction is aborted, commands ignored until end of transaction block"
	lost      = "server closed the connection unexpectedly"
)

// Random scripts of these statements were compared with PostgreSQL 15.18, line by
// line.
func TestPostgres(t *testing.T) {
	tests := []struct {
		name  string
		lines []scriptLine
	}{
		{"one of many gets the row of a conditional update", []scriptLine{
			{'A', send, "1 row"}, {'B', send, "0 rows"}, {'A', nodes.ReadInvoice{}, "SENT, A#1"}}},
		{"a conditional update waits for another's, and looks at the row again", []scriptLine{
			{'A', nodes.Begin, "BEGIN"}, {'A', send, "1 row"}, {'B', send, "4: 0 rows"}, {'C', nodes.ReadInvoice{}, "PENDING"}, {'A', nodes.Commit, "COMMIT"}}},
		{"one that has waited in vain keeps the row until its transaction ends", []scriptLine{
			{'A', nodes.Begin, "BEGIN"}, {'A', send, "1 row"}, {'B', nodes.Begin, "BEGIN"}, {'B', send, "4: 0 rows"}, {'A', nodes.Commit, "COMMIT"},
			{'C', sendAgain, "6: 1 row"}, {'B', nodes.Commit, "COMMIT"}}},
		{"it goes through where the other rolls back", []scriptLine{
			{'A', nodes.Begin, "BEGIN"}, {'A', send, "1 row"}, {'B', send, "3: 1 row"}, {'A', nodes.Rollback, "ROLLBACK"}, {'C', nodes.ReadInvoice{}, "SENT, B#1"}}},
		{"a row that does not match is not waited for", []scriptLine{
			{'A', send, "1 row"}, {'A', nodes.Begin, "BEGIN"}, {'A', sendAgain, "1 row"}, {'B', send, "0 rows"}, {'A', nodes.Commit, "COMMIT"}}},
		{"a second insert of a key fails", []scriptLine{
			{'A', record, "1 row"}, {'B', record, duplicate}, {'B', nodes.ReadSent{}, "1"}}},
		{"a second insert waits for the first one's commit", []scriptLine{
			{'A', nodes.Begin, "BEGIN"}, {'A', record, "1 row"}, {'B', record, "3: " + duplicate}, {'A', nodes.Commit, "COMMIT"}}},
		{"a second insert goes through after the first one's rollback", []scriptLine{
			{'A', nodes.Begin, "BEGIN"}, {'A', record, "1 row"}, {'B', record, "3: 1 row"}, {'A', nodes.Rollback, "ROLLBACK"}}},
		{"a transaction sees its own changes, the others do not", []scriptLine{
			{'A', nodes.Begin, "BEGIN"}, {'A', setQty(7), "1 row"}, {'A', record, "1 row"}, {'A', readRow, "qty = 7, updated_by A#1"}, {'A', nodes.ReadSent{}, "1"},
			{'B', readRow, "qty = 100"}, {'B', nodes.ReadSent{}, "0"}, {'A', nodes.Commit, "COMMIT"}, {'B', readRow, "qty = 7, updated_by A#1"}}},
		{"a rolled-back change is gone, but for the sequence", []scriptLine{
			{'A', nodes.Begin, "BEGIN"}, {'A', setQty(7), "1 row"}, {'A', nodes.NextToken{}, "1"}, {'A', nodes.Rollback, "ROLLBACK"},
			{'A', readRow, "qty = 100"}, {'A', nodes.NextToken{}, "2"}}},
		{"an error fails the transaction, whose COMMIT rolls back", []scriptLine{
			{'A', record, "1 row"}, {'A', nodes.Begin, "BEGIN"}, {'A', setQty(7), "1 row"}, {'A', record, duplicate}, {'A', readRow, aborted}, {'A', nodes.Begin, aborted},
			{'B', setQty(8), "1 row"}, {'A', nodes.Commit, "ROLLBACK"}, {'A', readRow, "qty = 8, updated_by B#1"}}},
		{"FOR UPDATE waits, first come first served, and reads what was committed", []scriptLine{
			{'A', nodes.Begin, "BEGIN"}, {'A', lockRow, "qty = 100"}, {'B', nodes.Begin, "BEGIN"}, {'C', nodes.Begin, "BEGIN"},
			{'B', lockRow, "8: qty = 7, updated_by A#1"}, {'C', lockRow, "9: qty = 7, updated_by A#1"}, {'D', readRow, "qty = 100"},
			{'A', setQty(7), "1 row"}, {'A', nodes.Commit, "COMMIT"}, {'B', nodes.Rollback, "ROLLBACK"}}},
		{"a lock outside of a transaction is over at once", []scriptLine{
			{'A', lockRow, "qty = 100"}, {'B', lockRow, "qty = 100"}}},
		{"two that wait for each other", []scriptLine{
			{'A', nodes.Begin, "BEGIN"}, {'A', setQty(7), "1 row"}, {'B', nodes.Begin, "BEGIN"}, {'B', send, "1 row"},
			{'A', send, "5: 1 row"}, {'B', setQty(8), "ERROR: deadlock detected"}, {'B', nodes.Commit, "ROLLBACK"}, {'A', nodes.Commit, "COMMIT"}}},
		{"a session's advisory lock is its session's", []scriptLine{
			{'A', tryLock, "t"}, {'B', tryLock, "f"}, {'B', unlock, "f"}, {'A', unlock, "t"}, {'A', unlock, "f"}, {'B', tryLock, "t"}}},
		{"it is counted", []scriptLine{
			{'A', tryLock, "t"}, {'A', tryLock, "t"}, {'A', unlock, "t"}, {'B', tryLock, "f"}, {'A', unlock, "t"}, {'B', tryLock, "t"}}},
		{"it survives a rollback", []scriptLine{
			{'A', nodes.Begin, "BEGIN"}, {'A', tryLock, "t"}, {'A', nodes.Rollback, "ROLLBACK"}, {'B', tryLock, "f"}, {'A', unlock, "t"}}},
		{"it ends with the connection", []scriptLine{
			{'A', tryLock, "t"}, {'A', hangUp{}, ""}, {'B', tryLock, "t"}, {'A', unlock, "f"}}},
		{"one can wait for it", []scriptLine{
			{'A', lock, "1 row"}, {'B', lock, "3: 1 row"}, {'C', tryLock, "f"}, {'A', unlock, "t"}, {'A', tryLock, "f"}}},
		{"a transaction's advisory lock ends with the transaction", []scriptLine{
			{'A', nodes.Begin, "BEGIN"}, {'A', tryXact, "t"}, {'A', unlock, "f"}, {'B', tryXact, "f"}, {'A', nodes.Commit, "COMMIT"}, {'B', tryXact, "t"}, {'A', tryXact, "t"}}},
		{"both sorts exclude each other", []scriptLine{
			{'A', nodes.Begin, "BEGIN"}, {'A', xact, "1 row"}, {'A', tryLock, "t"}, {'A', nodes.Commit, "COMMIT"}, {'B', tryXact, "f"}, {'A', unlock, "t"}, {'B', tryXact, "t"}}},
		{"a transaction whose connection is closed is rolled back", []scriptLine{
			{'A', nodes.Begin, "BEGIN"}, {'A', setQty(7), "1 row"}, {'A', record, "1 row"}, {'B', record, "4: 1 row"}, {'A', hangUp{}, ""}, {'B', readRow, "qty = 100"}, {'A', nodes.Commit, "COMMIT"}}},
		{"tokens are guarded as in the inventory", []scriptLine{
			{'A', nodes.WriteRow{Qty: 7, Guard: nodes.Newer, Token: 2}, "1 row"}, {'B', nodes.WriteRow{Qty: 8, Guard: nodes.Newer, Token: 2}, "0 rows"},
			{'B', nodes.ReadRow{Guard: nodes.NotOlder, Token: 3}, "qty = 7, updated_by A#1"}, {'A', nodes.WriteRow{Qty: 9, Guard: nodes.NotOlder, Token: 2}, "0 rows"}}},
		{"a random token is whose it was last", []scriptLine{
			{'A', nodes.ClaimRow{Token: "a"}, "qty = 100"}, {'B', nodes.ClaimRow{Token: "b"}, "qty = 100"},
			{'A', nodes.WriteClaimed{Qty: 7, Token: "a"}, "0 rows"}, {'B', nodes.WriteClaimed{Qty: 8, Token: "b"}, "1 row"}}},
		{"it speaks no Redis", []scriptLine{
			{'A', nodes.Get("lock"), `ERROR: syntax error in "GET lock"`}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, _ := play(t, new(nodes.Postgres), tt.lines)
			compare(t, tt.lines, got)
		})
	}
}

func compare(t *testing.T, lines []scriptLine, got []string) {
	t.Helper()
	var script, told []string
	for i, l := range lines {
		script = append(script, fmt.Sprintf("%v -> %s", l, l.want))
		told = append(told, fmt.Sprintf("%v -> %s", l, got[i]))
	}
	if diff := cmp.Diff(script, told); diff != "" {
		t.Errorf("script (-want +got):\n%s", diff)
	}
}

// Between its statements a backend looks at its connection, while it waits for a
// lock it does not.
func TestStatementThatWaitsIsExecutedAfterItsClientIsGone(t *testing.T) {
	lines := []scriptLine{
		{'A', nodes.Begin, "BEGIN"}, {'A', send, "1 row"}, {'B', send, "no reply"},
		{'C', nodes.ReadInvoice{}, "PENDING"}, {'A', nodes.Rollback, "ROLLBACK"}, {'C', nodes.ReadInvoice{}, "SENT, B#1"}, {'C', send, "0 rows"},
	}
	got, h := play(t, new(nodes.Postgres), lines, "death B at 50ms")
	compare(t, lines, got)
	if len(h.Effects) != 1 {
		t.Errorf("%d invoices are sent, want 1", len(h.Effects))
	}
}

func TestWhoIsGoneWaitsForNothingFurther(t *testing.T) {
	tests := []struct {
		name   string
		pool   int
		lines  []scriptLine
		faults []string
	}{
		{"a lock granted to a transaction whose client is dead is free again", 0, []scriptLine{
			{'A', nodes.Begin, "BEGIN"}, {'A', lockRow, "qty = 100"}, {'B', nodes.Begin, "BEGIN"}, {'B', lockRow, "no reply"}, {'C', readRow, "qty = 100"},
			{'A', nodes.Commit, "COMMIT"}, {'C', lockRow, "qty = 100"}}, []string{"death B at 70ms"}},
		{"a dead client is lent no connection", 1, []scriptLine{
			{'A', nodes.Begin, "BEGIN"}, {'B', nodes.Begin, "no reply"}, {'A', readRow, "qty = 100"}, {'A', nodes.Commit, "COMMIT"}, {'C', readRow, "qty = 100"}}, []string{"death B at 30ms"}},
		{"a statement that waits is lost in a crash", 0, []scriptLine{
			{'A', nodes.Begin, "BEGIN"}, {'A', send, "1 row"}, {'B', send, "no reply"}, {'C', nodes.ReadInvoice{}, "PENDING"}}, []string{"crash n1 at 50ms for 0s"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, _ := play(t, &nodes.Postgres{Pool: tt.pool}, tt.lines, tt.faults...)
			compare(t, tt.lines, got)
		})
	}
}

// The server's end of a connection is gone, and with it the answer, though the
// client has come back and still waits.
func TestNobodyIsAnsweredOnAConnectionThatTheServerHasEnded(t *testing.T) {
	lines := []scriptLine{
		{'A', nodes.Begin, "BEGIN"}, {'A', lockRow, "qty = 100"}, {'B', lockRow, "no reply"},
		{'C', readRow, "qty = 100"}, {'C', readRow, "qty = 100"}, {'C', readRow, "qty = 100"}, {'C', readRow, "qty = 100"}, {'C', readRow, "qty = 100"},
		{'A', nodes.Commit, "COMMIT"}, {'C', lockRow, "qty = 100"},
	}
	got, _ := play(t, &nodes.Postgres{Keepalive: 80 * time.Millisecond}, lines, "partition B<->n1 at 45ms for 100ms")
	compare(t, lines, got)
}

// What a sequence has given out is forgotten with the log that tells of it, and
// what it has not is skipped with the numbers that were logged ahead.
func TestSequenceLeapsInACrash(t *testing.T) {
	draw := nodes.NextToken{}
	tests := []struct {
		name  string
		lines []scriptLine
		crash string
	}{
		{"forward, past what was logged ahead", []scriptLine{
			{'A', draw, "1"}, {'A', draw, "2"}, {'B', draw, "34"}, {'C', draw, "67"}}, "crash n1 at 30ms for 0s, crash n1 at 50ms for 0s"},
		{"back, if nothing was committed since", []scriptLine{
			{'A', nodes.Begin, "BEGIN"}, {'A', draw, "1"}, {'B', draw, "2"}, {'C', draw, "1"}}, "crash n1 at 50ms for 0s"},
		{"back, if what was logged is rolled back", []scriptLine{
			{'A', nodes.Begin, "BEGIN"}, {'A', draw, "1"}, {'A', nodes.Rollback, "ROLLBACK"}, {'C', draw, "1"}}, "crash n1 at 50ms for 0s"},
		{"not back, if anybody has committed a change", []scriptLine{
			{'A', nodes.Begin, "BEGIN"}, {'A', draw, "1"}, {'B', send, "1 row"}, {'C', draw, "34"}}, "crash n1 at 50ms for 0s"},
		{"nor if he has merely locked a row", []scriptLine{
			{'A', nodes.Begin, "BEGIN"}, {'A', draw, "1"}, {'B', lockRow, "qty = 100"}, {'C', draw, "34"}}, "crash n1 at 50ms for 0s"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, _ := play(t, new(nodes.Postgres), tt.lines, strings.Split(tt.crash, ", ")...)
			compare(t, tt.lines, got)
		})
	}
}

// A silent client is one whose probes are not answered; one that merely says
// nothing is not silent.
func TestSilentClientsLoseTheirConnections(t *testing.T) {
	const ttl = 80 * time.Millisecond
	tests := []struct {
		fault string
		lost  bool
	}{
		{"pause A at 25ms for 60ms", false},
		{"pause A at 25ms for 100ms", true},
		{"partition A<->n1 at 25ms for 100ms", true},
		{"partition A->n1 at 25ms for 100ms", true},
		{"partition n1->A at 25ms for 100ms", true},
		{"partition B<->n1 at 25ms for 100ms", false},
		{"pause A at 1s for 1ms", false},
		{"node-pause n1 at 25ms for 100ms", false},
		{"crash n1 at 25ms for 0s", true},
	}
	for _, tt := range tests {
		t.Run(tt.fault, func(t *testing.T) {
			lines := make([]scriptLine, 12)
			lines[0] = scriptLine{'A', tryLock, "t"}
			lines[10] = scriptLine{'A', unlock, "t"}
			lines[11] = scriptLine{'B', tryLock, "t"}
			if tt.lost {
				lines[10].want = lost
			}
			got, h := play(t, &nodes.Postgres{Keepalive: ttl}, lines, tt.fault)
			if got[10] != lines[10].want || got[11] != "t" {
				t.Errorf("A is told %q, and B %q, want %q and t", got[10], got[11], lines[10].want)
			}
			if forgotten := slices.ContainsFunc(h.Changes, func(c sim.Change) bool { return c.Kind == sim.Forgotten }); forgotten != tt.lost {
				t.Errorf("changes %v", kinds(h.Changes))
			}
		})
	}
}

// A client that was told closes its connection, and has a new one.
func TestLostConnectionStaysLostUntilItIsClosed(t *testing.T) {
	lines := []scriptLine{
		{'A', nodes.Begin, "BEGIN"}, {'A', setQty(7), "1 row"}, {'B', setQty(8), "1 row"}, {'A', nodes.Commit, lost}, {'A', readRow, lost},
		{'A', hangUp{}, ""}, {'A', readRow, "qty = 8, updated_by B#1"},
	}
	got, _ := play(t, new(nodes.Postgres), lines, "crash n1 at 35ms for 0s")
	compare(t, lines, got)
}

func TestPostgresReportsLocksWritesAndEffects(t *testing.T) {
	lines := []scriptLine{
		{'A', tryLock, ""}, {'A', setQty(7), ""}, {'A', nodes.Begin, ""}, {'A', lockRow, ""}, {'A', setQty(8), ""}, {'A', send, ""}, {'A', nodes.Commit, ""}, {'A', unlock, ""},
		{'B', nodes.Begin, ""}, {'B', lockRow, ""}, {'B', setQty(9), ""}, {'B', nodes.Rollback, ""}, {'B', tryLock, ""}, {'B', hangUp{}, ""}, {'B', nodes.WriteRow{Guard: nodes.Newer}, ""},
	}
	_, h := play(t, new(nodes.Postgres), lines)
	want := []string{
		"took A#1 by A#1", "wrote nobody by A#1", "took A#1 by A#1", "wrote A#1 by A#1", "removed A#1 by A#1", "removed A#1 by A#1",
		"took B#1 by B#1", "removed B#1 by B#1", "took B#1 by B#1", "forgotten B#1 by nobody", "rejected A#1 by B#1",
	}
	if diff := cmp.Diff(want, kinds(h.Changes)); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
	if len(h.Effects) != 1 || h.Effects[0].Holder != a1 || h.Effects[0].Key != sim.Nobody {
		t.Errorf("effects %v, want the invoice's, by A#1", h.Effects)
	}
}

func TestPoolerLendsConnectionsByTheTransaction(t *testing.T) {
	tests := []struct {
		name  string
		lines []scriptLine
	}{
		{"a lock stays with the server connection", []scriptLine{
			{'A', tryLock, "t"}, {'A', unlock, "f"}, {'A', hangUp{}, ""}, {'B', tryLock, "t"}, {'A', tryLock, "f"}, {'A', unlock, "t"}, {'A', readRow, "qty = 100"}, {'A', unlock, "t"}}},
		{"a transaction stays on its own", []scriptLine{
			{'A', nodes.Begin, "BEGIN"}, {'A', tryXact, "t"}, {'B', tryXact, "f"}, {'B', tryXact, "f"}, {'A', nodes.Commit, "COMMIT"}, {'B', tryXact, "t"}}},
		{"without an idle connection one waits", []scriptLine{
			{'A', nodes.Begin, "BEGIN"}, {'B', nodes.Begin, "BEGIN"}, {'C', readRow, "4: qty = 100"}, {'D', readRow, "4: qty = 100"}, {'A', nodes.Commit, "COMMIT"}, {'C', readRow, "qty = 100"}}},
		{"a transaction whose client leaves takes its connection with it", []scriptLine{
			{'A', nodes.Begin, "BEGIN"}, {'A', tryLock, "t"}, {'A', hangUp{}, ""}, {'B', tryLock, "t"}, {'B', tryLock, "f"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, _ := play(t, &nodes.Postgres{Pool: 2}, tt.lines)
			compare(t, tt.lines, got)
		})
	}
}

// Through a pooler, clients share what they think is their own.
func TestUnlockThroughAPoolerTakesOffOnesOwnFirst(t *testing.T) {
	lines := []scriptLine{{'A', tryLock, "t"}, {'B', tryLock, "t"}, {'A', unlock, "t"}, {'A', unlock, "t"}, {'A', unlock, "f"}}
	got, h := play(t, &nodes.Postgres{Pool: 1}, lines)
	compare(t, lines, got)
	want := []string{"took A#1 by A#1", "took B#1 by B#1", "removed A#1 by A#1", "removed B#1 by A#1"}
	if diff := cmp.Diff(want, kinds(h.Changes)); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
}

// Whatever clients do, the invoice is not sent twice by conditional updates, a
// lock is lost as often as it was taken, and statements on one row come one
// after the other: each writer replaces what was committed last.
func TestPostgresKeepsTransactionsApart(t *testing.T) {
	statements := []sim.Request{nodes.Begin, nodes.Commit, nodes.Rollback, send, record, lockRow, readRow, setQty(7), tryLock, lock, unlock, tryXact, xact, hangUp{}}
	rapid.Check(t, func(rt *rapid.T) {
		server := &nodes.Postgres{Pool: rapid.SampledFrom([]int{0, 0, 2}).Draw(rt, "pool")}
		var lines []scriptLine
		for range rapid.IntRange(1, 30).Draw(rt, "lines") {
			lines = append(lines, scriptLine{
				client:  rapid.SampledFrom([]byte("ABC")).Draw(rt, "client"),
				request: rapid.SampledFrom(statements).Draw(rt, "statement"),
			})
		}
		_, h := play(t, server, lines)
		if len(h.Effects) > 1 {
			rt.Errorf("the invoice is sent %d times", len(h.Effects))
		}
		var last sim.Holder
		locks := make(map[sim.Holder]int)
		for _, c := range h.Changes {
			switch c.Kind {
			case sim.Took:
				locks[c.Owner]++
			case sim.Removed, sim.Forgotten:
				if locks[c.Owner]--; locks[c.Owner] < 0 {
					rt.Errorf("%v loses a lock that it does not have", c.Owner)
				}
			case sim.Wrote:
				if c.Owner != last {
					rt.Errorf("%v replaces the value of %v, which is not the last", c.By, c.Owner)
				}
				last = c.By
			}
		}
	})
}
