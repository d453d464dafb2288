//go:build unix

package web

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
)

// tab is a page in a window of its own, with storage of its own: a player like any other.
type tab struct {
	t   *testing.T
	ctx context.Context

	mu     sync.Mutex
	errors []string  // of the console
	worker target.ID // the page's newest

	x, y float64 // where the mouse is
}

// debug is window.tidelock.
type debug struct {
	State, Line, Via string
	Host             string // where the player is, "" for the page's host
	Tick             int
	Place            [3]float64
	View             struct {
		Pitch, Yaw float64
		Control    string
	}
	Actors  struct{ Known, Drawn, Refused int }
	Classes []string
	Seen    []seen
	Numbers struct {
		Ping, TickMs, TickP50, TickP95, Memory, Heap, FrameMs, DrawMs float64
		Corrections                                                   int
	}
	Counts struct {
		DrawnFrames, ReceivedFrames, ContextsLost, DroppedEvents int
		Calls                                                    int // of the graphics driver, for the latest frame
		Quality                                                  int // step, 0 is the best
		Shaken                                                   int // frames in which the camera shook
	}
	Shown struct{ Models, Particles, Effects, Sounds int }
	Level struct {
		Name               string
		Triangles          int
		Textures, Patterns int // drawn, and those of them without a material
	}
	Canvas   [][]any           // calls of the HUD
	Chat     string            // what the open line of chat is for: "all", "team"
	Captions map[string]string // of sounds
	Errors   []string
}

// seen is an actor of the latest frame.
type seen struct {
	Slot          int
	Class, Player string
	Team          int    // -1 for none
	Color         string // of the look; "" where each actor has its own
	Own, Hidden   bool
	Place         [3]float64
}

// window is the size of a tab: software draws few pixels a second.
const windowWidth, windowHeight = 640, 360

// openTab opens an address of the host in a new tab, which closes with the test.
func openTab(t *testing.T, h *host, address string) *tab {
	t.Helper()
	w := newTab(t)
	w.open(w.address(h, address))
	return w
}

// address is one of the host's, as a browser has it.
func (w *tab) address(h *host, path string) string {
	return "http://localhost:" + h.web[strings.LastIndexByte(h.web, ':')+1:] + path
}

func newTab(t *testing.T) *tab {
	t.Helper()
	needs(t)
	ctx, end := chromedp.NewContext(shared.browser, chromedp.WithNewBrowserContext())
	t.Cleanup(end)
	w := &tab{t: t, ctx: ctx, x: windowWidth / 2, y: windowHeight / 2}
	if err := chromedp.Run(ctx); err != nil { // without a deadline: the tab lives as long as this context
		t.Fatalf("browser: %v", err)
	}
	chromedp.ListenTarget(ctx, w.listen)
	w.run(chromedp.EmulateViewport(windowWidth, windowHeight), cdplog.Enable(), runtime.Enable())
	return w
}

// best has the page draw as well as it can, for pictures: by itself it does less where the processor draws. fov is in degrees.
func (w *tab) best(fov int) {
	w.t.Helper()
	w.run(chromedp.ActionFunc(func(ctx context.Context) error {
		_, err := page.AddScriptToEvaluateOnNewDocument(fmt.Sprintf(`localStorage.setItem("tidelock.settings", JSON.stringify({ quality: "best", fov: %d }))`, fov)).Do(ctx)
		return err
	}))
}

// run runs actions in the tab.
func (w *tab) run(actions ...chromedp.Action) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.ctx, patience)
	defer cancel()
	if err := chromedp.Run(ctx, actions...); err != nil {
		w.t.Fatalf("browser: %v", err)
	}
}

func (w *tab) open(url string) {
	w.t.Helper()
	w.run(chromedp.ActionFunc(func(ctx context.Context) error {
		_, _, text, err := page.Navigate(url).Do(ctx)
		if err == nil && text != "" {
			err = fmt.Errorf("%s: %s", url, text)
		}
		return err
	}))
	// The document is there at once, its script a moment later.
	until(w.t, "the page's script runs", func() bool {
		var ok bool
		w.eval(`typeof tidelock === "object"`, &ok)
		return ok
	})
}

// listen keeps errors of the console, and who the page's worker is.
func (w *tab) listen(event any) {
	text := ""
	switch e := event.(type) {
	case *target.EventAttachedToTarget:
		if e.TargetInfo.Type == "worker" {
			w.mu.Lock()
			w.worker = e.TargetInfo.TargetID
			w.mu.Unlock()
		}
		return
	case *runtime.EventConsoleAPICalled:
		if e.Type != runtime.APITypeError && e.Type != runtime.APITypeAssert {
			return
		}
		for _, a := range e.Args {
			text += " " + string(a.Value) + a.Description
		}
	case *runtime.EventExceptionThrown:
		text = e.ExceptionDetails.Error()
	case *cdplog.EventEntryAdded:
		if e.Entry.Level != cdplog.LevelError {
			return
		}
		text = e.Entry.Text + " " + e.Entry.URL
	default:
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.errors = append(w.errors, text)
}

// quiet fails the test for every error of the console and of the page that holds none of the texts.
func (w *tab) quiet(but ...string) {
	w.t.Helper()
	w.mu.Lock()
	list := append([]string(nil), w.errors...)
	w.mu.Unlock()
	list = append(list, w.state().Errors...)
lines:
	for _, l := range list {
		for _, b := range but {
			if strings.Contains(l, b) {
				continue lines
			}
		}
		w.t.Errorf("the browser's console or the page said: %s", l)
	}
}

// eval evaluates an expression, whose value may be a promise; out may be nil.
func (w *tab) eval(expression string, out any) {
	w.t.Helper()
	var raw json.RawMessage
	w.run(chromedp.Evaluate("(async () => { const r = await ("+expression+"\n); return r === undefined ? null : r; })()", &raw,
		func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }))
	if out == nil {
		return
	}
	if err := json.Unmarshal(raw, out); err != nil {
		w.t.Fatalf("%s is %s: %v", expression, raw, err)
	}
}

// state is what the page knows.
func (w *tab) state() (d debug) {
	w.t.Helper()
	w.eval("tidelock", &d)
	return d
}

// until waits until the page's state is as wanted.
func (w *tab) until(what string, ok func(d debug) bool) debug {
	w.t.Helper()
	var d debug
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(patience); ; <-tick.C {
		if d = w.state(); ok(d) {
			return d
		}
		if time.Now().After(end) {
			w.t.Fatalf("not within %v: %s; the page is %q, %q, and says %v", patience, what, d.State, d.Line, d.Errors)
		}
	}
}

// plays waits until the player is in, has a body and gets frames.
func (w *tab) plays() debug {
	w.t.Helper()
	return w.until("the player is in", func(d debug) bool {
		if d.State == "closed" || d.State == "unsupported" {
			w.t.Fatalf("the page says: %s", d.Line)
		}
		for _, a := range d.Seen {
			if a.Own && a.Class == "ShooterPawn" {
				return d.State == "playing"
			}
		}
		return false
	})
}

// keys of the keyboard: the value and the code that Windows has for it.
var keys = map[string]struct {
	key  string
	code int64
}{
	"KeyW": {"w", 'W'}, "KeyA": {"a", 'A'}, "KeyS": {"s", 'S'}, "KeyD": {"d", 'D'}, "Space": {" ", ' '}, "ShiftLeft": {"Shift", 16}, "Tab": {"Tab", 9},
	"F3": {"F3", 114}, "Backquote": {"`", 192}, "ArrowUp": {"ArrowUp", 38}, "ArrowDown": {"ArrowDown", 40}, "Escape": {"Escape", 27}, "Enter": {"Enter", 13}, "KeyV": {"v", 'V'}, "KeyT": {"t", 'T'}, "KeyY": {"y", 'Y'}, "ArrowRight": {"ArrowRight", 39},
}

// press presses or lets go of a key.
func (w *tab) press(code string, down bool) {
	w.t.Helper()
	kind := input.KeyUp
	if down {
		kind = input.KeyDown
	}
	k := keys[code]
	e := input.DispatchKeyEvent(kind).WithCode(code).WithKey(k.key).WithWindowsVirtualKeyCode(k.code).WithNativeVirtualKeyCode(k.code)
	if down && code == "Enter" {
		e = e.WithText("\r") // without it no form is sent
	}
	w.run(e)
}

// tap presses a key and lets go of it.
func (w *tab) tap(code string) {
	w.t.Helper()
	w.press(code, true)
	w.press(code, false)
}

// write types a text into what has the keyboard.
func (w *tab) write(text string) {
	w.t.Helper()
	w.run(input.InsertText(text))
}

// text is what an element says, "" for none that is seen.
func (w *tab) text(selector string) (text string) {
	w.t.Helper()
	w.eval(fmt.Sprintf("document.querySelector(%q)?.innerText ?? ''", selector), &text)
	return text
}

// is reports whether an expression is true.
func (w *tab) is(expression string) (yes bool) {
	w.t.Helper()
	w.eval("Boolean("+expression+")", &yes)
	return yes
}

// button presses or lets go of the left mouse button.
func (w *tab) button(down bool) {
	w.t.Helper()
	if down {
		w.run(input.DispatchMouseEvent(input.MousePressed, w.x, w.y).WithButton(input.Left).WithButtons(1).WithClickCount(1))
	} else {
		w.run(input.DispatchMouseEvent(input.MouseReleased, w.x, w.y).WithButton(input.Left).WithClickCount(1))
	}
}

// capture clicks, so that the mouse looks around.
func (w *tab) capture() {
	w.t.Helper()
	until(w.t, "the mouse is captured", func() bool {
		var locked bool
		w.button(true)
		w.button(false)
		w.eval("document.pointerLockElement !== null", &locked)
		return locked
	})
}

// mouse moves it by so many counts.
func (w *tab) mouse(dx, dy float64) {
	w.t.Helper()
	w.x, w.y = w.x+dx, w.y+dy
	w.run(input.DispatchMouseEvent(input.MouseMoved, w.x, w.y))
}

// picture is a screenshot, PNG.
func (w *tab) picture() (png []byte) {
	w.t.Helper()
	w.run(chromedp.ActionFunc(func(ctx context.Context) (err error) {
		png, err = page.CaptureScreenshot().WithFormat(page.CaptureScreenshotFormatPng).Do(ctx)
		return err
	}))
	return png
}

// cdpBrowser is a context for commands to the browser instead of a tab.
func cdpBrowser(ctx context.Context) context.Context {
	return cdp.WithExecutor(ctx, chromedp.FromContext(ctx).Browser)
}
