package diagram

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode"

	"simrun/clock"
	"simrun/traces"
)

// Mermaid writes a sequence diagram of a trace. A bar on a client's line is its
// belief that it holds the lock.
func Mermaid(w io.Writer, t *traces.Trace) error {
	out := bufio.NewWriter(w)
	d := &sequence{scene: sceneOf(t), out: out}
	d.draw()
	return out.Flush()
}

// A sequence is a sequence diagram being written, line by line in the order of
// events. The first error of out stays until it is flushed.
type sequence struct {
	*scene
	out *bufio.Writer
}

func (d *sequence) line(format string, args ...any) {
	fmt.Fprintf(d.out, "    "+format+"\n", args...)
}

func (d *sequence) draw() {
	fmt.Fprintln(d.out, "sequenceDiagram")
	for i, l := range d.lanes {
		d.line("participant %s as %s", id(i), escape(l.title()))
	}
	at := d.messagesByEvent()
	steps, breaches := d.Steps, d.breaches
	for i := range d.Events {
		for _, m := range at[i] {
			d.message(m)
		}
		d.bars(i)
		for len(steps) > 0 && steps[0].Event == i {
			d.step(&steps[0])
			steps = steps[1:]
		}
		for len(breaches) > 0 && int(breaches[0].At.Index) == i {
			d.breach(&breaches[0])
			breaches = breaches[1:]
		}
	}
}

// id names a participant in a way that no name of a lane can upset.
func id(lane int) string { return fmt.Sprintf("p%d", lane+1) }

// messagesByEvent returns the messages by the events at which they are drawn:
// where they end, since what happens to their receivers hangs on that.
func (s *scene) messagesByEvent() map[int][]*message {
	at := make(map[int][]*message)
	for k := range s.messages {
		m := &s.messages[k]
		i := m.end
		if m.fate == underWay {
			i = m.sent
		}
		at[i] = append(at[i], m)
	}
	return at
}

// slow is how long a message takes that is said to have been sent earlier.
const slow = 10 * time.Millisecond

var arrows = map[bool][4]string{
	false: {underWay: "-)", arrived: "->>", late: "->>", lost: "-x"},
	true:  {underWay: "--)", arrived: "-->>", late: "-->>", lost: "--x"},
}

func (d *sequence) message(m *message) {
	from, to := d.laneOf(m.from), d.laneOf(m.to)
	if from < 0 || to < 0 {
		return
	}
	text := m.text
	sent := d.Events[m.sent].At
	switch {
	case m.fate == lost:
		text += " (lost)"
	case m.fate == late:
		text += " (too late)"
	case m.fate == arrived && d.Events[m.end].At.Sub(sent) >= slow:
		text += fmt.Sprintf(" (sent at %s)", instant(sent))
	}
	d.line("%s%s%s: %s", id(from), arrows[m.reply][m.fate], id(to), escape(text))
}

// bars begins and ends the bars of clients that come to believe, or cease to.
func (d *sequence) bars(i int) {
	for _, b := range d.beliefs() {
		lane := d.laneOf(b.lane)
		if lane < 0 {
			continue
		}
		if b.from.event == i {
			d.line("activate %s", id(lane))
		}
		if b.until.event == i {
			d.line("deactivate %s", id(lane))
		}
	}
}

// step writes a note over whom it concerns.
func (d *sequence) step(s *traces.Line) {
	lanes, text := d.told(s)
	d.note(lanes, instant(s.At)+" "+text)
}

// note writes a note over some lanes, or over all of them.
func (d *sequence) note(lanes []int, text string) {
	switch {
	case len(lanes) > 0:
		d.line("Note over %s: %s", over(slices.Min(lanes), slices.Max(lanes)), escape(text))
	case len(d.lanes) > 0:
		d.line("Note over %s: %s", over(0, len(d.lanes)-1), escape(text))
	}
}

func over(first, last int) string {
	if first == last {
		return id(first)
	}
	return id(first) + "," + id(last)
}

// breach writes that a check is broken, on a ground of its own.
func (d *sequence) breach(j *traces.Judgement) {
	d.line("rect rgba(213, 94, 0, 0.35)")
	d.note(nil, fmt.Sprintf("%s %s is broken: %s", instant(j.At.At), j.Check, j.Why))
	d.line("end")
}

func instant(at clock.Instant) string {
	return fmt.Sprintf("%.1f ms", float64(at)/float64(time.Millisecond))
}

// escape writes text so that Mermaid takes it for nothing but text: whatever is
// neither a letter nor a digit nor known to be harmless becomes a character
// reference.
func escape(text string) string {
	var b strings.Builder
	for _, r := range strings.Join(strings.Fields(text), " ") {
		if plain(r) {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "#%d;", r)
		}
	}
	return b.String()
}

func plain(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune(" .,()=+-*/_!?'", r)
}
