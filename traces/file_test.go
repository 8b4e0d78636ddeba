package traces

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// A file is left as it was by a write that fails, and nothing is left beside
// it.
func TestReplaceIsAllOrNothing(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "trace.json")
	full := errors.New("disk full")
	write := func(text string, err error) error {
		return Replace(name, func(w io.Writer) error {
			if _, err := io.WriteString(w, text); err != nil {
				return err
			}
			return err
		})
	}
	want := func(text string) {
		t.Helper()
		got, err := os.ReadFile(name)
		if err != nil || string(got) != text {
			t.Errorf("the file holds %q (%v), want %q", got, err, text)
		}
		entries, err := os.ReadDir(dir)
		if err != nil || len(entries) != 1 {
			t.Errorf("the folder holds %v (%v), want the file alone", entries, err)
		}
	}
	if err := write("half of the first", full); !errors.Is(err, full) {
		t.Errorf("error %v, want %v", err, full)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 0 {
		t.Errorf("the folder holds %v (%v), want nothing", entries, err)
	}
	if err := write("first", nil); err != nil {
		t.Fatal(err)
	}
	want("first")
	if err := write("half of the second", full); !errors.Is(err, full) {
		t.Errorf("error %v, want %v", err, full)
	}
	want("first")
	if err := write("second", nil); err != nil {
		t.Fatal(err)
	}
	want("second")
}
