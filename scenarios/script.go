package scenarios

import (
	"fmt"
	"strings"

	"simrun/protocols"
	"simrun/sim"
)

// A Script says what is to happen, and what did when it was last recorded.
type Script struct {
	About    []string // the lines of the header; the first sentence is the title
	Protocol *protocols.Protocol
	Params   protocols.Params
	Breaks   []string // names of checks, in the order of [checker.All]
	Schedule sim.Schedule
	Recorded string // the narrated run and its verdicts; empty if never recorded

	lines lines
}

// Lines are where parts of a script stand in its file, counted from 1.
type lines struct {
	breaks, recorded int
	faults           []int // of each fault of the schedule
}

// Title returns the first sentence of the header.
func (s *Script) Title() string {
	var text string
	for _, line := range s.About {
		if line == "" {
			break
		}
		text += " " + line
	}
	title, _, _ := strings.Cut(strings.TrimSpace(text)+" ", ". ")
	return strings.TrimSpace(title)
}

// String returns the script as [Parse] reads it.
func (s *Script) String() string {
	var b strings.Builder
	for _, line := range s.About {
		b.WriteString(strings.TrimSpace("# "+line) + "\n")
	}
	fmt.Fprintf(&b, "protocol %s\n", s.parameters())
	fmt.Fprintf(&b, "breaks %s\n", list(s.Breaks))
	for _, line := range s.Schedule.Lines() {
		b.WriteString(line + "\n")
	}
	if s.Recorded != "" {
		b.WriteString(rule + "\n" + s.Recorded)
	}
	return b.String()
}

// rule is the line below which stands what was recorded.
const rule = "---"

// parameters returns the protocol and its parameters, less those that it does
// not have. The usual source of tokens goes without saying.
func (s *Script) parameters() string {
	p, params := s.Protocol, s.Params
	text := fmt.Sprintf("%s clients %d rounds %d", p.Name, params.Clients, params.Rounds)
	if p.Nodes > 1 {
		text += fmt.Sprintf(" nodes %d", params.Nodes)
	}
	text += fmt.Sprintf(" ttl %v work %v", params.TTL, params.Work)
	if params.Token != p.Defaults().Token {
		text += fmt.Sprintf(" token %s", params.Token)
	}
	return text
}

// list names checks, or says that there are none.
func list(checks []string) string {
	if len(checks) == 0 {
		return nothing
	}
	return strings.Join(checks, ", ")
}

const nothing = "nothing"
