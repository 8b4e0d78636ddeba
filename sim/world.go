package sim

import "simrun/clock"

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
	inFlight int     // messages on their way
	working  int     // clients whose program has not ended
	called   *Thread // a host that is to go on
	guarded  bool    // nobody may be a host, since the event under way has more to do
	broken   any     // the panic that a host has come upon
	armed    []armed
	struck   []bool
	noise    Noise
	calm     bool
	end      clock.Instant // of the present phase
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
	w.calm, w.end = false, clock.Instant(w.setup.Limit)
	w.called, w.guarded, w.broken = nil, false, nil
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
