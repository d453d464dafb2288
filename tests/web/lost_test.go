//go:build unix

package web

import (
	"context"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/tidelock/tidelock/tests/tier"
)

// lostLines are what the browser's console and the page may say while the host is away.
var lostLines = []string{"ERR_", "WebSocket connection to", "WebTransport", "lost", "nothing heard", "coming back"}

// walksAgain fails the test where the player does not walk by keys, as the server sees it.
func (w *tab) walksAgain(h *host, name string) {
	w.t.Helper()
	w.plays()
	until(w.t, "the host sees the player's body", func() bool { _, ok := h.body(name); return ok })
	start := h.atRest(name)
	w.press("KeyW", true)
	until(w.t, "the server sees the player walk", func() bool {
		b, ok := h.body(name)
		return ok && distance(b.at, start) > 100
	})
	w.press("KeyW", false)
	h.agrees(w, name)
}

// Players in browsers stay in the match, by either carrier, without doing anything: when the host ends and another one starts at its
// address, when it is silent for a while, as when a network is gone, and when their tab is hidden.
func TestLost(t *testing.T) {
	tier.Change(t)
	h := startHost(t, "flat?game=WebGame")
	tabs := map[string]*tab{}
	for name, address := range map[string]string{"Ann": "/?name=Ann&via=wt", "Bea": "/?name=Bea&draw=0&via=ws"} { // any order
		tabs[name] = openTab(t, h, address)
		tabs[name].walksAgain(h, name)
		tabs[name].eval(`window.sameDocument = true`, nil)
	}
	w := tabs["Ann"]
	hidden := func() (is bool) { w.eval("document.hidden", &is); return is }
	w.window(browser.WindowStateMinimized)
	until(t, "the tab is hidden", hidden)
	from := w.state()
	pass(longer(5*time.Second, time.Minute))
	d := w.state()
	// It is counted, not timed: a busy machine runs fewer.
	if ticks := d.Tick - from.Tick; d.State != "playing" || ticks < 60 {
		t.Errorf("the page is %s after %d ticks", d.State, ticks)
	}
	if n := len(h.log("Ann")); n != 1 {
		t.Errorf("the host says of the player: %v", h.log("Ann"))
	}
	w.window(browser.WindowStateNormal)
	until(t, "the tab is shown", func() bool { return !hidden() })
	w.until("it is drawn again", func(n debug) bool { return n.Counts.DrawnFrames > d.Counts.DrawnFrames })
	h.quiet()

	h.End(syscall.SIGKILL)
	for _, w := range tabs { // any order
		w.until("the page notices", func(d debug) bool { return d.State != "playing" })
	}
	h.start()
	all := func() {
		for name, w := range tabs { // any order
			w.walksAgain(h, name)
			if !w.is(`window.sameDocument === true`) {
				t.Errorf("the page of %s was reloaded", name)
			}
			w.quiet(lostLines...)
		}
	}
	all()
	if n := len(h.log("Ann")); n < 2 {
		t.Errorf("the player came in %d times", n)
	}
	h.signal(syscall.SIGSTOP)
	pass(longer(4*time.Second, 11*time.Second))
	h.signal(syscall.SIGCONT)
	last := w.state().Tick
	w.until("the match goes on", func(d debug) bool { return d.State == "playing" && d.Tick != last })
	all()
}

// window changes the state of the tab's window.
func (w *tab) window(state browser.WindowState) {
	w.t.Helper()
	w.run(chromedp.ActionFunc(func(ctx context.Context) error {
		id, _, err := browser.GetWindowForTarget().WithTargetID(chromedp.FromContext(ctx).Target.TargetID).Do(cdpBrowser(ctx))
		if err != nil {
			return err
		}
		return browser.SetWindowBounds(id, &browser.Bounds{WindowState: state}).Do(cdpBrowser(ctx))
	}))
}

// hang keeps the page's worker busy with nothing, as a script would that no budget sees.
func (w *tab) hang(lasts time.Duration) {
	w.t.Helper()
	w.mu.Lock()
	id := w.worker
	w.mu.Unlock()
	ctx, end := chromedp.NewContext(w.ctx, chromedp.WithTargetID(id))
	w.t.Cleanup(end)
	if err := chromedp.Run(ctx, chromedp.ActionFunc(func(ctx context.Context) error {
		_, _, err := runtime.Evaluate(fmt.Sprintf("setTimeout(() => { for (const end = performance.now() + %d; performance.now() < end;); })", lasts.Milliseconds())).Do(ctx)
		return err
	})); err != nil {
		w.t.Fatalf("the worker: %v", err)
	}
}

// Scripts that hang in a browser: the page says so, and goes on when they do; what hangs for good is stopped, and its player can come
// back (G7).
func TestHungWorker(t *testing.T) {
	tier.Change(t)
	h := joinHost(t)
	w := openTab(t, h, "/?name=Ann&draw=0")
	w.walksAgain(h, "Ann")
	says := func(text string) bool {
		return w.is(`[...document.querySelectorAll("p")].some((line) => line.textContent.includes("` + text + `"))`)
	}
	w.hang(8 * time.Second)
	until(t, "the page says that a script may hang", func() bool { return says("a script may hang") })
	until(t, "the page says that the match answers again", func() bool { return says("answers again") })
	w.walksAgain(h, "Ann")
	if !tier.IsLong() {
		return
	}
	w.hang(time.Hour)
	w.until("the page stops what hangs", func(d debug) bool { return d.State == "closed" && strings.Contains(d.Line, "scripts hung") })
	until(t, "the keyboard is where Enter joins", func() bool { return w.is(`document.activeElement.id === "play"`) })
	w.tap("Enter")
	w.walksAgain(h, "Ann")
}
