package index_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"simrun/internal/golden"
	"simrun/scenarios"
	"simrun/traces"
	"simrun/traces/index"
)

// save writes the trace of a scenario into a folder, as found for a check.
func save(t *testing.T, dir, file, scenario, check string) {
	t.Helper()
	run, err := scenarios.Named(scenario).Run()
	if err != nil {
		t.Fatal(err)
	}
	if check != "" {
		run.Trace.Found = &traces.Found{Check: check}
	}
	if err := run.Trace.Save(filepath.Join(dir, file)); err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, dir, file, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, dir, file string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, file))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func keep(t *testing.T, dir string) {
	t.Helper()
	if err := index.Keep(dir); err != nil {
		t.Fatal(err)
	}
}

func TestIndexIsAsInTheGoldenFile(t *testing.T) {
	dir := t.TempDir()
	save(t, dir, "a.json", "two-majorities", "mutual-exclusion")
	save(t, dir, "b.json", "invoices-3-stale-write", "no-stale-write")
	save(t, dir, "c.json", "invoices-3-stale-write", "mutual-exclusion")
	save(t, dir, "d.json", "quiet-lua-release", "")
	write(t, dir, "c.html", "the page of a story")
	write(t, dir, "package.json", `{"name": "no trace"}`)
	keep(t, dir)
	golden.Compare(t, filepath.Join("testdata", "list.html"), withoutStyle(read(t, dir, index.Name)))
	keep(t, dir) // replaces its own
	golden.Compare(t, filepath.Join("testdata", "list.html"), withoutStyle(read(t, dir, index.Name)))
}

var styles = regexp.MustCompile(`(?s)<style>.*</style>`)

func withoutStyle(page string) string { return styles.ReplaceAllString(page, "<style></style>") }

func TestIndexOfSomebodyElseIsLeftAlone(t *testing.T) {
	dir := t.TempDir()
	save(t, dir, "a.json", "two-majorities", "")
	write(t, dir, index.Name, "my own page")
	keep(t, dir)
	if err := index.KeepMatrix(dir, &index.Table{}); err != nil {
		t.Fatal(err)
	}
	if got := read(t, dir, index.Name); got != "my own page" {
		t.Errorf("it now holds %q", got)
	}
}

func TestFolderWithoutTracesGetsNoIndex(t *testing.T) {
	dir := t.TempDir()
	keep(t, dir)
	if _, err := os.Stat(filepath.Join(dir, index.Name)); err == nil {
		t.Error("it has one")
	}
	if err := index.Keep(filepath.Join(dir, "nowhere")); err == nil {
		t.Error("a folder that does not exist is no error")
	}
}

var table = &index.Table{
	Command: "simrun matrix -seeds 10", About: "Shares.",
	Checks: []index.Column{{"mutual-exclusion", "two believe"}, {"token-order", "tokens fall"}, {"progress", "nobody can"}},
	Rows: []index.Row{
		{Protocol: "setnx", About: "SET NX", Cells: []index.Cell{
			{Text: "12 %", Broken: true, Suffices: []string{"pause", "crash + drift"}, Trace: "a.json"}, {Text: "-"}, {Text: "0"},
		}},
		{Protocol: "redlock", About: "five", Cells: []index.Cell{
			{Text: "1.7 %", Broken: true, Suffices: []string{"pause"}, Trace: "b.json", Page: "b.html"}, {Text: "-"}, {Text: "0"},
		}},
	},
}

func TestMatrixIsAsInTheGoldenFile(t *testing.T) {
	var page strings.Builder
	if err := index.Matrix(&page, table); err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, filepath.Join("testdata", "matrix.html"), withoutStyle(page.String()))
}

func TestHostileTextIsTextOnPages(t *testing.T) {
	bad := `"><script>alert(1)</script>{{.}}`
	var list, matrix strings.Builder
	if err := index.List(&list, []index.Story{{Protocol: bad, Check: bad, Why: bad, Faults: []string{bad}, Trace: bad, Page: "javascript:alert(1)"}}); err != nil {
		t.Fatal(err)
	}
	cell := index.Cell{Text: bad, Broken: true, Suffices: []string{bad}, Trace: bad, Page: "javascript:alert(1)"}
	if err := index.Matrix(&matrix, &index.Table{
		Command: bad, About: bad, Checks: []index.Column{{bad, bad}}, Rows: []index.Row{{Protocol: bad, About: bad, Cells: []index.Cell{cell}}},
	}); err != nil {
		t.Fatal(err)
	}
	for _, page := range []string{list.String(), matrix.String()} {
		if strings.Contains(page, "<script") || strings.Contains(page, `href="javascript:`) || strings.Contains(page, `title=""`) {
			t.Errorf("hostile text is more than text in:\n%s", page)
		}
	}
}

// Pages must work without a network.
func TestPagesNeedNothingButThemselves(t *testing.T) {
	var page strings.Builder
	if err := index.Matrix(&page, table); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"http:", "https:", "<script", "<link", "@import", "url("} {
		if strings.Contains(page.String(), bad) {
			t.Errorf("the page has %s", bad)
		}
	}
}

// Names of files are not references yet.
func TestLinksLeadToFilesOfAnyName(t *testing.T) {
	var page strings.Builder
	if err := index.List(&page, []index.Story{{Trace: "a #1?.json", Page: "50%.html"}}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`href="./a%20%231%3F.json"`, `href="./50%25.html"`} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("no %s in:\n%s", want, page.String())
		}
	}
}
