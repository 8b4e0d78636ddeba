package diagram

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// The measures of text, in pixels. Which font there will be is not known: the
// width is that of a wide one.
const (
	letter     = 7
	rowOfText  = 14
	maxLetters = 26 // in a line, unless a word is longer
	maxWord    = 40
	maxLines   = 4
)

// wrap breaks text into lines of about the same length, without what cannot be
// printed or has no room.
func wrap(text string) []string {
	words := strings.Fields(printable(text))
	for i, word := range words {
		if utf8.RuneCountInString(word) > maxWord {
			words[i] = string([]rune(word)[:maxWord-1]) + "…"
		}
	}
	lines := fill(words, maxLetters)
	for most := maxLetters - 1; most > 0; most-- {
		narrower := fill(words, most)
		if len(narrower) > len(lines) {
			break
		}
		lines = narrower
	}
	if len(lines) > maxLines {
		lines = lines[:maxLines]
		lines[maxLines-1] += " …"
	}
	return lines
}

// fill puts as many words as fit into each line of so many letters.
func fill(words []string, most int) []string {
	var lines []string
	for _, word := range words {
		last := len(lines) - 1
		if last >= 0 && utf8.RuneCountInString(lines[last]+" "+word) <= most {
			lines[last] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	return lines
}

// printable replaces what no XML may hold, or what would turn the text round.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, text)
}

// widthOf returns the width of lines.
func widthOf(lines []string) int {
	widest := 0
	for _, line := range lines {
		widest = max(widest, utf8.RuneCountInString(line)*letter)
	}
	return widest
}
