package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"simrun/internal/golden"
)

// A said is what a command line led to.
type said struct {
	code        int
	out, errors string
}

func simrun(args ...string) said { return simrunIn(context.Background(), args...) }

func simrunIn(ctx context.Context, args ...string) said {
	var out, errors bytes.Buffer
	code := run(ctx, args, &out, &errors)
	return said{code, out.String(), errors.String()}
}

// inFolder lets the test write its traces into a folder of its own.
func inFolder(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
}

var times = regexp.MustCompile(`in [\d.]+ s \([\d ]+ a second\)`)

func maskTimes(out string) string { return times.ReplaceAllString(out, "in … s (… a second)") }

// marks are the fingerprints in the names of reports, which change with any event
// of a run.
var marks = regexp.MustCompile(`-[0-9a-f]{8}-shard-`)

func maskMarks(out string) string { return marks.ReplaceAllString(out, "-…-shard-") }

func TestOutputIsAsInTheGoldenFiles(t *testing.T) {
	testdata, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for name, line := range map[string]string{
		"run_redlock":             "-protocol redlock -seeds 400 -workers 2",
		"run_quiet":               "run -protocol fencing -seeds 300 -workers 2 -faults amnesia,pause@write -check token-order,owner-mutex -quiet",
		"run_without_faults":      "-protocol lua-release -seeds 200 -workers 1 -faults none",
		"run_same_story":          "-protocol setnx -seeds 200 -workers 2 -faults amnesia",
		"matrix":                  "matrix -protocols setnx,lua-release,redlock -seeds 300 -workers 2",
		"matrix_markdown":         "matrix -protocols setnx,lua-release,redlock -seeds 300 -markdown",
		"exhaustive":              "-protocol lua-release -exhaustive 1 -check own-release,no-stale-write -workers 2",
		"exhaustive_matrix":       "matrix -protocols setnx,fencing-reads,conditional-update -exhaustive 1 -workers 2",
		"exhaustive_markdown":     "matrix -protocols setnx,conditional-update -exhaustive 1 -markdown",
		"shard":                   "-protocol lua-release -exhaustive 1 -check own-release,no-stale-write -workers 2 -shard 2/3",
		"frontier":                "frontier -protocol redlock -over pause",
		"frontier_none":           "frontier -protocol redlock -over rate",
		"frontier_json":           "frontier -protocol lua-release -over step -json",
		"frontier_pairs":          "frontier -protocol lua-release -over pause,step -steps 6",
		"frontier_pairs_json":     "frontier -protocol deadline -check no-stale-write -over delay,rate -steps 3 -json",
		"list":                    "list",
		"help":                    "help",
		"explain_protocol":        "explain redlock",
		"explain_protocol_tokens": "explain fencing-reads",
		"explain_fault_steps":     "explain pause",
		"explain_fault_messages":  "explain loss",
		"explain_fault_servers":   "explain clock-step",
		"explain_fault_services":  "explain election",
		"explain_protocol_set":    "explain failover-fencing",
		"explain_check":           "explain no-lost-update",
		"explain_model":           "explain owner-mutex",
	} {
		t.Run(name, func(t *testing.T) {
			inFolder(t)
			r := simrun(strings.Fields(line)...)
			if r.errors != "" || r.code > exitViolated {
				t.Fatalf("exit code %d, stderr %q", r.code, r.errors)
			}
			golden.Compare(t, filepath.Join(testdata, name+".txt"), "$ simrun "+line+"\n"+maskMarks(maskTimes(r.out)))
		})
	}
}

func TestLinesFitAHundredColumnsInTables(t *testing.T) {
	for _, line := range []string{"list", "help", "explain redlock", "explain fencing-reads", "explain clock-step", "explain own-release"} {
		for out := range strings.Lines(simrun(strings.Fields(line)...).out) {
			if n := len([]rune(strings.TrimRight(out, "\n"))); n > maxWidth {
				t.Errorf("simrun %s: %d columns: %s", line, n, out)
			}
		}
	}
}

func TestReportDoesNotDependOnTheNumberOfWorkers(t *testing.T) {
	report := func(workers string) string {
		inFolder(t)
		r := simrun("-protocol", "fencing", "-seeds", "1000", "-workers", workers)
		return strings.Replace(maskTimes(r.out), "-workers "+workers, "-workers …", 1)
	}
	if diff := cmp.Diff(report("1"), report("8")); diff != "" {
		t.Errorf("1 worker and 8 tell different things:\n%s", diff)
	}
}

func TestOptionsLineRunsTheSameAgain(t *testing.T) {
	inFolder(t)
	first := simrun("-protocol", "fencing", "-seeds", "200", "-seed", "77", "-faults", "pause@write,loss@reply", "-check", "all,owner-mutex",
		"-clients", "2", "-rounds", "1", "-ttl", "200ms", "-token", "sequence", "-workers", "2", "-out", "my traces")
	line, _, _ := strings.Cut(first.out, "\n")
	words := strings.Fields(strings.Replace(line, "'my traces'", "my_traces", 1))
	for i, w := range words {
		words[i] = strings.Replace(w, "my_traces", "my traces", 1)
	}
	again := simrun(words[1:]...)
	if diff := cmp.Diff(maskTimes(first.out), maskTimes(again.out)); diff != "" {
		t.Errorf("%s\nleads to something else (-first +again):\n%s", line, diff)
	}
}

func TestNothingViolatedExitsWithZero(t *testing.T) {
	inFolder(t)
	if r := simrun("-protocol", "redlock", "-faults", "none", "-seeds", "100"); r.code != exitHeld {
		t.Errorf("exit code %d, want %d\n%s", r.code, exitHeld, r.out)
	}
	if _, err := os.Stat("simrun-out"); err == nil {
		t.Error("a folder for traces was made although there is none to write")
	}
}

func TestPipesGetNoEscapeCodes(t *testing.T) {
	inFolder(t)
	for _, line := range []string{"-protocol setnx -seeds 300", "list", "explain setnx"} {
		if r := simrun(strings.Fields(line)...); strings.Contains(r.out+r.errors, "\x1b") {
			t.Errorf("simrun %s prints escape codes into a pipe", line)
		}
	}
}

func TestPaintColoursOnlyWhenAsked(t *testing.T) {
	if got := newPaint(false).bad("violated"); got != "violated" {
		t.Errorf("without colours: %q", got)
	}
	if got := newPaint(true).bad("violated"); !strings.Contains(got, "\x1b[31m") {
		t.Errorf("with colours: %q, want it red", got)
	}
}

// cancelledAfter is a context that is done once it has been asked n times.
type cancelledAfter struct {
	context.Context
	n int
}

func (c *cancelledAfter) Err() error {
	if c.n--; c.n < 0 {
		return context.Canceled
	}
	return nil
}

func TestInterruptKeepsWhatWasFound(t *testing.T) {
	inFolder(t)
	ctx := &cancelledAfter{Context: context.Background(), n: 325} // asked before each chunk of 64 seeds and each seed
	r := simrunIn(ctx, "-protocol", "setnx", "-seeds", "100000", "-workers", "1")
	if r.code != exitInterrupted {
		t.Errorf("exit code %d, want %d", r.code, exitInterrupted)
	}
	for _, want := range []string{"\ninterrupted after 320 of 100 000 schedules\n", " of 320 ", "simrun replay "} {
		if !strings.Contains(r.out, want) {
			t.Errorf("%q is missing in:\n%s", want, r.out)
		}
	}
	if kept, _ := filepath.Glob("simrun-out/*.json"); len(kept) == 0 {
		t.Error("no trace was kept")
	}
}

func TestInterruptBeforeTheFirstScheduleStillReports(t *testing.T) {
	inFolder(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r := simrunIn(ctx, "-protocol", "setnx")
	if r.code != exitInterrupted || !strings.Contains(r.out, "interrupted after 0 of 10 000 schedules") {
		t.Errorf("exit code %d\n%s", r.code, r.out)
	}
}

func TestTracesOfOtherOptionsAreNotOverwritten(t *testing.T) {
	inFolder(t)
	args := []string{"-protocol", "setnx", "-seeds", "300", "-check", "mutual-exclusion", "-faults", "amnesia"}
	simrun(args...)
	simrun(args...) // the same again takes no further name
	before, _ := filepath.Glob("simrun-out/*.json")
	simrun(append(args, "-ttl", "500ms")...)
	simrun(append(args, "-ttl", "600ms")...)
	after, _ := filepath.Glob("simrun-out/*.json")
	if len(before) != 1 || len(after) != 3 {
		t.Errorf("traces were %v, are %v, want 1 and then 3", before, after)
	}
}
