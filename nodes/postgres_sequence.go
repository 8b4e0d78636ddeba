package nodes

// A tokenSequence gives out numbers that only grow, whatever becomes of the
// transactions that draw them. A crash leaves gaps in them, since it goes on
// after what was logged, and the server logs a good many numbers ahead. And it
// gives numbers out again if none of the transactions that have logged something
// was committed since: what is logged is on disk with a commit. (A writer in the
// background flushes the log too, sooner or later. Here it is always later.)
type tokenSequence struct {
	last    int64 // given out
	logged  int64 // up to which no more need be logged
	flushed int64 // after which a crash goes on
}

// loggedAhead is how many numbers are logged before they are given out.
const loggedAhead = 32

// next draws a number, and reports whether it had to be logged.
func (q *tokenSequence) next() (n int64, logs bool) {
	q.last++
	if q.last > q.logged {
		q.logged, logs = q.last+loggedAhead, true
	}
	return q.last, logs
}

func (q *tokenSequence) flush() { q.flushed = q.logged }

func (q *tokenSequence) crash() { q.last, q.logged = q.flushed, q.flushed }
