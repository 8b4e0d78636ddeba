package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// readPage returns a page that a command has written.
func readPage(t *testing.T, file string) string {
	t.Helper()
	html, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(html), "<!DOCTYPE html>") {
		t.Errorf("%s begins with %.40q, want a page", file, html)
	}
	return string(html)
}

func TestViewWritesAPageBesideTheTrace(t *testing.T) {
	file := writeTrace(t)
	beside := strings.TrimSuffix(file, ".json") + ".html"
	if r := simrun("view", file); r.code != exitHeld || r.out != "page: "+beside+"\n" || r.errors != "" {
		t.Errorf("exit code %d, stdout %q, stderr %q", r.code, r.out, r.errors)
	}
	readPage(t, beside)
}

func TestViewPutsTwoRunsOnOnePage(t *testing.T) {
	file, to := writeTrace(t), filepath.Join(t.TempDir(), "both.html")
	if r := simrun("view", file, file, "-o", to); r.code != exitHeld {
		t.Errorf("exit code %d, stderr %q", r.code, r.errors)
	}
	if got := strings.Count(readPage(t, to), `class="run"`); got != 2 {
		t.Errorf("%d runs on the page, want 2", got)
	}
}

func TestReplayAndScenarioWritePagesToo(t *testing.T) {
	folder := t.TempDir()
	replayed, played := filepath.Join(folder, "replayed.html"), filepath.Join(folder, "played.html")
	if r := simrun("replay", writeTrace(t), "-quiet", "-html", replayed); r.code != exitViolated || r.errors != "" {
		t.Errorf("replay: exit code %d, stderr %q", r.code, r.errors)
	}
	if r := simrun("scenario", "clock-step", "-html", played); r.code != exitViolated || r.errors != "" {
		t.Errorf("scenario: exit code %d, stderr %q", r.code, r.errors)
	}
	readPage(t, replayed)
	readPage(t, played)
}

func TestViewSaysWhatIsWrong(t *testing.T) {
	file := writeTrace(t)
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"view"}, "the trace is missing: want simrun view FILE"},
		{[]string{"view", file, file, file}, "unexpected " + file + ": view takes one file or two"},
		{[]string{"view", file, "-o", t.TempDir()}, "is a directory"},
		{[]string{"view", file, "-o", filepath.Join(file, "page.html")}, "not a directory"},
		{[]string{"view", file, "-o", file}, "want another file for the page, this one is a trace"},
		{[]string{"view", "nowhere.json"}, "reading trace nowhere.json: no such file or directory"},
		{[]string{"scenario", "-html", "page.html"}, "-html: want the name of a scenario to draw"},
	} {
		r := simrun(tt.args...)
		if r.code != exitWrong || !strings.Contains(r.errors, tt.want) || strings.Count(r.errors, "\n") != 1 {
			t.Errorf("%v: exit code %d, stderr %q; want %d and one line with %q", tt.args, r.code, r.errors, exitWrong, tt.want)
		}
	}
}
