package sim

func (w *World) startThread(p *process, b birth) {
	if w.started == len(w.threads) {
		w.threads = append(w.threads, new(Thread))
	}
	t := w.threads[w.started]
	*t = Thread{
		world: w, process: p, id: int32(w.started), name: b.name, holder: b.holder, acquiring: b.acquiring, body: b.body,
		results: t.results[:0], sent: t.sent[:0], conns: resized(t.conns, len(w.machines)),
	}
	clear(t.conns)
	w.started++
	p.threads = append(p.threads, t.id)
	w.note(func() Event { return Event{Actor: b.name, Kind: EventStart} })
	t.routine = w.borrow()
	t.routine.start(t)
	w.reap(t)
}

// live runs the thread's body. With that of its first thread a process ends.
func (t *Thread) live() {
	t.body(t)
	if w := t.world; t.id == t.process.threads[0] {
		w.working--
		w.hangUpAll(t.process)
	}
	t.world.note(func() Event { return Event{Actor: t.name, Kind: EventFinish} })
}

// A birth is a thread that is about to start. It goes through the event queue,
// since it first runs when the thread that starts it waits.
type birth struct {
	process   int32
	name      string
	holder    Holder
	acquiring Stamp // when the present attempt began
	body      func(*Thread)
}

func (w *World) bear(id int32) {
	b := &w.births[id]
	p := &w.processes[b.process]
	switch {
	case p.dead:
	case p.frozen:
		p.pending = append(p.pending, wakeup{cause: threadStarts, ref: id})
	default:
		w.startThread(p, *b)
	}
}

func (w *World) borrow() *coroutine {
	if n := len(w.spare); n > 0 {
		c := w.spare[n-1]
		w.spare = w.spare[:n-1]
		return c
	}
	return newCoroutine()
}

// reap takes back the coroutine of a thread that has ended.
func (w *World) reap(t *Thread) {
	if t.routine != nil && t.routine.finished {
		t.ended = true
		t.process.living--
		w.spare = append(w.spare, t.routine)
		t.routine = nil
	}
}

// release unwinds a thread at the end of a run. A coroutine whose body
// panicked is of no further use.
func (w *World) release(t *Thread) {
	if t.routine.finished {
		t.routine.stop()
		t.routine = nil
		return
	}
	t.routine.end()
	w.reap(t)
}
