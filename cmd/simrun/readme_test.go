package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const readme = "../../README.md"

// readmeOutput finds the output that the README shows and the command that it
// is the output of.
var readmeOutput = regexp.MustCompile("(?s)<!-- output: simrun (.*?) -->\n```\n(.*?)```")

// What the README shows must be what the command prints; -update rewrites it.
func TestReadmeShowsWhatTheCommandPrints(t *testing.T) {
	text, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	found := readmeOutput.FindSubmatchIndex(text)
	if found == nil {
		t.Fatal("the README shows no output")
	}
	command, shown := string(text[found[2]:found[3]]), string(text[found[4]:found[5]])
	folder, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	inFolder(t)
	got := simrun(append(strings.Fields(command), "-workers", "2")...).out
	if *update {
		text = append(append(append([]byte{}, text[:found[4]]...), got...), text[found[5]:]...)
		if err := os.WriteFile(folder+"/"+readme, text, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(maskTimes(shown), maskTimes(got)); diff != "" {
		t.Errorf("simrun %s prints something else (-README +now):\n%s", command, diff)
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
