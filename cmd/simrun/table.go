package main

import (
	"slices"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// table begins a table without rules or boxes.
func (c *console) table(headers ...any) table.Writer {
	t := table.NewWriter()
	style := table.StyleDefault
	style.Options = table.OptionsNoBordersAndSeparators
	style.Format.Header = text.FormatDefault
	style.Box.PaddingLeft, style.Box.PaddingRight = "", "   "
	t.SetStyle(style)
	t.SuppressTrailingSpaces()
	if len(headers) > 0 {
		t.AppendHeader(headers)
	}
	return t
}

func (c *console) print(t table.Writer) { c.printf("%s\n", t.Render()) }

// wrap lets the text in a column of a table take up what the others, which
// are as wide as given, leave of the console's width.
func (c *console) wrap(t table.Writer, column int, others ...int) {
	c.fit(t, column, text.WrapSoft, others)
}

// snip is wrap, but cuts the text off where it would take another line.
func (c *console) snip(t table.Writer, column int, others ...int) {
	c.fit(t, column, func(s string, most int) string { return text.Snip(s, most, "…") }, others)
}

func (c *console) fit(t table.Writer, column int, enforce table.WidthEnforcer, others []int) {
	rest := c.width
	for _, w := range others {
		rest -= w + 3
	}
	t.SetColumnConfigs([]table.ColumnConfig{{Number: column, WidthMax: max(rest, 20), WidthMaxEnforcer: enforce}})
}

// widest returns the length of the longest name.
func widest(names []string) int {
	longest := slices.MaxFunc(names, func(a, b string) int { return len(a) - len(b) })
	return len(longest)
}
