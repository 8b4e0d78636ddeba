package main

import (
	"io"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
)

// A progress shows on a terminal how far a run has come, how fast it is and
// how long it will take. Nil shows nothing.
type progress struct {
	mu     sync.Mutex
	stderr io.Writer
	most   int
	total  int // -1 while nobody can tell
	bar    *progressbar.ProgressBar
}

// progress starts to show the progress of so many schedules, if anybody is there
// to see it.
func (c *console) progress(schedules int, quiet bool) *progress {
	if !c.live || quiet {
		return nil
	}
	p := &progress{stderr: c.stderr}
	p.start(schedules)
	return p
}

func (p *progress) start(schedules int) {
	p.total = schedules
	p.bar = progressbar.NewOptions(schedules,
		progressbar.OptionSetWriter(p.stderr),
		progressbar.OptionSetWidth(24),
		progressbar.OptionSetTheme(progressbar.ThemeASCII),
		progressbar.OptionShowCount(),
		progressbar.OptionShowIts(),
		progressbar.OptionSetItsString("schedules"),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionUseANSICodes(true),
		progressbar.OptionClearOnFinish(),
	)
	p.bar.RenderBlank()
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
	p.mu.Lock()
	switch {
	case total <= 0:
	case p.total < 0:
		p.start(total)
	default:
		p.total = total
		p.bar.ChangeMax(max(total, done+1)) // it would call itself finished
	}
	p.mu.Unlock()
	p.reached(done)
}

// clear leaves the line as it was before.
func (p *progress) clear() {
	if p != nil {
		p.bar.Clear()
	}
}
