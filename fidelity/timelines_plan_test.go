//go:build linux

package fidelity

import (
	"time"

	"simrun/scenarios"
	"simrun/sim"
)

// A timelinePlan is what a worker needs to know to play its part for real. Its
// durations are real ones.
type timelinePlan struct {
	Client int
	Start  time.Duration // after the start of the timeline
	Work   time.Duration
	Lease  time.Duration
	Lag    time.Duration // before it sends its write
	Pauses bool          // before its write, until somebody wakes it up
	Lock   timelineLock
	Redis  string // the socket
	DB     string
	SQL    string // how to connect to PostgreSQL
}

// A timelineLock is what workers make of a key with an expiry.
type timelineLock struct {
	Compares bool // the release deletes the worker's own lock alone
	Renews   bool // a watchdog prolongs the lease
	Counts   bool // each grant comes with a token
	Fences   bool // the resource refuses older tokens
}

// timelineLocks are the protocols of the articles.
var timelineLocks = map[string]timelineLock{
	"setnx":             {},
	"lua-release":       {Compares: true},
	"fencing":           {Compares: true, Counts: true, Fences: true},
	"unheeded-watchdog": {Compares: true, Counts: true, Renews: true},
	"fenced-watchdog":   {Compares: true, Counts: true, Renews: true, Fences: true},
}

// A timelinePause is a pause of a worker, as if by its garbage collector: of all
// its threads.
type timelinePause struct {
	at     time.Duration // 0 where the worker itself begins it
	length time.Duration
}

// minLag is how late a late message is at least, so that it is late for real.
const minLag = 50 * time.Millisecond

// plansOf returns what the workers of a scenario do, and the pauses of some, with
// every duration stretched.
func plansOf(s *scenarios.Script, stretch float64) (plans []timelinePlan, pauses map[int]timelinePause) {
	pauses = make(map[int]timelinePause)
	real := func(d time.Duration) time.Duration { return time.Duration(float64(d) * stretch) }
	for _, p := range s.Schedule.Clients {
		plan := timelinePlan{Client: p.Client, Start: real(p.Start), Work: real(p.Work), Lease: real(s.Params.TTL), Lock: timelineLocks[s.Protocol.Name]}
		for _, f := range s.Schedule.Faults {
			if f.Actor.From != sim.ClientName(p.Client) {
				continue
			}
			length := real(time.Duration(f.Amount))
			switch f.Kind.Name {
			case "overrun":
				plan.Work += length
			case "delay":
				plan.Lag = max(length, minLag)
			case "pause":
				plan.Pauses = f.Point.Place == sim.BeforeStep
				pauses[p.Client] = timelinePause{at: real(time.Duration(f.Point.At)), length: length}
			}
		}
		plans = append(plans, plan)
	}
	return plans, pauses
}
