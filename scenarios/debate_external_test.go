package scenarios_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"simrun/checker"
	"simrun/scenarios"
)

const debate = "../docs/debate.md"

// told finds the runs that a document tells, with their scenarios' names.
var told = regexp.MustCompile("(?s)(<!-- scenario: ([a-z0-9-]+) -->\n```\n)(.*?)(```\n)")

// What the document tells must be what happens; -update rewrites it.
func TestDebateTellsWhatHappens(t *testing.T) {
	text, err := os.ReadFile(debate)
	if err != nil {
		t.Fatal(err)
	}
	got := told.ReplaceAllStringFunc(string(text), func(block string) string {
		parts := told.FindStringSubmatch(block)
		return parts[1] + excerpt(ran(t, parts[2])) + parts[4]
	})
	if *update {
		if err := os.WriteFile(debate, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(text), got); diff != "" {
		t.Errorf("%s tells something else (-document +run); -update rewrites it:\n%s", debate, diff)
	}
}

// Each row of the article's table is shown by runs for both sides.
func TestDebateShowsWhatEachIsRightAbout(t *testing.T) {
	for _, row := range []struct {
		heading        string
		right, against string // scenarios: the flaw that one side names, and what the other has to set against it
		breaks         string // by the first
		keeps          []string
	}{
		{"## 1. Fencing\n", "redlock-is-not-fencing", "debate-1-antirez", "no-stale-write", []string{"no-stale-write", "no-lost-update"}},
		{"## 1. Fencing\n", "debate-1-kleppmann", "debate-1-antirez", "no-stale-write", []string{"no-stale-write", "no-lost-update"}},
		{"## 2. Time\n", "debate-2-kleppmann", "debate-2-antirez", "mutual-exclusion", allChecks()},
		{"## 3. Pause after acquiring the lock\n", "debate-3-kleppmann", "debate-3-antirez", "mutual-exclusion", []string{"own-release", "progress"}},
		{"## 4. Recommendation\n", "debate-4-one-redis", "debate-4-kleppmann", "no-lost-update", []string{"no-stale-write", "no-lost-update"}},
		{"## 4. Recommendation\n", "debate-4-one-redis", "debate-4-antirez", "mutual-exclusion", allChecks()},
	} {
		text, err := os.ReadFile(debate)
		if err != nil {
			t.Fatal(err)
		}
		_, section, _ := strings.Cut(string(text), row.heading)
		section, _, _ = strings.Cut(section, "\n## ")
		for _, name := range []string{row.right, row.against} {
			if !strings.Contains(section, "<!-- scenario: "+name+" -->\n") {
				t.Errorf("%s is not told under %q", name, row.heading)
			}
		}
		if broken := ran(t, row.right).Breaks; !slices.Contains(broken, row.breaks) {
			t.Errorf("%s breaks %v, want %s among them", row.right, broken, row.breaks)
		}
		for _, check := range row.keeps {
			if broken := ran(t, row.against).Breaks; slices.Contains(broken, check) {
				t.Errorf("%s breaks %s, which it must not", row.against, check)
			}
		}
	}
	// The pause does to one Redis what it does to Redlock.
	if broken := ran(t, "debate-3-antirez").Breaks; !slices.Contains(broken, "mutual-exclusion") {
		t.Errorf("debate-3-antirez breaks %v, want mutual-exclusion among them", broken)
	}
}

func allChecks() []string {
	var names []string
	for _, c := range checker.All {
		names = append(names, c.Name)
	}
	return names
}

// The script in the README is one of those that are run.
func TestReadmeShowsAScript(t *testing.T) {
	text, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	script := ran(t, "invoices-3-stale-write").Script.String()
	above, _, _ := strings.Cut(script, "---\n")
	if !strings.Contains(string(text), "```\n"+above+"---\n```\n") {
		t.Errorf("the README does not show\n%s", above)
	}
}

// excerpt is a run without the calm phase after it, and what it breaks.
func excerpt(run *scenarios.Run) string {
	var b strings.Builder
	for line := range strings.Lines(run.Story) {
		if strings.Contains(line, "] no further fault strikes;") {
			break
		}
		b.WriteString(line)
	}
	b.WriteString("\n")
	for line := range strings.Lines(run.Told[len(run.Story):]) {
		if strings.Contains(line, ": violated at ") {
			b.WriteString(line)
		}
	}
	if len(run.Breaks) == 0 {
		b.WriteString("nothing is broken\n")
	}
	return b.String()
}
