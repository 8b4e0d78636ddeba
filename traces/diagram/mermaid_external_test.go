package diagram_test

import (
	"errors"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"simrun/internal/golden"
	"simrun/scenarios"
	"simrun/traces/diagram"
)

func TestMermaidIsAsInTheGoldenFiles(t *testing.T) {
	for _, name := range []string{
		"invoices-3-stale-write",             // a pause
		"two-majorities",                     // lost requests, a restart
		"watchdog-goes-on-without-an-answer", // a second thread
		"set-nx-px-death",                    // attempts left out
		"quiet-lua-release",                  // nothing broken
	} {
		t.Run(name, func(t *testing.T) {
			golden.Compare(t, filepath.Join("testdata", name+".mmd"), drawn(t, diagram.Mermaid, scenario(t, name)))
		})
	}
}

// A line of a diagram is one of these, with text that nothing in it can end.
var (
	safe  = `(?:[\pL\pN .,()=+*/_!?'-]|#\d+;)*`
	lines = regexp.MustCompile(`^    (?:` + strings.Join([]string{
		`participant p\d+ as ` + safe,
		`p\d+(?:-?->>|--?x|--?\))p\d+: ` + safe,
		`Note over p\d+(?:,p\d+)?: ` + safe,
		`(?:de)?activate p\d+`,
		`rect rgba\(213, 94, 0, 0\.35\)`,
		`end`,
	}, "|") + `)$`)
)

func TestNoTextUpsetsMermaid(t *testing.T) {
	for _, text := range nasty {
		checkMermaid(t, drawn(t, diagram.Mermaid, hostile(text)))
	}
}

func TestEveryScenarioIsAMermaidDiagram(t *testing.T) {
	for _, s := range scenarios.All() {
		checkMermaid(t, drawn(t, diagram.Mermaid, scenario(t, s.Name)))
	}
}

// checkMermaid checks every line, and that bars and grounds end that begin.
func checkMermaid(t *testing.T, text string) {
	t.Helper()
	list := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if list[0] != "sequenceDiagram" {
		t.Errorf("begins with %q", list[0])
	}
	active := make(map[string]int)
	for _, line := range list[1:] {
		if !lines.MatchString(line) {
			t.Errorf("unexpected line %q", line)
		}
		verb, who, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch verb {
		case "activate":
			active[who]++
		case "deactivate":
			if active[who]--; active[who] < 0 {
				t.Errorf("%s is deactivated before it is activated in:\n%s", who, text)
			}
		}
	}
	for who, n := range active {
		if n != 0 {
			t.Errorf("%s stays active in:\n%s", who, text)
		}
	}
	if strings.Count(text, "    rect ") != strings.Count(text, "    end\n") {
		t.Errorf("a ground does not end in:\n%s", text)
	}
}

func TestMermaidOfNonsense(t *testing.T) {
	for name, trace := range nonsense {
		t.Run(name, func(t *testing.T) { checkMermaid(t, drawn(t, diagram.Mermaid, trace)) })
	}
}

func TestMermaidReportsFailedWrites(t *testing.T) {
	trace := scenario(t, "two-majorities")
	for _, n := range []int{0, 100, 1000} {
		if err := diagram.Mermaid(&broken{left: n}, trace); !errors.Is(err, errBroken) {
			t.Errorf("after %d bytes: error %v, want %v", n, err, errBroken)
		}
	}
}
