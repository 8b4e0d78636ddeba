package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var links = regexp.MustCompile(`href="\./([^"]*)"`)

// linked returns the files that the index of a folder leads to, all of which must
// exist.
func linked(t *testing.T, dir string) []string {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(dir, "index.html"))
	if err != nil {
		t.Fatal(err)
	}
	var files []string
	for _, link := range links.FindAllStringSubmatch(string(page), -1) {
		files = append(files, link[1])
		if _, err := os.Stat(filepath.Join(dir, link[1])); err != nil {
			t.Errorf("the index leads to %s: %v", link[1], err)
		}
	}
	return files
}

func TestEveryCommandThatKeepsTracesIndexesThem(t *testing.T) {
	for line, want := range map[string]int{
		"run -protocol setnx -seeds 200 -faults amnesia -workers 2":                                3,
		"run -protocol setnx -exhaustive 1 -faults amnesia -check mutual-exclusion -workers 2":     1,
		"frontier -protocol setnx -over pause -workers 2":                                          1,
		"matrix -protocols setnx,unique-constraint -seeds 200 -faults amnesia -html simrun-out":    3,
		"matrix -protocols setnx,unique-constraint -exhaustive 1 -faults amnesia -html simrun-out": 3,
	} {
		inFolder(t)
		if r := simrun(strings.Fields(line)...); r.errors != "" {
			t.Errorf("simrun %s: %s", line, r.errors)
			continue
		}
		traces, _ := filepath.Glob("simrun-out/*.json")
		files := linked(t, "simrun-out")
		if len(traces) < want || len(files) != 2*len(traces) {
			t.Errorf("simrun %s: the index leads to %v, want all of %v and their pages", line, files, traces)
		}
	}
}

func TestRunWithoutHarmWritesNothing(t *testing.T) {
	inFolder(t)
	simrun(strings.Fields("-protocol lua-release -seeds 50 -faults none")...)
	if _, err := os.Stat("simrun-out"); err == nil {
		t.Error("there is a folder for traces")
	}
}

func TestPageOfAMatrixDoesNotDependOnTheNumberOfWorkers(t *testing.T) {
	inFolder(t)
	page := func(workers string) string {
		simrun(strings.Fields("matrix -protocols setnx,fencing -seeds 300 -html out -workers " + workers)...)
		text, err := os.ReadFile("out/index.html")
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if one, eight := page("1"), page("8"); one != eight {
		t.Errorf("with one worker\n%s\nwith eight\n%s", one, eight)
	}
}

func TestStoryBehindACellReplays(t *testing.T) {
	inFolder(t)
	printed := simrun(strings.Fields("matrix -protocols setnx -seeds 300 -markdown -html out")...)
	if plain := simrun(strings.Fields("matrix -protocols setnx -seeds 300 -markdown")...); plain.out != printed.out {
		t.Errorf("-html changes what is printed:\n%s", printed.out)
	}
	for _, file := range linked(t, "out") {
		if filepath.Ext(file) != ".json" {
			continue
		}
		if r := simrun("replay", "-quiet", filepath.Join("out", file)); r.code != exitViolated || !strings.Contains(r.out, "\nsame: ") {
			t.Errorf("%s: exit code %d\n%s%s", file, r.code, r.out, r.errors)
		}
	}
}

func TestWrongFoldersForPagesGetOneLine(t *testing.T) {
	inFolder(t)
	if err := os.WriteFile("taken", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		"matrix -html taken":                "simrun: -html taken: taken is not a folder\n",
		"matrix -html out -schedule x.json": "simrun: -html and -schedule: want one of them\n",
	} {
		r := simrun(strings.Fields(line)...)
		if r.code != exitWrong || r.out != "" || r.errors != want {
			t.Errorf("%s: exit code %d, stdout %q, stderr %q, want %q", line, r.code, r.out, r.errors, want)
		}
	}
}
