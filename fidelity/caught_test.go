package fidelity

import (
	"flag"
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

// A trial is a test that is meant to fail.
type trial struct {
	testing.TB
	verdict string
}

func (t *trial) Logf(string, ...any)       {}
func (t *trial) Log(...any)                {}
func (t *trial) Errorf(f string, a ...any) { t.verdict += fmt.Sprintf(f, a...) }
func (t *trial) Failed() bool              { return t.verdict != "" }
func (t *trial) FailNow()                  {}

// caught returns what rapid says of a property that is meant not to hold, once it
// has shrunk it, or "" if it has held a thousand times. What the property drew
// last is the shortest that was found.
func caught(t *testing.T, property func(*rapid.T)) string {
	t.Helper()
	set(t, "rapid.nofailfile", "true")
	set(t, "rapid.shrinktime", "60s")
	try := &trial{TB: t}
	for i := 0; i < 10 && !try.Failed(); i++ {
		rapid.Check(try, property)
	}
	return try.verdict
}

// set sets a flag for the time of a test.
func set(t *testing.T, name, value string) {
	t.Helper()
	f := flag.Lookup(name)
	before := f.Value.String()
	t.Cleanup(func() { f.Value.Set(before) })
	if err := f.Value.Set(value); err != nil {
		t.Fatal(err)
	}
}
