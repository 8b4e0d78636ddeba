package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"simrun/checker"
	"simrun/explore"
	"simrun/protocols"
	"simrun/sim"
	"simrun/traces"
	"simrun/traces/index"
)

// A matrixPage is a matrix on its way to a page: each cell with the schedule that
// it tells of, if there is one.
type matrixPage struct {
	about string
	rows  []pageRow
}

type pageRow struct {
	protocol *protocols.Protocol
	params   protocols.Params
	cells    []pageCell
}

type pageCell struct {
	text     string
	suffices []string
	story    *sim.Schedule
	found    traces.Found
}

// pageOf returns what the page of a matrix of random schedules shows.
func (m *comparison) pageOf(found *explore.Matrix) *matrixPage {
	p := &matrixPage{about: fmt.Sprintf(
		"Share of %s schedules that breaks the check, and the smallest sets of faults that do. 0: none, so at most %s at 95 %%. -: nothing to check.",
		grouped(schedulesOf(found)), percent(explore.UpperBound(schedulesOf(found))))}
	for i := range found.Rows {
		row := &found.Rows[i]
		r := pageRow{protocol: row.Protocol, params: row.Protocol.Defaults()}
		for k := range row.Report.Checks {
			check := &row.Report.Checks[k]
			cell := pageCell{text: shareOf(check, row.Report.Schedules)}
			if s := row.StoryOf(check.Check); s != nil {
				cell.suffices, cell.story = s.Suffices, &s.Schedule
				cell.found = traces.Found{Check: check.Check.Name, Seed: s.Seed, NotNeeded: s.Dropped}
			}
			r.cells = append(r.cells, cell)
		}
		p.rows = append(p.rows, r)
	}
	return p
}

// pageOfProofs returns what the page of an exhaustive comparison shows.
func (m *comparison) pageOfProofs(rows []explore.ProofRow) *matrixPage {
	p := &matrixPage{about: fmt.Sprintf(
		"The fewest faults that break the check, of at most %d, and the sets that do. none: no schedule with so many does.", m.most)}
	for _, row := range rows {
		r := pageRow{protocol: row.Protocol, params: row.Protocol.Smallest()}
		for i := range row.Proof.Checks {
			check := &row.Proof.Checks[i]
			cell := pageCell{text: soFar("none", row.Proof)}
			if check.Least >= 0 {
				cell.text, cell.story = strconv.Itoa(check.Least), &check.Breaks[0].Schedule
				cell.found = traces.Found{Check: check.Check.Name}
				for _, b := range check.Breaks {
					cell.suffices = append(cell.suffices, b.Kinds)
				}
			}
			r.cells = append(r.cells, cell)
		}
		p.rows = append(p.rows, r)
	}
	return p
}

// keepPage writes the stories of a matrix into the folder that was asked for, and
// then the page that leads to them.
func (m *comparison) keepPage(p *matrixPage) error {
	if m.html == "" {
		return nil
	}
	if err := os.MkdirAll(m.html, 0o777); err != nil {
		return fmt.Errorf("-html %s: %w", shellWord(m.html), cause(err))
	}
	table := &index.Table{Command: m.command(), About: p.about}
	for _, check := range m.campaign.Checks {
		table.Checks = append(table.Checks, index.Column{Name: check.Name, Breaks: check.Breaks})
	}
	for _, r := range p.rows {
		row := index.Row{Protocol: r.protocol.Name, About: r.protocol.Brief}
		for i := range r.cells {
			cell, err := m.keepCell(&r, &r.cells[i])
			if err != nil {
				return err
			}
			row.Cells = append(row.Cells, cell)
		}
		table.Rows = append(table.Rows, row)
	}
	if err := index.KeepMatrix(m.html, table); err != nil {
		return fmt.Errorf("-html %s: %w", shellWord(m.html), cause(err))
	}
	return nil
}

// keepCell writes the trace of a cell's story.
func (m *comparison) keepCell(r *pageRow, c *pageCell) (index.Cell, error) {
	cell := index.Cell{Text: c.text, Suffices: c.suffices}
	if c.story == nil {
		return cell, nil
	}
	t, _, err := explore.Record(r.protocol, r.params, *c.story, checker.All)
	if err != nil {
		return cell, err
	}
	t.Found = &c.found
	file, err := save(t, m.html, r.protocol.Name+"-"+c.found.Check)
	if err != nil {
		return cell, err
	}
	cell.Broken, cell.Trace = true, filepath.Base(file)
	cell.Page = index.PageOf(m.html, cell.Trace)
	return cell, nil
}
