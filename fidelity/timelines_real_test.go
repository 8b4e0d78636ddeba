//go:build linux

package fidelity

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"simrun/scenarios"
	"simrun/sim"
)

// A stage is where one timeline is played for real: a database of its own on a
// Redis and on a PostgreSQL server that run by the machine's clock.
type stage struct {
	t     testing.TB
	redis string // the socket
	db    string
	dsn   string
	sql   *pgconn.PgConn

	mu   sync.Mutex
	said []timelineLine
}

// A timelineLine is something that happened to a worker.
type timelineLine struct {
	at   int64 // Unix nanoseconds
	text string
}

// startRealTimeRedis starts a Redis, and returns its socket.
func startRealTimeRedis(t testing.TB) string {
	program := need(t, "redis-server")
	folder, err := os.MkdirTemp("", "simrun-redis-") // the test's own have too long a name for a socket
	if err != nil {
		t.Fatal(err)
	}
	socket := filepath.Join(folder, "socket")
	server := exec.Command(program, "--port", "0", "--unixsocket", socket, "--save", "", "--dir", folder)
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.Process.Kill()
		_ = server.Wait()
		_ = os.RemoveAll(folder)
	})
	for start := time.Now(); ; time.Sleep(time.Millisecond) {
		if w, err := dial("unix", socket); err == nil {
			w.Close()
			return socket
		} else if time.Since(start) > pgPatience {
			t.Fatalf("redis-server does not start: %v", err)
		}
	}
}

// newStage prepares the i-th stage.
func newStage(t testing.TB, redis string, postgres *pgCluster, i int) *stage {
	schema := fmt.Sprintf("timeline_%d", i)
	s := &stage{t: t, redis: redis, db: strconv.Itoa(i), dsn: postgres.dsn() + " search_path=" + schema}
	var err error
	if s.sql, err = pgconn.Connect(context.Background(), s.dsn); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.sql.Close(context.Background()) })
	s.do("CREATE SCHEMA " + schema)
	s.do(pgSchema)
	return s
}

func (s *stage) do(sql string) string {
	s.t.Helper()
	results, err := s.sql.Exec(context.Background(), sql).ReadAll()
	if err != nil {
		s.t.Fatal(err)
	}
	return pgResult(results[len(results)-1:], nil)
}

// play plays a scenario with all its durations stretched. It returns what
// happened, in order, and who wrote the value that remained.
func (s *stage) play(script *scenarios.Script, stretch float64) (outcomes []string, final string) {
	s.do(pgFresh)
	s.flush()
	s.said = nil
	plans, pauses := plansOf(script, stretch)
	var players []*player
	for _, plan := range plans {
		plan.Redis, plan.DB, plan.SQL = s.redis, s.db, s.dsn
		players = append(players, s.hire(plan))
	}
	for _, p := range players {
		p.ready(s.t)
	}
	start := time.Now().Add(minLag)
	var all sync.WaitGroup
	for _, p := range players {
		fmt.Fprintln(p.in, start.UnixNano())
		pause := pauses[p.client]
		all.Go(func() { s.follow(p, pause) })
		if pause.at > 0 {
			all.Go(func() { s.interrupt(p, start, pause) })
		}
	}
	all.Wait()
	slices.SortStableFunc(s.said, func(a, b timelineLine) int { return cmp.Compare(a.at, b.at) })
	for _, line := range s.said {
		outcomes = append(outcomes, line.text)
	}
	writer, _, _ := strings.Cut(s.do("SELECT updated_by AS name FROM inventory"), "#")
	return outcomes, writer
}

// flush empties the stage's database of Redis.
func (s *stage) flush() {
	redis, err := dial("unix", s.redis)
	if err != nil {
		s.t.Fatal(err)
	}
	defer redis.Close()
	w := worker{timelinePlan: timelinePlan{DB: s.db}}
	for _, command := range [][]string{{"SELECT", s.db}, {"FLUSHDB"}} {
		if _, err := w.ask(redis, command...); err != nil {
			s.t.Fatal(err)
		}
	}
}

// A player is the process of a worker.
type player struct {
	client int
	cmd    *exec.Cmd
	in     io.Writer
	out    *bufio.Scanner
	errors bytes.Buffer
}

func (s *stage) hire(plan timelinePlan) *player {
	p := &player{client: plan.Client, cmd: exec.Command(os.Args[0])}
	text, err := json.Marshal(plan)
	if err != nil {
		s.t.Fatal(err)
	}
	p.cmd.Env = append(os.Environ(), workerPlan+"="+string(text))
	p.cmd.Stderr = &p.errors
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		s.t.Fatal(err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	p.out = bufio.NewScanner(out)
	if err := p.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	return p
}

// ready waits until the worker is.
func (p *player) ready(t testing.TB) {
	if !p.out.Scan() || p.out.Text() != "ready" {
		t.Fatalf("worker %s says %q, want ready: %v %s", sim.ClientName(p.client), p.out.Text(), p.cmd.Wait(), &p.errors)
	}
}

// follow takes down what a worker says, to its end, and wakes it up after a
// pause that it has begun by itself.
func (s *stage) follow(p *player, pause timelinePause) {
	for p.out.Scan() {
		at, text, _ := strings.Cut(p.out.Text(), " ")
		nanos, _ := strconv.ParseInt(at, 10, 64)
		s.note(nanos, text)
		if text == sim.ClientName(p.client)+" pauses" {
			s.wake(p, pause)
		}
	}
	if err := p.cmd.Wait(); err != nil {
		s.t.Errorf("worker %s: %v %s", sim.ClientName(p.client), err, &p.errors)
	}
}

// interrupt stops a worker with all its threads, wherever it is.
func (s *stage) interrupt(p *player, start time.Time, pause timelinePause) {
	time.Sleep(time.Until(start.Add(pause.at)))
	s.note(time.Now().UnixNano(), sim.ClientName(p.client)+" pauses")
	s.signal(p, syscall.SIGSTOP)
	s.wake(p, pause)
}

func (s *stage) wake(p *player, pause timelinePause) {
	time.Sleep(pause.length)
	s.note(time.Now().UnixNano(), sim.ClientName(p.client)+" wakes up")
	s.signal(p, syscall.SIGCONT)
}

func (s *stage) signal(p *player, signal syscall.Signal) {
	if err := p.cmd.Process.Signal(signal); err != nil {
		s.t.Error(err)
	}
}

func (s *stage) note(at int64, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.said = append(s.said, timelineLine{at, text})
}
