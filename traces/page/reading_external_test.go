//go:build !386

package page_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/google/go-cmp/cmp"

	"simrun/sim"
)

func TestAPageOpensFromDiskAndAsksForNothing(t *testing.T) {
	b := open(t, scenario(t, "demo-4-frozen-watchdog"))
	b.press(kb.End)
	b.quiet()
	b.mu.Lock()
	defer b.mu.Unlock()
	if want := []string{"file://" + b.file}; !slices.Equal(b.requests, want) {
		t.Errorf("requests %q, want that for the page alone", b.requests)
	}
}

// The steps of the first article's diagram, in its words.
func TestTheTableFollowsTheSteps(t *testing.T) {
	b := open(t, scenario(t, "demo-5-fencing"))
	var got []string
	last := ""
	for range value[int](b, `document.querySelectorAll("#story a").length`) {
		b.press(kb.ArrowRight)
		if row := b.table()[0]; row != last && !strings.Contains(row, "probe") {
			got = append(got, row)
			last = row
		}
	}
	want := []string{
		"A#1 | nobody | qty = 100",
		"A#1 | A#1 | qty = 100",
		"nobody | A#1 | qty = 100",
		"B#1 | A#1 | qty = 100",
		"B#1 | A#1 and B#1 | qty = 100",
		"B#1 | A#1 and B#1 | qty = 101, fence_token = 2 by B#1",
		"nobody | A#1 | qty = 101, fence_token = 2 by B#1",
		"nobody | A#1 | qty = 101, fence_token = 2 by B#1; the write of A#1 is refused",
		"nobody | nobody | qty = 101, fence_token = 2 by B#1; the write of A#1 is refused",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the table (-want +got):\n%s", diff)
	}
}

func TestArrowKeysStepToTheEndAndBack(t *testing.T) {
	b := open(t, scenario(t, "clock-step"))
	steps := value[int](b, `document.querySelectorAll("#story a").length`)
	for range steps + 1 {
		b.press(kb.ArrowRight)
	}
	end := fmt.Sprintf("Step %d of %d", steps, steps)
	if got := b.text("#counter"); got != end {
		t.Errorf("after %d steps: %q, want %q", steps, got, end)
	}
	b.press(kb.ArrowLeft)
	if got, want := value[string](b, "location.hash"), fmt.Sprintf("#step=%d", steps-1); got != want {
		t.Errorf("a step back: the address ends in %q, want %q", got, want)
	}
	b.press(kb.Home)
	if got, want := b.text("#counter"), fmt.Sprintf("%d steps", steps); got != want {
		t.Errorf("after a restart: %q, want %q", got, want)
	}
}

func TestTheAddressOpensItsStep(t *testing.T) {
	b := open(t, scenario(t, "clock-step"))
	for _, tt := range []struct{ fragment, counter, caption string }{
		{"#step=4", "Step 4 of 22", "40.0 ms redis wall clock is stepped by +330ms"},
		{"#step=9999", "Step 22 of 22", "218.0 ms probe EVAL release(lock, probe#1) -> 1"},
		{"#step=<img>", "22 steps", "The whole run. Step through it with the buttons or the arrow keys."},
	} {
		b.do(chromedp.Navigate("about:blank"))
		b.visit(tt.fragment)
		if got := b.text("#counter"); got != tt.counter {
			t.Errorf("%s: %q, want %q", tt.fragment, got, tt.counter)
		}
		if got := b.text("#caption"); got != tt.caption {
			t.Errorf("%s: %q, want %q", tt.fragment, got, tt.caption)
		}
	}
}

func TestEachMachinesClockIsReadAtTheStep(t *testing.T) {
	b := open(t, scenario(t, "clock-step"))
	b.visit("#step=7") // B is granted the lock at 61 ms, after redis was set forward by 330 ms
	want := map[string]string{"A": "00:00:00.061", "redis": "00:00:00.391"}
	got := value[map[string]string](b, `Object.fromEntries([...document.querySelectorAll(".lane-name")].map(g => [g.querySelector("title").textContent, g.querySelector(".clock").textContent]))`)
	for machine, clock := range want {
		if got[machine] != clock {
			t.Errorf("the clock of %s: %s, want %s", machine, got[machine], clock)
		}
	}
}

func TestPlayGoesOnByItselfUntilItIsStopped(t *testing.T) {
	b := open(t, scenario(t, "clock-step"))
	b.press(" ")
	if got := b.text("#counter"); got != "Step 1 of 22" {
		t.Errorf("playing begins at %q, want the first step", got)
	}
	if _, err := chromedp.Run(b.ctx, chromedp.Poll[bool](`document.querySelector("#counter").textContent === "Step 2 of 22"`)); err != nil {
		t.Errorf("it does not go on: %v", err)
	}
	b.press(" ")
	if got := value[string](b, `document.querySelector("#play").ariaPressed`); got != "false" {
		t.Errorf("after a second press it plays on: %q", got)
	}
}

func TestEventsAreReadByKeyboard(t *testing.T) {
	b := open(t, scenario(t, "clock-step"))
	b.do(chromedp.Focus(chromedp.CSS(`.ev[tabindex="0"]`)))
	b.press(kb.ArrowDown)
	first := b.text("#detail")
	b.press(kb.ArrowDown)
	second := b.text("#detail")
	if !strings.Contains(first, " ms ") || first == second {
		t.Errorf("two events read %q and %q", first, second)
	}
	b.press(kb.ArrowUp)
	if got := b.text("#detail"); got != first {
		t.Errorf("back at the first: %q, want %q", got, first)
	}
}

func TestPointingAtAnEventReadsItAndTheClocksThere(t *testing.T) {
	b := open(t, scenario(t, "clock-step"))
	at := value[[]float64](b, `(r => [r.x + r.width / 2, r.y + r.height / 2])(document.querySelector(".mark.clock use").getBoundingClientRect())`)
	b.do(chromedp.MouseEvent(chromedp.MouseMoved, at[0]+1, at[1]))
	if got, want := b.text("#detail"), "40.0 ms redis meets a fault: wall clock is stepped by +330ms"; got != want {
		t.Errorf("it reads %q, want %q", got, want)
	}
	if got := b.text("#true-time"); !strings.HasPrefix(got, "40.") {
		t.Errorf("true time there is %q, want about 40 ms", got)
	}
}

func TestOnPaperThePictureIsCutIntoSlices(t *testing.T) {
	b := open(t, scenario(t, "demo-4-frozen-watchdog"))
	if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"}); err != nil {
		t.Fatal(err)
	}
	b.do(chromedp.EmulateViewport(1032, 700)) // A4 across
	if got := value[int](b, `document.querySelectorAll(".paper > svg").length`); got < 2 {
		t.Errorf("%d slices, want the picture on several", got)
	}
	if wide := value[int](b, `Math.max(...[...document.querySelectorAll(".paper > svg")].map(s => s.getBoundingClientRect().right))`); wide > 1032 {
		t.Errorf("a slice reaches to %d px, want it on the paper", wide)
	}
	if got := value[string](b, `getComputedStyle(document.querySelector(".controls")).display`); got != "none" {
		t.Errorf("the buttons are printed: display is %q", got)
	}
}

// A breach that is opened has its numbers in the picture.
func TestTheBrokenCheckIsShownInThePicture(t *testing.T) {
	b := open(t, scenario(t, "clock-step"))
	shown := `[...document.querySelectorAll(".badges:not([hidden])")].map(g => g.dataset.breach)`
	if got := value[[]string](b, shown); !slices.Equal(got, []string{"0-mutual-exclusion"}) {
		t.Errorf("shown at first: %q, want who was wrong about the lock", got)
	}
	b.do(chromedp.Click(chromedp.CSS(`details[data-breach="0-effect-once"] summary`)))
	if _, err := chromedp.Run(b.ctx, chromedp.Poll[bool](shown+`.join() === "0-effect-once"`)); err != nil {
		t.Errorf("shown after a click: %q, want the one that was opened", value[[]string](b, shown))
	}
}

func TestThePageFitsEveryScreenInBothSchemes(t *testing.T) {
	b := open(t, inPlaceOf(t, "demo-4-frozen-watchdog", "watchdog"), inPlaceOf(t, "demo-4-frozen-watchdog", "fenced-watchdog"))
	papers := make(map[string]string)
	for _, width := range []int64{375, 1920} {
		for _, scheme := range []string{"light", "dark"} {
			b.prefer(scheme)
			b.do(chromedp.EmulateViewport(width, 900))
			b.visit("#step=5")
			if wide := value[int64](b, "document.documentElement.scrollWidth"); wide > width {
				t.Errorf("%d px, %s: the page is %d px wide", width, scheme, wide)
			}
			papers[scheme] = value[string](b, "getComputedStyle(document.body).backgroundColor")
		}
	}
	if papers["light"] == papers["dark"] {
		t.Errorf("both schemes have the background %s", papers["light"])
	}
}

func TestAHostileTraceDoesNothing(t *testing.T) {
	b := open(t, harm(t))
	b.press(kb.End)
	if value[bool](b, `"harmed" in window || document.querySelector("img") !== null`) {
		t.Error("a script of the trace was run")
	}
	if got := b.text("h1"); !strings.Contains(got, hostile) {
		t.Errorf("the heading is %q, want it to show %q", got, hostile)
	}
	b.quiet()
}

func TestARunInWhichNothingIsToldHasAPageToo(t *testing.T) {
	trace := scenario(t, "clock-step")
	trace.Events, trace.Verdict = trace.Events[:1], nil
	trace.History = sim.History{Quorum: 1}
	b := open(t, trace)
	b.press(kb.ArrowRight)
	if got := b.text("#counter"); got != "0 steps" {
		t.Errorf("%q, want no step", got)
	}
	b.quiet()
}

// The watchdog's run and the fenced one are the same, until the row refuses
// the late write.
func TestTwoRunsAreComparedOnOneAxis(t *testing.T) {
	b := open(t, inPlaceOf(t, "demo-4-frozen-watchdog", "unheeded-watchdog"), inPlaceOf(t, "demo-4-frozen-watchdog", "fenced-watchdog"))
	for value[string](b, `document.querySelector("#counter").textContent.split(" of ")[0]`) != "Step 23" {
		b.press(kb.ArrowRight)
	}
	want := []string{
		"unheeded-watchdog | nobody | A#1 | qty = 101 by A#1",
		"fenced-watchdog | nobody | A#1 | qty = 101, fence_token = 2 by B#1; the write of A#1 is refused",
	}
	if diff := cmp.Diff(want, b.table()); diff != "" {
		t.Errorf("the table at %q (-want +got):\n%s", b.text("#caption"), diff)
	}
	if got := value[int](b, `new Set([...document.querySelectorAll(".run")].map(r => r.querySelector(".bar.belief rect").getAttribute("x"))).size`); got != 1 {
		t.Error("the runs begin at different places of the axis")
	}
}
