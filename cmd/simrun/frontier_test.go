package main

import (
	"context"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
)

func TestWrongFrontierFlagsGetOneLine(t *testing.T) {
	inFolder(t)
	const kinds = "want pause, delay, step or rate, or two of them such as pause,step"
	for line, want := range map[string]string{
		"":                                       "-over '': " + kinds,
		"-over lunch":                            "-over lunch: " + kinds,
		"-over pause,lunch":                      "-over pause,lunch: " + kinds,
		"-over pause,pause":                      "-over pause,pause: " + kinds,
		"-over pause,delay,step":                 "-over pause,delay,step: " + kinds,
		"-over pause,":                           "-over pause,: " + kinds,
		"-over pause -check progres":             `-check: unknown check "progres": did you mean "progress"? "simrun list" shows all`,
		"-over pause x":                          "unexpected x: frontier takes flags alone",
		"-over pause -steps 3":                   "-steps goes with two kinds of fault, such as -over pause,step",
		"-over pause -svg a.svg":                 "-svg goes with two kinds of fault, such as -over pause,step",
		"-over pause,step -steps 0":              "-steps 0: want a number from 1 to 40",
		"-over pause,step -svg=":                 "-svg '': want a file",
		"-over pause,step -svg .":                "-svg .: is a folder",
		"-over pause,step -svg nowhere/at/a.svg": "-svg nowhere/at/a.svg: folder nowhere/at: no such file or directory",
	} {
		wantOneLine(t, line, want, simrun(append([]string{"frontier", "-protocol", "setnx"}, strings.Fields(line)...)...))
	}
}

func TestWhatBreaksWithoutAFaultHasNoFrontier(t *testing.T) {
	inFolder(t)
	const want = "advisory-lock-pooled breaks mutual-exclusion without any fault: want a check that it keeps, or fewer clients or rounds"
	for _, over := range []string{"pause", "pause,delay"} {
		line := "frontier -protocol advisory-lock-pooled -clients 26 -rounds 3 -ttl 20ms -over " + over
		wantOneLine(t, line, want, simrun(strings.Fields(line)...))
	}
}

func TestInterruptedFrontierClaimsNothing(t *testing.T) {
	inFolder(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for line, before := range map[string]string{"-over pause": "the frontier was found", "-over pause,step -svg a.svg": "the grid was complete"} {
		r := simrunIn(ctx, append(strings.Fields("frontier -protocol lua-release"), strings.Fields(line)...)...)
		if r.code != exitInterrupted || r.out != "" || r.errors != "simrun: interrupted before "+before+"\n" {
			t.Errorf("%s: exit code %d, stdout %q, stderr %q", line, r.code, r.out, r.errors)
		}
	}
	if _, err := os.Stat("a.svg"); err == nil {
		t.Error("a picture was drawn")
	}
}

// The picture has a rectangle for each cell, in the colour of its state, and names
// both axes and the lease's times.
func TestPictureShowsTheGrid(t *testing.T) {
	inFolder(t)
	r := simrun(strings.Fields("frontier -protocol deadline -check no-stale-write -over pause,delay -steps 6 -svg a.svg")...)
	if r.code != exitHeld || r.errors != "" {
		t.Fatalf("exit code %d, stderr %q", r.code, r.errors)
	}
	fillOf := map[string]string{"·": fills[0], "P": fills[1], "D": fills[2], "*": fills[3], "#": fills[4]}
	want := make(map[string]int)
	chart, _, _ := strings.Cut(r.out, "  up: ")
	_, chart, _ = strings.Cut(chart, "\n\n")
	for glyph, fill := range fillOf {
		if n := strings.Count(chart, " "+glyph); n > 0 {
			want[fill] = n + 1 // that of the legend
		}
	}
	want[fillOf["#"]]++ // the legend's smallest pair
	fills, texts := picture(t, "a.svg")
	for fill, n := range want {
		if fills[fill] != n {
			t.Errorf("%d rectangles in %s, want %d", fills[fill], fill, n)
		}
	}
	for _, text := range []string{
		"Does deadline keep no-stale-write under one pause and one delay?", "length of the pause", "length of the delay",
		"TTL 300ms", "validity 295ms", "the two together break it, neither alone does",
	} {
		if !strings.Contains(texts, text) {
			t.Errorf("%q is missing", text)
		}
	}
}

// picture reads an SVG file: how many rectangles there are of each colour, and
// all its text.
func picture(t *testing.T, file string) (fills map[string]int, texts string) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	fills = make(map[string]int)
	for d := xml.NewDecoder(f); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return fills, texts
		}
		if err != nil {
			t.Fatal(err)
		}
		switch token := token.(type) {
		case xml.CharData:
			texts += string(token) + "\n"
		case xml.StartElement:
			for _, a := range token.Attr {
				if token.Name.Local == "rect" && a.Name.Local == "fill" {
					fills[a.Value]++
				}
			}
		}
	}
}
