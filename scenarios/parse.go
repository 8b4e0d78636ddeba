package scenarios

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"simrun/checker"
	"simrun/protocols"
	"simrun/sim"
)

// Parse reads a script. Its error is a [*sim.LineError] that says what was
// found and what is wanted in its place.
func Parse(text string) (*Script, error) {
	all := strings.Split(strings.ReplaceAll(text, "\r", ""), "\n")
	above, s := all, new(Script)
	if i := slices.Index(all, rule); i >= 0 {
		above, s.Recorded, s.lines.recorded = all[:i], strings.Join(all[i+1:], "\n"), i+2
	}
	for len(above) > 0 && strings.TrimSpace(above[len(above)-1]) == "" {
		above = above[:len(above)-1]
	}
	r := reader{lines: above}
	for _, part := range []func(*Script) error{r.about, r.protocol, r.breaks, r.schedule} {
		if err := part(s); err != nil {
			return nil, r.placed(err)
		}
	}
	return s, nil
}

// A reader goes through the lines of a script.
type reader struct {
	lines []string
	next  int // the number of lines that are read
}

// placed says in which line an error is: the last one read, unless the error
// knows better.
func (r *reader) placed(err error) error {
	var placed *sim.LineError
	if errors.As(err, &placed) {
		return placed
	}
	return &sim.LineError{Line: max(r.next, 1), Err: err}
}

// words returns the words of the next line. Past the end there are none.
func (r *reader) words() []string {
	r.next++
	if r.next > len(r.lines) {
		return nil
	}
	return strings.Fields(r.lines[r.next-1])
}

func (r *reader) about(s *Script) error {
	for r.next < len(r.lines) && strings.HasPrefix(r.lines[r.next], "#") {
		s.About = append(s.About, strings.TrimSpace(r.lines[r.next][1:]))
		r.next++
	}
	if s.Title() == "" {
		r.next = 1
		return errors.New(`want a header that begins with the title, such as "# A plain DEL deletes the lock of another."`)
	}
	return nil
}

func (r *reader) protocol(s *Script) error {
	words := r.words()
	if len(words) < 2 || words[0] != "protocol" {
		return fmt.Errorf(`found %q, want a protocol and its parameters, such as "protocol setnx clients 2 ttl 300ms"`, strings.Join(words, " "))
	}
	s.Protocol = protocols.Named(words[1])
	if s.Protocol == nil {
		return fmt.Errorf("unknown protocol %q, want one of %s", words[1], strings.Join(protocols.Names(), ", "))
	}
	s.Params = s.Protocol.Defaults()
	var given []string
	for pair := range slices.Chunk(words[2:], 2) {
		switch {
		case len(pair) < 2:
			return fmt.Errorf("a value is missing after %q", pair[0])
		case slices.Contains(given, pair[0]):
			return fmt.Errorf("the parameter %s stands there twice, want it once", pair[0])
		}
		given = append(given, pair[0])
		if err := parameter(&s.Params, pair[0], pair[1]); err != nil {
			return err
		}
	}
	return s.Protocol.Accepts(s.Params)
}

// parameter sets one parameter.
func parameter(params *protocols.Params, name, value string) error {
	numbers := map[string]*int{"clients": &params.Clients, "rounds": &params.Rounds, "nodes": &params.Nodes}
	durations := map[string]*time.Duration{"ttl": &params.TTL, "work": &params.Work}
	var err error
	if to := numbers[name]; to != nil {
		if *to, err = strconv.Atoi(value); err != nil {
			return fmt.Errorf("%s %q: want a whole number", name, value)
		}
	} else if to := durations[name]; to != nil {
		if *to, err = time.ParseDuration(value); err != nil {
			return fmt.Errorf("%s %q: want a duration such as 300ms", name, value)
		}
	} else if name == "token" {
		params.Token = protocols.TokenSource(value)
	} else {
		return fmt.Errorf("unknown parameter %q, want clients, rounds, nodes, ttl, work or token", name)
	}
	return nil
}

func (r *reader) breaks(s *Script) error {
	words := r.words()
	s.lines.breaks = r.next
	if len(words) < 2 || words[0] != "breaks" {
		return fmt.Errorf(`found %q, want what the run breaks: "breaks nothing", or checks as in "breaks mutual-exclusion, own-release"`, strings.Join(words, " "))
	}
	rest := strings.Join(words[1:], " ")
	if rest == nothing {
		return nil
	}
	broken := make(map[string]bool)
	for _, name := range strings.Split(rest, ",") {
		name = strings.TrimSpace(name)
		if !slices.ContainsFunc(checker.All, func(c *checker.Check) bool { return c.Name == name }) {
			return fmt.Errorf("unknown check %q, want nothing, or some of %s", name, strings.Join(checks(), ", "))
		}
		broken[name] = true
	}
	for _, name := range checks() {
		if broken[name] {
			s.Breaks = append(s.Breaks, name)
		}
	}
	return nil
}

// checks names the checks that a run is judged by.
func checks() []string {
	var names []string
	for _, c := range checker.All {
		names = append(names, c.Name)
	}
	return names
}

func (r *reader) schedule(s *Script) error {
	rest := r.lines[min(r.next, len(r.lines)):]
	schedule, err := sim.ParseSchedule(rest)
	var placed *sim.LineError
	if errors.As(err, &placed) {
		return &sim.LineError{Line: r.next + placed.Line, Err: placed.Err}
	}
	if err != nil {
		return err
	}
	s.Schedule = schedule
	for i, line := range rest {
		if i > 0 && strings.Fields(line)[0] != "client" {
			s.lines.faults = append(s.lines.faults, r.next+i+1)
		}
	}
	return nil
}
