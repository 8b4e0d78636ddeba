package sim

import "simrun/clock"

// A Reached is a point that a run came to, at which a fault could have struck.
type Reached struct {
	Actor Actor
	Point Point
	Among int // for AfterPause, how many signals wait to be handled

	index int32 // of the next event then
}

// A Survey is a run together with all the points that it reached before the
// calm phase, in order, and the moments at which leases began and ended.
type Survey struct {
	Result
	Points  []Reached
	Moments []clock.Instant
	Strikes []int32 // for each fault, the number of the event with which it struck, -1 if it did not
	Walls   bool    // a client has read its wall clock
}

// After returns the points that the run reached after its last fault struck:
// up to there, a run with one fault more is the same.
func (s *Survey) After() []Reached {
	last := int32(-1)
	for _, at := range s.Strikes {
		last = max(last, at)
	}
	for i, p := range s.Points {
		if p.index >= last {
			return s.Points[i:]
		}
	}
	return nil
}

// Survey runs a schedule and reports the points that it reached. It is valid
// until the world's next run.
func (w *World) Survey(s Schedule) (Survey, error) {
	w.surveying = true
	result, err := w.run(s, false)
	w.surveying = false
	if err != nil {
		return Survey{}, err
	}
	survey := Survey{Result: result, Points: w.reached, Walls: w.walls, Strikes: w.Strikes()}
	survey.Moments = append(survey.Moments, 0)
	for _, g := range w.history.Grants {
		survey.Moments = append(survey.Moments, g.From.At+1) // with the lock in hand
	}
	for _, c := range w.history.Changes {
		if c.Kind == Expired {
			survey.Moments = append(survey.Moments, c.At.At)
		}
	}
	return survey, nil
}

// Strikes returns for each fault of the world's last run the number of the event
// with which it struck, -1 if it did not.
func (w *World) Strikes() []int32 {
	w.strikes = w.strikes[:0]
	for i := range w.armed {
		w.strikes = append(w.strikes, w.armed[i].at)
	}
	return w.strikes
}

// reach notes a point, if the run is surveyed.
func (w *World) reach(actor Actor, p Point, among int) {
	if !w.calm {
		w.reached = append(w.reached, Reached{Actor: actor, Point: p, Among: among, index: w.index})
	}
}

// reachMessage notes a point on a message from one endpoint to another.
func (w *World) reachMessage(place Place, from, to endpoint, number int32) {
	w.reach(Actor{From: w.nameOf(from), Link: OneWay, To: w.nameOf(to)}, Point{Place: place, N: int(number)}, 0)
}
