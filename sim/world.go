package sim

import (
	"fmt"

	"simrun/clock"
)

// A World runs schedules of one setup, one at a time. Its memory is reused
// from run to run, so that bulk runs allocate little; a world must not be
// shared between goroutines. Close it when done.
type World struct {
	setup     Setup
	machines  []Machine
	processes []process // the clients, then the probe
	threads   []*Thread // of the current run, then spare ones
	started   int       // threads of the current run
	spare     []*coroutine
	links     []link // by endpoint and endpoint
	cuts      int    // of links, by partitions
	meddled   bool   // a fault is armed on a message

	now      clock.Instant
	queue    queue
	messages []message
	heard    []int32 // numbers of messages that can be used again
	births   []birth
	alarms   []alarm
	closings []closing
	inFlight int // messages on their way
	working  int // clients whose program has not ended
	armed    []armed
	struck   []bool
	noise    Noise
	calm     bool
	end      clock.Instant // of the calm phase
	steps    int
	served   int // entries of the queue

	history   History
	index     int32 // of the next event
	recording bool
	surveying bool
	watching  bool // notes what passes on the links
	reached   []Reached
	passed    []passage
	strikes   []int32
	events    []Event
}

// NewWorld returns a world for runs of setup.
func NewWorld(setup Setup) *World {
	w := &World{setup: setup, machines: make([]Machine, len(setup.Servers))}
	for i, spec := range setup.Servers {
		w.machines[i] = Machine{world: w, index: int32(i), spec: spec, roles: rolesOf(spec.Server)}
	}
	return w
}

// Close ends the world's coroutines. The world must not be used afterwards.
func (w *World) Close() {
	for _, c := range w.spare {
		c.stop()
	}
	w.spare = nil
}

// Run runs a schedule and keeps its history alone. The error names the fault
// that does not fit the setup.
func (w *World) Run(s Schedule) (Result, error) { return w.run(s, false) }

// Record runs a schedule and keeps the full record of events too.
func (w *World) Record(s Schedule) (Result, error) { return w.run(s, true) }

func (w *World) run(s Schedule, recording bool) (Result, error) {
	if err := s.checkClients(); err != nil {
		return Result{}, err
	}
	w.reset(s, recording)
	if err := w.arm(s.Faults); err != nil {
		return Result{}, err
	}
	defect := w.play(s)
	w.unwind()
	w.settle()
	w.history.close(w.stamp())
	if w.recording {
		w.log(Event{Actor: WorldName, Kind: EventClose, Text: defect})
	}
	result := Result{History: &w.history, Count: int(w.index), Queued: w.served, Defect: defect, Struck: resized(w.struck, len(w.armed))}
	for i, f := range w.armed {
		result.Struck[i] = f.struck
	}
	w.struck = result.Struck
	if recording {
		result.Events = w.events
	}
	return result, nil
}

func (w *World) reset(s Schedule, recording bool) {
	w.now, w.index, w.steps, w.served, w.inFlight, w.started = 0, 0, 0, 0, 0, 0
	w.calm, w.end = false, clock.Never
	w.cuts, w.meddled = 0, false
	w.noise, w.recording = s.Noise, recording
	w.queue.reset()
	w.messages, w.heard = w.messages[:0], w.heard[:0]
	w.births = w.births[:0]
	w.alarms = w.alarms[:0]
	w.closings = w.closings[:0]
	w.events = nil
	w.reached, w.passed = w.reached[:0], w.passed[:0]
	w.history.reset(w.setup.Quorum, w.setup.Patience)
	w.resetProcesses(s.Clients)
	for i := range w.machines {
		w.machines[i].reset(endpoint(len(w.processes) + i))
	}
	w.links = resized(w.links, w.endpoints()*w.endpoints())
	clear(w.links)
}

func (w *World) resetProcesses(plans []Plan) {
	w.processes = resized(w.processes, len(plans)+1)
	for i, plan := range plans {
		w.processes[i].reset(int32(i), ClientName(plan.Client), int32(plan.Client)+1, plan)
	}
	probe := len(plans)
	w.processes[probe].reset(int32(probe), ProbeName, probeClient, shortest(plans))
	w.working = len(plans)
}

// shortest returns the plan of the probe, which works no longer than anybody.
func shortest(plans []Plan) Plan {
	probe := Plan{Rounds: 1}
	for i, p := range plans {
		if i == 0 || p.Work < probe.Work {
			probe.Work = p.Work
		}
	}
	return probe
}

func resized[T any](s []T, n int) []T {
	for len(s) < n {
		var zero T
		s = append(s, zero)
	}
	return s[:n]
}

// play runs events until nothing is left to do, and returns the defect that
// broke it off, if any.
func (w *World) play(s Schedule) (broken string) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case defect:
			broken = string(r)
		default:
			panic(r)
		}
	}()
	for i := range w.machines {
		w.machines[i].start()
	}
	for i, plan := range s.Clients {
		w.queue.push(event{at: clock.Instant(plan.Start), kind: clientStarts, ref: int32(i)})
	}
	limit := clock.Instant(w.setup.Limit)
	for {
		if !w.calm && (w.working == 0 || w.queue.empty() || w.queue.next() > limit) {
			w.becomeCalm()
		}
		if w.calm && w.working == 0 && w.inFlight == 0 || w.queue.empty() {
			return ""
		}
		e := w.queue.pop()
		w.served++
		if e.at > w.end {
			w.now = w.end
			return ""
		}
		if e.at < w.now {
			panic(fmt.Sprintf("sim: event of %d after %d", e.at, w.now))
		}
		w.now = e.at
		w.dispatch(e)
	}
}

func (w *World) dispatch(e event) {
	switch e.kind {
	case timerFires, deadlinePasses, toldToStop:
		w.signal(wakeup{thread: e.ref, gen: e.gen, cause: e.kind})
	case replyArrives:
		w.replyArrives(e.ref)
	case requestArrives:
		w.requestArrives(e.ref)
	case clientThaws:
		if p := &w.processes[e.ref]; p.frozen && p.freezes == e.gen {
			w.thaw(p)
		}
	case serverThaws:
		if m := &w.machines[e.ref]; m.frozen && m.freezes == e.gen {
			m.thaw()
		}
	case alarmRings:
		w.machines[w.alarms[e.ref].server].deliver(delivery{kind: alarmRings, ref: e.ref})
	case connectionCloses:
		w.machines[w.closings[e.ref].server].deliver(delivery{kind: connectionCloses, ref: e.ref})
	case serverRestarts:
		if m := &w.machines[e.ref]; m.down && m.crashes == e.gen {
			m.restart()
		}
	case faultStrikes:
		w.strike(&w.armed[e.ref])
	case partitionEnds:
		w.reconnect(&w.armed[e.ref])
	case clientStarts:
		w.startProcess(&w.processes[e.ref])
	case threadStarts:
		w.bear(e.ref)
	}
}

// becomeCalm heals every fault, lets no further one strike, and sends in the
// probe. Clocks keep their offsets, since a step is over the moment it has
// happened, but run at the true rate from now on.
func (w *World) becomeCalm() {
	if w.now < clock.Instant(w.setup.Limit) && w.working > 0 {
		w.now = clock.Instant(w.setup.Limit)
	}
	w.calm = true
	w.history.HealedAt = w.stamp()
	if w.recording {
		w.log(Event{Actor: WorldName, Kind: EventCalm, Text: "calm: no further fault strikes"})
	}
	for i := range w.links {
		w.links[i].cut = 0
	}
	w.cuts = 0
	for i := range w.machines {
		m := &w.machines[i]
		w.history.Patience += m.setBack + m.heal()
	}
	w.end = w.now.Add(w.history.Patience)
	w.working++
	w.queue.push(event{at: w.now, kind: clientStarts, ref: int32(len(w.processes) - 1)})
	for i := range w.processes {
		p := &w.processes[i]
		w.setRate(p, 0)
		if p.frozen {
			w.thaw(p)
		}
	}
}

// settle lets every server bring its changes up to date.
func (w *World) settle() {
	for i := range w.machines {
		w.machines[i].settle()
	}
}

// unwind ends the threads that the run has left over.
func (w *World) unwind() {
	for _, t := range w.threads[:w.started] {
		if t.routine != nil {
			w.release(t)
		}
	}
}

// stamp gives what happens now its place in the order of the run.
func (w *World) stamp() Stamp {
	s := Stamp{Index: w.index, At: w.now}
	w.index++
	return s
}

// log records the event whose stamp was given last.
func (w *World) log(e Event) {
	e.At = w.now
	w.events = append(w.events, e)
}

// note stamps and, in a full record, logs what happens now.
func (w *World) note(e func() Event) Stamp {
	s := w.stamp()
	if w.recording {
		w.log(e())
	}
	return s
}
