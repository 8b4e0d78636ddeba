package main

import (
	"bufio"
	"fmt"
	"io"
	"time"

	svg "github.com/ajstarks/svgo"

	"simrun/explore"
	"simrun/sim"
)

// A chart is a picture of a grid: more of one kind of fault to the top, more of
// the other to the right. Lengths are in pixels.
type chart struct {
	*grid
	space  *explore.Space
	canvas *svg.SVG
	side   int // of a cell
	marks  [5]mark
}

// How large the cells of a chart are together, at most, and what is around them.
const (
	chartSide   = 520
	chartLeft   = 110
	chartTop    = 96
	chartRight  = 320
	chartBottom = 70
)

// fills are the colours of the cells by state. They differ for the colour-blind
// and in grey, too (Okabe and Ito, Color Universal Design, 2008).
var fills = [...]string{
	explore.Keeps:       "#f0f0f0",
	explore.RowAlone:    "#e69f00",
	explore.ColumnAlone: "#56b4e9",
	explore.EitherAlone: "#8c8c8c",
	explore.Together:    "#7d0c37",
}

// draw writes the grid as an SVG picture.
func (g *grid) draw(w io.Writer, space *explore.Space) error {
	out := bufio.NewWriter(w)
	p := &chart{grid: g, space: space, canvas: svg.New(out), side: chartSide / (g.steps + 1), marks: g.marks()}
	width, height := chartLeft+p.across()+chartRight, chartTop+p.across()+chartBottom
	p.canvas.Startview(width, height, 0, 0, width, height)
	p.canvas.Title(p.title())
	p.canvas.Gstyle("font: 13px Helvetica, Arial, sans-serif; fill: #222")
	p.canvas.Rect(0, 0, width, height, `fill="#fff"`)
	p.titles()
	p.cells()
	p.axes()
	p.leases()
	p.legend()
	p.canvas.Gend()
	p.canvas.End()
	return out.Flush()
}

// across returns the side of all cells together.
func (p *chart) across() int { return p.side * (p.steps + 1) }

// x and y return where a cell of a column and of a row begins.
func (p *chart) x(column int) int { return chartLeft + column*p.side }
func (p *chart) y(row int) int    { return chartTop + (p.steps-row)*p.side }

func (p *chart) titles() {
	p.canvas.Text(chartLeft, 28, p.title(), `font-size="17"`, `font-weight="bold"`)
	p.canvas.Text(chartLeft, 49, fmt.Sprintf("each at every point, in either order; %s, %s, jobs of %v",
		plural(p.params.Clients, "client"), plural(p.params.Nodes, "lock server"), p.space.Quiet().Clients[0].Work), `fill="#555"`)
	middle := p.across() / 2
	p.canvas.Text(chartLeft+middle, chartTop+p.across()+48, axisTitle(p.second), `text-anchor="middle"`, `font-weight="bold"`)
	p.canvas.TranslateRotate(28, chartTop+middle, -90)
	p.canvas.Text(0, 0, axisTitle(p.kind), `text-anchor="middle"`, `font-weight="bold"`)
	p.canvas.Gend()
}

func (p *chart) cells() {
	rows, columns := p.labels(0), p.labels(1)
	for row, cells := range p.Cells {
		for column, cell := range cells {
			p.canvas.Group()
			p.canvas.Title(fmt.Sprintf("%s %s, %s %s: %s", p.kind.Name, rows[row], p.second.Name, columns[column], p.marks[cell].says))
			p.box(p.x(column), p.y(row), p.side, cell)
			p.canvas.Gend()
		}
	}
	if p.Pair != nil {
		p.canvas.Rect(p.x(p.Pair.Column)+3, p.y(p.Pair.Row)+3, p.side-6, p.side-6, `fill="none"`, `stroke="#fff"`, `stroke-width="2"`)
	}
}

// box draws a cell, with its glyph in a corner if there is room for it, where no
// line crosses it.
func (p *chart) box(x, y, side int, cell explore.Cell) {
	p.canvas.Rect(x, y, side, side, fmt.Sprintf(`fill="%s"`, fills[cell]), `stroke="#fff"`)
	if side >= 16 {
		ink := "#222"
		if cell == explore.Together {
			ink = "#fff"
		}
		p.canvas.Text(x+8, y+14, p.marks[cell].glyph, `text-anchor="middle"`, `font-size="12"`, fmt.Sprintf(`fill="%s"`, ink))
	}
}

// axes writes amounts at as many rows and columns as there is room for.
func (p *chart) axes() {
	for axis, labels := range [][]string{p.labels(0), p.labels(1)} {
		room := []int{16, 8*widest(labels) + 6}[axis]
		for i := 0; i < len(labels); i += room/p.side + 1 {
			if axis == 0 {
				p.canvas.Text(chartLeft-8, p.y(i)+p.side/2+5, labels[i], `text-anchor="end"`)
			} else {
				p.canvas.Text(p.x(i)+p.side/2, chartTop+p.across()+20, labels[i], `text-anchor="middle"`)
			}
		}
	}
}

// leases draws a line where an amount is that of the TTL, and one where it is that
// of the validity, if the client stops by itself then.
func (p *chart) leases() {
	p.lease("TTL", p.params.TTL, "7 4", beyond)
	if validity, limited := p.space.Validity(); limited {
		p.lease("validity", validity, "2 3", before)
	}
}

// The sides of a line on which its name can stand: towards more and towards less.
const (
	beyond = -1
	before = 1
)

// lease draws one of the two on every axis that it lies on, with a light rim so that
// it is seen on dark cells.
func (p *chart) lease(name string, at time.Duration, dashes string, side int) {
	line := func(x1, y1, x2, y2 int) {
		p.canvas.Line(x1, y1, x2, y2, `stroke="#fff"`, `stroke-width="4"`, `stroke-opacity="0.7"`)
		p.canvas.Line(x1, y1, x2, y2, `stroke="#000"`, `stroke-width="1.5"`, fmt.Sprintf(`stroke-dasharray="%s"`, dashes))
	}
	text := fmt.Sprintf("%s %v", name, at)
	for axis, kind := range []*sim.Kind{p.kind, p.second} {
		stride := time.Duration(p.Amounts[axis][1])
		offset := p.side/2 + int(at*time.Duration(p.side)/stride)
		if kind.Unit == sim.Rate || offset > p.across() {
			continue
		}
		if axis == 0 {
			y := chartTop + p.across() - offset
			line(chartLeft, y, chartLeft+p.across()+14, y)
			p.canvas.Text(chartLeft+p.across()+18, y+5+side*8, text)
			continue
		}
		x, anchor := chartLeft+offset, "start"
		if side == before {
			anchor = "end"
		}
		line(x, chartTop-20, x, chartTop+p.across())
		p.canvas.Text(x-side*5, chartTop-10, text, fmt.Sprintf(`text-anchor="%s"`, anchor))
	}
}

// legend says what the cells mean, to the right of them.
func (p *chart) legend() {
	x, y := chartLeft+p.across()+30, chartTop+p.across()/2
	for cell, m := range p.marks {
		if p.has(explore.Cell(cell)) {
			p.box(x, y, 20, explore.Cell(cell))
			p.canvas.Text(x+28, y+15, m.says)
			y += 28
		}
	}
	if p.Pair != nil {
		p.canvas.Rect(x, y, 20, 20, fmt.Sprintf(`fill="%s"`, fills[explore.Together]))
		p.canvas.Rect(x+3, y+3, 14, 14, `fill="none"`, `stroke="#fff"`, `stroke-width="2"`)
		p.canvas.Text(x+28, y+15, "the smallest of these")
	}
}
