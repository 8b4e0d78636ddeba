package nodes

import (
	"fmt"
	"slices"
	"time"

	"simrun/sim"
)

// Queue is a partitioned log with one group of consumers, in the manner of
// Kafka: every partition has one owner, which reads its messages from the
// committed offset on and commits how far it came.
//
// Who joins waits until every member has joined again, has left, or is out since
// it was not heard of for SessionTimeout: then a new generation begins, and the
// partitions are dealt out anew. Until then, members of the present generation
// may still commit; afterwards they are refused. A consumer that was thought
// dead learns that way that it has lost its partitions, which keeps it from
// committing and from nothing else. (kafka.apache.org/documentation, the group
// membership protocol; errors by their names in the protocol guide.)
//
// The queue is replicated and forgets nothing in a crash.
type Queue struct {
	Partitions     int
	Messages       int64         // in each partition
	SessionTimeout time.Duration // zero: nobody is ever thought dead

	generation  Generation
	rebalancing bool     // a new generation is due
	members     []member // in the order in which they joined
	committed   []int64  // by partition
}

type member struct {
	client int32
	heard  time.Duration // monotonic
	joins  bool          // it waits for the next generation
	call   sim.Call      // where it joins
}

// The requests of membership: a consumer joins the next generation, or leaves
// the group.
const (
	Join  = Membership("JoinGroup")
	Leave = Membership("LeaveGroup")
)

// A Membership is a request that concerns nothing but the group.
type Membership string

func (r Membership) String() string { return string(r) }

// A Fetch asks for the first message that is not committed in a partition of
// the consumer's.
type Fetch struct {
	Generation Generation
}

func (f Fetch) String() string { return fmt.Sprintf("Fetch generation %d", f.Generation) }

// A CommitOffset says that all messages of a partition before the offset have
// been dealt with.
type CommitOffset struct {
	Generation Generation
	Partition  int
	Offset     int64
}

func (c CommitOffset) String() string {
	return fmt.Sprintf("OffsetCommit partition %d offset %d generation %d", c.Partition, c.Offset, c.Generation)
}

// A Generation is the reply to a [Join].
type Generation int64

func (g Generation) String() string { return fmt.Sprintf("generation %d", int64(g)) }

// A Message is the reply to a [Fetch], where there is one to deal with.
type Message struct {
	Partition int
	Offset    int64
}

func (r Message) String() string { return fmt.Sprintf("partition %d offset %d", r.Partition, r.Offset) }

// The errors of a queue.
const (
	UnknownMember       = Error("UNKNOWN_MEMBER_ID")
	IllegalGeneration   = Error("ILLEGAL_GENERATION")
	RebalanceInProgress = Error("REBALANCE_IN_PROGRESS")
)

// Serve implements [sim.Server].
func (q *Queue) Serve(m *sim.Machine, c sim.Call) {
	i := slices.IndexFunc(q.members, func(other member) bool { return other.client == c.By.Client })
	if i >= 0 {
		q.heard(m, i)
	}
	switch r := c.Request.(type) {
	case Membership:
		q.change(m, i, c, r)
	case Fetch:
		err := q.admits(i, r.Generation)
		if err == "" && q.rebalancing {
			err = "REBALANCE_IN_PROGRESS"
		}
		q.answer(m, c, err, func() sim.Reply { return q.next(i) })
	case CommitOffset:
		q.answer(m, c, q.admits(i, r.Generation), func() sim.Reply {
			if r.Partition < 0 || r.Partition >= len(q.committed) {
				return Error("UNKNOWN_TOPIC_OR_PARTITION")
			}
			q.committed[r.Partition] = r.Offset
			return Status("NONE")
		})
	default:
		m.Answer(c, Error("UNSUPPORTED_VERSION"))
	}
}

func (q *Queue) answer(m *sim.Machine, c sim.Call, err Error, reply func() sim.Reply) {
	if err != "" {
		m.Answer(c, err)
		return
	}
	m.Answer(c, reply())
}

// admits says why a request of the i-th member may not pass, if so.
func (q *Queue) admits(i int, g Generation) Error {
	switch {
	case i < 0:
		return "UNKNOWN_MEMBER_ID"
	case g != q.generation:
		return "ILLEGAL_GENERATION"
	}
	return ""
}

// heard notes that the i-th member lives.
func (q *Queue) heard(m *sim.Machine, i int) {
	q.members[i].heard = time.Duration(m.Monotonic())
	if q.SessionTimeout > 0 {
		m.After(q.SessionTimeout, 0)
	}
}

// Ring implements [sim.Timed]: it puts out of the group who has been silent for
// too long. Who waits to join is not silent.
func (q *Queue) Ring(m *sim.Machine, _ int64) {
	silent := time.Duration(m.Monotonic()) - q.SessionTimeout
	q.expel(m, func(other member) bool { return !other.joins && other.heard <= silent })
}

// expel ends the membership of some. The others are to join again.
func (q *Queue) expel(m *sim.Machine, some func(member) bool) {
	before := len(q.members)
	q.members = slices.DeleteFunc(q.members, some)
	if len(q.members) < before {
		q.rebalancing = true
		q.begin(m)
	}
}

// change lets the i-th member, or a new one where i is negative, join or leave.
func (q *Queue) change(m *sim.Machine, i int, c sim.Call, r Membership) {
	if r == Leave {
		q.expel(m, func(other member) bool { return other.client == c.By.Client })
		m.Answer(c, Status("NONE"))
		return
	}
	if i < 0 {
		i = len(q.members)
		q.members = append(q.members, member{client: c.By.Client})
		q.heard(m, i)
	}
	q.members[i].joins, q.members[i].call = true, c
	q.rebalancing = true
	q.begin(m)
}

// begin begins a generation if all members have joined it.
func (q *Queue) begin(m *sim.Machine) {
	if len(q.members) == 0 || slices.ContainsFunc(q.members, func(other member) bool { return !other.joins }) {
		return
	}
	q.generation++
	q.rebalancing = false
	for i := range q.members {
		q.members[i].joins = false
		q.heard(m, i)
		m.Answer(q.members[i].call, q.generation)
	}
}

// next returns the first message that is not committed in a partition of the
// i-th member, who owns every partition whose number leaves i when divided by
// the number of members.
func (q *Queue) next(i int) sim.Reply {
	for partition := i; partition < len(q.committed); partition += len(q.members) {
		if offset := q.committed[partition]; offset < q.Messages {
			return Message{Partition: partition, Offset: offset}
		}
	}
	return Nil{}
}

// Crash implements [sim.Server]. The group survives, but nobody answers who waits
// to join: they have to ask again.
func (q *Queue) Crash(*sim.Machine, bool) {
	for i := range q.members {
		q.members[i].joins = false
	}
}

// Start implements [sim.Starter].
func (q *Queue) Start(m *sim.Machine) {
	for i := range q.members {
		q.heard(m, i)
	}
}

// Settle implements [sim.Server].
func (q *Queue) Settle(*sim.Machine) {}

// Reset implements [sim.Server].
func (q *Queue) Reset() {
	q.generation, q.rebalancing, q.members = 0, false, q.members[:0]
	q.committed = make([]int64, q.Partitions)
}
