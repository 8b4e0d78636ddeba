package scenarios_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"simrun/checker"
	"simrun/explore"
	"simrun/protocols"
	"simrun/scenarios"
	"simrun/sim"
)

const sample = `# B takes the lock that has run out. A works on.
#
# More about it.
protocol setnx clients 2 rounds 1 ttl 300ms work 150ms
breaks mutual-exclusion, own-release
noise seed 1 from 500µs to 500µs
client A starts at 0s works 60ms rounds 1
client B starts at 310ms works 60ms rounds 1
overrun A round 1 for 280ms
`

func TestParse(t *testing.T) {
	s, err := scenarios.Parse(sample + "---\nwhat was told\n")
	if err != nil {
		t.Fatal(err)
	}
	if want := "B takes the lock that has run out"; s.Title() != want {
		t.Errorf("the title is %q, want %q", s.Title(), want)
	}
	want := protocols.Params{Clients: 2, Rounds: 1, Nodes: 1, TTL: 300 * time.Millisecond, Work: 150 * time.Millisecond}
	if s.Protocol.Name != "setnx" || s.Params != want {
		t.Errorf("%s with %+v, want setnx with %+v", s.Protocol.Name, s.Params, want)
	}
	if got := strings.Join(s.Breaks, " "); got != "mutual-exclusion own-release" {
		t.Errorf("breaks %s", got)
	}
	if s.Recorded != "what was told\n" || len(s.Schedule.Clients) != 2 || len(s.Schedule.Faults) != 1 {
		t.Errorf("recorded %q, schedule %v", s.Recorded, s.Schedule.Lines())
	}
}

func TestParseTakesWhatPeopleWrite(t *testing.T) {
	want, err := scenarios.Parse(sample)
	if err != nil {
		t.Fatal(err)
	}
	for name, edit := range map[string]func(string) string{
		"lines of Windows":            replacing("\n", "\r\n"),
		"blank lines before the rule": func(s string) string { return s + "\n\n---\n" },
		"a rule without an end":       func(s string) string { return s + "---" },
		"no line end":                 func(s string) string { return strings.TrimSuffix(s, "\n") },
		"spaces":                      replacing("clients 2 ", "clients   2  ", "own-release", " own-release "),
		"checks in another order":     replacing("mutual-exclusion, own-release", "own-release,mutual-exclusion"),
		"usual parameters left out":   replacing(" ttl 300ms work 150ms", ""),
		"no space after the sign":     replacing("# More", "#More"),
	} {
		got, err := scenarios.Parse(edit(sample))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if diff := cmp.Diff(want, got, compare...); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// compare tells scripts apart by what they say, not by where.
var compare = []cmp.Option{
	cmpopts.IgnoreUnexported(scenarios.Script{}),
	cmpopts.EquateEmpty(),
	cmp.Comparer(func(a, b *protocols.Protocol) bool { return a == b }),
	cmp.Comparer(func(a, b *sim.Kind) bool { return a == b }),
}

func replacing(pairs ...string) func(string) string { return strings.NewReplacer(pairs...).Replace }

func TestTitleIsTheFirstSentence(t *testing.T) {
	for _, test := range []struct {
		about []string
		want  string
	}{
		{[]string{"One. Two."}, "One"},
		{[]string{"One goes", "on here. Two."}, "One goes on here"},
		{[]string{"One", "", "Two."}, "One"},
		{[]string{"After 1.5 s it is over."}, "After 1.5 s it is over"},
		{[]string{"", "One"}, ""},
		{nil, ""},
	} {
		s := scenarios.Script{About: test.about}
		if got := s.Title(); got != test.want {
			t.Errorf("%q: %q, want %q", test.about, got, test.want)
		}
	}
}

func TestBadScriptsNameTheLineAndWhatIsWanted(t *testing.T) {
	for _, test := range []struct {
		name string
		edit func(string) string
		want string
	}{
		{"empty", func(string) string { return "" }, `line 1: want a header that begins with the title, such as "# A plain DEL`},
		{"no header", func(s string) string { return s[strings.Index(s, "protocol"):] }, "line 1: want a header"},
		{"no title", replacing("# B takes the lock that has run out. A works on.", "#"), "line 1: want a header"},
		{"nothing else", func(string) string { return "# Title.\n" }, `line 2: found "", want a protocol and its parameters, such as "protocol setnx clients 2`},
		{"no protocol", replacing("protocol setnx", "protokoll setnx"), `line 4: found "protokoll setnx clients 2`},
		{"unknown protocol", replacing("setnx", "setnxx"), `line 4: unknown protocol "setnxx", want one of setnx-expire, setnx, `},
		{"unknown parameter", replacing("rounds 1 ttl", "lives 9 ttl"), `line 4: unknown parameter "lives", want clients, rounds, nodes, ttl, work or token`},
		{"parameter twice", replacing("rounds 1 ttl", "clients 2 ttl"), "line 4: the parameter clients stands there twice, want it once"},
		{"no value", replacing("work 150ms", "work"), `line 4: a value is missing after "work"`},
		{"bad number", replacing("clients 2", "clients two"), `line 4: clients "two": want a whole number`},
		{"bad duration", replacing("ttl 300ms", "ttl 300"), `line 4: ttl "300": want a duration such as 300ms`},
		{"out of bounds", replacing("clients 2", "clients 27"), "line 4: clients 27: want 1 to 26"},
		{"nodes of a single server", replacing("rounds 1 ttl", "nodes 3 ttl"), "line 4: nodes 3: setnx uses a single lock server, want 1"},
		{"token of a lock without", replacing("work 150ms", "token incr"), `line 4: token "incr": setnx takes no fencing tokens`},
		{"nothing said of checks", replacing("breaks mutual-exclusion, own-release\n", ""), `line 5: found "noise seed 1`},
		{"no check", replacing("breaks mutual-exclusion, own-release", "breaks"), `line 5: found "breaks", want what the run breaks: "breaks nothing", or checks as in`},
		{"unknown check", replacing("own-release", "own-relase"), `line 5: unknown check "own-relase", want nothing, or some of mutual-exclusion, own-release, `},
		{"a model for a check", replacing("own-release", "owner-mutex"), `line 5: unknown check "owner-mutex"`},
		{"no noise", replacing("noise seed 1 from 500µs to 500µs\n", ""), `line 6: found "client A starts at 0s`},
		{"no client", replacing("client A starts at 0s works 60ms rounds 1\nclient B starts at 310ms works 60ms rounds 1\noverrun A round 1 for 280ms\n", ""), "line 7: no client: want a noise line and a line such as"},
		{"bad client", replacing("client B starts", "client B begins"), `line 8: found "client B begins`},
		{"bad time", replacing("310ms", "310"), `line 8: client B starts at "310": want a time`},
		{"unknown fault", replacing("overrun", "paws"), `line 9: unknown fault "paws", want one of pause, `},
		{"bad point", replacing("round 1 for", "turn 1 for"), `line 9: found "turn 1 for 280ms", want a point`},
		{"blank line", replacing("overrun", "\noverrun"), "line 9: "},
	} {
		_, err := scenarios.Parse(test.edit(sample))
		var placed *sim.LineError
		if !errors.As(err, &placed) || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%s: %v\nwant %s", test.name, err, test.want)
		} else if strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: more than one line: %v", test.name, err)
		}
	}
}

func TestFaultsThatDoNotFitNameTheirLine(t *testing.T) {
	for _, test := range []struct{ fault, want string }{
		{"amnesia n7 at 20ms for 0s", `line 10: fault "amnesia n7 at 20ms for 0s": unknown actor "n7", want one of `},
		{"pause redis before write 1 for 10ms", `line 10: fault "pause redis before write 1 for 10ms": unknown actor "redis", want one of `},
		{"pause A before write 7 for 10ms", `line 10: the fault "pause A before write 7 for 10ms" never strikes in this run`},
		{"loss A->redis request 99", `line 10: the fault "loss A->redis request 99" never strikes in this run`},
	} {
		s, err := scenarios.Parse(sample + test.fault + "\n")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Run(); err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%s: %v\nwant %s", test.fault, err, test.want)
		}
	}
}

func TestRunSaysHowItDiffers(t *testing.T) {
	s, err := scenarios.Parse(sample)
	if err != nil {
		t.Fatal(err)
	}
	run, err := s.Run()
	if err != nil {
		t.Fatal(err)
	}
	const surprise = "line 5: the script breaks mutual-exclusion, own-release, this run breaks mutual-exclusion, own-release, no-lost-update, effect-once"
	if got := run.Surprise(); got != surprise {
		t.Errorf("surprise %q, want %q", got, surprise)
	}
	for _, test := range []struct {
		name string
		edit func(string) string
		want string
	}{
		{"as recorded", func(s string) string { return s }, ""},
		{"a line changed", replacing("DEL lock -> 1", "DEL lock -> 7"), `the script has "[  344.0 ms] A: DEL lock -> 7", this run has "[  344.0 ms] A: DEL lock -> 1"`},
		{"the end is missing", func(s string) string { return s[:strings.Index(s, "progress: held")] }, `the script has its end, this run has "progress: held"`},
		{"more at the end", func(s string) string { return s + "more\n" }, `the script has "more", this run has its end`},
		{"nothing recorded", func(string) string { return "" }, ""},
	} {
		recorded := run.Rerecorded()
		recorded.Recorded = test.edit(run.Told)
		s, err := scenarios.Parse(recorded.String())
		if err != nil {
			t.Fatal(err)
		}
		run, err := s.Run()
		if err != nil {
			t.Fatal(err)
		}
		got := run.Difference()
		if (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
		if got == "" {
			continue
		}
		// The line that is named is the one that differs.
		file, here := strings.Split(s.String(), "\n"), strings.Split(run.Rerecorded().String(), "\n")
		line := 1
		for line <= len(file) && line <= len(here) && file[line-1] == here[line-1] {
			line++
		}
		if want := fmt.Sprintf("line %d: ", line); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q, want %s", test.name, got, want)
		}
	}
}

// drawn draws scripts that people could have written.
func drawn(t *rapid.T) *scenarios.Script {
	p := rapid.SampledFrom(protocols.All).Draw(t, "protocol")
	params := p.Defaults()
	params.Clients = rapid.IntRange(1, 4).Draw(t, "clients")
	params.Rounds = rapid.IntRange(1, 3).Draw(t, "rounds")
	params.TTL = time.Duration(rapid.IntRange(20, 5_000).Draw(t, "ttl")) * time.Millisecond
	params.Work = time.Duration(rapid.IntRange(1, int(params.TTL/time.Millisecond)).Draw(t, "work")) * time.Millisecond
	if p.Tokens {
		params.Token = rapid.SampledFrom([]protocols.TokenSource{protocols.Incr, protocols.Sequence}).Draw(t, "token")
	}
	s := &scenarios.Script{
		About:    rapid.SliceOfN(rapid.StringMatching(`[a-zA-Z#.,]([a-z .#-]*[a-z.])?`), 0, 3).Draw(t, "about"),
		Protocol: p,
		Params:   params,
		Schedule: explore.NewSpace(p, params, explore.AllFaults()).Schedules().Draw(t, "schedule"),
		Recorded: rapid.StringMatching(`([a-z\-]*\n?)*`).Draw(t, "recorded"),
	}
	s.About = append([]string{"Title"}, s.About...)
	for _, c := range checker.All {
		if rapid.Bool().Draw(t, c.Name) {
			s.Breaks = append(s.Breaks, c.Name)
		}
	}
	return s
}

func TestPrintedScriptsReadBackTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := drawn(t)
		got, err := scenarios.Parse(want.String())
		if err != nil {
			t.Fatalf("%v in:\n%s", err, want)
		}
		if diff := cmp.Diff(want, got, compare...); diff != "" {
			t.Fatalf("(-printed +read):\n%s", diff)
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add(sample)
	f.Add(sample + "---\ntold\n")
	for _, s := range scenarios.All() {
		f.Add(s.String())
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := scenarios.Parse(text)
		if err != nil {
			var placed *sim.LineError
			if !errors.As(err, &placed) || placed.Line < 1 || placed.Line > strings.Count(text, "\n")+2 {
				t.Fatalf("%v: want a line of the %d", err, strings.Count(text, "\n")+1)
			}
			return
		}
		again, err := scenarios.Parse(s.String())
		if err != nil {
			t.Fatalf("%v in:\n%s", err, s)
		}
		if diff := cmp.Diff(s, again, compare...); diff != "" {
			t.Fatalf("(-read +read again):\n%s", diff)
		}
		if !slices.Equal(s.Breaks, again.Breaks) {
			t.Fatal("the checks are in another order")
		}
	})
}
