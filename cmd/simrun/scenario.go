package main

import (
	"errors"
	"fmt"
	"strings"

	"simrun/checker"
	"simrun/scenarios"
)

// scenario lists the scenarios, or runs one of them.
func (c *console) scenario(args []string) (int, error) {
	a, err := parseArguments(args, pictureFlags(), []string{"json", "update"})
	if err != nil {
		return 0, err
	}
	asJSON, update := a.truth("json"), a.truth("update")
	asked, drawn := a.drawn(asJSON)
	switch {
	case a.err != nil:
		return 0, a.err
	case len(a.rest) > 1:
		return 0, fmt.Errorf("unexpected %s: scenario takes one name or file", shellWord(a.rest[1]))
	case update && (len(a.rest) == 0 || !isFile(a.rest[0])):
		return 0, errors.New("-update: want a file, such as ./mine.txt; the scenarios of simrun are recorded by go test ./scenarios -update")
	case len(a.rest) == 0 && len(asked) > 0:
		return 0, fmt.Errorf("-%s: want the name of a scenario to draw", asked[0])
	case len(a.rest) == 0 && asJSON:
		return exitHeld, c.scenariosJSON()
	case len(a.rest) == 0:
		c.listScenarios()
		return exitHeld, nil
	}
	p, err := play(a.rest[0])
	if err != nil {
		return 0, err
	}
	if update {
		if err := p.record(); err != nil {
			return 0, err
		}
	}
	if err := c.draw(a, p.run.Trace); err != nil {
		return 0, err
	}
	switch {
	case asJSON:
		err = c.playedJSON(p)
	case !drawn:
		c.playedText(p)
	}
	if err == nil && p.otherwise() != "" {
		err = fmt.Errorf("%s: %s", p.File, p.otherwise())
	}
	return exitCode(p.run.Trace), err
}

// isFile reports whether a word means a file, and not a name.
func isFile(word string) bool {
	return strings.ContainsAny(word, `/\`) || strings.HasSuffix(word, ".txt")
}

// A played is a scenario and what came of it.
type played struct {
	*scenarios.Scenario
	run     *scenarios.Run
	updated bool // the file was rewritten
}

func play(word string) (*played, error) {
	s := scenarios.Named(word)
	if isFile(word) {
		var err error
		if s, err = scenarios.Load(word); err != nil {
			return nil, err
		}
	}
	if s == nil {
		return nil, fmt.Errorf("unknown scenario %q%s", word, suggestion(word, scenarios.Names(), `"simrun scenario" shows all`))
	}
	run, err := s.Run()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.File, err)
	}
	return &played{Scenario: s, run: run}, nil
}

// record rewrites the file, if the run breaks what its script says.
func (p *played) record() error {
	if p.run.Surprise() != "" || p.Recorded == p.run.Told {
		return nil
	}
	p.updated = true
	return p.Save(p.run)
}

// otherwise says how the run differs from the script, if it does.
func (p *played) otherwise() string {
	if surprise := p.run.Surprise(); surprise != "" || p.updated {
		return surprise
	}
	difference := p.run.Difference()
	if difference != "" && p.Group == nil {
		difference += "; scenario -update records this run"
	}
	return difference
}

func (c *console) listScenarios() {
	for _, g := range scenarios.Groups {
		t := c.table()
		var names []string
		for _, s := range scenarios.All() {
			if s.Group == g {
				t.AppendRow([]any{c.paint.name(s.Name), s.Title()})
				names = append(names, s.Name)
			}
		}
		if names == nil {
			continue
		}
		c.snip(t, 2, widest(names))
		c.printf("%s: %s\n\n", g.Name, g.About)
		c.print(t)
		c.printf("\n")
	}
	c.printf("\"simrun scenario NAME\" runs one of them, \"simrun scenario ./FILE.txt\" one of your own.\n")
}

func (c *console) playedText(p *played) {
	c.printf("%s\n\n%s\n\n%s\n", c.paint.name(p.Name), strings.Join(p.About, "\n"), p.run.Story)
	c.verdict(p.run.Trace)
	word := "as recorded"
	switch {
	case p.updated:
		word = "recorded"
	case p.otherwise() != "":
		word = "otherwise than recorded"
	case p.Recorded == "":
		word = "not recorded yet (-update does it)"
	}
	c.printf("\n%s: %s, hash %s\n", word, plural(len(p.run.Trace.Events), "event"), p.run.Trace.Hash)
}

func (c *console) scenariosJSON() error {
	type form struct {
		Name     string   `json:"name"`
		Group    string   `json:"group"`
		Title    string   `json:"title"`
		Protocol string   `json:"protocol"`
		Breaks   []string `json:"breaks"`
	}
	list := []form{}
	for _, s := range scenarios.All() {
		list = append(list, form{s.Name, s.Group.Name, s.Title(), s.Protocol.Name, append([]string{}, s.Breaks...)})
	}
	return c.encode(list)
}

func (c *console) playedJSON(p *played) error {
	form := struct {
		Name       string                   `json:"name"`
		Title      string                   `json:"title"`
		Protocol   string                   `json:"protocol"`
		Schedule   []string                 `json:"schedule"`
		Story      []string                 `json:"story"`
		Verdict    map[string]checker.State `json:"verdict"`
		Events     int                      `json:"events"`
		Hash       string                   `json:"hash"`
		Same       *bool                    `json:"same"` // null if nothing was recorded
		Difference *string                  `json:"difference"`
		Updated    bool                     `json:"updated"`
	}{
		Name: p.Name, Title: p.Title(), Protocol: p.Protocol.Name, Schedule: p.Schedule.Lines(),
		Story:   strings.Split(strings.TrimSuffix(p.run.Story, "\n"), "\n"),
		Verdict: make(map[string]checker.State),
		Events:  len(p.run.Trace.Events), Hash: p.run.Trace.Hash, Updated: p.updated,
	}
	for _, j := range p.run.Trace.Verdict {
		form.Verdict[j.Check] = j.State
	}
	if p.Recorded != "" {
		form.Same = new(p.Recorded == p.run.Told)
	}
	if otherwise := p.otherwise(); otherwise != "" {
		form.Difference = &otherwise
	}
	return c.encode(form)
}
