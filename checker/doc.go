// Package checker draws verdicts from histories.
//
// A [Check] is a property that a lock should keep, as a pure function of the
// history of one run. The table [All] holds them from the harmless to the
// ruinous; a new property is a new file and a line there. [Models] judges the
// same histories by the models of locks that Jepsen uses, with porcupine.
//
// Everything is ordered by the indices of stamps, never by their instants:
// porcupine takes intervals as closed, so that operations which merely share
// an instant would pass for concurrent and hide a violation.
package checker
