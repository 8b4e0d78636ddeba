package sim

import "simrun/clock"

// An event is something that will happen at an instant. Events are values, so
// that a run allocates nothing for them.
type event struct {
	at   clock.Instant
	seq  uint32 // order among events of one instant: first scheduled, first served
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

func (e event) before(f event) bool {
	return e.at < f.at || e.at == f.at && e.seq < f.seq
}

// A queue is a 4-ary heap of events: shallower than a binary heap, and the
// four children of a node share a cache line or two.
type queue struct {
	heap []event
	seq  uint32
}

func (q *queue) reset() {
	q.heap = q.heap[:0]
	q.seq = 0
}

func (q *queue) push(e event) {
	e.seq = q.seq
	q.seq++
	q.heap = append(q.heap, e)
	i := len(q.heap) - 1
	for i > 0 {
		parent := (i - 1) / 4
		if !e.before(q.heap[parent]) {
			break
		}
		q.heap[i] = q.heap[parent]
		i = parent
	}
	q.heap[i] = e
}

// pop removes and returns the first event. The queue must not be empty.
func (q *queue) pop() event {
	first := q.heap[0]
	last := q.heap[len(q.heap)-1]
	q.heap = q.heap[:len(q.heap)-1]
	if len(q.heap) > 0 {
		q.sink(last)
	}
	return first
}

// sink puts e where the root was removed.
func (q *queue) sink(e event) {
	heap := q.heap
	i := 0
	for {
		child := 4*i + 1
		if child >= len(heap) {
			break
		}
		least := child
		for c := child + 1; c < min(child+4, len(heap)); c++ {
			if heap[c].before(heap[least]) {
				least = c
			}
		}
		if !heap[least].before(e) {
			break
		}
		heap[i] = heap[least]
		i = least
	}
	heap[i] = e
}
