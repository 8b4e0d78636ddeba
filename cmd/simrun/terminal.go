package main

import (
	"io"
	"os"

	"github.com/fatih/color"
	"golang.org/x/term"
)

// maxWidth is how wide tables get at most.
const maxWidth = 100

// columns returns how wide a table on w may be, and whether w is a terminal.
func columns(w io.Writer) (width int, terminal bool) {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return maxWidth, false
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil || width <= 0 {
		return maxWidth, true
	}
	return min(width, maxWidth), true
}

// A paint colours text, or does not where colours are not wanted.
type paint struct {
	bad, good, name func(...any) string
}

func newPaint(on bool) paint {
	brush := func(attributes ...color.Attribute) func(...any) string {
		c := color.New(attributes...)
		if on {
			c.EnableColor()
		} else {
			c.DisableColor()
		}
		return c.SprintFunc()
	}
	return paint{bad: brush(color.FgRed), good: brush(color.FgGreen), name: brush(color.Bold)}
}
