package golden_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"simrun/internal/golden"
)

// A quiet test notes how it fails, and goes on.
type quiet struct {
	testing.TB
	said string
}

func (q *quiet) Helper()                        {}
func (q *quiet) Errorf(format string, a ...any) { q.said = fmt.Sprintf(format, a...) }

func TestCompareTellsWhatDiffersFromTheFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "golden.txt")
	if err := os.WriteFile(file, []byte("as before\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	q := &quiet{TB: t}
	if golden.Compare(q, file, "as before\n"); q.said != "" {
		t.Errorf("the same text fails: %s", q.said)
	}
	if golden.Compare(q, file, "otherwise\n"); !strings.Contains(q.said, file) || !strings.Contains(q.said, "otherwise") {
		t.Errorf("another text fails with %q, want the file and what differs", q.said)
	}
}

func TestUpdateWritesTheFile(t *testing.T) {
	*golden.Update = true
	t.Cleanup(func() { *golden.Update = false })
	file := filepath.Join(t.TempDir(), "golden.txt")
	golden.Compare(t, file, "anew\n")
	if text, _ := os.ReadFile(file); string(text) != "anew\n" {
		t.Errorf("the file holds %q", text)
	}
}
