package main

import (
	"testing"
	"time"

	"simrun/explore"
)

func TestNumbersReadWell(t *testing.T) {
	for _, test := range []struct{ got, want string }{
		{grouped(0), "0"},
		{grouped(999), "999"},
		{grouped(10_000), "10 000"},
		{grouped(1_234_567), "1 234 567"},
		{plural(1, "schedule"), "1 schedule"},
		{plural(2000, "schedule"), "2 000 schedules"},
		{percent(explore.UpperBound(0)), "100 %"},
		{percent(explore.UpperBound(1)), "95 %"},
		{percent(explore.UpperBound(200)), "1.5 %"},
		{percent(explore.UpperBound(10_000)), "0.03 %"},
		{percent(explore.UpperBound(1_000_000)), "0.0003 %"},
		{percent(0.00101), "0.11 %"},
		{grouped(rounded(24_372.9)), "24 400"},
		{grouped(rounded(0)), "0"},
		{grouped(rounded(87.4)), "87"},
		{milliseconds(695*time.Millisecond + 300*time.Microsecond), "695 ms"},
		{milliseconds(1504 * time.Millisecond), "1 504 ms"},
		{milliseconds(1540 * time.Microsecond), "1.5 ms"},
		{shellWord("simrun-out/a.json"), "simrun-out/a.json"},
		{shellWord("my traces"), "'my traces'"},
		{shellWord("it's"), `'it'\''s'`},
	} {
		if test.got != test.want {
			t.Errorf("%q, want %q", test.got, test.want)
		}
	}
}
