package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"simrun/internal/golden"
)

const readme = "../../README.md"

// readmeOutputs finds what the README shows of outputs, and the commands that
// they are the outputs of: in a block, as a table that ends with a comment, or as
// a diagram.
var readmeOutputs = []*regexp.Regexp{
	regexp.MustCompile("(?s)<!-- output: simrun (.*?) -->\n```\n(.*?)```"),
	regexp.MustCompile("(?s)<!-- table: simrun (.*?) -->\n(.*?)<!-- end of the table -->"),
	regexp.MustCompile("(?s)<!-- diagram: simrun (.*?) -->\n```mermaid\n(.*?)```"),
}

// What the README shows must be what the command prints; -update rewrites it.
func TestReadmeShowsWhatTheCommandPrints(t *testing.T) {
	path, err := filepath.Abs(readme)
	if err != nil {
		t.Fatal(err)
	}
	inFolder(t)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, outputs := range readmeOutputs {
		found := outputs.FindAllSubmatchIndex(text, -1)
		if len(found) == 0 {
			t.Errorf("the README has nothing like %v", outputs)
		}
		slices.Reverse(found) // from the end, so that places before stay where they are
		for _, at := range found {
			command, shown := string(text[at[2]:at[3]]), string(text[at[4]:at[5]])
			words := strings.Fields(command)
			if words[0] != "scenario" {
				words = append(words, "-workers", "2")
			}
			got := simrun(words...).out
			if *golden.Update {
				text = slices.Concat(text[:at[4]], []byte(got), text[at[5]:])
			} else if diff := cmp.Diff(maskTimes(shown), maskTimes(got)); diff != "" {
				t.Errorf("simrun %s prints something else (-README +now):\n%s", command, diff)
			}
		}
	}
	if *golden.Update {
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// The lock of the README is the one that the tests of package explore run.
func TestReadmeShowsALockThatIsTested(t *testing.T) {
	text, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("../../explore/ours_external_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, function, _ := strings.Cut(string(source), "func TestOurLock")
	if function == "" || !strings.Contains(string(text), "func TestOurLock"+function) {
		t.Error("the README's TestOurLock is not that of explore/ours_external_test.go")
	}
}
