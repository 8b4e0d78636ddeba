// Package page draws traces as one HTML page: a timeline to scale with a lane
// for each thread and each server, which can be gone through step by step.
//
// The page holds all that it needs. It opens from disk, asks no network, and
// runs no script but its own: what a trace says is shown as text.
package page

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"errors"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"simrun/clock"
	"simrun/traces"
)

//go:embed page.html picture.html page.css page.js
var files embed.FS

var layout = template.Must(template.New("page.html").Funcs(template.FuncMap{
	"add":  func(a, b int) int { return a + b },
	"sub":  func(a, b int) int { return a - b },
	"half": func(a int) int { return a / 2 },
	"inc":  func(a int) int { return a + 1 },
}).ParseFS(files, "*.html"))

// Write draws traces as a page: one, or several under each other on one time
// axis, as runs of one schedule are compared.
func Write(w io.Writer, runs ...*traces.Trace) error {
	if len(runs) == 0 {
		return errors.New("nothing to draw: want a trace at least")
	}
	return layout.Execute(w, viewOf(runs))
}

// A view is all that a page shows.
type view struct {
	Title    string
	Policy   string // what the browser is to allow
	Style    template.CSS
	Script   template.JS
	Width    int
	Height   int
	Ticks    []tick
	Folds    []band
	Drawings []*drawing
	Reports  []*report
	Steps    []*step
	Data     data
}

// Data is what the script needs to know, beside what stands on the page.
type data struct {
	Steps  []place     `json:"steps"`
	Knots  [][2]int64  `json:"knots"`  // instants and their places on the axis
	Clocks [][]reading `json:"clocks"` // of each lane
}

// A place is what a step shows.
type place struct {
	At     int64   `json:"at"` // nanoseconds of true time
	X      int     `json:"x"`
	Events []int   `json:"events"`
	Now    []state `json:"now"`
}

// Comparing reports whether the page shows several runs.
func (v *view) Comparing() bool { return len(v.Drawings) > 1 }

// AxisHeight returns how much stands above the first lane.
func (v *view) AxisHeight() int { return axisHeight }

// The widths of a picture on paper, which is cut into slices under each other.
const (
	namesWidth = 112
	sliceWidth = 1080
	maxSlices  = 12
)

// NamesWidth returns how wide the names of the lanes are.
func (v *view) NamesWidth() int { return namesWidth }

// SliceWidth returns how much of the axis is on one slice of paper.
func (v *view) SliceWidth() int { return sliceWidth }

// PaperWidth returns how wide a slice is together with the names.
func (v *view) PaperWidth() int { return namesWidth + sliceWidth }

// Slices returns where the slices begin, none for a picture that is too long.
func (v *view) Slices() []int {
	var slices []int
	for x := 0; x < v.Width && v.Width <= maxSlices*sliceWidth; x += sliceWidth {
		slices = append(slices, x)
	}
	return slices
}

func viewOf(runs []*traces.Trace) *view {
	var instants []clock.Instant
	for _, t := range runs {
		instants = append(instants, instantsOf(t)...)
	}
	a := newAxis(instants, latencyOf(runs))
	v := &view{Ticks: a.ticks(), Style: template.CSS(embedded("page.css")), Script: template.JS(embedded("page.js")), Steps: stepsOf(runs)}
	names := namesOfRuns(runs)
	v.Policy = policy(string(v.Style), string(v.Script))
	v.Width, v.Height = a.width, axisHeight
	var titles []string
	for i, t := range runs {
		heading := ""
		if len(runs) > 1 {
			heading = names[i]
		}
		d := draw(t, a, v.Height, heading)
		v.Height = d.Bottom
		v.Drawings = append(v.Drawings, d)
		v.Reports = append(v.Reports, reportOf(d, names[i], v.Steps, i))
		titles = append(titles, v.Reports[i].Title)
	}
	v.Title = strings.Join(titles, ", ")
	for _, s := range v.Steps {
		s.name(names)
	}
	for _, f := range a.folds {
		v.Folds = append(v.Folds, band{X: f.from.x, Width: f.to.x - f.from.x, Top: axisHeight - 14, Bottom: v.Height, Label: span(f.to.at.Sub(f.from.at))})
	}
	v.Data = v.dataOf(a)
	return v
}

// namesOfRuns returns the runs' protocols, numbered where two have the same.
func namesOfRuns(runs []*traces.Trace) []string {
	count := make(map[string]int)
	for _, t := range runs {
		count[t.Protocol]++
	}
	var names []string
	for i, t := range runs {
		name := t.Protocol
		if count[name] > 1 {
			name = fmt.Sprintf("%s (%d)", name, i+1)
		}
		names = append(names, name)
	}
	return names
}

// Differ reports whether the runs are of different schedules.
func (v *view) Differ() bool {
	return slices.ContainsFunc(v.Reports, func(r *report) bool { return !slices.Equal(r.Schedule, v.Reports[0].Schedule) })
}

func (v *view) dataOf(a *axis) data {
	d := data{Steps: []place{}, Clocks: [][]reading{}} // lists for the script, even without anything in them
	for _, s := range v.Steps {
		d.Steps = append(d.Steps, place{At: int64(s.At), X: a.x(s.At), Events: s.Events, Now: s.Now})
	}
	for _, k := range a.knots {
		d.Knots = append(d.Knots, [2]int64{int64(k.at), int64(k.x)})
	}
	for _, drawing := range v.Drawings {
		for _, l := range drawing.Lanes {
			d.Clocks = append(d.Clocks, drawing.clocks[l.Machine])
		}
	}
	return d
}

func embedded(name string) string {
	text, err := files.ReadFile(name)
	if err != nil {
		panic(err) // it is embedded above
	}
	return string(text)
}

// policy forbids all but the page's own style and script.
func policy(style, script string) string {
	hash := func(text string) string {
		sum := sha256.Sum256([]byte(text))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return fmt.Sprintf("default-src 'none'; base-uri 'none'; form-action 'none'; style-src %s; script-src %s", hash(style), hash(script))
}

// factsOf says in a line what was run.
func factsOf(t *traces.Trace) string {
	p := t.Parameters
	facts := fmt.Sprintf("lease %v, %d events, hash %s", p.TTL, len(t.Events), t.Hash)
	if t.Found != nil && t.Found.Seed > 0 {
		facts += fmt.Sprintf(", shrunk from seed %d", t.Found.Seed)
	}
	return facts
}
