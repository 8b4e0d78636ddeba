// Package golden compares what tests get with files that tell what they are to get.
package golden

import (
	"flag"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Update is the flag of the tests that writes golden files anew.
var Update = flag.Bool("update", false, "write the golden files anew")

// Compare fails the test unless a golden file holds what it got. With Update, it
// writes the file first.
func Compare(t testing.TB, file, got string) {
	t.Helper()
	if *Update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("not as in %s (-want +got):\n%s", file, diff)
	}
}
