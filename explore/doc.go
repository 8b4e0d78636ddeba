// Package explore chooses schedules, runs many of them on all cores, and
// shrinks those that break a promise.
//
// [Space.Schedules] is the one generator of random schedules, for the command
// and for property tests alike: a seed stands for one schedule. [Run] runs a
// range of seeds and reports what broke; [Minimise] shrinks one failing
// schedule until nothing can be left out of it.
package explore
