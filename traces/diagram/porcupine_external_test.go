package diagram_test

import (
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"testing"

	"simrun/traces"
	"simrun/traces/diagram"
)

// A porcupineData is what a page of porcupine shows.
type porcupineData struct {
	Partitions []struct {
		History []struct {
			ClientId    int
			Description string
		}
	}
	Annotations []struct{ Tag, Description, Details string }
}

var dataOfPage = regexp.MustCompile(`(?m)^\s*const data = (.*)$`)

func porcupinePage(t *testing.T, trace *traces.Trace) (string, porcupineData) {
	t.Helper()
	page := drawn(t, diagram.Porcupine, trace)
	found := dataOfPage.FindStringSubmatch(page)
	if found == nil {
		t.Fatalf("a page of porcupine without data:\n%.2000s", page)
	}
	var data porcupineData
	if err := json.Unmarshal([]byte(found[1]), &data); err != nil {
		t.Fatal(err)
	}
	return page, data
}

func TestPorcupineShowsTheHistoryAndWhatIsTrue(t *testing.T) {
	_, data := porcupinePage(t, scenario(t, "fencing-refuses-the-stale-write"))
	var operations, lines []string
	for _, op := range data.Partitions[0].History {
		operations = append(operations, op.Description)
	}
	for _, a := range data.Annotations {
		lines = append(lines, a.Tag+": "+a.Description)
	}
	for _, want := range []string{"A#1 acquires with token 1", "B#1 acquires with token 2", "A#1 stops believing"} {
		if !strings.Contains(strings.Join(operations, "\n"), want) {
			t.Errorf("no operation %q among\n%s", want, strings.Join(operations, "\n"))
		}
	}
	for _, want := range []string{"A believes: A#1 believes", "redis has: A#1", "faults: A: pause of ", "broken: mutual-exclusion", "db: refuses the write of A#1"} {
		if !strings.Contains(strings.Join(lines, "\n"), want) {
			t.Errorf("no annotation %q among\n%s", want, strings.Join(lines, "\n"))
		}
	}
}

func TestNoTextUpsetsAPageOfPorcupine(t *testing.T) {
	for _, text := range nasty {
		page, _ := porcupinePage(t, hostile(text))
		if strings.Contains(page, "alert(1)</script>") {
			t.Errorf("%q is code in its page", text)
		}
	}
}

func TestPorcupineOfNonsense(t *testing.T) {
	for name, trace := range nonsense {
		t.Run(name, func(t *testing.T) { porcupinePage(t, trace) })
	}
}

func TestPorcupineReportsFailedWrites(t *testing.T) {
	if err := diagram.Porcupine(&broken{left: 100}, scenario(t, "two-majorities")); !errors.Is(err, errBroken) {
		t.Errorf("error %v, want %v", err, errBroken)
	}
}
