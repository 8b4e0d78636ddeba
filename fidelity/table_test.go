package fidelity

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "record how many steps are compared, and rewrite docs/fidelity.md")

const document = "../docs/fidelity.md"

// A table says what of a real server is compared with the simulated one.
type table struct {
	name string // of its mark in docs/fidelity.md, and of its file in testdata
	rows []row
}

// A row is a command, or something that happens to the server.
type row struct {
	name  string
	how   string // how it is compared
	limit string // what of it is not
	since string // the version that first has it, if the tests run with an older one
}

// tables are the servers that docs/fidelity.md tells of.
var tables = []table{redisTable, postgresTable, etcdTable, zookeeperTable}

// A tally counts the steps that were compared, by the names of their rows.
type tally map[string]int

// A recording is a tally as it is kept in testdata: what docs/fidelity.md tells.
type recording struct {
	Version string `json:"version"` // of the real server
	Steps   tally  `json:"steps"`
}

func (t table) file() string { return "testdata/" + t.name + "_steps.json" }

func (t table) row(name string) (row, bool) {
	for _, r := range t.rows {
		if r.name == name {
			return r, true
		}
	}
	return row{}, false
}

func (t table) recording() (recording, error) {
	r := recording{Steps: tally{}}
	text, err := os.ReadFile(t.file())
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &r)
	}
	return r, err
}

// record takes the steps of a test to the record, where -update is set. Each must
// belong to a row of the table.
func (t table) record(tb testing.TB, version string, steps tally) {
	tb.Helper()
	for name := range steps {
		if _, ok := t.row(name); !ok {
			tb.Errorf("%d steps of %q are compared, which is no row of the table of %s", steps[name], name, t.name)
		}
	}
	if !*update || tb.Failed() {
		return
	}
	r, err := t.recording()
	if err != nil {
		tb.Fatal(err)
	}
	if r.Version != version {
		r = recording{Version: version, Steps: tally{}}
	}
	for name, n := range steps {
		r.Steps[name] = n
	}
	text, err := json.MarshalIndent(r, "", "\t")
	if err == nil {
		err = os.WriteFile(t.file(), append(text, '\n'), 0o644)
	}
	if err != nil {
		tb.Fatal(err)
	}
	t.document(tb)
}

// markdown returns the table as docs/fidelity.md has it.
func (t table) markdown() (string, error) {
	r, err := t.recording()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "| what | steps on %s | how | not compared |\n| --- | --- | --- | --- |\n", r.Version)
	for _, row := range t.rows {
		steps := grouped(r.Steps[row.name])
		if r.Steps[row.name] == 0 {
			steps = "none: new in " + row.since
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", row.name, steps, row.how, row.limit)
	}
	return b.String(), nil
}

// grouped writes a number in groups of three digits.
func grouped(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + " " + s[i:]
	}
	return s
}

// document compares the table with docs/fidelity.md; -update rewrites it there.
func (t table) document(tb testing.TB) {
	tb.Helper()
	text, err := os.ReadFile(document)
	if err != nil {
		tb.Fatal(err)
	}
	mark := regexp.MustCompile("(?s)<!-- table: " + t.name + " -->\n(.*?)<!-- end of the table -->")
	at := mark.FindSubmatchIndex(text)
	if at == nil {
		tb.Fatalf("%s has nothing like %v", document, mark)
	}
	want, err := t.markdown()
	if err != nil {
		tb.Fatal(err)
	}
	if *update {
		err = os.WriteFile(document, []byte(string(text[:at[2]])+want+string(text[at[3]:])), 0o644)
	} else if diff := cmp.Diff(want, string(text[at[2]:at[3]])); diff != "" {
		tb.Errorf("%s is not what the tests compare (-tests +document):\n%s", document, diff)
	}
	if err != nil {
		tb.Fatal(err)
	}
}

func TestTheDocumentSaysWhatIsCompared(t *testing.T) {
	for _, table := range tables {
		table.document(t)
	}
}

// A row without steps would be an empty promise.
func TestEveryRowHasBeenCompared(t *testing.T) {
	for _, table := range tables {
		r, err := table.recording()
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range table.rows {
			if r.Steps[row.name] == 0 && row.since == "" {
				t.Errorf("%s: no step of %s is compared, which the server has", table.name, row.name)
			}
		}
	}
}
