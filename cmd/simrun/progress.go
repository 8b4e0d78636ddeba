package main

import (
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
)

// A progress shows on a terminal how far a run has come, how fast it is and
// how long it will take. Nil shows nothing.
type progress struct {
	mu   sync.Mutex
	most int
	bar  *progressbar.ProgressBar
}

// progress starts to show the progress of so many schedules, if anybody is there
// to see it.
func (c *console) progress(schedules int, quiet bool) *progress {
	if !c.live || quiet {
		return nil
	}
	p := &progress{bar: progressbar.NewOptions(schedules,
		progressbar.OptionSetWriter(c.stderr),
		progressbar.OptionSetWidth(24),
		progressbar.OptionSetTheme(progressbar.ThemeASCII),
		progressbar.OptionShowCount(),
		progressbar.OptionShowIts(),
		progressbar.OptionSetItsString("schedules"),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionUseANSICodes(true),
		progressbar.OptionClearOnFinish(),
	)}
	p.bar.RenderBlank()
	return p
}

// reached notes how many schedules have been run. Workers call it at once, so
// that a smaller number can come after a greater one.
func (p *progress) reached(done int) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if done > p.most {
		p.most = done
		p.bar.Set(done)
	}
}

// reachedOf does the same where the number of all schedules is an estimate, 0
// while there is none.
func (p *progress) reachedOf(done, total int) {
	if p == nil {
		return
	}
	if total > 0 {
		p.mu.Lock()
		p.bar.ChangeMax(max(total, p.most+1, done+1)) // with less left, it would call itself finished
		p.mu.Unlock()
	}
	p.reached(done)
}

// clear leaves the line as it was before.
func (p *progress) clear() {
	if p != nil {
		p.bar.Clear()
	}
}
