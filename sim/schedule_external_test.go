package sim_test

import (
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"simrun/clock"
	"simrun/sim"
)

// anyFault draws a fault of any kind that can strike one of the clients, or
// the servers of a lab. No time in it is longer than longest.
func anyFault(t *rapid.T, clients []string, longest time.Duration) sim.Fault {
	kind := rapid.SampledFrom(sim.Kinds).Draw(t, "kind")
	point := anyPoint(t, rapid.SampledFrom(kind.Places).Draw(t, "place"), longest)
	return sim.Fault{Kind: kind, Actor: anyActor(t, kind, point.Place, clients), Point: point, Amount: anyAmount(t, kind.Unit, longest)}
}

func anyActor(t *rapid.T, kind *sim.Kind, place sim.Place, clients []string) sim.Actor {
	servers := []string{"n1", "n2"}
	if kind.Actors == sim.Connections {
		ends := []string{
			rapid.SampledFrom(append(clients, "*")).Draw(t, "client"),
			rapid.SampledFrom(servers).Draw(t, "server"),
		}
		if place == sim.OnReply || place == sim.AtInstant && rapid.Bool().Draw(t, "turned") {
			slices.Reverse(ends)
		}
		if place != sim.AtInstant {
			return sim.Actor{From: ends[0], Link: sim.OneWay, To: ends[1]}
		}
		link := rapid.SampledFrom([]sim.Link{sim.OneWay, sim.BothWays}).Draw(t, "link")
		return sim.Actor{From: ends[0], Link: link, To: ends[1]}
	}
	var names []string
	if kind.Actors&sim.Clients != 0 && place != sim.BeforeRequest {
		names = append(names, clients...)
	}
	if kind.Actors&(sim.Servers|sim.Forgetful|sim.Electors) != 0 && place != sim.BeforeStep {
		names = append(names, servers...)
	}
	return sim.Actor{From: rapid.SampledFrom(names).Draw(t, "actor")}
}

func anyPoint(t *rapid.T, place sim.Place, longest time.Duration) sim.Point {
	p := sim.Point{Place: place}
	if place == sim.AtInstant {
		p.At = clock.Instant(anyDuration(t, 0, longest))
		return p
	}
	if place == sim.BeforeStep {
		p.Purpose = sim.Purpose(rapid.IntRange(0, int(sim.Purposes)-1).Draw(t, "purpose"))
	}
	p.N = rapid.IntRange(1, 9).Draw(t, "count")
	return p
}

func anyAmount(t *rapid.T, unit sim.Unit, longest time.Duration) int64 {
	switch unit {
	case sim.Length:
		return int64(anyDuration(t, 0, longest))
	case sim.Shift:
		return int64(anyDuration(t, -longest, longest))
	case sim.Rate:
		return rapid.Int64Range(-clock.MaxRate, clock.MaxRate).Draw(t, "rate")
	case sim.Choice:
		return rapid.Int64Range(1, math.MaxInt32).Draw(t, "choice")
	}
	return 0
}

func anyDuration(t *rapid.T, low, high time.Duration) time.Duration {
	return time.Duration(rapid.Int64Range(int64(low), int64(high)).Draw(t, "duration"))
}

// anySchedule draws a schedule for a lab of at most three clients.
func anySchedule(t *rapid.T, longest time.Duration) sim.Schedule {
	var s sim.Schedule
	var names []string
	s.Noise.Seed = rapid.Uint64().Draw(t, "seed")
	s.Noise.Min = anyDuration(t, 1, longest)
	s.Noise.Max = anyDuration(t, s.Noise.Min, longest)
	for _, i := range []int{0, 1, 30}[:rapid.IntRange(1, 3).Draw(t, "clients")] {
		s.Clients = append(s.Clients, sim.Plan{
			Client: i, Start: anyDuration(t, 0, longest), Work: anyDuration(t, 0, longest),
			Rounds: rapid.IntRange(1, 3).Draw(t, "rounds"),
		})
		names = append(names, sim.ClientName(i))
	}
	for range rapid.IntRange(0, 5).Draw(t, "faults") {
		s.Faults = append(s.Faults, anyFault(t, names, longest))
	}
	return s
}

func TestFaultSurvivesItsText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := anyFault(t, []string{"A", "Z", "C27"}, sim.MaxTime)
		got, err := sim.ParseFault(f.String())
		if err != nil || got != f {
			t.Fatalf("%q is read as %q, error %v", f, got, err)
		}
	})
}

func TestScheduleSurvivesItsText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anySchedule(t, sim.MaxTime)
		got, err := sim.ParseSchedule(s.Lines())
		if err != nil || !reflect.DeepEqual(got, s) {
			t.Fatalf("%q\nis read as %q, error %v", s.Lines(), got.Lines(), err)
		}
	})
}

func TestCloneSharesNothing(t *testing.T) {
	s := sim.Schedule{Clients: make([]sim.Plan, 1), Faults: make([]sim.Fault, 1)}
	c := s.Clone()
	c.Clients[0].Work, c.Faults[0].Amount = 1, 1
	if s.Clients[0].Work != 0 || s.Faults[0].Amount != 0 {
		t.Errorf("a change of the clone changed %+v", s)
	}
}

func TestParseFaultSaysWhatIsWrong(t *testing.T) {
	const points = `want a point: "at 120ms", "before write 1", "before request 2", "request 3", "reply 3", "round 1" or "after pause 1"`
	tests := []struct{ line, want string }{
		{"", `found "", want a fault such as "pause A before write 1 for 330ms"`},
		{"pause", `found "pause", want a fault such as "pause A before write 1 for 330ms"`},
		{"sneeze A at 1ms", `unknown fault "sneeze", want one of pause, node-pause, clock-step, clock-rate, drift, delay, loss, partition, crash, amnesia, late-amnesia, election, death, vanish, overrun, wake-order`},

		{"pause A->n1 at 1ms for 1ms", `a pause strikes a single actor, such as A or n2, not "A->n1"`},
		{"loss A request 1", `a loss strikes two actors, such as A->n2 or A<->n2, not "A"`},
		{"loss A-> request 1", `a loss strikes two actors, such as A->n2 or A<->n2, not "A->"`},
		{"loss ->n1 request 1", `a loss strikes two actors, such as A->n2 or A<->n2, not "->n1"`},

		{"pause A", `found "", ` + points},
		{"pause A sometime soon", `found "sometime soon", ` + points},
		{"pause A before lunch 1 for 1ms", `found "before lunch 1 for 1ms", ` + points},
		{"pause A at noon for 1ms", `instant "noon": want a time since the start of at most 1000h, such as 120ms`},
		{"pause A at -1ms for 1ms", `instant "-1ms": want a time since the start of at most 1000h, such as 120ms`},
		{"pause A at 9999h for 1ms", `instant "9999h": want a time since the start of at most 1000h, such as 120ms`},
		{"pause A before write", `a count is missing after "before write", want one such as "before write 1"`},
		{"loss A->n1 request", `found "request", ` + points},
		{"pause A before write 0 for 1ms", `count "0": want a number from 1 up`},
		{"pause A before write once for 1ms", `count "once": want a number from 1 up`},

		{"pause A round 1 for 1ms", `a pause cannot strike "round 1", only before a step (before write 1) or at an instant (at 120ms)`},
		{"crash n1 before write 1 for 1ms", `a crash cannot strike "before write 1", only before a request (before request 2) or at an instant (at 120ms)`},
		{"loss A->n1 at 1ms", `a loss cannot strike "at 1ms", only a request (request 3) or a reply (reply 3)`},
		{"overrun A after pause 1 for 1ms", `a overrun cannot strike "after pause 1", only in a round (round 1)`},
		{"wake-order A round 1 pick 2", `a wake-order cannot strike "round 1", only after a pause (after pause 1)`},

		{"pause A at 1ms", `amount "": want "for 330ms", at most 1000h`},
		{"pause A at 1ms for", `amount "for": want "for 330ms", at most 1000h`},
		{"pause A at 1ms by 1ms", `amount "by 1ms": want "for 330ms", at most 1000h`},
		{"pause A at 1ms for -1ms", `amount "for -1ms": want "for 330ms", at most 1000h`},
		{"pause A at 1ms for ever", `amount "for ever": want "for 330ms", at most 1000h`},
		{"pause A at 1ms for 1ms more", `amount "for 1ms more": want "for 330ms", at most 1000h`},
		{"pause A at 1ms for 9999h", `amount "for 9999h": want "for 330ms", at most 1000h`},
		{"clock-step A at 1ms for 1ms", `amount "for 1ms": want "by +330ms", at most 1000h either way`},
		{"clock-step A at 1ms by -9999h", `amount "by -9999h": want "by +330ms", at most 1000h either way`},
		{"drift A at 1ms by 1%", `amount "by 1%": want "by -5000ppm", at most 500000ppm either way`},
		{"drift A at 1ms by 600000ppm", `amount "by 600000ppm": want "by -5000ppm", at most 500000ppm either way`},
		{"wake-order A after pause 1 pick 0", `amount "pick 0": want "pick 2"`},
		{"death A at 1ms for 1ms", `found "for 1ms" after the point, want nothing more`},
	}
	for _, test := range tests {
		if f, err := sim.ParseFault(test.line); err == nil {
			t.Errorf("%q is read as %q", test.line, f)
		} else if err.Error() != test.want {
			t.Errorf("%q: error\n\t%v\nwant\n\t%s", test.line, err, test.want)
		}
	}
}

func TestParseScheduleSaysWhatIsWrongInWhichLine(t *testing.T) {
	const noise, client = "noise seed 7 from 500µs to 3ms\n", "client A starts at 0s works 100ms rounds 2\n"
	tests := []struct{ text, want string }{
		{"", `line 1: found "", want "noise seed 7 from 500µs to 3ms"`},
		{client, `line 1: found "client A starts at 0s works 100ms rounds 2", want "noise seed 7 from 500µs to 3ms"`},
		{"noise seed -1 from 1ms to 1ms", `line 1: seed "-1": want a number from 0 to 2^64-1`},
		{"noise seed 7 from 0s to 1ms", `line 1: latency from "0s" to "1ms": want two durations from 1ns to 1000h, the first no longer than the second, such as 500µs and 3ms`},
		{"noise seed 7 from 2ms to 1ms", `line 1: latency from "2ms" to "1ms": want two durations from 1ns to 1000h, the first no longer than the second, such as 500µs and 3ms`},
		{"noise seed 7 from 2ms to 9999h", `line 1: latency from "2ms" to "9999h": want two durations from 1ns to 1000h, the first no longer than the second, such as 500µs and 3ms`},

		{noise, `line 2: no client: want a noise line and a line such as "client A starts at 0s works 100ms rounds 2"`},
		{noise + "client A", `line 2: found "client A", want a client such as "client A starts at 0s works 100ms rounds 2"`},
		{noise + "client n1 starts at 0s works 1ms rounds 1", `line 2: client "n1": want a name from A to Z`},
		{noise + "client probe starts at 0s works 1ms rounds 1", `line 2: client "probe": want a name from A to Z`},
		{noise + client + client, `line 3: client A after client A: want clients in the order of their names, each once`},
		{noise + "client C starts at 0s works 1ms rounds 1\n" + client, `line 3: client A after client C: want clients in the order of their names, each once`},
		{noise + "client A starts at -1s works 1ms rounds 1", `line 2: client A starts at "-1s": want a time from 0s to 1000h, such as 20ms`},
		{noise + "client A starts at 9999h works 1ms rounds 1", `line 2: client A starts at "9999h": want a time from 0s to 1000h, such as 20ms`},
		{noise + "client A starts at 0s works hard rounds 1", `line 2: client A works "hard": want a duration from 0s to 1000h, such as 100ms`},
		{noise + "client A starts at 0s works 9999h rounds 1", `line 2: client A works "9999h": want a duration from 0s to 1000h, such as 100ms`},
		{noise + "client A starts at 0s works 1ms rounds 0", `line 2: client A rounds "0": want a number from 1 to 100`},

		{noise + client + "sneeze", `line 3: found "sneeze", want a fault such as "pause A before write 1 for 330ms"`},
		{noise + client + "pause A at 1ms for 1ms\n\n" + client, `line 4: found "", want a fault such as "pause A before write 1 for 330ms"`},
	}
	for _, test := range tests {
		s, err := sim.ParseSchedule(strings.Split(strings.TrimSuffix(test.text, "\n"), "\n"))
		var line *sim.LineError
		if !errors.As(err, &line) {
			t.Errorf("%q is read as %q, error %v", test.text, s.Lines(), err)
		} else if err.Error() != test.want {
			t.Errorf("%q: error\n\t%v\nwant\n\t%s", test.text, err, test.want)
		}
	}
}

func TestRunRefusesAFaultThatDoesNotFitTheSetup(t *testing.T) {
	tests := []struct{ fault, want string }{
		{"pause C at 1ms for 1ms", `unknown actor "C", want one of A, B`},
		{"pause n1 at 1ms for 1ms", `unknown actor "n1", want one of A, B`},
		{"pause * at 1ms for 1ms", `unknown actor "*", want one of A, B`},
		{"death probe at 1ms", `unknown actor "probe", want one of A, B`},
		{"crash n3 at 1ms for 1ms", `unknown actor "n3", want one of n1, n2`},
		{"loss A->B request 1", `"A->B" are two of a kind, want a client and a server`},
		{"loss n1->A request 1", `a request goes from a client to a server, such as A->n1, not "n1->A"`},
		{"loss A<->n1 request 1", `a request goes from a client to a server, such as A->n1, not "A<->n1"`},
		{"delay A->n1 reply 1 for 1ms", `a reply goes from a server to a client, such as n1->A, not "A->n1"`},
		{"loss *->* request 1", `"*" on both sides names nobody, want a name on one side at least`},
		{"clock-step n1 before write 1 by +1ms", `n1 has no point "before write 1"`},
		{"clock-step A before request 1 by +1ms", `A has no point "before request 1"`},
	}
	l := lab{clients: 2, program: ask}
	w := l.world()
	defer w.Close()
	for _, test := range tests {
		_, err := w.Run(l.schedule(t, test.fault))
		if want := `fault "` + test.fault + `": ` + test.want; err == nil || err.Error() != want {
			t.Errorf("error\n\t%v\nwant\n\t%s", err, want)
		}
	}
}

func TestHolderSurvivesItsText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := sim.Holder{
			Client:  rapid.SampledFrom([]int32{1, 2, 26, 27, 99, 1 << 20}).Draw(t, "client"), // the last is the probe
			Attempt: rapid.Int32Range(1, math.MaxInt32).Draw(t, "attempt"),
		}
		if rapid.Bool().Draw(t, "nobody") {
			h = sim.Nobody
		}
		text, _ := h.MarshalText()
		var got sim.Holder
		if err := got.UnmarshalText(text); err != nil || got != h {
			t.Fatalf("%s is read as %s, error %v", h, got, err)
		}
	})
}

func TestHolderRefusesOtherText(t *testing.T) {
	for _, text := range []string{"", "A", "A#0", "A#x", "a#1", "C26#1", "n1#1", "#1"} {
		var h sim.Holder
		if err := h.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is read as %s", text, h)
		}
	}
}

func FuzzParseSchedule(f *testing.F) {
	const head = "noise seed 7 from 500µs to 3ms\nclient A starts at 0s works 100ms rounds 2\n"
	f.Add(head)
	for _, fault := range []string{
		"pause A before write 1 for 330ms", "clock-step n1 at 1.5s by -330ms", "drift A at 0s by +500ppm",
		"delay n2->A reply 3 for 1h", "loss *->n1 request 2", "wake-order A after pause 1 pick 2", "overrun A round 1 for 1ns",
	} {
		f.Add(head + fault)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := sim.ParseSchedule(strings.Split(text, "\n"))
		if err != nil {
			return
		}
		again, err := sim.ParseSchedule(s.Lines())
		if err != nil || !reflect.DeepEqual(again, s) {
			t.Errorf("%q\nis read as %q, error %v", s.Lines(), again.Lines(), err)
		}
	})
}
