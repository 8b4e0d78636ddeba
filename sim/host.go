package sim

import "fmt"

// A thread that waits could give control back to the kernel and be resumed when
// its wait is over. To change coroutines twice costs more than most events do, so
// the thread serves the events itself meanwhile, as a host. A thread that it
// resumes is a host in its turn when it waits; if it comes upon the event that ends
// the wait of a host below it, it gives control back.

// park makes the thread stand still until it is resumed.
func (t *Thread) park() {
	w := t.world
	if !w.guarded {
		t.hosts = true
		w.host()
		t.hosts = false
		if w.called == t {
			w.called = nil
			return
		}
	}
	t.routine.park()
}

// host serves events until a host is called, or what comes next is for the kernel
// alone: the end of a pause and the calm phase resume several threads in a row. A
// panic of an event is none of the host, whose code must not see it.
func (w *World) host() {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case defect:
			w.broken = r
		default:
			w.broken = fmt.Errorf("%v (%s)", r, panicSite())
		}
	}()
	for w.called == nil && w.broken == nil && w.goesOn() && w.queue.nextKind() != clientThaws {
		w.serve()
	}
}

// resume lets a waiting thread go on until it waits again or ends. A host goes on
// by itself once the event that resumes it is served.
func (w *World) resume(t *Thread) {
	if t.hosts {
		w.called = t
		return
	}
	t.routine.next()
	w.reap(t)
}
