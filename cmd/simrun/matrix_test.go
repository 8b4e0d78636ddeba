package main

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
)

func TestMatrixDoesNotDependOnTheNumberOfWorkers(t *testing.T) {
	one := simrun(strings.Fields("matrix -protocols setnx,fencing -seeds 500 -markdown -workers 1")...)
	eight := simrun(strings.Fields("matrix -protocols setnx,fencing -seeds 500 -markdown -workers 8")...)
	if one.out != eight.out {
		t.Errorf("with one worker\n%s\nwith eight\n%s", one.out, eight.out)
	}
}

func TestInterruptedMatrixKeepsTheRowsThatItHas(t *testing.T) {
	ctx := &cancelledAfter{Context: context.Background(), n: 800}
	r := simrunIn(ctx, strings.Fields("matrix -protocols setnx,lua-release,fencing -seeds 500 -workers 1")...)
	if r.code != exitInterrupted || !strings.Contains(r.out, "\nlua-release ") || !strings.Contains(r.out, "\ninterrupted: 2 of 3 protocols\n") {
		t.Errorf("exit code %d, want %d, with two rows\n%s", r.code, exitInterrupted, r.out)
	}
}

func TestMatrixAsJSONNamesWhatSuffices(t *testing.T) {
	r := simrun(strings.Fields("matrix -protocols setnx -faults overrun -seeds 300 -json")...)
	var form matrixForm
	if err := json.Unmarshal([]byte(r.out), &form); err != nil {
		t.Fatalf("%v in:\n%s", err, r.out)
	}
	own := form.Rows[0].Checks[1]
	if own.Name != "own-release" || own.Violated == 0 || len(own.Suffices) != 1 || own.Suffices[0] != "overrun" {
		t.Errorf("own-release under overruns: %+v", own)
	}
}

func TestScheduleOfATraceIsTriedOnEveryLock(t *testing.T) {
	inFolder(t)
	simrun(strings.Fields("-protocol watchdog -check mutual-exclusion -faults pause -seeds 100")...)
	files, _ := filepath.Glob("simrun-out/*.json")
	if len(files) != 1 {
		t.Fatalf("%d traces, want one", len(files))
	}
	r := simrun("matrix", "-protocols", "watchdog,fencing-reads", "-schedule", files[0], "-json")
	var trials []trialForm
	if err := json.Unmarshal([]byte(r.out), &trials); err != nil {
		t.Fatalf("%v in:\n%s%s", err, r.out, r.errors)
	}
	for _, trial := range trials {
		if !trial.Fits || trial.Verdict["mutual-exclusion"] != "violated" {
			t.Errorf("%s: %+v, want mutual-exclusion violated by the same pause", trial.Protocol, trial)
		}
	}
}

func TestLockThatCannotTakeAScheduleSaysWhy(t *testing.T) {
	inFolder(t)
	simrun(strings.Fields("-protocol redlock -check mutual-exclusion -faults amnesia -seeds 2000")...)
	files, _ := filepath.Glob("simrun-out/*.json")
	if len(files) != 1 {
		t.Fatalf("%d traces, want one", len(files))
	}
	r := simrun("matrix", "-protocols", "setnx", "-schedule", files[0])
	if !strings.Contains(r.out, "cannot take it: ") || !strings.Contains(r.out, "want one of redis") {
		t.Errorf("setnx under a fault of redlock's servers:\n%s", r.out)
	}
}

func TestWrongMatrixFlagsGetOneLine(t *testing.T) {
	for line, want := range map[string]string{
		"matrix -seeds 0":            "simrun: -seeds 0: want a number from 1 to 1000000000\n",
		"matrix -protocols redlok":   `simrun: -protocols: unknown protocol "redlok": did you mean "redlock"? "simrun list" shows all` + "\n",
		"matrix -json -markdown":     "simrun: -json and -markdown: want one of them\n",
		"matrix redlock":             "simrun: unexpected redlock: matrix takes flags alone\n",
		"matrix -schedule none.json": "simrun: reading trace none.json: no such file or directory\n",
	} {
		r := simrun(strings.Fields(line)...)
		if r.code != exitWrong || r.out != "" || r.errors != want {
			t.Errorf("%s: exit code %d, stdout %q, stderr %q, want %q", line, r.code, r.out, r.errors, want)
		}
	}
}
