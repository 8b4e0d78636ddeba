//go:build linux

package fidelity

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"simrun/nodes"
	"simrun/sim"
)

// workerPlan is the variable with the plan of a worker, in whose environment the
// test's program is a worker and nothing else: a process of its own, that can be
// stopped with all its threads.
const workerPlan = "SIMRUN_TIMELINE_WORKER"

func init() {
	text, is := os.LookupEnv(workerPlan)
	if !is {
		return
	}
	if err := work(text); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// A worker plays one part of a timeline. On its standard output it says "ready",
// and then what happens to it and when, in Unix nanoseconds.
type worker struct {
	timelinePlan
	name  string
	redis *wire
	sql   *pgconn.PgConn
	token int64
}

// work does all of a worker's work. The time at which the timeline starts comes
// on standard input, once every worker is ready.
func work(plan string) error {
	w := new(worker)
	if err := json.Unmarshal([]byte(plan), &w.timelinePlan); err != nil {
		return err
	}
	w.name = sim.ClientName(w.Client)
	var err error
	if w.redis, err = w.dial(); err != nil {
		return err
	}
	if w.sql, err = pgconn.Connect(context.Background(), w.SQL); err != nil {
		return err
	}
	fmt.Println("ready")
	var start int64
	if _, err := fmt.Scan(&start); err != nil {
		return err
	}
	time.Sleep(time.Until(time.Unix(0, start).Add(w.Start)))
	return w.job()
}

// job acquires the lock, works on what it reads, writes and releases.
func (w *worker) job() error {
	if err := w.acquire(); err != nil {
		return err
	}
	stop, stopped := make(chan struct{}), make(chan error, 1)
	go func() { stopped <- w.watch(stop) }()
	qty, err := w.read()
	if err != nil {
		return err
	}
	time.Sleep(w.Work)
	if w.Pauses {
		w.say("pauses")
		if err := syscall.Kill(os.Getpid(), syscall.SIGSTOP); err != nil {
			return err
		}
	}
	time.Sleep(w.Lag)
	if err := w.write(qty + 1); err != nil {
		return err
	}
	close(stop)
	if err := <-stopped; err != nil {
		return err
	}
	return w.release()
}

func (w *worker) acquire() error {
	for {
		reply, err := w.ask(w.redis, "SET", "lock", w.name, "NX", "PX", w.millis(w.Lease))
		if err != nil {
			return err
		}
		if reply == nodes.Status("OK") {
			break
		}
		time.Sleep(w.Lease / 10)
	}
	if !w.Lock.Counts {
		w.say("acquires the lock")
		return nil
	}
	reply, err := w.ask(w.redis, "INCR", "lock:tokens")
	token, _ := reply.(nodes.Int)
	w.token = int64(token)
	w.say(fmt.Sprintf("acquires the lock with token %d", w.token))
	return err
}

// watch prolongs the lease until it is told to stop, or nothing is left of it.
func (w *worker) watch(stop chan struct{}) error {
	if !w.Lock.Renews {
		return nil
	}
	redis, err := w.dial()
	if err != nil {
		return err
	}
	for {
		select {
		case <-stop:
			return nil
		case <-time.After(w.Lease / 3):
		}
		reply, err := w.ask(redis, "EVAL", nodes.RenewScript.Lua, "1", "lock", w.name, w.millis(w.Lease))
		if err != nil {
			return err
		}
		if reply != nodes.Int(1) {
			w.say("renews nothing")
			return nil
		}
		w.say("renews it")
	}
}

func (w *worker) read() (qty int64, err error) {
	_, err = fmt.Sscanf(w.query(nodes.ReadRow{}), "qty = %d", &qty)
	return qty, err
}

func (w *worker) write(qty int64) error {
	r := nodes.WriteRow{Qty: qty}
	if w.Lock.Fences {
		r.Guard, r.Token = nodes.Newer, w.token
	}
	switch result := w.query(r); result {
	case "1 row":
		w.say("writes")
	case "0 rows":
		w.say("is refused")
	default:
		return fmt.Errorf("%v: %s", r, result)
	}
	return nil
}

// release gives the lock back. Whose it is that a DEL deletes is asked just before.
func (w *worker) release() error {
	reply, err := w.ask(w.redis, "GET", "lock")
	if err != nil {
		return err
	}
	holder, _ := reply.(nodes.Bulk)
	command := []string{"DEL", "lock"}
	if w.Lock.Compares {
		command = []string{"EVAL", nodes.ReleaseScript.Lua, "1", "lock", w.name}
	}
	reply, err = w.ask(w.redis, command...)
	switch {
	case reply == nodes.Int(0):
		w.say("deletes nothing")
	case string(holder) == w.name:
		w.say("deletes its lock")
	default:
		w.say("deletes the lock of " + string(holder))
	}
	return err
}

func (w *worker) dial() (*wire, error) {
	redis, err := dial("unix", w.Redis)
	if err != nil {
		return nil, err
	}
	_, err = w.ask(redis, "SELECT", w.DB)
	return redis, err
}

// ask asks Redis for something.
func (w *worker) ask(redis *wire, words ...string) (sim.Reply, error) {
	if err := redis.send(words...); err != nil {
		return nil, err
	}
	reply, err := redis.receive()
	if refusal, refused := reply.(nodes.Error); refused {
		return nil, fmt.Errorf("%q: %v", words, refusal)
	}
	return reply, err
}

// query asks PostgreSQL for something.
func (w *worker) query(r sim.Request) string {
	return pgResult(w.sql.Exec(context.Background(), pgSQL(pgStep{client: w.Client, request: r})).ReadAll())
}

func (w *worker) say(what string) { fmt.Println(time.Now().UnixNano(), w.name, what) }

func (w *worker) millis(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }
