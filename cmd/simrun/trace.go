package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"simrun/traces"
	"simrun/traces/index"
)

// save writes a trace into a folder, with its page beside it, and returns the
// file's name. The trace of
// another schedule or of other parameters that has this name already is left
// alone; a number then tells the two apart.
func save(t *traces.Trace, dir, name string) (string, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", fmt.Errorf("-out %s: %w", shellWord(dir), cause(err))
	}
	file := filepath.Join(dir, name+".json")
	for n := 2; taken(file, t); n++ {
		file = filepath.Join(dir, fmt.Sprintf("%s-%d.json", name, n))
	}
	if err := t.Save(file); err != nil {
		return "", err
	}
	return file, writePage(pageBeside(file), t)
}

// pageBeside returns the name of the page beside a trace.
func pageBeside(file string) string {
	return strings.TrimSuffix(file, filepath.Ext(file)) + ".html"
}

// keepIndex writes the index of the traces in a folder.
func keepIndex(dir string) error {
	if err := index.Keep(dir); err != nil {
		return fmt.Errorf("-out %s: %w", shellWord(dir), cause(err))
	}
	return nil
}

// taken reports whether a file holds something else than an earlier t.
func taken(file string, t *traces.Trace) bool {
	old, err := traces.Load(file)
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	return err != nil || old.Protocol != t.Protocol || old.Parameters != t.Parameters ||
		!slices.Equal(old.Schedule.Lines(), t.Schedule.Lines())
}
