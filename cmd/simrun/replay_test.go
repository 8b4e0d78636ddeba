package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

func TestReplayOfAFreshTraceIsTheSame(t *testing.T) {
	file := writeTrace(t)
	r := simrun("replay", file)
	if r.code != exitViolated || r.errors != "" {
		t.Errorf("exit code %d, stderr %q; want %d and nothing", r.code, r.errors, exitViolated)
	}
	for _, want := range []string{"ms] ", "mutual-exclusion  violated: ", "progress          held\n", "\nsame: "} {
		if !strings.Contains(r.out, want) {
			t.Errorf("%q is missing in:\n%s", want, r.out)
		}
	}
	if quiet := simrun("replay", "-quiet", file); strings.Contains(quiet.out, "ms] ") || !strings.HasSuffix(r.out, quiet.out) {
		t.Errorf("quiet replay prints more than the verdict:\n%s", quiet.out)
	}
}

func TestReplayOfAHarmlessScheduleExitsWithZero(t *testing.T) {
	file := writeTrace(t)
	edit(t, file, "amnesia redis", "crash redis")
	simrun("replay", "-update", file)
	if r := simrun("replay", file); r.code != exitHeld {
		t.Errorf("exit code %d, want %d\n%s%s", r.code, exitHeld, r.out, r.errors)
	}
}

func edit(t *testing.T, file, old, new string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(strings.Replace(string(data), old, new, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestReplayUpdatesATraceWhoseScheduleWasEdited(t *testing.T) {
	file := writeTrace(t)
	edit(t, file, " for 0s", " for 30ms")
	differs := simrun("replay", file)
	if differs.code != exitWrong || !strings.Contains(differs.errors, " differs: the file has ") || !strings.Contains(differs.errors, "-update") {
		t.Errorf("exit code %d, stderr %q; want %d, the difference and a hint at -update", differs.code, differs.errors, exitWrong)
	}
	updated := simrun("replay", "-update", file)
	if updated.code == exitWrong || !strings.Contains(updated.out, "\nupdated: ") {
		t.Errorf("exit code %d\n%s%s", updated.code, updated.out, updated.errors)
	}
	if r := simrun("replay", file); r.code != updated.code || !strings.Contains(r.out, "\nsame: ") {
		t.Errorf("after the update: exit code %d, want %d\n%s%s", r.code, updated.code, r.out, r.errors)
	}
}

func TestReplayPrintsOneJSONObject(t *testing.T) {
	file := writeTrace(t)
	type report struct {
		Same       *bool             `json:"same"`
		Verdict    map[string]string `json:"verdict"`
		Events     *int              `json:"events"`
		Hash       *string           `json:"hash"`
		Difference *string           `json:"difference"`
		Updated    *bool             `json:"updated"`
	}
	r := simrun("replay", "-json", file)
	var got report
	decode(t, r.out, &got)
	if r.code != exitViolated || !*got.Same || *got.Events == 0 || len(*got.Hash) != 32 || got.Difference != nil {
		t.Errorf("exit code %d\n%s", r.code, r.out)
	}
	if got.Verdict["mutual-exclusion"] != "violated" || got.Verdict["progress"] != "held" || len(got.Verdict) != 7 {
		t.Errorf("verdict %v", got.Verdict)
	}

	edit(t, file, " for 0s", " for 30ms")
	r = simrun("replay", "-json", file)
	got = report{}
	decode(t, r.out, &got)
	if r.code != exitWrong || *got.Same || got.Difference == nil || r.errors == "" {
		t.Errorf("exit code %d\n%s%s", r.code, r.out, r.errors)
	}
}

// decode reads exactly one JSON object without unknown fields.
func decode(t *testing.T, text string, to any) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(to); err != nil {
		t.Fatalf("%v in:\n%s", err, text)
	}
	if d.More() {
		t.Errorf("there is more than one object in:\n%s", text)
	}
}
