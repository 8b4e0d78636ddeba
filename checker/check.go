package checker

import (
	"time"

	"simrun/sim"
)

// A Check is a property of histories.
type Check struct {
	Name   string
	Breaks string // when it is broken, in a sentence
	Lasts  bool   // a breach lasts for a while, which the verdict gives as its Length
	Judge  func(h *sim.History) Verdict
}

// A State is the outcome of a check.
type State string

// The states of a verdict.
const (
	Held     State = "held"
	Violated State = "violated"
	Unknown  State = "unknown" // the history does not decide it
)

// A Verdict is what a check says of one history.
type Verdict struct {
	State  State
	At     sim.Stamp     // the moment that broke it
	Events []int32       // the indices of the events that break it
	Why    string        // how they break it, in a sentence
	Length time.Duration // how long the longest breach lasted, for a check whose breaches last
	Empty  bool          // it held because the history has nothing that it speaks of
}

// All is the table of checks, from the harmless to the ruinous.
var All = []*Check{
	mutualExclusion,
	ownRelease,
	tokenOrder,
	noStaleWrite,
	noLostUpdate,
	effectOnce,
	progress,
}

// Models holds second opinions on lock histories. They are asked for by name.
var Models = []*Check{
	ownerMutex,
	fencedMutex,
}

// Named returns the check or the model with the given name, or nil.
func Named(name string) *Check {
	for _, table := range [][]*Check{All, Models} {
		for _, c := range table {
			if c.Name == name {
				return c
			}
		}
	}
	return nil
}

// Names returns the names of all checks, then of all models.
func Names() []string {
	var names []string
	for _, table := range [][]*Check{All, Models} {
		for _, c := range table {
			names = append(names, c.Name)
		}
	}
	return names
}

func held() Verdict { return Verdict{State: Held} }

func violated(at sim.Stamp, why string, events ...int32) Verdict {
	return Verdict{State: Violated, At: at, Why: why, Events: events}
}
