package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/agnivade/levenshtein"

	"simrun/explore"
)

// nearest returns the known name that is most like the given one or begins
// with it, or nothing if none is like it at all.
func nearest(name string, known []string) string {
	best, least := "", max(1, len(name)/2)+1
	for _, k := range known {
		d := levenshtein.ComputeDistance(name, k)
		if len(name) > 2 && strings.HasPrefix(k, name) {
			d = 0
		}
		if d < least {
			best, least = k, d
		}
	}
	return best
}

// suggestion is what follows the complaint about an unknown name: the nearest
// known one, if there is one, and where to look for the others.
func suggestion(name string, known []string, elsewhere string) string {
	if best := nearest(name, known); best != "" {
		return fmt.Sprintf(": did you mean %q? %s", best, elsewhere)
	}
	return ": " + elsewhere
}

const listShowsAll = `"simrun list" shows all`

// withSuggestion adds the nearest known name to an error about an unknown one.
func withSuggestion(err error) error {
	var unknown *explore.UnknownName
	if !errors.As(err, &unknown) {
		return err
	}
	return fmt.Errorf("%w%s", err, suggestion(unknown.Name, unknown.Known, listShowsAll))
}
