package scenarios_test

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"simrun/protocols"
	"simrun/scenarios"
)

var update = flag.Bool("update", false, "record the scenarios and docs/debate.md anew")

// onDisk reads the scripts as they are now, not as they were compiled in.
func onDisk(t *testing.T) []*scenarios.Scenario {
	t.Helper()
	all, err := scenarios.ReadAll(os.DirFS("scripts"))
	if err != nil || len(all) == 0 {
		t.Fatalf("%d scenarios: %v", len(all), err)
	}
	return all
}

func TestScenariosRunAsRecorded(t *testing.T) {
	for _, s := range onDisk(t) {
		t.Run(s.Name, func(t *testing.T) {
			run, err := s.Run()
			if err != nil {
				t.Fatalf("%s: %v", s.File, err)
			}
			if run.Trace.Defect != "" {
				t.Errorf("%s: the run is broken off: %s", s.File, run.Trace.Defect)
			}
			if surprise := run.Surprise(); surprise != "" {
				t.Errorf("%s: %s", s.File, surprise)
			}
			file := filepath.Join("scripts", s.File)
			if *update {
				if err := os.WriteFile(file, []byte(run.Rerecorded().String()), 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(text), run.Rerecorded().String()); diff != "" {
				t.Errorf("%s: the run went otherwise (-script +run):\n%s", s.File, diff)
			}
			if difference := run.Difference(); difference != "" {
				t.Errorf("%s: %s", s.File, difference)
			}
		})
	}
}

// Every script stands in the folder of a group, or it would never be run.
func TestEveryScriptIsOfAGroup(t *testing.T) {
	files := 0
	err := filepath.WalkDir("scripts", func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files++
		}
		return err
	})
	if all := onDisk(t); err != nil || files != len(all) {
		t.Errorf("%d files, %d scenarios, error %v; want as many of both", files, len(all), err)
	}
}

func TestNamesAreUniqueAndKnown(t *testing.T) {
	seen := make(map[string]bool)
	for _, s := range scenarios.All() {
		if seen[s.Name] || strings.ContainsAny(s.Name, "_ /.") {
			t.Errorf("%s: %q is taken, or no name with dashes", s.File, s.Name)
		}
		seen[s.Name] = true
		if scenarios.Named(s.Name) != s || !slices.Contains(scenarios.Names(), s.Name) {
			t.Errorf("%q is not found by its name", s.Name)
		}
		if s.Group == nil || !strings.HasPrefix(s.File, s.Group.Name+"/") {
			t.Errorf("%s is of the group %v", s.File, s.Group)
		}
	}
	if len(seen) == 0 || scenarios.Named("demo-6") != nil {
		t.Errorf("%d names, and demo-6 is %v", len(seen), scenarios.Named("demo-6"))
	}
}

// The titles of the articles' scenarios fit on a line of the list.
func TestTitlesAreShort(t *testing.T) {
	for _, s := range onDisk(t) {
		if n := len([]rune(s.Title())); n > 72 && strings.HasPrefix(s.Group.Name, "article-") {
			t.Errorf("%s: the title has %d letters, want at most 72: %s", s.File, n, s.Title())
		}
	}
}

// Every protocol has a quiet scenario, so that a new one cannot go untold.
func TestEveryProtocolHasAQuietScenario(t *testing.T) {
	all := onDisk(t)
	for _, p := range protocols.All {
		i := slices.IndexFunc(all, func(s *scenarios.Scenario) bool { return s.Name == "quiet-"+p.Name })
		if i < 0 {
			t.Errorf("there is no scenario quiet-%s", p.Name)
		} else if s := all[i]; s.Protocol != p || len(s.Breaks)+len(s.Schedule.Faults) > 0 {
			t.Errorf("%s is of another protocol, has faults or breaks something", s.Name)
		}
	}
}
