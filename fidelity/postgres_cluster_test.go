//go:build linux

package fidelity

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// A pgCluster is a PostgreSQL server of our own, in a temporary folder and on a
// socket in it, and a connection to look on with. A crash of its processes loses
// nothing that was committed; one of the machine would, as nothing is flushed.
type pgCluster struct {
	t      testing.TB
	folder string
	onlook *pgconn.PgConn
	spare  []*pgconn.PgConn // connections that no client has
	ready  chan struct{}    // the server takes connections, for the first time or again

	mu     sync.Mutex
	looked map[uint32]int64 // when a backend that waits last found that it is in no deadlock, in Unix milliseconds
	log    []string         // the last lines
}

// pgPatience is how long a real server may take for anything before the test
// fails. It is never waited for in a run that goes well.
const pgPatience = 30 * time.Second

// pgSettings make the server quick, and let it say what it does: who has waited
// for deadlock_timeout looks for a deadlock, once, and logs that it waits on.
// Nothing is to happen in the background, by chance sooner or later.
var pgSettings = map[string]string{
	"listen_addresses":      "",
	"fsync":                 "off",
	"shared_buffers":        "16MB",
	"deadlock_timeout":      "1ms",
	"log_lock_waits":        "on",
	"log_line_prefix":       "%n %p ",
	"lc_messages":           "C",
	"autovacuum":            "off",
	"bgwriter_lru_maxpages": "0",
	"checkpoint_timeout":    "1d",
	"wal_writer_delay":      "10s",
	"wal_level":             "minimal",
	"max_wal_senders":       "0",
}

const pgSchema = `
CREATE TABLE inventory (qty bigint, fence_token bigint, token text, updated_by text);
CREATE TABLE invoices (id bigint PRIMARY KEY, status text, sent_by text);
CREATE TABLE invoice_sent (id bigint PRIMARY KEY, sent_by text);
CREATE SEQUENCE fence`

const pgFresh = `
DELETE FROM inventory; DELETE FROM invoices; DELETE FROM invoice_sent;
INSERT INTO inventory VALUES (100, 0, '', NULL);
INSERT INTO invoices VALUES (1041, 'PENDING', NULL);
ALTER SEQUENCE fence RESTART`

// pgFlusherSleeps has a row if it does.
const pgFlusherSleeps = "SELECT FROM pg_stat_activity WHERE backend_type = 'walwriter' AND wait_event = 'WalWriterMain'"

// pgForget makes a session as new.
const pgForget = "ROLLBACK; SELECT pg_advisory_unlock_all()"

// startPostgres starts a server, which ends with the test.
func startPostgres(t testing.TB) *pgCluster {
	t.Helper()
	initdb, postgres := need(t, "initdb"), need(t, "postgres")
	c := &pgCluster{t: t, ready: make(chan struct{}, 1), looked: make(map[uint32]int64)}
	owner := pgOwner(t)
	c.folder = pgFolder(t, owner)
	data := filepath.Join(c.folder, "data")

	create := exec.Command(initdb, "--pgdata", data, "--username", "simrun", "--auth", "trust", "--no-sync", "--locale", "C", "--encoding", "UTF8")
	create.SysProcAttr, create.Dir = owner, c.folder
	if out, err := create.CombinedOutput(); err != nil {
		t.Fatalf("initdb: %v\n%s", err, out)
	}

	server := exec.Command(postgres, "-D", data, "-k", c.folder)
	server.SysProcAttr, server.Dir = owner, c.folder
	for name, value := range pgSettings {
		server.Args = append(server.Args, "-c", name+"="+value)
	}
	log, err := server.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() { defer close(done); c.follow(log) }()
	t.Cleanup(func() {
		_ = server.Process.Signal(syscall.SIGQUIT) // an immediate shutdown
		<-done
		_ = server.Wait()
	})
	c.await()
	c.do(pgSchema)
	return c
}

// pgOwner returns as whom to run the server, which refuses to run as root.
func pgOwner(t testing.TB) *syscall.SysProcAttr {
	if os.Getuid() != 0 {
		return nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		t.Fatalf("root cannot run PostgreSQL, and there is no user postgres to run it as: %v", err)
	}
	uid, _ := strconv.Atoi(u.Uid)
	gid, _ := strconv.Atoi(u.Gid)
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
}

// pgFolder makes a temporary folder of the owner's. Those of the test itself lie
// in folders that are closed to others.
func pgFolder(t testing.TB, owner *syscall.SysProcAttr) string {
	folder, err := os.MkdirTemp("", "simrun-postgres-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(folder); err != nil {
			t.Error(err)
		}
	})
	if owner != nil {
		if err := os.Chown(folder, int(owner.Credential.Uid), int(owner.Credential.Gid)); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// await waits until the server takes connections, and looks on from then on. The
// process that flushes the log in the background goes to sleep first, for long:
// what it would flush by chance is lost in a crash on the simulated server.
func (c *pgCluster) await() {
	c.t.Helper()
	select {
	case <-c.ready:
		c.onlook = c.connect()
	case <-time.After(pgPatience):
		c.give("the server does not start")
	}
	for start := time.Now(); len(c.do(pgFlusherSleeps)) == 0; {
		if time.Since(start) > pgPatience {
			c.give("the log's writer does not go to sleep")
		}
	}
}

// connect returns a connection, a new one if none is to spare.
func (c *pgCluster) connect() *pgconn.PgConn {
	c.t.Helper()
	if last := len(c.spare) - 1; last >= 0 {
		conn := c.spare[last]
		c.spare = c.spare[:last]
		return conn
	}
	ctx, cancel := context.WithTimeout(context.Background(), pgPatience)
	defer cancel()
	conn, err := pgconn.Connect(ctx, c.dsn())
	if err != nil {
		c.give(err.Error())
	}
	return conn
}

// dsn says how to connect to the server.
func (c *pgCluster) dsn() string { return fmt.Sprintf("host=%s user=simrun dbname=postgres", c.folder) }

// do executes statements as the onlooker, and returns the rows of the last.
func (c *pgCluster) do(sql string) [][][]byte {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), pgPatience)
	defer cancel()
	results, err := c.onlook.Exec(ctx, sql).ReadAll()
	if err != nil {
		c.give(err.Error())
	}
	return results[len(results)-1].Rows
}

// version returns what the server says that it is, such as 15.18.
func (c *pgCluster) version() string {
	number, _, _ := strings.Cut(string(c.do("SHOW server_version")[0][0]), " ")
	return number
}

// crash kills a process of the server, whereupon it ends all others and starts
// again.
func (c *pgCluster) crash() {
	c.t.Helper()
	if err := syscall.Kill(int(c.onlook.PID()), syscall.SIGKILL); err != nil {
		c.t.Fatal(err)
	}
	for _, conn := range append(c.spare, c.onlook) {
		_ = conn.Close(context.Background())
	}
	c.spare = nil
	c.await()
}

// give gives up, with what the server logged last.
func (c *pgCluster) give(why string) {
	c.t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.t.Fatal(errors.New(why + ", and the server's log ends so:\n" + strings.Join(c.log, "\n")))
}
