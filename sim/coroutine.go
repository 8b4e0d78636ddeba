package sim

import "iter"

// A coroutine runs threads, one after the other, and is resumed by whoever serves
// events, the kernel or a host: it is ordinary Go code that stops wherever it waits.
// Coroutines are reused from thread to thread and from run to run, since
// making one costs several times as much as resuming it.
type coroutine struct {
	next  func() (struct{}, bool)
	stop  func()
	yield func(struct{}) bool

	thread   *Thread
	finished bool // its body has returned or was unwound
	unwind   bool // its body must not go on
}

// An unwinding is what a blocking call panics with when its thread is to end.
type unwinding struct{}

func newCoroutine() *coroutine {
	c := new(coroutine)
	c.next, c.stop = iter.Pull(func(yield func(struct{}) bool) {
		c.yield = yield
		for {
			c.run()
			if !yield(struct{}{}) {
				return
			}
		}
	})
	return c
}

func (c *coroutine) run() {
	defer func() {
		c.finished = true
		r := recover()
		if c.unwind {
			return // what deferred calls do on the way out is of no interest
		}
		switch r := r.(type) {
		case nil, unwinding:
		case defect:
			panic(r)
		default:
			panic(newDefect(r))
		}
	}()
	c.thread.live()
}

// start runs a thread until it waits for the first time.
func (c *coroutine) start(t *Thread) {
	c.thread, c.finished, c.unwind = t, false, false
	c.next()
}

// park gives control back to whoever resumed the coroutine, until it is resumed again.
func (c *coroutine) park() {
	if !c.yield(struct{}{}) || c.unwind {
		panic(unwinding{})
	}
}

// end unwinds the body if it has not returned by itself, running its deferred
// calls; each of these that blocks is unwound in turn.
func (c *coroutine) end() {
	if c.finished {
		return
	}
	c.unwind = true
	c.next()
}
