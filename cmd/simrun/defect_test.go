package main

import (
	"os"
	"strings"
	"testing"

	"simrun/protocols"
	"simrun/sim"
)

// withProtocol adds a protocol to the table for as long as the test lasts.
func withProtocol(t *testing.T, name string, lock protocols.Lock) {
	p := *protocols.Named("lua-release")
	p.Name, p.Lock = name, lock
	before := protocols.All
	protocols.All = append(before[:len(before):len(before)], &p)
	t.Cleanup(func() { protocols.All = before })
}

func TestDefectsOfAProtocolAreReportedAndKept(t *testing.T) {
	withProtocol(t, "panics", func(t *sim.Thread, e *protocols.Env, value string) (protocols.Lease, bool) {
		panic("no such lock")
	})
	withProtocol(t, "endless", func(t *sim.Thread, e *protocols.Env, value string) (protocols.Lease, bool) {
		for {
			t.Monotonic()
		}
	})
	for name, text := range map[string]string{"panics": "no such lock", "endless": "steps"} {
		t.Run(name, func(t *testing.T) {
			inFolder(t)
			r := simrun("-protocol", name, "-seeds", "3", "-workers", "1")
			if r.code != exitViolated || r.errors != "" {
				t.Errorf("exit code %d, stderr %q", r.code, r.errors)
			}
			file := "simrun-out/" + name + "-defect-seed1.json"
			for _, want := range []string{"3 of 3 schedules were broken off: first seed 1: ", text, "simrun replay " + file, "0 of 0 (at most 100 % at 95 %), 3 unknown"} {
				if !strings.Contains(r.out, want) {
					t.Errorf("%q is missing in:\n%s", want, r.out)
				}
			}
			if _, err := os.Stat(file); err != nil {
				t.Error(err)
			}
			if again := simrun("replay", "-quiet", file); again.code != exitViolated || !strings.Contains(again.out, "\nsame: ") {
				t.Errorf("replay exits with %d:\n%s%s", again.code, again.out, again.errors)
			}
		})
	}
}
