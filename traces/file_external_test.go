package traces_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"simrun/checker"
	"simrun/explore"
	"simrun/protocols"
	"simrun/sim"
	"simrun/traces"
)

// Kinds of fault are places in a table, and hold functions.
var sameKind = cmp.Comparer(func(a, b *sim.Kind) bool { return a == b })

func written(t testing.TB, trace *traces.Trace) []byte {
	t.Helper()
	var out bytes.Buffer
	if _, err := trace.WriteTo(&out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestTracesReadBackAsTheyWereWritten(t *testing.T) {
	for _, name := range []string{"setnx-expire", "watchdog", "redlock", "fencing-reads"} {
		t.Run(name, func(t *testing.T) {
			p := protocols.Named(name)
			space := explore.NewSpace(p, p.Defaults(), explore.AllFaults())
			schedules := space.Schedules()
			judge := space.NewJudge(checker.All)
			defer judge.Close()
			rapid.Check(t, func(rt *rapid.T) {
				s := schedules.Draw(rt, "schedule")
				trace := recorded(t, judge, p, space.Params, s)
				if len(s.Faults) > 0 {
					trace.Found = &traces.Found{Check: "progress", Seed: 12, NotNeeded: s.Faults}
				}
				first := written(t, trace)
				again, err := traces.Read(bytes.NewReader(first))
				if err != nil {
					rt.Fatal(err)
				}
				if !reflect.DeepEqual(trace, again) { // cmp takes its time
					rt.Fatalf("read otherwise than written (-written +read):\n%s", cmp.Diff(trace, again, sameKind))
				}
				if !bytes.Equal(first, written(t, again)) {
					rt.Fatal("written otherwise the second time")
				}
			})
		})
	}
}

func TestBrokenOffRunsReadBack(t *testing.T) {
	trace := record(t, fragile, parse(t, quiet, onlyA))
	again, err := traces.Read(bytes.NewReader(written(t, trace)))
	if err != nil {
		t.Fatal(err)
	}
	if trace.Defect == "" {
		t.Fatal("the run was not broken off")
	}
	if diff := cmp.Diff(trace, again, sameKind); diff != "" {
		t.Errorf("read otherwise than written (-written +read):\n%s", diff)
	}
}

const smallFile = "testdata/small.json"

// The file is such as users have kept, so that a change of format shows here.
// What it tells is of the day on which it was written.
func TestFormat(t *testing.T) {
	if *update {
		if err := small(t).Save(smallFile); err != nil {
			t.Fatal(err)
		}
	}
	trace, err := traces.Load(smallFile)
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(smallFile)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(written(t, trace))); diff != "" {
		t.Errorf("written otherwise than %s (-want +got):\n%s", smallFile, diff)
	}
}

func TestSaveAndLoad(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "trace.json")
	trace := small(t)
	if err := os.WriteFile(name, []byte("something else"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := trace.Save(name); err != nil {
		t.Fatal(err)
	}
	again, err := traces.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(trace, again, sameKind); diff != "" {
		t.Errorf("loaded otherwise than saved (-saved +loaded):\n%s", diff)
	}
	if info, err := os.Stat(name); err != nil || info.Mode() != 0o600 {
		t.Errorf("mode %v (%v), want that of the file before", info.Mode(), err)
	}
	fresh := filepath.Join(dir, "fresh.json")
	if err := trace.Save(fresh); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(fresh); err != nil || info.Mode() != 0o644 {
		t.Errorf("mode %v (%v), want 0644", info.Mode(), err)
	}
}

func TestErrorsOfFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	trace := small(t)
	if err := os.WriteFile("empty.json", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	load := func(name string) error { _, err := traces.Load(name); return err }
	tests := []struct {
		err  error
		want string
	}{
		{trace.Save("."), "saving trace .: is a directory"},
		{trace.Save("missing/trace.json"), "saving trace missing/trace.json: no such file or directory"},
		{trace.Save("empty.json/trace.json"), "saving trace empty.json/trace.json: not a directory"},
		{load("missing.json"), "reading trace missing.json: no such file or directory"},
		{load("."), "reading trace .: is a directory"},
		{load("empty.json"), "reading trace empty.json: the file is empty, want a trace"},
	}
	for _, tt := range tests {
		if tt.err == nil || tt.err.Error() != tt.want {
			t.Errorf("error %v, want %s", tt.err, tt.want)
		}
	}
	if err := load("missing.json"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v is not that of a missing file", err)
	}
	if entries, err := os.ReadDir("."); err != nil || len(entries) != 1 {
		t.Errorf("the folder holds %v (%v), want what was there before", entries, err)
	}
}

// endless is a reader of a file that is too large.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

func TestReadIsBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("reads 256 MB")
	}
	_, err := traces.Read(endless{})
	if want := "not a trace: larger than 256 MB"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

func TestTruncatedTraces(t *testing.T) {
	data := bytes.TrimSpace(written(t, small(t)))
	for n := 1; n < len(data); n++ {
		_, err := traces.Read(bytes.NewReader(data[:n]))
		if want := "truncated: the file ends in the middle of the trace"; err == nil || err.Error() != want {
			t.Fatalf("the first %d bytes: error %v, want %s", n, err, want)
		}
	}
	if _, err := traces.Read(bytes.NewReader(data)); err != nil {
		t.Errorf("without the last line's end: %v", err)
	}
}

// Each mistake is made in a trace that is right otherwise.
func TestMistakes(t *testing.T) {
	data, err := os.ReadFile(smallFile)
	if err != nil {
		t.Fatal(err)
	}
	trace, err := traces.Load(smallFile)
	if err != nil {
		t.Fatal(err)
	}
	right := string(data)
	events := regexp.MustCompile(`(?s)"events": \[.*?\n  \]`).FindString(right)
	after := strconv.Itoa(len(trace.Events))
	edited := slices.Clone(trace.Events)
	edited[1].Text = "A#2"
	tests := []struct {
		name     string
		old, new string
		want     string
	}{
		{"an empty file", right, "", `the file is empty, want a trace`},
		{"a blank file", right, " \n", `the file is empty, want a trace`},
		{"text", right, "hello", `line 1: not JSON: invalid character 'h' looking for beginning of value`},
		{"a list", right, "[1]", `line 1: the file is a list, want an object`},
		{"nothing", right, "null", `not a trace: the field "simrun" with the version of the format is missing, want 1`},
		{"no version", `"simrun": 1,`, "", `not a trace: the field "simrun" with the version of the format is missing, want 1`},
		{"a future version", `"simrun": 1`, `"simrun": 2`, `"simrun" says format 2: this simrun reads format 1 alone`},
		{"a version in words", `"simrun": 1`, `"simrun": "one"`, `line 2: "simrun" is a string, want a whole number`},
		{"a comma too many", `"seed": 7`, `"seed": 7,`, `line {line}: not JSON: invalid character ',' looking for beginning of object key string`},
		{"a comma too few", `"seed": 7,`, `"seed": 7`, `line {next}: not JSON: invalid character '"' after object key:value pair`},
		{"more after the end", "\n}", "\n}}", `line {next}: found more after the trace, want nothing after its closing brace`},
		{"another trace after the end", "\n}\n", "\n}\n{}\n", `line {more}: found more after the trace, want nothing after its closing brace`},
		{"an unknown field", `"rounds"`, `"round"`, `line {line}: unknown field "round"`},
		{"an unknown object", `"found": {`, `"fund": {`, `line {line}: unknown field "fund"`},
		{"an object for an object of another sort", `"found": {`, `"history": {`, `line {next}: unknown field "check"`},
		{"a list for a string", `"loss A->db request 7"`, "[\n\"loss\"]", `line {line}: "found.faults_not_needed" is a list, want a string`},
		{"a field twice", `"rounds": 2`, `"rounds": 2, "Rounds": 3`, `line {line}: field "Rounds" stands there twice, want it once`},
		{"a string for a number", `"rounds": 2`, `"rounds": "2"`, `line {line}: "parameters.rounds" is a string, want a whole number`},
		{"half a number", `"rounds": 2`, `"rounds": 2.5`, `line {line}: "parameters.rounds" is the number 2.5, want a whole number`},
		{"a large number", `"msg":1`, `"msg":5000000000`, `line {line}: "events.msg" is the number 5000000000, want a smaller one`},
		{"a number for an object", `"parameters": {`, `"parameters": 5, "x": {`, `line {line}: "parameters" is a number, want an object`},
		{"a string for a list", `"events":[7,51,66]`, `"events":"all"`, `line {line}: "verdict.events" is a string, want a list`},
		{"a number for an instant", `"at":"500µs"`, `"at":500`, `line {line}: "events.at" is a number, want a string`},
		{"a bad instant", `"at":"500µs"`, `"at":"soon"`, `line {line}: instant "soon": want a time since the start, such as 1.5ms`},
		{"a bad stamp", `"call":"1@0s"`, `"call":"1"`, `line {line}: stamp "1": want an event's number and its time, such as 12@1.5ms`},
		{"a number for a stamp", `"at":"51@347.57968ms"`, `"at":51`, `line {line}: "verdict.at" is a number, want a string`},
		{"a bad holder", `"holder":"A#1"`, `"holder":"A"`, `line {line}: holder "A": want a client and its attempt, such as A#2, or nobody`},
		{"no protocol", `"protocol": "setnx",`, "", `"protocol" is missing: want the name of the protocol that was run`},
		{"a bad TTL", `"ttl": "300ms"`, `"ttl": "300"`, `"parameters": "ttl" is "300": want a duration such as 300ms`},
		{"bad work", `"work": "150ms"`, `"work": "a lot"`, `"parameters": "work" is "a lot": want a duration such as 150ms`},
		{"a bad client", "starts at 20ms", "starts at noon", `"schedule" line 3: client B starts at "noon": want a time from 0s to 1000h, such as 20ms`},
		{"a bad fault", "for 330ms", "for ever", `"schedule" line 4: amount "for ever": want "for 330ms", at most 1000h`},
		{"a bad fault that is not needed", "request 7", "request x", `"found": "faults_not_needed" 1: count "x": want a number from 1 up`},
		{"found for an unknown check", `"check": "mutual-exclusion"`, `"check": "mutual"`, `"found": unknown check "mutual", want one of {names}`},
		{"a verdict for an unknown check", `"check":"own-release"`, `"check":"release"`, `"verdict" 2: unknown check "release", want one of {names}`},
		{"a verdict twice", `"check":"own-release"`, `"check":"mutual-exclusion"`, `"verdict" 2: "mutual-exclusion" stands there twice, want each check once`},
		{"an unknown state", `"state":"held"`, `"state":"kept"`, `"verdict" 3: "token-order" is "kept", want held, violated or unknown`},
		{"violated by nothing", `,"events":[7,51,66]`, "", `"verdict" 1: "mutual-exclusion" is violated by no "events", want the numbers of those that break it`},
		{"violated by events that do not exist", `"events":[7,51,66]`, `"events":[7,51,666]`, `"verdict" 1: "mutual-exclusion": event 666 does not exist, want a number from 0 to {last}`},
		{"violated by an event before the first", `"events":[7,51,66]`, `"events":[-1]`, `"verdict" 1: "mutual-exclusion": event -1 does not exist, want a number from 0 to {last}`},
		{"violated at no event", `"at":"51@`, `"at":"151@`, `"verdict" 1: "mutual-exclusion": event 151 does not exist, want a number from 0 to {last}`},
		{"no events", events, `"events": []`, `"events" is empty: want the events of a run, which ends with one at least`},
		{"an edited event", `"text":"A#1"`, `"text":"A#2"`, `"events" were changed after the trace was written: their hash is "{edited}", "hash" says "{hash}"`},
		{"a stamp of no event", `"call":"1@`, `"call":"` + after + `@`, `"history": event {after} does not exist, want a number from 0 to {last}`},
		{"a stamp of another time", `"from":"7@1ms"`, `"from":"7@2ms"`, `"history": event 7 was at 1ms, not at 2ms`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			before, rest, found := strings.Cut(right, tt.old)
			if !found {
				t.Fatalf("the trace does not hold %q", tt.old)
			}
			line := 1 + strings.Count(before, "\n")
			want := strings.NewReplacer(
				"{line}", strconv.Itoa(line), "{next}", strconv.Itoa(line+1), "{more}", strconv.Itoa(line+2),
				"{last}", strconv.Itoa(len(trace.Events)-1), "{after}", after,
				"{hash}", trace.Hash, "{edited}", sim.Hash(edited),
				"{names}", strings.Join(checker.Names(), ", "),
			).Replace(tt.want)
			_, err := traces.Read(strings.NewReader(before + tt.new + rest))
			if err == nil || err.Error() != want {
				t.Errorf("error\n\t%v\nwant\n\t%s", err, want)
			}
		})
	}
}
