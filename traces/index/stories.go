package index

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"simrun/checker"
	"simrun/traces"
)

// A Story is a trace as a row of a list.
type Story struct {
	Protocol string
	Check    string   // which it breaks; empty if none
	Why      string   // how
	Faults   []string // in its schedule
	Trace    string   // the file's name, relative to the page
	Page     string   // that of a page that shows it, empty if there is none
}

// Read returns the stories of all traces in a folder, by protocol and check.
// Files that are no traces are left out.
func Read(dir string) ([]Story, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var stories []Story
	for _, entry := range entries {
		if filepath.Ext(entry.Name()) != ".json" {
			continue
		}
		if t, err := traces.Load(filepath.Join(dir, entry.Name())); err == nil {
			stories = append(stories, storyOf(t, dir, entry.Name()))
		}
	}
	slices.SortStableFunc(stories, func(a, b Story) int {
		return cmp.Or(cmp.Compare(a.Protocol, b.Protocol), cmp.Compare(rank(a.Check), rank(b.Check)))
	})
	return stories, nil
}

// rank orders checks as their table does, models after them, and what breaks
// none last.
func rank(check string) int {
	if i := slices.Index(checker.Names(), check); i >= 0 {
		return i
	}
	return len(checker.Names())
}

func storyOf(t *traces.Trace, dir, name string) Story {
	s := Story{Protocol: t.Protocol, Trace: name, Page: PageOf(dir, name)}
	for _, f := range t.Schedule.Faults {
		s.Faults = append(s.Faults, f.String())
	}
	if j := t.Violated(); j != nil {
		s.Check, s.Why = j.Check, j.Why
	} else if t.Defect != "" {
		s.Why = "the run is broken off: " + t.Defect
	}
	return s
}

// PageOf returns the name of the page that shows a trace in a folder, or nothing
// if there is none.
func PageOf(dir, trace string) string {
	page := trace[:len(trace)-len(filepath.Ext(trace))] + ".html"
	if _, err := os.Stat(filepath.Join(dir, page)); err != nil {
		return ""
	}
	return page
}

// Name is the name of an index in its folder.
const Name = "index.html"

// Keep writes the index of a folder into it. An index.html of somebody else is
// left alone, and a folder without traces gets none.
func Keep(dir string) error {
	stories, err := Read(dir)
	if err != nil || len(stories) == 0 {
		return err
	}
	return keep(dir, func(w io.Writer) error { return List(w, stories) })
}

func keep(dir string, write func(io.Writer) error) error {
	file := filepath.Join(dir, Name)
	old, err := os.ReadFile(file)
	if err == nil && !bytes.Contains(old, []byte(generator)) {
		return nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return traces.Replace(file, write)
}
