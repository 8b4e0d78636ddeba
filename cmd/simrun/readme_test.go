package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const readme = "../../README.md"

// readmeOutputs finds what the README shows of outputs, and the commands that
// they are the outputs of: in a block, or as a table that ends with a comment.
var readmeOutputs = []*regexp.Regexp{
	regexp.MustCompile("(?s)<!-- output: simrun (.*?) -->\n```\n(.*?)```"),
	regexp.MustCompile("(?s)<!-- table: simrun (.*?) -->\n(.*?)<!-- end of the table -->"),
}

// What the README shows must be what the command prints; -update rewrites it.
func TestReadmeShowsWhatTheCommandPrints(t *testing.T) {
	path, err := filepath.Abs(readme)
	if err != nil {
		t.Fatal(err)
	}
	inFolder(t)
	for _, outputs := range readmeOutputs {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		found := outputs.FindSubmatchIndex(text)
		if found == nil {
			t.Fatalf("the README has nothing like %v", outputs)
		}
		command, shown := string(text[found[2]:found[3]]), string(text[found[4]:found[5]])
		got := simrun(append(strings.Fields(command), "-workers", "2")...).out
		if *update {
			text = slices.Concat(text[:found[4]], []byte(got), text[found[5]:])
			if err := os.WriteFile(path, text, 0o644); err != nil {
				t.Fatal(err)
			}
		} else if diff := cmp.Diff(maskTimes(shown), maskTimes(got)); diff != "" {
			t.Errorf("simrun %s prints something else (-README +now):\n%s", command, diff)
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
