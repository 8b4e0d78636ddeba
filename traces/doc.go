// Package traces keeps failing schedules for study: a file that holds a
// schedule with all that happened in it, and pictures drawn from one.
//
// A [Trace] is written as JSON that a person can read and edit. It holds the
// schedule itself, never only the seed, so that it can be run again after the
// generator has changed; [Trace.Compare] then tells whether the same happened,
// and if not, which event was the first to differ. [Timeline] narrates a trace
// as lines of text, [Story] as far as the moment that broke a check.
package traces
