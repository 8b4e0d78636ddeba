package main

import (
	"fmt"
	"io"
	"strings"

	"simrun/traces"
	"simrun/traces/diagram"
	"simrun/traces/page"
)

// pictures are the flags that draw a trace into a file, and how they do.
var pictures = []struct {
	flag string
	draw func(io.Writer, *traces.Trace) error
}{
	{"html", func(w io.Writer, t *traces.Trace) error { return page.Write(w, t) }},
	{"mermaid", diagram.Mermaid},
	{"svg", diagram.SVG},
	{"porcupine", diagram.Porcupine},
}

func pictureFlags() []string {
	var names []string
	for _, p := range pictures {
		names = append(names, p.flag)
	}
	return names
}

// onStdout is the name of a file that means standard output.
const onStdout = "-"

// drawn returns which pictures are asked for, and whether one goes to standard
// output, which then takes nothing else.
func (a *arguments) drawn(asJSON bool) (flags []string, there bool) {
	var rivals []string
	if asJSON {
		rivals = append(rivals, "-json")
	}
	for _, p := range pictures {
		file, asked := a.values[p.flag]
		if asked {
			flags = append(flags, p.flag)
		}
		if file == onStdout {
			rivals, there = append(rivals, "-"+p.flag), true
		}
	}
	if there && len(rivals) > 1 && a.err == nil {
		a.err = fmt.Errorf("%s: only one of them can go to standard output, want a file for the picture", strings.Join(rivals, " and "))
	}
	return flags, there
}

// draw writes the pictures that are asked for.
func (c *console) draw(a *arguments, t *traces.Trace) error {
	for _, p := range pictures {
		file, asked := a.values[p.flag]
		write := func(w io.Writer) error { return p.draw(w, t) }
		switch {
		case !asked:
		case file == onStdout:
			if err := write(c.out); err != nil {
				return err
			}
		default:
			if err := traces.Replace(file, write); err != nil {
				return fmt.Errorf("-%s %s: %w", p.flag, shellWord(file), cause(err))
			}
		}
	}
	return nil
}
