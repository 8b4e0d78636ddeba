package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"simrun/explore"
	"simrun/sim"
	"simrun/traces"
)

// A grid is what the frontier of two kinds of fault was found to be.
type grid struct {
	*quest
	*explore.Grid
	file string // the trace of its pair, if there is one
}

// grid tells how much of two kinds of fault at once a lock stands.
func (c *console) grid(ctx context.Context, q *quest, space *explore.Space) (int, error) {
	bar := c.progress(-1, false)
	x := explore.Pairs{
		Space:    space,
		Check:    q.check,
		Kinds:    [2]*sim.Kind{q.kind, q.second},
		Steps:    q.steps,
		Workers:  q.workers,
		Progress: bar.reached,
	}
	start := time.Now()
	g := grid{quest: q, Grid: x.Run(ctx)}
	took := time.Since(start)
	bar.clear()
	if ctx.Err() != nil {
		return c.brokenOff("the grid was complete")
	}
	if err := g.save(space); err != nil {
		return 0, err
	}
	if q.json {
		return exitHeld, c.gridJSON(&g)
	}
	c.gridText(&g)
	what := fmt.Sprintf("%s of %s", plural(g.Schedules, "schedule"), grouped(g.Searches)+" searches")
	c.printf("\n%s\n", pace(what, g.Schedules, took))
	return exitHeld, nil
}

// save writes the trace of the pair, and the picture if it is wanted.
func (g *grid) save(space *explore.Space) error {
	if g.Pair != nil {
		var err error
		if g.file, err = g.keep(g.Pair.Schedule, g.kind.Name+"-"+g.second.Name); err != nil {
			return err
		}
	}
	if g.svg == "" {
		return nil
	}
	err := traces.Replace(g.svg, func(w io.Writer) error { return g.draw(w, space) })
	if err != nil {
		return fmt.Errorf("-svg %s: %w", shellWord(g.svg), cause(err))
	}
	return nil
}

// A mark is how a state of a cell is shown.
type mark struct {
	glyph string
	word  string // in JSON
	says  string
}

// marks returns how each state of a cell is shown.
func (g *grid) marks() [5]mark {
	row, column := g.kind.Name, g.second.Name
	return [...]mark{
		explore.Keeps:       {"·", "none", "it does"},
		explore.RowAlone:    {initial(g.kind), row, "the " + row + " alone breaks it"},
		explore.ColumnAlone: {initial(g.second), column, "the " + column + " alone breaks it"},
		explore.EitherAlone: {"*", "either", "either alone breaks it"},
		explore.Together:    {"#", "both", "the two together break it, neither alone does"},
	}
}

// initial returns the first letter of what a kind is about: S for clock-step.
func initial(k *sim.Kind) string {
	word := k.Name[strings.LastIndexByte(k.Name, '-')+1:]
	return strings.ToUpper(word[:1])
}

// title asks what the grid answers.
func (g *grid) title() string {
	return fmt.Sprintf("Does %s keep %s under one %s and one %s?", g.protocol.Name, g.check.Name, g.kind.Name, g.second.Name)
}

// axisTitle says what the amounts of a kind are.
func axisTitle(k *sim.Kind) string {
	switch k.Unit {
	case sim.Rate:
		return k.Name + ", fast or slow"
	case sim.Shift:
		return k.Name + ", forward or backward"
	}
	return "length of the " + k.Name
}

func (g *grid) has(cell explore.Cell) bool {
	return slices.ContainsFunc(g.Cells, func(row []explore.Cell) bool { return slices.Contains(row, cell) })
}

// labels returns the amounts of the rows, or of the columns, as text.
func (g *grid) labels(axis int) []string {
	var labels []string
	for _, n := range g.Amounts[axis] {
		labels = append(labels, amount([]*sim.Kind{g.kind, g.second}[axis], n))
	}
	return labels
}

// gridText draws the grid as a chart: more of one kind to the top, more of the
// other to the right.
func (c *console) gridText(g *grid) {
	c.printf("%s\n\n", g.title())
	marks, rows, columns := g.marks(), g.labels(0), g.labels(1)
	for row, cells := range slices.Backward(g.Cells) {
		c.printf("  %*s ", widest(rows), rows[row])
		for _, cell := range cells {
			c.printf(" %s", marks[cell].glyph)
		}
		c.printf("\n")
	}
	var ruler strings.Builder
	each := widest(columns)/2 + 1 // a cell takes two characters
	for i := 0; i < len(columns); i += each {
		fmt.Fprintf(&ruler, "%-*s", 2*each, columns[i])
	}
	c.printf("  %*s  %s\n", widest(rows), "", strings.TrimRight(ruler.String(), " "))
	c.printf("  up: %s; to the right: %s\n\n", axisTitle(g.kind), axisTitle(g.second))
	for cell, m := range marks {
		if g.has(explore.Cell(cell)) {
			c.printf("  %s  %s\n", m.glyph, m.says)
		}
	}
	if g.Pair != nil {
		c.printf("\nthe smallest amounts that break it together:\n")
		c.faults("needed", g.Pair.Schedule.Faults)
		c.fact("replay", replayLine(g.file))
	}
}

func (c *console) gridJSON(g *grid) error {
	type pair struct {
		Faults []string `json:"faults"`
		Trace  string   `json:"trace"`
	}
	form := struct {
		Protocol  string     `json:"protocol"`
		Check     string     `json:"check"`
		Over      []string   `json:"over"` // the kinds of the rows and of the columns
		Rows      []string   `json:"rows"`
		Columns   []string   `json:"columns"`
		Cells     [][]string `json:"broken_by"` // by row and column
		Pair      *pair      `json:"pair"`      // null if no two break together what neither breaks alone
		Searches  int        `json:"searches"`
		Schedules int        `json:"schedules"`
	}{g.protocol.Name, g.check.Name, []string{g.kind.Name, g.second.Name}, g.labels(0), g.labels(1), nil, nil, g.Searches, g.Schedules}
	marks := g.marks()
	for _, cells := range g.Cells {
		words := make([]string, len(cells))
		for i, cell := range cells {
			words[i] = marks[cell].word
		}
		form.Cells = append(form.Cells, words)
	}
	if g.Pair != nil {
		form.Pair = &pair{Trace: g.file}
		for _, f := range g.Pair.Schedule.Faults {
			form.Pair.Faults = append(form.Pair.Faults, f.String())
		}
	}
	return c.encode(form)
}
