package explore

import (
	"strings"
	"testing"

	"simrun/checker"
	"simrun/protocols"
)

// A fingerprint is compared between machines, so that nothing in it may hang on
// where a program keeps things.
func TestFingerprintIsOfFaultsByName(t *testing.T) {
	p := protocols.Named("lua-release")
	r := Recipe{Protocol: p, Params: p.Smallest(), Faults: AllFaults(), Checks: checker.All}
	var text strings.Builder
	r.describe(&text)
	if want := "death A before acquire 1 [vanish A before acquire 1]\n"; !strings.Contains(text.String(), want) {
		t.Errorf("no line %q in the text", want)
	}
	for line := range strings.Lines(text.String()) {
		if strings.Contains(line, "0x") {
			t.Errorf("an address in the text: %s", line)
		}
	}
}
