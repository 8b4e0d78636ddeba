package diagram_test

import (
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"simrun/checker"
	"simrun/explore"
	"simrun/protocols"
	"simrun/scenarios"
	"simrun/sim"
	"simrun/traces/diagram"
)

// A shape is an element of a picture.
type shape struct {
	name string
	attr map[string]string
	text string
}

func (s shape) number(name string) int {
	n, _ := strconv.Atoi(s.attr[name])
	return n
}

// shapes reads a picture. What is not well-formed XML fails the test.
func shapes(t testing.TB, picture string) []shape {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(picture))
	var list []shape
	var open []int
	for {
		token, err := d.Token()
		switch token := token.(type) {
		case xml.StartElement:
			s := shape{name: token.Name.Local, attr: make(map[string]string)}
			for _, a := range token.Attr {
				s.attr[a.Name.Local] = a.Value
			}
			open = append(open, len(list))
			list = append(list, s)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			if len(open) > 0 {
				list[open[len(open)-1]].text += string(token)
			}
		}
		if err == io.EOF {
			return list
		} else if err != nil {
			t.Fatalf("%v in:\n%s", err, picture)
		}
	}
}

func ofClass(list []shape, class string) []shape {
	return slices.DeleteFunc(slices.Clone(list), func(s shape) bool { return s.attr["class"] != class })
}

func TestBarsStandWhereTheHistoryHasThem(t *testing.T) {
	list := shapes(t, drawn(t, diagram.SVG, scenario(t, "invoices-3-stale-write")))
	bars := ofClass(list, "bar")
	if len(bars) != 4 {
		t.Fatalf("%d bars, want two beliefs and two locks: %v", len(bars), bars)
	}
	end := func(s shape) int { return s.number("x") + s.number("width") }
	beliefA, beliefB, lockA, lockB := bars[0], bars[1], bars[2], bars[3]
	if end(beliefA) <= end(beliefB) || beliefA.number("x") >= beliefB.number("x") {
		t.Error("the belief of B is not within that of A")
	}
	if end(lockA) > lockB.number("x") {
		t.Error("redis has B's lock down before it has lost A's")
	}
	if beliefA.attr["fill"] != lockA.attr["fill"] || beliefA.attr["fill"] == beliefB.attr["fill"] {
		t.Error("a client's bars are not of one colour of its own")
	}
	vain := ofClass(list, "vain")
	if len(vain) != 1 || vain[0].number("x") != end(lockA) || end(vain[0]) != end(beliefA) {
		t.Errorf("striped: %v, want A's belief from the end of its lock at %d", vain, end(lockA))
	}
	if struck := ofClass(list, "struck"); len(struck) != 1 || struck[0].number("width") == 0 {
		t.Errorf("hatched: %v, want A's pause", struck)
	}
	if n := len(ofClass(list, "breach")); n != 3 {
		t.Errorf("%d moments that break a check, want 3: two checks break at one", n)
	}
	if n := len(ofClass(list, "fold")); n == 0 {
		t.Error("800 quiet milliseconds are not folded")
	}
}

func TestLostMessagesEndInACross(t *testing.T) {
	list := shapes(t, drawn(t, diagram.SVG, scenario(t, "two-majorities")))
	if n := len(ofClass(list, "lost")); n != 2 {
		t.Errorf("%d crosses, want 2", n)
	}
}

func TestHostileTextIsText(t *testing.T) {
	for _, text := range nasty {
		picture := drawn(t, diagram.SVG, hostile(text))
		for _, s := range shapes(t, picture) {
			if !slices.Contains([]string{"svg", "title", "desc", "defs", "marker", "pattern", "path", "rect", "text", "g"}, s.name) {
				t.Errorf("%q makes an element %s", text, s.name)
			}
		}
	}
}

// Text is taken to be as wide as in a wide font.
func TestNoTextRunsIntoAnother(t *testing.T) {
	for _, s := range scenarios.All() {
		checkRows(t, s.Name, shapes(t, drawn(t, diagram.SVG, scenario(t, s.Name))))
	}
}

func checkRows(t testing.TB, name string, list []shape) {
	t.Helper()
	rows := make(map[string][]shape)
	for _, s := range list {
		if s.name == "text" && s.attr["y"] != "" {
			rows[s.attr["y"]] = append(rows[s.attr["y"]], s)
		}
	}
	for _, row := range rows {
		slices.SortFunc(row, func(a, b shape) int { return a.number("x") - b.number("x") })
		for i, s := range row[1:] {
			before := row[i]
			if before.number("x")+7*utf8.RuneCountInString(before.text) > s.number("x") {
				t.Errorf("%s: %q at %d runs into %q at %d", name, before.text, before.number("x"), s.text, s.number("x"))
			}
		}
	}
}

// Whatever a schedule leads to can be drawn, in every form.
func TestEveryRunCanBeDrawn(t *testing.T) {
	for _, name := range []string{"watchdog", "redlock", "failover-fencing"} {
		t.Run(name, func(t *testing.T) {
			p := protocols.Named(name)
			space := explore.NewSpace(p, p.Defaults(), explore.AllFaults())
			schedules := space.Schedules()
			rapid.Check(t, func(rt *rapid.T) {
				trace, _, err := explore.Record(p, space.Params, schedules.Draw(rt, "schedule"), checker.All)
				if err != nil {
					rt.Fatal(err)
				}
				list := shapes(t, drawn(t, diagram.SVG, trace))
				checkRows(t, name, list)
				checkMermaid(t, drawn(t, diagram.Mermaid, trace))
				beliefs := 0
				for _, g := range trace.History.Grants {
					if calm := trace.History.HealedAt; g.From.Before(g.Until) && (calm == sim.Stamp{} || g.From.Before(calm)) {
						beliefs++
					}
				}
				if n := len(ofClass(list, "bar")); n < beliefs {
					rt.Errorf("%d bars for %d beliefs", n, beliefs)
				}
			})
		})
	}
}

func TestSVGOfNonsense(t *testing.T) {
	for name, trace := range nonsense {
		t.Run(name, func(t *testing.T) { shapes(t, drawn(t, diagram.SVG, trace)) })
	}
}

func TestSVGReportsFailedWrites(t *testing.T) {
	for _, n := range []int{0, 1000, 9000} {
		if err := diagram.SVG(&broken{left: n}, scenario(t, "two-majorities")); !errors.Is(err, errBroken) {
			t.Errorf("after %d bytes: error %v, want %v", n, err, errBroken)
		}
	}
}
