package main

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
)

func TestExhaustiveSearchAsJSON(t *testing.T) {
	inFolder(t)
	r := simrun(strings.Fields("-protocol setnx-expire -exhaustive 1 -faults death -check progress,own-release -json")...)
	var form struct {
		Schedules []int
		Complete  bool
		Checks    []struct {
			Name   string
			Least  *int `json:"least_faults"`
			Breaks []struct {
				Kinds  string
				Faults []string
				Trace  string
			}
		}
	}
	if err := json.Unmarshal([]byte(r.out), &form); err != nil {
		t.Fatalf("%v in:\n%s%s", err, r.out, r.errors)
	}
	progress, own := form.Checks[0], form.Checks[1]
	if !form.Complete || len(form.Schedules) != 2 || r.code != exitViolated {
		t.Errorf("exit code %d, complete %t, schedules %v", r.code, form.Complete, form.Schedules)
	}
	if progress.Least == nil || *progress.Least != 1 || len(progress.Breaks) != 1 || progress.Breaks[0].Kinds != "death" {
		t.Errorf("progress: %+v, want it broken by one death", progress)
	}
	if own.Least != nil {
		t.Errorf("own-release is broken by %d faults, want by none", *own.Least)
	}
	if again := simrun("replay", "-quiet", progress.Breaks[0].Trace); again.code != exitViolated {
		t.Errorf("replay exits with %d: %s", again.code, again.errors)
	}
}

func TestSearchThatRunsOutOfTimeSaysWhatItCovered(t *testing.T) {
	inFolder(t)
	r := simrun(strings.Fields("-protocol redlock -exhaustive 3 -for 300ms -check own-release")...)
	if r.code != exitHeld || !strings.Contains(r.out, "none among all ") || !strings.Contains(r.out, " of those with so many") {
		t.Errorf("exit code %d\n%s%s", r.code, r.out, r.errors)
	}
}

func TestInterruptedSearchSaysWhatItCovered(t *testing.T) {
	inFolder(t)
	ctx := &cancelledAfter{Context: context.Background(), n: 2_000}
	r := simrunIn(ctx, strings.Fields("-protocol setnx -exhaustive 2 -check own-release -workers 1")...)
	if r.code != exitInterrupted || !strings.Contains(r.out, "\ninterrupted after ") || !strings.Contains(r.out, "simrun replay ") {
		t.Errorf("exit code %d\n%s%s", r.code, r.out, r.errors)
	}
}

func TestInterruptedProofsClaimNothingOfTheRest(t *testing.T) {
	for form, want := range map[string]string{"": "conditional-update   nothing so far", " -markdown": "| none so far |"} {
		ctx := &cancelledAfter{Context: context.Background(), n: 100}
		r := simrunIn(ctx, strings.Fields("matrix -protocols conditional-update,setnx -exhaustive 1 -workers 1"+form)...)
		if r.code != exitInterrupted || !strings.Contains(r.out, want) || strings.Contains(r.out, "\nall ") {
			t.Errorf("matrix%s: exit code %d, want %d and %q\n%s", form, r.code, exitInterrupted, want, r.out)
		}
	}
}

func TestWrongExhaustiveFlagsGetOneLine(t *testing.T) {
	for line, want := range map[string]string{
		"-protocol setnx -exhaustive 7":          "simrun: -exhaustive 7: want a number from 0 to 6\n",
		"-protocol setnx -exhaustive x":          "simrun: -exhaustive x: want a number from 0 to 6\n",
		"-protocol setnx -exhaustive 1 -seeds 3": "simrun: -exhaustive runs every schedule and takes no -seeds or -seed\n",
		"-protocol setnx -noisy 3":               "simrun: -noisy goes with -exhaustive; random schedules are noisy anyway\n",
		"-protocol setnx -for 3s":                "simrun: -for goes with -exhaustive; random schedules are limited by -seeds\n",
		"-protocol setnx -exhaustive 1 -for x":   "simrun: -for x: want a duration such as 300ms\n",
		"matrix -exhaustive 1 -seed 3":           "simrun: -exhaustive runs every schedule and takes no -seeds or -seed\n",
	} {
		r := simrun(strings.Fields(line)...)
		if r.code != exitWrong || r.out != "" || r.errors != want {
			t.Errorf("%s: exit code %d, stdout %q, stderr %q, want %q", line, r.code, r.out, r.errors, want)
		}
	}
}
