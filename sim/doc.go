// Package sim is the kernel of simrun: a deterministic world of clients,
// servers, clocks and a network, driven by one thread in virtual time.
//
// A [Setup] says what the world consists of; a [Schedule] says how one run of
// it differs from a quiet one: when clients start, how noisy the network is,
// and which faults strike where. [World.Run] turns both into a [History], from
// which package checker draws its verdicts, and on request into the full
// record of events.
//
// The same setup and schedule give the same history and the same events, byte
// for byte, on every machine. Nothing here reads a real clock, starts a
// goroutine that runs by itself, or draws a random number: what looks random
// (network noise, retry delays) is a hash of the schedule's seed and of the
// label of the point that asks.
//
// # Where things are
//
//   - schedule.go, point.go: the schedule as a value and as text
//   - fault.go, fault_*.go: the table of faults, one file for each kind
//   - arm.go, strike.go: faults put in place, and happening
//   - setup.go, world.go, queue.go, result.go: a run from start to end
//   - process.go, lifecycle.go, wait.go: clients, their threads, and what these wait for
//   - thread.go, call.go, cell.go, belief.go: what the code of a client can do
//   - server.go, machine.go, alarm.go: servers, and what they can do
//   - network.go, connection.go: what lies between
//   - history.go, event.go: what comes out
package sim
