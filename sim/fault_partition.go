package sim

import (
	"fmt"
	"time"
)

// partition cuts a client off from a server, both ways or one way only. What
// is sent or would arrive during the cut is lost.
var partition = &Kind{
	Name:    "partition",
	Brief:   "messages between a client and a server are lost for a while, both ways or one way",
	Places:  []Place{AtInstant},
	Actors:  Connections,
	Unit:    Length,
	Amounts: lengths,
	Tell:    func(f Fault) string { return fmt.Sprintf("no message passes for %v", f.length()) },
	strike: func(w *World, f *armed) {
		w.cut(f, 1)
		w.queue.push(event{at: w.now.Add(time.Duration(f.Amount)), kind: partitionEnds, ref: w.numberOf(f)})
	},
}

// numberOf returns the place of an armed fault in the schedule.
func (w *World) numberOf(f *armed) int32 {
	for i := range w.armed {
		if &w.armed[i] == f {
			return int32(i)
		}
	}
	panic("sim: a fault that is not armed")
}

// cut adds change to the number of partitions on every link that f concerns.
func (w *World) cut(f *armed, change int16) {
	for i := range w.links {
		if f.concerns(w.ends(i)) {
			w.links[i].cut += change
			w.cuts += int(change)
		}
	}
}

func (w *World) reconnect(f *armed) {
	if w.calm {
		return // the calm phase has healed every link
	}
	w.cut(f, -1)
	w.note(func() Event { return Event{Actor: f.Actor.String(), Kind: EventHeal, Text: "connected again"} })
}
