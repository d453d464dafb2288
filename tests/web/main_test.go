//go:build unix

// Package web tries the browser client where it belongs: in headless Chromium, against the real host (W6). The page's state is
// read from window.tidelock, the server's from the host's log, which testdata/scripts/WebGame.lua writes to ten times a second.
// Software draws slowly, and the machine may be busy: state, counters and pixels are judged, never frame rates, and what a rule
// requests in milliseconds is asserted in .ci/long only.
//
//	go test ./tests/web                                that it plays
//	TIDELOCK_CI=1 go test ./tests/web -v               all tests, some minutes
//	TIDELOCK_LONG=1 go test ./tests/web -v -timeout 2h as .ci/long does
//	go test ./tests/web -v -run Table -table           the figures of W5
//	go test ./tests/web -v -run Pictures -pictures DIR pictures for README.md and docs/
//
// Without Chromium the tests are skipped; in .ci/run they fail.
//
// Guarantees: State, counters and pixels are checked, never frame rates.
package web

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/tidelock/tidelock/tests/program"
	"github.com/tidelock/tidelock/tests/tier"
)

var (
	table    = flag.Bool("table", false, "TestTable: print sizes and times of the client")
	pictures = flag.String("pictures", "", "TestPictures and TestContactSheet: write pictures to this folder")
)

// patience is how long is waited for what must come, however busy the machine is.
const patience = program.Patience

// longer chooses the form of a test.
func longer[T any](short, long T) T { return tier.Choose(short, short, long) }

// root is the checkout.
const root = "../.."

// shared is what all tests use: the host's program, the browser, and the match of those that need none of their own (joinHost).
var shared struct {
	host    string
	dir     string // of the match
	match   *served
	browser context.Context
	skip    string
}

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(run(m))
}

func run(m *testing.M) int {
	chromium := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if p, err := exec.LookPath(name); err == nil {
			chromium = p
			break
		}
	}
	if chromium == "" {
		shared.skip = "there is no Chromium; install the package chromium"
		return m.Run()
	}
	dir, err := os.MkdirTemp("", "tidelock-web-")
	if err != nil {
		fmt.Fprintln(os.Stderr, "web:", err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	shared.dir = dir
	if shared.host, err = program.Build(root, dir); err != nil {
		fmt.Fprintln(os.Stderr, "web:", err)
		return 1
	}
	flags := []chromedp.ExecAllocatorOption{
		chromedp.ExecPath(chromium), chromedp.NoFirstRun, chromedp.NoDefaultBrowserCheck, chromedp.Headless, chromedp.NoSandbox,
		chromedp.Flag("disable-gpu", true), chromedp.Flag("use-gl", "angle"), chromedp.Flag("use-angle", "swiftshader"),
		chromedp.Flag("enable-unsafe-swiftshader", true), chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true), chromedp.Flag("disable-dev-shm-usage", true),
		chromedp.Flag("mute-audio", true), chromedp.Flag("hide-scrollbars", true), chromedp.WindowSize(640, 360),
		chromedp.UserDataDir(filepath.Join(dir, "profile")), chromedp.WSURLReadTimeout(patience),
	}
	allocator, stop := chromedp.NewExecAllocator(context.Background(), flags...)
	defer stop()
	browser, end := chromedp.NewContext(allocator, chromedp.WithErrorf(func(format string, a ...any) {
		// The definitions of chromedp are older than the browser, which tells of events that they do not know.
		if !strings.Contains(format, "could not unmarshal event") && !strings.Contains(format, "unhandled node event") {
			fmt.Fprintf(os.Stderr, "web: browser: "+format+"\n", a...)
		}
	}))
	defer end()
	if err := chromedp.Run(browser); err != nil {
		fmt.Fprintln(os.Stderr, "web: starting", chromium+":", err)
		return 1
	}
	shared.browser = browser
	defer func() {
		if shared.match != nil {
			shared.match.End(syscall.SIGTERM)
		}
	}()
	return m.Run()
}

// needs skips a test where there is no browser.
func needs(t *testing.T) {
	t.Helper()
	if shared.skip == "" {
		return
	}
	if tier.IsChange() {
		t.Fatal(shared.skip)
	}
	t.Skip(shared.skip)
}

// until looks every few milliseconds whether something has come to be, and fails the test where it never does.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	within(t, patience, what, ok)
}

// within is until with a bound of its own.
func within(t *testing.T, bound time.Duration, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(bound); !ok(); <-tick.C {
		if time.Now().After(end) {
			t.Fatalf("not within %v: %s", bound, what)
		}
	}
}

// pass lets time go by: for as long as something lasts, never to wait for a result.
func pass(d time.Duration) { <-time.After(d) }
