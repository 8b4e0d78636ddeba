package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"simrun/internal/golden"
	"simrun/scenarios"
)

func TestScenariosArePrintedAsInTheGoldenFiles(t *testing.T) {
	for name, test := range map[string]struct {
		line string
		code int
	}{
		"scenario_list":     {"scenario", exitHeld},
		"scenario_violated": {"scenario demo-4-frozen-watchdog", exitViolated},
		"scenario_held":     {"scenario set-nx-px-death", exitHeld},
		"scenario_json":     {"scenario -json set-nx-px-death", exitHeld},
	} {
		t.Run(name, func(t *testing.T) {
			r := simrun(strings.Fields(test.line)...)
			if r.code != test.code || r.errors != "" {
				t.Errorf("exit code %d, stderr %q; want %d and nothing", r.code, r.errors, test.code)
			}
			golden.Compare(t, filepath.Join("testdata", name+".txt"), "$ simrun "+test.line+"\n"+r.out)
		})
	}
}

func TestScenarioListNamesAllOnOneLineEach(t *testing.T) {
	lines := strings.Split(simrun("scenario").out, "\n")
	for _, s := range scenarios.All() {
		named := func(line string) bool { return strings.HasPrefix(line, s.Name+" ") }
		i := slices.IndexFunc(lines, named)
		if i < 0 {
			t.Errorf("%s is not in the list", s.Name)
		} else if len([]rune(lines[i])) > maxWidth || strings.HasPrefix(lines[i+1], " ") {
			t.Errorf("%s takes more than a line of %d columns:\n%s\n%s", s.Name, maxWidth, lines[i], lines[i+1])
		}
	}
	var listed []struct {
		Name, Group, Title, Protocol string
		Breaks                       []string
	}
	decode(t, simrun("scenario", "-json").out, &listed)
	if len(listed) != len(scenarios.All()) || listed[0].Title == "" || listed[0].Breaks == nil {
		t.Errorf("%d scenarios as JSON, want %d: %+v", len(listed), len(scenarios.All()), listed[0])
	}
}

func TestEveryScenarioRunsByItsName(t *testing.T) {
	for _, s := range scenarios.All() {
		r := simrun("scenario", s.Name)
		want := exitHeld
		if len(s.Breaks) > 0 {
			want = exitViolated
		}
		if r.code != want || r.errors != "" || !strings.Contains(r.out, "\nas recorded: ") || !strings.Contains(r.out, s.Title()[:min(20, len(s.Title()))]) {
			t.Errorf("%s: exit code %d, want %d, stderr %q\n%s", s.Name, r.code, want, r.errors, r.out)
		}
	}
}

// A playedReport is what -json prints of a scenario.
type playedReport struct {
	Name, Title, Protocol, Hash string
	Schedule, Story             []string
	Verdict                     map[string]string
	Events                      int
	Same                        *bool
	Difference                  *string
	Updated                     bool
}

// writeScript writes a scenario of simrun into a file of its own.
func writeScript(t *testing.T, edit func(string) string) string {
	t.Helper()
	inFolder(t)
	text := edit(scenarios.Named("set-nx-px-death").String())
	if err := os.WriteFile("mine.txt", []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return "mine.txt"
}

func same(s string) string { return s }

// unrecorded leaves the script without what was recorded.
func unrecorded(s string) string { return s[:strings.Index(s, "---\n")] }

func TestScenarioOfOnesOwnRunsFromItsFile(t *testing.T) {
	file := writeScript(t, same)
	for _, word := range []string{file, "./" + file} {
		if r := simrun("scenario", word); r.code != exitHeld || r.errors != "" || !strings.HasPrefix(r.out, "mine\n") || !strings.Contains(r.out, "\nas recorded: ") {
			t.Errorf("%s: exit code %d, stderr %q\n%s", word, r.code, r.errors, r.out)
		}
	}
}

func TestScenarioThatWasNeverRecordedRuns(t *testing.T) {
	file := writeScript(t, unrecorded)
	r := simrun("scenario", file)
	if r.code != exitHeld || r.errors != "" || !strings.Contains(r.out, "\nnot recorded yet (-update does it): ") {
		t.Errorf("exit code %d, stderr %q\n%s", r.code, r.errors, r.out)
	}
	var got playedReport
	decode(t, simrun("scenario", "-json", file).out, &got)
	if got.Same != nil {
		t.Errorf("same is %v where nothing was recorded, want null", *got.Same)
	}
}

func TestScenarioUpdateRecordsTheRun(t *testing.T) {
	for name, edit := range map[string]func(string) string{
		"never recorded":  unrecorded,
		"edited schedule": replacing("works 60ms", "works 70ms"),
	} {
		t.Run(name, func(t *testing.T) {
			file := writeScript(t, edit)
			if r := simrun("scenario", "-update", file); r.code != exitHeld || r.errors != "" || !strings.Contains(r.out, "\nrecorded: ") {
				t.Errorf("exit code %d, stderr %q\n%s", r.code, r.errors, r.out)
			}
			if r := simrun("scenario", file); r.code != exitHeld || !strings.Contains(r.out, "\nas recorded: ") {
				t.Errorf("after the update: exit code %d, stderr %q\n%s", r.code, r.errors, r.out)
			}
		})
	}
}

// What a script says that it breaks is for people to write.
func TestScenarioUpdateLeavesAScriptThatIsWrong(t *testing.T) {
	file := writeScript(t, replacing("breaks nothing", "breaks progress", "works 60ms", "works 70ms"))
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	r := simrun("scenario", "-update", file)
	after, err := os.ReadFile(file)
	if r.code != exitWrong || !strings.Contains(r.errors, "the script breaks progress, this run breaks nothing") || err != nil || string(after) != string(before) {
		t.Errorf("exit code %d, stderr %q, error %v, the file is the same: %t", r.code, r.errors, err, string(after) == string(before))
	}
}

func TestScenarioThatWentOtherwiseExitsWith2(t *testing.T) {
	for name, test := range map[string]struct {
		edit func(string) string
		want string
	}{
		"edited schedule": {replacing("works 60ms", "works 70ms"), "mine.txt: line 19: the script has "},
		"edited checks":   {replacing("breaks nothing", "breaks progress"), "mine.txt: line 6: the script breaks progress, this run breaks nothing"},
	} {
		t.Run(name, func(t *testing.T) {
			file := writeScript(t, test.edit)
			r := simrun("scenario", file)
			if r.code != exitWrong || !strings.HasPrefix(r.errors, "simrun: "+test.want) || strings.Count(r.errors, "\n") != 1 {
				t.Errorf("exit code %d, stderr %q; want %d and %s", r.code, r.errors, exitWrong, test.want)
			}
			if !strings.Contains(r.out, " A: dies\n") || !strings.Contains(r.out, "\notherwise than recorded: ") {
				t.Errorf("the story is not told, or not as another one:\n%s", r.out)
			}
			var got playedReport
			r = simrun("scenario", "-json", file)
			decode(t, r.out, &got)
			if r.code != exitWrong || got.Difference == nil {
				t.Errorf("-json: exit code %d, difference %v", r.code, got.Difference)
			}
		})
	}
}

func TestBadScriptsAreOneLineAndExitCode2(t *testing.T) {
	for _, test := range []struct {
		edit func(string) string
		want string
	}{
		{replacing("death A before", "deaf A before"), `mine.txt: line 10: unknown fault "deaf", want one of `},
		{replacing("death A before", "death Q before"), `mine.txt: line 10: fault "death Q before read 1": unknown actor "Q", want one of A, B`},
		{replacing("read 1", "read 9"), `mine.txt: line 10: the fault "death A before read 9" never strikes in this run`},
		{replacing("protocol setnx", "protocol setnxx"), `mine.txt: line 5: unknown protocol "setnxx", want one of `},
		{func(string) string { return "" }, "mine.txt: line 1: want a header"},
	} {
		r := simrun("scenario", writeScript(t, test.edit))
		if r.code != exitWrong || r.out != "" || !strings.HasPrefix(r.errors, "simrun: "+test.want) || strings.Count(r.errors, "\n") != 1 {
			t.Errorf("exit code %d, stdout %q, stderr %q\nwant %d, nothing, %s", r.code, r.out, r.errors, exitWrong, test.want)
		}
	}
}

func TestWrongUseOfScenario(t *testing.T) {
	inFolder(t)
	const files = "-update: want a file, such as ./mine.txt; the scenarios of simrun are recorded by go test ./scenarios -update"
	for _, test := range []struct{ line, want string }{
		{"scenario two-majority", `unknown scenario "two-majority": did you mean "two-majorities"? "simrun scenario" shows all`},
		{"scenario zzz", `unknown scenario "zzz": "simrun scenario" shows all`},
		{"scenario a b", "unexpected b: scenario takes one name or file"},
		{"scenario -json=maybe", "-json maybe: want true or false, as in -json=true"},
		{"scenario -jsn", `unknown flag -jsn: did you mean -json? "simrun help" shows all`},
		{"scenario -update", files},
		{"scenario -update clock-step", files},
		{"scenario none.txt", "reading scenario none.txt: no such file or directory"},
		{"scenario ./none", "reading scenario ./none: no such file or directory"},
		{"scenari x", `unknown command "scenari": did you mean "scenario"? "simrun help" shows all`},
	} {
		wantOneLine(t, test.line, test.want, simrun(strings.Fields(test.line)...))
	}
}
