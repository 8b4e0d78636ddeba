package main

import (
	"encoding/json"
	"os"
	"slices"
	"testing"
)

func TestRunPrintsOneJSONObject(t *testing.T) {
	inFolder(t)
	r := simrun("-protocol", "setnx-expire", "-seeds", "600", "-json", "-workers", "2")
	if r.code != exitViolated || r.errors != "" {
		t.Errorf("exit code %d, stderr %q", r.code, r.errors)
	}
	var got runJSON
	decode(t, r.out, &got)
	if got.Protocol != "setnx-expire" || got.Seeds != 600 || got.FirstSeed != 1 || got.Workers != 2 || got.Interrupted || got.Rate <= 0 || got.Elapsed <= 0 {
		t.Errorf("%+v", got)
	}
	if len(got.Checks) != 7 {
		t.Errorf("%d checks, want 7", len(got.Checks))
	}
	for _, c := range got.Checks {
		if c.Schedules != 600 {
			t.Errorf("%s: %d schedules, want 600", c.Name, c.Schedules)
		}
		if c.Violated == 0 {
			if c.FirstSeed != nil || c.Trace != nil || c.NeededFaults != nil || c.MinimalFaults != nil {
				t.Errorf("%s was not violated, but %+v", c.Name, c)
			}
			continue
		}
		if c.FirstSeed == nil || c.Trace == nil || len(c.NeededFaults) > *c.MinimalFaults {
			t.Errorf("%s was violated, but %+v", c.Name, c)
			continue
		}
		if _, err := os.Stat(*c.Trace); err != nil {
			t.Errorf("%s: %v", c.Name, err)
		}
	}
	if i := slices.IndexFunc(got.Checks, func(c checkJSON) bool { return c.Name == "progress" }); got.Checks[i].Violated == 0 {
		t.Error("progress was not violated; the test wants a violated check")
	}
}

func TestRunPrintsAllKeysOfTheJSONObject(t *testing.T) {
	inFolder(t)
	var got map[string]any
	decode(t, simrun("-protocol", "redlock", "-faults", "none", "-seeds", "10", "-json").out, &got)
	for _, key := range []string{"protocol", "seeds", "first_seed", "workers", "elapsed_s", "schedules_per_s", "checks", "options", "interrupted", "defects", "overlap", "unaware"} {
		if _, there := got[key]; !there {
			t.Errorf("%s is missing", key)
		}
	}
	check := got["checks"].([]any)[0].(map[string]any)
	for _, key := range []string{"name", "violated", "schedules", "first_seed", "trace", "needed_faults", "minimal_faults"} {
		value, there := check[key]
		if !there {
			t.Errorf("%s of a check is missing", key)
		}
		if want := key == "name" || key == "violated" || key == "schedules"; (value != nil) != want {
			text, _ := json.Marshal(value)
			t.Errorf("%s of a check that held is %s", key, text)
		}
	}
}
