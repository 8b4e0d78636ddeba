package nodes_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"simrun/clock"
	"simrun/nodes"
	"simrun/sim"
)

var update = flag.Bool("update", false, "rewrite the answers in testdata")

// TestStories tells every story in testdata to a server. These are the lines
// of a story:
//
//	# what it is about
//	A#1> SET lock A#1 NX PX 300    A asks, in its first attempt
//	> GET lock                     somebody asks
//	wait 300ms                     time passes
//	clock +29s                     the server's wall clock is stepped
//
// Any other line is the server's answer: the reply to the command above and,
// indented, what the command changed. The flag -update writes them anew.
func TestStories(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no stories in testdata: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := new(server).tell(t, string(want))
			if *update {
				err = os.WriteFile(file, []byte(got), 0o666)
			} else if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("the server answers otherwise (-story +server):\n%s", diff)
			}
			if err != nil {
				t.Fatal(err)
			}
		})
	}
}

// A server is a Redis on a machine of its own.
type server struct {
	nodes.Redis
	clock clock.Clock
	now   clock.Instant
}

// tell tells a story and returns it with the server's own answers.
func (s *server) tell(t *testing.T, story string) string {
	var told strings.Builder
	for line := range strings.Lines(story) {
		word, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		by, asks := strings.CutSuffix(word, ">")
		switch {
		case asks:
			told.WriteString(line + s.answer(holder(t, by), strings.Fields(rest)))
		case word == "wait":
			s.now = s.now.Add(duration(t, rest))
			told.WriteString(line)
		case word == "clock":
			s.clock.Step(duration(t, rest))
			told.WriteString(line)
		case line == "\n" || word == "#":
			told.WriteString(line)
		}
	}
	return told.String()
}

// answer returns the reply to a command and what it changed, line by line.
func (s *server) answer(by sim.Holder, words []string) string {
	c, refusal := parse(words)
	if refusal != "" {
		return refusal.String() + "\n"
	}
	reply, changes := s.Apply(s.clock.Wall(s.now), by, c)
	answer := reply.String() + "\n"
	for _, c := range changes {
		answer += fmt.Sprintf("  %s %s\n", c.Kind, c.Owner)
	}
	return answer
}

// parse knows scripts by name, as EVAL release key value or EVAL renew key
// value ttl, and leaves the rest to the server.
func parse(words []string) (nodes.Command, nodes.Error) {
	if words[0] != "EVAL" {
		return nodes.ParseCommand(words)
	}
	c := nodes.Eval(nodes.ReleaseScript, words[2], words[3], 0)
	if words[1] == "renew" {
		ttl, _ := strconv.ParseInt(words[4], 10, 64)
		c.Script, c.Expiry = nodes.RenewScript, nodes.Expiry{Form: nodes.Millis, N: ttl}
	}
	return c, ""
}

func holder(t *testing.T, name string) (h sim.Holder) {
	if name == "" {
		return sim.Nobody
	}
	if err := h.UnmarshalText([]byte(name)); err != nil {
		t.Fatal(err)
	}
	return h
}

func duration(t *testing.T, s string) time.Duration {
	d, err := time.ParseDuration(s)
	if err != nil {
		t.Fatal(err)
	}
	return d
}
