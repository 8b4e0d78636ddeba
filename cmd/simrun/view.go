package main

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"simrun/traces"
	"simrun/traces/page"
)

// view draws one trace as a page, or two on one time axis.
func (c *console) view(args []string) error {
	a, err := parseArguments(args, []string{"o"}, nil)
	if err != nil {
		return err
	}
	if len(a.rest) == 0 {
		return errors.New("the trace is missing: want simrun view FILE")
	}
	if len(a.rest) > 2 {
		return fmt.Errorf("unexpected %s: view takes one file or two", shellWord(a.rest[2]))
	}
	var runs []*traces.Trace
	for _, name := range a.rest {
		t, err := traces.Load(name)
		if err != nil {
			return err
		}
		runs = append(runs, t)
	}
	name := a.text("o", pageBeside(a.rest[0]))
	if slices.Contains(a.rest, name) {
		return fmt.Errorf("-o %s: want another file for the page, this one is a trace", shellWord(name))
	}
	if err := writePage(name, runs...); err != nil {
		return err
	}
	c.printf("page: %s\n", name)
	return nil
}

// writePage writes a page to a file.
func writePage(name string, runs ...*traces.Trace) error {
	if err := traces.Replace(name, func(w io.Writer) error { return page.Write(w, runs...) }); err != nil {
		return fmt.Errorf("writing page %s: %w", name, err)
	}
	return nil
}
