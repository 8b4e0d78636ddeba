package explore_test

import (
	"bytes"
	"strings"
	"testing"

	"simrun/explore"
)

// FuzzReadReport reads what looks like reports of shards. What reads at all must
// be written and read back the same.
func FuzzReadReport(f *testing.F) {
	for _, most := range []int{-1, 1} {
		f.Add([]byte(written(f, halves(most)[1])))
	}
	f.Add([]byte(`{"simrun_report": 1, "protocol": "setnx"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := explore.ReadPart(bytes.NewReader(data))
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("an error of several lines: %v", err)
			}
			return
		}
		first := written(t, p)
		again, err := explore.ReadPart(strings.NewReader(first))
		if err != nil {
			t.Fatalf("written, it does not read: %v\n%s", err, first)
		}
		if second := written(t, again); first != second {
			t.Fatalf("written otherwise the second time:\n%s\n%s", first, second)
		}
	})
}
