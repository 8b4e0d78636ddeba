package explore

import (
	"fmt"
	"slices"
	"strings"

	"simrun/sim"
)

// A Choice is a kind of fault that may strike, and where: everywhere that the
// kind allows unless Places says otherwise.
type Choice struct {
	Kind    *sim.Kind
	Place   sim.Place   // if Limited
	Purpose sim.Purpose // if Limited and Place is sim.BeforeStep
	Limited bool
}

// A Selection lists the faults that may strike.
type Selection []Choice

// AllFaults returns a selection of every kind of fault, everywhere.
func AllFaults() Selection {
	var s Selection
	for _, k := range sim.Kinds {
		s = append(s, Choice{Kind: k})
	}
	return s
}

// ParseSelection reads a list of faults: all, none, or kinds separated by
// commas, each of which may be limited to a place, as in pause@acquire,
// pause@instant, amnesia@request or loss@reply.
func ParseSelection(text string) (Selection, error) {
	switch text {
	case "all":
		return AllFaults(), nil
	case "none":
		return nil, nil
	}
	var s Selection
	for _, word := range strings.Split(text, ",") {
		name, place, limited := strings.Cut(strings.TrimSpace(word), "@")
		if name == "all" || name == "none" {
			return nil, fmt.Errorf("%q must stand alone", name)
		}
		c := Choice{Kind: sim.KindNamed(name), Limited: limited}
		if c.Kind == nil {
			return nil, &UnknownName{What: "fault", Name: name, Known: append([]string{"all", "none"}, sim.KindNames()...)}
		}
		if limited {
			if err := c.limit(place); err != nil {
				return nil, err
			}
		}
		s = append(s, c)
	}
	return s, nil
}

// An UnknownName is a name that stands for nothing, and those that would.
type UnknownName struct {
	What  string
	Name  string
	Known []string
}

func (e *UnknownName) Error() string {
	return fmt.Sprintf("unknown %s %q", e.What, e.Name)
}

func (c *Choice) limit(place string) error {
	var known []string
	for _, p := range c.Kind.Places {
		for _, name := range placeNames(p) {
			known = append(known, name)
			if name == place {
				c.Place = p
				c.Purpose, _ = sim.PurposeNamed(name)
				return nil
			}
		}
	}
	return &UnknownName{What: "place of the fault " + c.Kind.Name, Name: place, Known: known}
}

// placeNames returns what stands behind the @ for a place: the purpose for a
// step, and a single word for every other place.
func placeNames(p sim.Place) []string {
	switch p {
	case sim.AtInstant:
		return []string{"instant"}
	case sim.BeforeStep:
		var names []string
		for purpose := range sim.Purposes {
			names = append(names, purpose.String())
		}
		return names
	case sim.OnReply:
		return []string{"reply"}
	case sim.BeforeRequest, sim.OnRequest:
		return []string{"request"}
	case sim.InRound:
		return []string{"round"}
	default:
		return []string{"pause"}
	}
}

// All reports whether the selection is that of every kind, everywhere.
func (s Selection) All() bool { return slices.Equal(s, AllFaults()) }

// String returns the selection as [ParseSelection] reads it.
func (s Selection) String() string {
	if len(s) == 0 {
		return "none"
	}
	if s.All() {
		return "all"
	}
	var words []string
	for _, c := range s {
		word := c.Kind.Name
		if c.Limited && c.Place == sim.BeforeStep {
			word += "@" + c.Purpose.String()
		} else if c.Limited {
			word += "@" + placeNames(c.Place)[0]
		}
		words = append(words, word)
	}
	return strings.Join(words, ",")
}
