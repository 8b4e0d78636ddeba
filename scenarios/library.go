package scenarios

import (
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"simrun/traces"
)

// A Scenario is a script that has a name.
type Scenario struct {
	Name  string
	Group *Group // nil for one that was loaded
	File  string // below the folder scripts, or where it was loaded from
	*Script
}

// A Group is a folder of scenarios.
type Group struct {
	Name  string
	About string
}

// Groups is the table of groups.
var Groups = []*Group{
	{"article-1", `the article "Distributed locks with Redis: what if the lock expires …?"`},
	{"article-2", `the article "Distributed locks and their limits"`},
	{"locks", "what each lock does, in quiet and under faults"},
	{"servers", "what the servers do that locks stand on"},
}

//go:embed scripts
var embedded embed.FS

// All returns the scenarios that simrun comes with, group by group and in the
// order of their names. They must not be changed.
var All = sync.OnceValue(func() []*Scenario {
	scripts, err := fs.Sub(embedded, "scripts")
	if err != nil {
		panic(err) // the name is well formed
	}
	all, err := ReadAll(scripts)
	if err != nil {
		panic(err) // the tests read every script
	}
	return all
})

// Named returns the scenario with the given name, or nil.
func Named(name string) *Scenario {
	for _, s := range All() {
		if s.Name == name {
			return s
		}
	}
	return nil
}

// Names returns the names of all scenarios.
func Names() []string {
	var names []string
	for _, s := range All() {
		names = append(names, s.Name)
	}
	return names
}

// ReadAll reads the scripts of every group from a folder.
func ReadAll(fsys fs.FS) ([]*Scenario, error) {
	var all []*Scenario
	for _, g := range Groups {
		files, err := fs.Glob(fsys, g.Name+"/*.txt")
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			text, err := fs.ReadFile(fsys, file)
			if err != nil {
				return nil, err
			}
			script, err := Parse(string(text))
			if err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
			all = append(all, &Scenario{Name: nameOf(file), Group: g, File: file, Script: script})
		}
	}
	return all, nil
}

// nameOf returns the name of the scenario in a file.
func nameOf(file string) string {
	return strings.ReplaceAll(strings.TrimSuffix(path.Base(file), ".txt"), "_", "-")
}

// Load reads a scenario of one's own. Its error names the file, and the line if
// it is about one.
func Load(file string) (*Scenario, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		var wrong *fs.PathError
		if errors.As(err, &wrong) {
			err = wrong.Err
		}
		return nil, fmt.Errorf("reading scenario %s: %w", file, err)
	}
	script, err := Parse(string(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return &Scenario{Name: nameOf(filepath.ToSlash(file)), File: file, Script: script}, nil
}

// Save writes the scenario to its file, with the run as what was recorded.
func (s *Scenario) Save(r *Run) error {
	return traces.Replace(s.File, func(w io.Writer) error {
		_, err := io.WriteString(w, r.Rerecorded().String())
		return err
	})
}
