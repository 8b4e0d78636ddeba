// Package fidelity asks whether the simulated servers are true. It holds tests
// alone: random sequences of commands, time passing and faults go to a server of
// package nodes and to the real one, and every reply must agree. What a sequence
// disagrees on is shrunk to the shortest one that does, and both transcripts are
// printed. Where a real server and its documentation differ, the server is right.
//
// The tests start the real servers themselves, on loopback, each with an empty
// folder of its own, and if that can be with a clock that the test moves. A test
// whose server is not installed is skipped, with a line that says what to install;
// with SIMRUN_NEEDS set in the environment, as .ci/run has it, it fails.
//
// docs/fidelity.md says what has been compared, and what has not.
package fidelity
