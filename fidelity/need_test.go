package fidelity

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// programs are what the tests run besides Go: the Debian package that each is
// in, and where it lies if it is not on the path.
var programs = map[string]struct{ pkg, lies string }{
	"gcc":          {"gcc libc6-dev", ""},
	"redis-server": {"redis-server", ""},
	"initdb":       {"postgresql", "/usr/lib/postgresql/*/bin"},
	"postgres":     {"postgresql", "/usr/lib/postgresql/*/bin"},
	"java":         {"default-jre-headless", ""},
	"zkServer.sh":  {"zookeeper", "/usr/share/zookeeper/bin"},
}

// need returns the path of a program. Without the program the test is skipped,
// or fails if SIMRUN_NEEDS is set.
func need(t testing.TB, program string) string {
	t.Helper()
	known, ok := programs[program]
	if !ok {
		t.Fatalf("%s is not among the programs of need_test.go", program)
	}
	if path, err := exec.LookPath(program); err == nil {
		return path
	}
	if found, _ := filepath.Glob(filepath.Join(known.lies, program)); known.lies != "" && len(found) > 0 {
		return found[len(found)-1]
	}
	missing := t.Skipf
	if os.Getenv("SIMRUN_NEEDS") != "" {
		missing = t.Fatalf
	}
	missing("needs %s: apt-get install %s", program, known.pkg)
	return ""
}

// A refusal is a test that notes how it ends, and goes on.
type refusal struct {
	testing.TB
	skipped, failed string
}

func (r *refusal) Helper()                        {}
func (r *refusal) Skipf(format string, a ...any)  { r.skipped = fmt.Sprintf(format, a...) }
func (r *refusal) Fatalf(format string, a ...any) { r.failed = fmt.Sprintf(format, a...) }

func TestATestWithoutItsServerSaysWhatToInstall(t *testing.T) {
	const want = "needs redis-server: apt-get install redis-server"
	t.Setenv("PATH", t.TempDir())
	tests := []struct{ needs, skipped, failed string }{
		{"", want, ""},
		{"1", "", want},
	}
	for _, tt := range tests {
		t.Setenv("SIMRUN_NEEDS", tt.needs)
		r := &refusal{TB: t}
		need(r, "redis-server")
		if r.skipped != tt.skipped || r.failed != tt.failed {
			t.Errorf("with SIMRUN_NEEDS=%q it is skipped with %q and fails with %q, want %q and %q",
				tt.needs, r.skipped, r.failed, tt.skipped, tt.failed)
		}
	}
}
