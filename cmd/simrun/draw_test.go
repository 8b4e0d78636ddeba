package main

import (
	"os"
	"strings"
	"testing"
)

func TestPicturesGoToFilesBesideTheStory(t *testing.T) {
	file := writeTrace(t)
	plain := simrun("replay", file)
	for _, f := range pictures {
		r := simrun("replay", "-"+f.flag, "picture", file)
		if r.out != plain.out || r.code != plain.code || r.errors != "" {
			t.Errorf("-%s: exit code %d, stderr %q, want %d and the story:\n%s", f.flag, r.code, r.errors, plain.code, r.out)
		}
		picture, err := os.ReadFile("picture")
		if err != nil {
			t.Fatal(err)
		}
		// Pages of porcupine can differ in the order of what they list.
		if alone := simrun("replay", "-"+f.flag, "-", file); len(alone.out) != len(picture) || alone.code != plain.code {
			t.Errorf("-%s -: exit code %d, want %d and what is in the file", f.flag, alone.code, plain.code)
		}
	}
}

func TestScenariosAreDrawnToo(t *testing.T) {
	for _, f := range pictures {
		r := simrun("scenario", "-"+f.flag, "-", "set-nx-px-death")
		if r.code != exitHeld || r.errors != "" || r.out == "" || strings.Contains(r.out, "as recorded") {
			t.Errorf("-%s: exit code %d, stderr %q, stdout:\n%s", f.flag, r.code, r.errors, r.out)
		}
	}
}

func TestATraceThatDiffersIsNotDrawn(t *testing.T) {
	file := writeTrace(t)
	edit(t, file, " for 0s", " for 30ms")
	r := simrun("replay", "-mermaid", "picture", file)
	if _, err := os.Stat("picture"); r.code != exitWrong || err == nil {
		t.Errorf("exit code %d, want %d and no picture", r.code, exitWrong)
	}
}

func TestWrongPictureFlagsGetOneLine(t *testing.T) {
	file := writeTrace(t)
	for line, want := range map[string]string{
		"replay -json -mermaid - " + file:  "simrun: -json and -mermaid: only one of them can go to standard output, want a file for the picture\n",
		"replay -mermaid no/where " + file: "simrun: -mermaid no/where: no such file or directory\n",
		"scenario -mermaid x":              "simrun: -mermaid: want the name of a scenario to draw\n",
	} {
		r := simrun(strings.Fields(line)...)
		if r.code != exitWrong || r.out != "" || r.errors != want {
			t.Errorf("%s: exit code %d, stdout %q, stderr %q, want %q", line, r.code, r.out, r.errors, want)
		}
	}
}
