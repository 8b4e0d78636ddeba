//go:build !386

package page_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"simrun/traces"
)

// One browser serves all tests, each with a tab of its own.
var browser struct {
	sync.Once
	ctx   context.Context
	close []func()
	err   error
}

func TestMain(m *testing.M) {
	code := m.Run()
	for i := len(browser.close) - 1; i >= 0; i-- {
		browser.close[i]()
	}
	os.Exit(code)
}

func startBrowser() {
	var path string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, browser.err = exec.LookPath(name); browser.err == nil {
			break
		}
	}
	if browser.err != nil {
		return
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true))
	ctx, closeAllocator := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, closeBrowser := chromedp.NewContext(ctx)
	browser.ctx, browser.close = ctx, []func(){closeAllocator, closeBrowser}
	browser.err = chromedp.Do(ctx) // the first use starts it
}

// A tab is a page that is open in a browser.
type tab struct {
	testing.TB
	ctx  context.Context
	file string

	mu       sync.Mutex
	requests []string
	errors   []string
}

// open writes the page of some runs to a file and opens it.
func open(t testing.TB, runs ...*traces.Trace) *tab {
	t.Helper()
	browser.Do(startBrowser)
	if browser.err != nil {
		if os.Getenv("SIMRUN_NEEDS") != "" {
			t.Fatalf("no browser (install chromium): %v", browser.err)
		}
		t.Skip("no browser: install chromium")
	}
	b := &tab{TB: t, file: filepath.Join(t.TempDir(), "page.html")}
	if err := os.WriteFile(b.file, []byte(pageOf(t, runs...)), 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := chromedp.NewContext(browser.ctx, chromedp.WithListener(b.listen))
	t.Cleanup(cancel)
	b.ctx = ctx
	b.do(chromedp.EmulateViewport(1280, 900))
	if _, err := chromedp.Call(b.ctx, network.Enable, network.EnableParams{}); err != nil {
		t.Fatal(err)
	}
	if _, err := chromedp.Call(b.ctx, cdplog.Enable, cdp.Empty{}); err != nil {
		t.Fatal(err)
	}
	b.visit("")
	return b
}

func (b *tab) listen(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		b.requests = append(b.requests, e.Request.URL)
	case *runtime.EventExceptionThrown:
		b.errors = append(b.errors, fmt.Sprint(e.ExceptionDetails))
	case *runtime.EventConsoleAPICalled:
		b.errors = append(b.errors, fmt.Sprint(e.Type))
	case *cdplog.EventEntryAdded:
		b.errors = append(b.errors, e.Entry.Text)
	}
}

// quiet expects that nothing was said on the console.
func (b *tab) quiet() {
	b.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.errors) > 0 {
		b.Errorf("on the console: %q, want nothing", b.errors)
	}
}

// visit opens the page at a fragment of its address.
func (b *tab) visit(fragment string) {
	b.Helper()
	b.do(chromedp.Navigate("file://" + b.file + fragment))
}

func (b *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	b.Helper()
	if err := chromedp.Do(b.ctx, steps...); err != nil {
		b.Fatal(err)
	}
}

func (b *tab) press(keys string) {
	b.Helper()
	b.do(chromedp.KeyEvent(keys))
}

// value returns what an expression of the page's is.
func value[T any](b *tab, expression string) T {
	b.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		b.Fatalf("%s: %v", expression, err)
	}
	return v
}

// text returns what stands in the first element that a selector finds.
func (b *tab) text(selector string) string {
	b.Helper()
	text := value[string](b, fmt.Sprintf("document.querySelector(%q).textContent", selector))
	return strings.Join(strings.Fields(text), " ")
}

// table returns the rows of the table of who holds the lock.
func (b *tab) table() []string {
	b.Helper()
	return value[[]string](b, `[...document.querySelectorAll(".now tbody tr")].map(r => [...r.children].map(c => c.textContent).join(" | "))`)
}

func (b *tab) prefer(scheme string) {
	b.Helper()
	params := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}}
	if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, params); err != nil {
		b.Fatal(err)
	}
}
