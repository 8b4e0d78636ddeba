package sim

import "simrun/clock"

// An event is something that will happen at an instant. Events are values, so
// that a run allocates nothing for them.
type event struct {
	at   clock.Instant
	kind eventKind
	ref  int32  // index of the thread, message, machine or fault concerned
	gen  uint32 // generation of the wait that the event belongs to
}

type eventKind uint8

const (
	timerFires eventKind = iota
	deadlinePasses
	toldToStop
	requestArrives
	replyArrives
	clientThaws
	serverThaws
	alarmRings
	connectionCloses
	serverRestarts
	faultStrikes
	partitionEnds
	clientStarts
	threadStarts
)

// A queue holds the events to come, the next one last; of events of one instant,
// the first scheduled is the first served. A run has a dozen of them at a time and
// most that are pushed come soon, so that to keep them in order costs less than a
// heap does.
type queue struct{ events []event }

func (q *queue) reset() { q.events = q.events[:0] }

func (q *queue) empty() bool { return len(q.events) == 0 }

// next returns the instant of the first event. The queue must not be empty.
func (q *queue) next() clock.Instant { return q.events[len(q.events)-1].at }

// nextKind returns the kind of the first event. The queue must not be empty.
func (q *queue) nextKind() eventKind { return q.events[len(q.events)-1].kind }

func (q *queue) push(e event) {
	q.events = append(q.events, e)
	i := len(q.events) - 1
	for i > 0 && q.events[i-1].at <= e.at {
		q.events[i] = q.events[i-1]
		i--
	}
	q.events[i] = e
}

// pop removes and returns the first event. The queue must not be empty.
func (q *queue) pop() event {
	last := len(q.events) - 1
	first := q.events[last]
	q.events = q.events[:last]
	return first
}
