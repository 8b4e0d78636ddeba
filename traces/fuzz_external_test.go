package traces_test

import (
	"bytes"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"simrun/sim"
	"simrun/traces"
)

// changed finds the two hashes in the error of a trace whose events were
// edited.
var changed = regexp.MustCompile(`^"events" were changed .* hash is "(\w+)", "hash" says "(\w+)"$`)

// opening returns the beginning of a real trace: the shorter the seed, the
// more can be tried.
func opening(f *testing.F) *traces.Trace {
	trace, err := traces.Load(smallFile)
	if err != nil {
		f.Fatal(err)
	}
	trace.Events = trace.Events[:14] // A has the lock and has read the row
	trace.Hash = sim.Hash(trace.Events)
	end := sim.Stamp{Index: 13, At: trace.Events[13].At}
	h := &trace.History
	h.Grants, h.Accesses, h.Effects, h.Changes = h.Grants[:1], h.Accesses[:1], h.Effects[:1], h.Changes[:2]
	h.HealedAt, h.Ended = end, end
	h.Grants[0].Until, h.Effects[0].At, h.Changes[1].At = end, end, end
	trace.Verdict = trace.Verdict[:2]
	for i := range trace.Verdict {
		trace.Verdict[i].At, trace.Verdict[i].Events = end, []int32{7}
	}
	return trace
}

// FuzzRead reads what looks like traces. What reads at all must be written and
// read back the same, and be told without a panic.
func FuzzRead(f *testing.F) {
	f.Add(written(f, opening(f)))
	f.Add([]byte(`{"simrun": 1, "protocol": "setnx"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		trace, err := traces.Read(bytes.NewReader(data))
		if err != nil {
			// A matching hash leads deeper into the reader.
			if m := changed.FindStringSubmatch(err.Error()); m != nil {
				data = bytes.ReplaceAll(data, []byte(m[2]), []byte(m[1]))
				trace, err = traces.Read(bytes.NewReader(data))
			}
		}
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("an error of several lines: %v", err)
			}
			return
		}
		first := written(t, trace)
		again, err := traces.Read(bytes.NewReader(first))
		if err != nil {
			t.Fatalf("written, it does not read: %v\n%s", err, first)
		}
		if diff := cmp.Diff(trace, again, sameKind, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("read otherwise than written (-written +read):\n%s", diff)
		}
		if !bytes.Equal(first, written(t, again)) {
			t.Fatal("written otherwise the second time")
		}
		if err := traces.Timeline(io.Discard, trace); err != nil {
			t.Error(err)
		}
		if err := traces.Story(io.Discard, trace); err != nil {
			t.Error(err)
		}
	})
}
