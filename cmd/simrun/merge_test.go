package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var jsonTimes = regexp.MustCompile(`"(elapsed_s|schedules_per_s)": [\d.e+-]+`)

// told returns what a command line printed, and the files that it wrote into
// the folder whole, without the times.
func told(t *testing.T, r said) string {
	t.Helper()
	if r.errors != "" {
		t.Fatalf("exit code %d, stderr %q", r.code, r.errors)
	}
	files, err := filepath.Glob("whole/*")
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf("exit code %d\n%s", r.code, jsonTimes.ReplaceAllString(maskTimes(r.out), `"$1": …`))
	for _, name := range files {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		text += name + "\n" + string(content)
	}
	return text
}

// runShards runs all shards of a command line and returns their reports, the
// last first.
func runShards(t *testing.T, line string, of int) []string {
	t.Helper()
	for i := 1; i <= of; i++ {
		r := simrun(strings.Fields(fmt.Sprintf("%s -quiet -shard %d/%d -workers %d", line, i, of, 1+i%2))...)
		if r.errors != "" || !strings.Contains(r.out, fmt.Sprintf("\nshard %d of %d: ", i, of)) {
			t.Fatalf("exit code %d, stderr %q\n%s", r.code, r.errors, r.out)
		}
	}
	files, err := filepath.Glob("simrun-out/*-shard-*-of-*.json")
	if err != nil || len(files) != of {
		t.Fatalf("reports %v, error %v; want %d", files, err, of)
	}
	slices.Reverse(files)
	return files
}

func TestMergePrintsWhatOneRunPrints(t *testing.T) {
	for _, test := range []struct {
		line string
		of   int
	}{
		{"-protocol redlock -seeds 400", 3},
		{"-protocol fencing -seeds 150 -seed 77 -faults amnesia,pause@write -check token-order,owner-mutex", 4},
		{"-protocol lua-release -seeds 50 -faults none", 2},
		{"-protocol lua-release -exhaustive 1 -noisy 1", 3},
		{"-protocol fencing-reads -exhaustive 1 -token sequence -check token-order,effect-once", 2},
		{"-protocol setnx -exhaustive 0", 4},
	} {
		for _, form := range []string{"", " -json", " -quiet"} {
			t.Run(test.line+form, func(t *testing.T) {
				inFolder(t)
				want := told(t, simrun(strings.Fields(test.line+form+" -workers 1 -out whole")...))
				if err := os.RemoveAll("whole"); err != nil {
					t.Fatal(err)
				}
				args := strings.Fields("merge -workers 1 -out whole" + form)
				got := told(t, simrun(append(args, runShards(t, test.line, test.of)...)...))
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("merged shards tell something else (-one run +merged):\n%s", diff)
				}
			})
		}
	}
}

func TestMergedTracesLieBesideThoseOfTheShards(t *testing.T) {
	inFolder(t)
	const line = "-protocol lua-release -exhaustive 1 -check no-stale-write"
	files := runShards(t, line, 2)
	merged := simrun(append([]string{"merge"}, files...)...)
	for _, want := range []string{"no-stale-write-pause.json", "no-stale-write-delay.json"} {
		if !strings.Contains(merged.out, "simrun replay simrun-out/lua-release-"+want) {
			t.Errorf("%s is missing in:\n%s", want, merged.out)
		}
	}
}

func TestInterruptedShardsAreMergedAndNamed(t *testing.T) {
	inFolder(t)
	const line = "-protocol setnx -seeds 400 -check own-release -workers 1 -quiet -shard "
	simrun(strings.Fields(line + "1/2")...)
	ctx := &cancelledAfter{Context: context.Background(), n: 70} // asked before each chunk of 64 seeds and each seed
	if r := simrunIn(ctx, strings.Fields(line+"2/2")...); r.code != exitInterrupted || !strings.Contains(r.out, "interrupted after 68 of 200 schedules") {
		t.Errorf("exit code %d\n%s", r.code, r.out)
	}
	files, _ := filepath.Glob("simrun-out/*-shard-*")
	r := simrun(append([]string{"merge"}, files...)...)
	for _, want := range []string{"\ninterrupted after 268 of 400 schedules\n", "\nshard 2 of 2 is incomplete: ", " of 268 "} {
		if r.code != exitInterrupted || !strings.Contains(r.out, want) {
			t.Errorf("exit code %d, want %d and %q in:\n%s", r.code, exitInterrupted, want, r.out)
		}
	}
}

func TestInterruptedShardLeavesItsWholeReportAlone(t *testing.T) {
	inFolder(t)
	const line = "-protocol setnx -seeds 100 -check own-release -workers 1 -quiet -shard 1/1"
	simrun(strings.Fields(line)...)
	simrunIn(&cancelledAfter{Context: context.Background(), n: 5}, strings.Fields(line)...)
	files, _ := filepath.Glob("simrun-out/*-shard-*")
	if r := simrun(append([]string{"merge"}, files...)...); !strings.Contains(r.out, " of 100 ") || strings.Contains(r.out, "interrupted") {
		t.Errorf("exit code %d\n%s%s", r.code, r.out, r.errors)
	}
}

func TestShardsThatRanOutOfTimeClaimNoMoreThanTheyRan(t *testing.T) {
	inFolder(t)
	const line = "-protocol redlock -exhaustive 2 -faults pause,death -check own-release -workers 1 -shard "
	simrun(strings.Fields(line + "1/2 -for 1ns")...)
	if r := simrun(strings.Fields(line + "2/2")...); !strings.Contains(r.out, " of shard 2/2 with at most 2 faults") {
		t.Errorf("exit code %d\n%s%s", r.code, r.out, r.errors)
	}
	files, _ := filepath.Glob("simrun-out/*-shard-*")
	r := simrun(append([]string{"merge"}, files...)...)
	if r.code != exitHeld || !strings.Contains(r.out, "\nshard 1 of 2 is incomplete: ") || !strings.Contains(r.out, " schedules so far\n") {
		t.Errorf("exit code %d\n%s%s", r.code, r.out, r.errors)
	}
}

func TestWrongShardsAreOneLineAndExitCode2(t *testing.T) {
	inFolder(t)
	files := runShards(t, "-protocol setnx -seeds 100", 3)
	for line, want := range map[string]string{
		"-protocol setnx -shard 3":            "-shard 3: want i/n, such as 2/8, with i from 1 to n and n up to 1000",
		"-protocol setnx -shard 0/3":          "-shard 0/3: want i/n, such as 2/8, with i from 1 to n and n up to 1000",
		"-protocol setnx -shard 4/3":          "-shard 4/3: want i/n, such as 2/8, with i from 1 to n and n up to 1000",
		"-protocol setnx -shard 1/9 -seeds 5": "-shard 1/9: 5 seeds, want no more shards than that",
		"merge":                               "the reports are missing: want simrun merge and the files of all shards",
		"merge -seeds 5 x":                    `unknown flag -seeds: "simrun help" shows all`,
		"merge -out=x none.json":              "reading report none.json: no such file or directory",
		"merge " + files[1]:                   "shards 1 and 3 of 3 are missing: a claim about all schedules needs every shard",
	} {
		wantOneLine(t, line, want, simrun(strings.Fields(line)...))
	}
}

func TestBadReportsAreOneLineAndExitCode2(t *testing.T) {
	inFolder(t)
	file := runShards(t, "-protocol setnx -seeds 40 -faults overrun", 1)[0]
	good, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		edit func(string) string
		want string
	}{
		"truncated":        {func(s string) string { return s[:len(s)/2] }, "truncated"},
		"empty":            {func(string) string { return "" }, "empty"},
		"no JSON":          {func(string) string { return "hello" }, "line 1: not JSON"},
		"a trace":          {func(string) string { return `{"simrun": 1}` }, "not the report of a shard"},
		"future version":   {replacing(`"simrun_report": 1`, `"simrun_report": 99`), "format 99: this simrun reads format 1"},
		"unknown field":    {replacing(`"faults"`, `"fawlts"`), `unknown field "fawlts"`},
		"wrong type":       {replacing(`"clients": 3`, `"clients": "3"`), `line 5: found string in "parameters.clients", want a value of the type int`},
		"unknown protocol": {replacing(`"setnx"`, `"setnxx"`), `unknown protocol "setnxx"`},
		"wrong parameter":  {replacing(`"nodes": 1`, `"nodes": 7`), `"parameters": nodes 7: setnx uses a single lock server, want 1`},
		"unknown check":    {replacing(`"progress"`, `"progres"`), `"checks" 7: found "progres"`},
		"no shard":         {replacing(`"1/1"`, `"2/1"`), `"shard" is "2/1": want i/n`},
		"too many":         {replacing(`"schedules": 40`, `"schedules": 41`), `"schedules" is 41: want a number from 0 to 40`},
		"incomplete":       {replacing(`"complete": true`, `"complete": false`), `"complete" is false`},
		"other seeds":      {replacing(`"seeds": 40`, `"seeds": 50`), `"complete" is true`},
		"other run":        {replacing(`"work": "150ms"`, `"work": "100ms"`), "the simrun that ran it runs other schedules"},
		"other code":       {replacing(`"fingerprint": "`, `"fingerprint": "0`), "the simrun that ran it runs other schedules"},
	} {
		t.Run(name, func(t *testing.T) {
			bad := test.edit(string(good))
			if bad == string(good) {
				t.Fatal("the edit changes nothing")
			}
			if err := os.WriteFile("bad.json", []byte(bad), 0o644); err != nil {
				t.Fatal(err)
			}
			r := simrun("merge", "bad.json")
			if !strings.HasPrefix(r.errors, "simrun: ") || strings.Count(r.errors, "\n") != 1 || !strings.Contains(r.errors, "bad.json: ") || !strings.Contains(r.errors, test.want) {
				t.Errorf("says %q, want one line with the name of the file and %q", r.errors, test.want)
			}
			if r.code != exitWrong || r.out != "" {
				t.Errorf("exit code %d and stdout %q, want %d and nothing", r.code, r.out, exitWrong)
			}
		})
	}
}
