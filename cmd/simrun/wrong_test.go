package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestWrongUseIsOneLineAndExitCode2(t *testing.T) {
	inFolder(t)
	if err := os.WriteFile("file", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	const all = `; "simrun list" shows all`
	for _, test := range []struct{ line, want string }{
		{"", "-protocol is missing: want a name such as redlock" + all},
		{"-protocol", "-protocol: want a value after it"},
		{"-protocol redlok", `unknown protocol "redlok": did you mean "redlock"? "simrun list" shows all`},
		{"-protocol zzz", `unknown protocol "zzz": "simrun list" shows all`},
		{"-protocol watch", `unknown protocol "watch": did you mean "watchdog"? "simrun list" shows all`},
		{"redlock", `unknown command "redlock": to run that protocol, say -protocol redlock`},
		{"replai x", `unknown command "replai": did you mean "replay"? "simrun help" shows all`},
		{"-seeds 5", "-protocol is missing: want a name such as redlock" + all},
		{"-protocol redlock -seeds 0", "-seeds 0: want a number from 1 to 1000000000"},
		{"-protocol redlock -seeds -5", "-seeds -5: want a number from 1 to 1000000000"},
		{"-protocol redlock -seeds many", "-seeds many: want a number from 1 to 1000000000"},
		{"-protocol redlock -seeds 99999999999999999999", "-seeds 99999999999999999999: want a number from 1 to 1000000000"},
		{"-protocol redlock -seed 0", "-seed 0: want a number from 1 to 1000000000"},
		{"-protocol redlock -faults paus", `-faults: unknown fault "paus": did you mean "pause"? "simrun list" shows all`},
		{"-protocol redlock -faults pause,,loss", `-faults: unknown fault "": "simrun list" shows all`},
		{"-protocol redlock -faults all,pause", `-faults: "all" must stand alone`},
		{"-protocol redlock -faults pause@wrte", `-faults: unknown place of the fault pause "wrte": did you mean "write"? "simrun list" shows all`},
		{"-protocol redlock -faults pause@renew", "-faults pause@renew: there is nothing for pause@renew to strike in a quiet run of redlock"},
		{"-protocol redlock -check mutual", `-check: unknown check "mutual": did you mean "mutual-exclusion"? "simrun list" shows all`},
		{"-protocol redlock -check =", `-check: unknown check "=": "simrun list" shows all`},
		{"-protocol redlock -clients 0", "-clients 0: want 1 to 26"},
		{"-protocol redlock -clients two", "-clients two: want a whole number"},
		{"-protocol redlock -rounds -1", "-rounds -1: want 1 to 100"},
		{"-protocol redlock -nodes 0", "-nodes 0: want 1 to 99"},
		{"-protocol lua-release -nodes 5", "-nodes 5: lua-release uses a single lock server, want 1"},
		{"-protocol redlock -ttl 300", "-ttl 300: want a duration such as 300ms"},
		{"-protocol redlock -ttl 1ms", "-ttl 1ms: want whole milliseconds from 20ms to 24h0m0s"},
		{"-protocol redlock -work 0s", "-work 0s: want 1ms up to the TTL of 300ms; longer jobs are the fault overrun"},
		{"-protocol redlock -work long", "-work long: want a duration such as 300ms"},
		{"-protocol redlock -token incr", `-token "incr": redlock takes no fencing tokens`},
		{"-protocol fencing -token dice", `-token "dice": want incr or sequence`},
		{"-protocol redlock -workers 0", "-workers 0: want a number from 1 to 1024"},
		{"-protocol redlock -json=maybe", "-json maybe: want true or false, as in -json=true"},
		{"-protocol redlock -quiet=maybe", "-quiet maybe: want true or false, as in -quiet=true"},
		{"-protocol redlock -seedz 4", `unknown flag -seedz: did you mean -seeds? "simrun help" shows all`},
		{"-protocol redlock -xyzzy", `unknown flag -xyzzy: "simrun help" shows all`},
		{"-protocol redlock extra", "unexpected extra: run takes flags alone"},
		{"-protocol redlock -out file", "-out file: file is not a folder"},
		{"-protocol redlock -out file/traces", "-out file/traces: not a directory"},
		{"-protocol redlock -out=", "-out '': want a folder for traces"},
		{"list more", "unexpected more: list takes no arguments"},
		{"explain", `the name is missing: want simrun explain NAME; "simrun list" shows all`},
		{"explain paws", `unknown name "paws": did you mean "pause"? "simrun list" shows all`},
		{"explain pause loss", "unexpected loss: explain takes one name"},
		{"replay", "the trace is missing: want simrun replay FILE"},
		{"replay a b", "unexpected b: replay takes one file"},
		{"replay -bogus a", `unknown flag -bogus: "simrun help" shows all`},
		{"replay none.json", "reading trace none.json: no such file or directory"},
		{"replay .", "reading trace .: is a directory"},
	} {
		wantOneLine(t, test.line, test.want, simrun(strings.Fields(test.line)...))
	}
}

func wantOneLine(t *testing.T, line, want string, r said) {
	t.Helper()
	if got := strings.TrimSuffix(r.errors, "\n"); got != "simrun: "+want {
		t.Errorf("simrun %s\nsays %s\nwant simrun: %s", line, got, want)
	}
	if r.code != exitWrong || r.out != "" {
		t.Errorf("simrun %s: exit code %d and stdout %q, want %d and nothing", line, r.code, r.out, exitWrong)
	}
}

// writeTrace runs until a trace is written and returns its name.
func writeTrace(t *testing.T) string {
	t.Helper()
	inFolder(t)
	simrun("-protocol", "setnx", "-seeds", "200", "-faults", "amnesia", "-check", "mutual-exclusion")
	files, err := filepath.Glob("simrun-out/*.json")
	if err != nil || len(files) != 1 {
		t.Fatalf("traces %v, error %v; want one trace", files, err)
	}
	return files[0]
}

func TestBadTracesAreOneLineAndExitCode2(t *testing.T) {
	good, err := os.ReadFile(writeTrace(t))
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		edit func(string) string
		want string // what the line says
	}{
		"truncated":         {func(s string) string { return s[:len(s)/2] }, "truncated"},
		"empty":             {func(string) string { return "" }, "empty"},
		"no JSON":           {func(string) string { return "hello" }, "line 1: "},
		"no trace":          {func(string) string { return "{}" }, "not a trace"},
		"future version":    {replacing(`"simrun": 1`, `"simrun": 99`), "format 99: this simrun reads format 1"},
		"edited event":      {replacing("holds", "drops", `"kind":"grant"`, `"kind":"deny"`), `"events" were changed`},
		"unknown field":     {replacing(`"protocol"`, `"protokoll"`), `unknown field "protokoll"`},
		"unknown protocol":  {replacing(`"setnx"`, `"setnxx"`), `unknown protocol "setnxx": did you mean "setnx"?`},
		"wrong parameter":   {replacing(`"nodes": 1`, `"nodes": 7`), `"parameters": nodes 7: setnx uses a single lock server, want 1`},
		"unknown check":     {replacing(`{"check":"progress"`, `{"check":"progres"`), `unknown check "progres"`},
		"unknown fault":     {replacing("amnesia redis", "insomnia redis"), `unknown fault "insomnia"`},
		"unknown actor":     {replacing("amnesia redis", "amnesia n7"), `unknown actor "n7"`},
		"diverging run":     {replacing(" for 0s", " for 30ms"), " differs: the file has "},
		"differing verdict": {replacing(`{"check":"progress","state":"held"`, `{"check":"progress","state":"unknown"`), "the verdict differs: the file has progress unknown, this run has progress held"},
	} {
		t.Run(name, func(t *testing.T) {
			bad := test.edit(string(good))
			if bad == string(good) {
				t.Fatal("the edit changes nothing")
			}
			if err := os.WriteFile("bad.json", []byte(bad), 0o644); err != nil {
				t.Fatal(err)
			}
			r := simrun("replay", "bad.json")
			if !strings.HasPrefix(r.errors, "simrun: ") || strings.Count(r.errors, "\n") != 1 {
				t.Errorf("says %q, want one line", r.errors)
			}
			if !strings.Contains(r.errors, "bad.json: ") || !strings.Contains(r.errors, test.want) {
				t.Errorf("says %q, want the name of the file and %q", r.errors, test.want)
			}
			if r.code != exitWrong || r.out != "" {
				t.Errorf("exit code %d and stdout %q, want %d and nothing", r.code, r.out, exitWrong)
			}
		})
	}
}

func replacing(pairs ...string) func(string) string {
	return strings.NewReplacer(pairs...).Replace
}
