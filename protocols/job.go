package protocols

import (
	"simrun/nodes"
	"simrun/sim"
)

// attempts is how often a client tries to get the lock before it skips a turn.
const attempts = 10

// client is the program of every client: each round it takes the lock, or
// tries again for a while, and runs the job under it.
func (e *Env) client(t *sim.Thread) {
	e = e.connect(t)
	for round := 1; round <= t.Rounds(); round++ {
		t.Round(round)
		if l, ok := e.take(t, attempts); ok {
			e.hold(t, l)
		}
	}
}

// probe is the program of the calm phase's client: it runs the job once, as
// soon as it can get the lock.
func (e *Env) probe(t *sim.Thread) {
	e = e.connect(t)
	t.Round(1)
	for {
		if l, ok := e.take(t, attempts); ok {
			e.hold(t, l)
			return
		}
	}
}

// take acquires the lock, fencing token included. Between two attempts it
// waits for a random time, lest clients that failed together fail together
// again.
func (e *Env) take(t *sim.Thread, tries int) (Lease, bool) {
	if e.Lock == nil {
		return Lease{Value: t.NewAttempt()}, true
	}
	for range tries {
		t.For(sim.Acquire)
		l, ok := e.Lock(t, e, t.BeginAcquire())
		if ok && e.Tokens && l.Fence == 0 {
			ok = e.fence(t, &l)
		}
		if ok {
			t.Granted(l.Fence)
			return l, true
		}
		t.Denied("not acquired")
		t.For(sim.Retry)
		t.Sleep(t.Jitter(e.TTL/6, e.TTL/2))
	}
	return Lease{}, false
}

// fence takes the fencing token. Without one the lock is given back.
func (e *Env) fence(t *sim.Thread, l *Lease) bool {
	t.For(sim.Token)
	var reply sim.Reply
	if e.Token == Sequence {
		reply = t.Call(e.Database, nodes.NextToken{}, e.QueryTimeout()).Reply
	} else {
		reply = e.ask(t, nodes.Incr(tokenKey))
	}
	n, ok := reply.(nodes.Int)
	if !ok {
		t.For(sim.Release)
		e.Release(t, e, *l)
		return false
	}
	l.Fence = int64(n)
	return true
}

// hold runs the job under the lock and gives the lock back. The job stops at
// the lease's deadline, and when the watchdog learns that the lock is lost.
func (e *Env) hold(t *sim.Thread, l Lease) {
	stop := sim.Stop{At: l.Deadline, On: l.Session.Lost}
	var over sim.Cell
	if e.Renew != nil {
		stop.On, over = e.watch(t, l)
	}
	t.StopWhen(stop)
	job := e.Job
	if job == nil {
		job = updateInventory
	}
	why := job(t, e, l)
	t.StopWhen(sim.Stop{})
	if e.Lock == nil {
		return
	}
	t.For(sim.Release)
	t.EndBelief(why)
	if e.Renew != nil {
		t.Store(over, 1)
	}
	e.Release(t, e, l)
}

// updateInventory is the job of most locks. It reads the row, works, does its
// outside effect and writes the row: a read-modify-write that only the lock
// keeps apart from others. A check of the lock comes right before what it is to
// protect.
func updateInventory(t *sim.Thread, e *Env, l Lease) sim.End {
	t.For(sim.Read)
	row, ok := e.read(t, l)
	if !ok {
		return ended(t)
	}
	t.For(sim.Work)
	if !t.Work() {
		return ended(t)
	}
	if e.Check != nil {
		t.For(sim.Check)
		if why := e.Check(t, e, l); why != "" {
			return why
		}
	}
	t.Effect(row.Writer)
	t.For(sim.Write)
	e.write(t, l, row.Qty+1)
	return ended(t)
}

// ended returns why the job is over: it was stopped, or it is done.
func ended(t *sim.Thread) sim.End {
	if why := t.Stopped(); why != "" {
		return why
	}
	return sim.Released
}

func (e *Env) read(t *sim.Thread, l Lease) (nodes.Row, bool) {
	access := t.BeginAccess(sim.ReadAccess)
	r := t.Call(e.Database, nodes.ReadRow{Guard: e.Reads, Token: l.Fence}, e.QueryTimeout())
	row, ok := r.Reply.(nodes.Row)
	t.EndAccess(access, outcome(r, ok), row.Writer)
	return row, ok
}

func (e *Env) write(t *sim.Thread, l Lease, qty int64) {
	access := t.BeginAccess(sim.WriteAccess)
	r := t.Call(e.Database, nodes.WriteRow{Qty: qty, Guard: e.Writes, Token: l.Fence}, e.QueryTimeout())
	t.EndAccess(access, outcome(r, r.Reply == nodes.Rows(1)), sim.Nobody)
}

// outcome returns what a client knows of a call. One that was never sent has
// done nothing.
func outcome(r sim.Reception, accepted bool) sim.Outcome {
	switch {
	case r.Sent && r.Reply == nil:
		return sim.Unknown
	case accepted:
		return sim.Accepted
	}
	return sim.Refused
}
