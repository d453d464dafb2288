//go:build unix

// Package web tries the browser client where it belongs: in headless Chromium, against the real host (W6). The page's state is
// read from window.tidelock, the server's from the host's log, which testdata/scripts/WebGame.lua writes to ten times a second.
// Software draws slowly, and the machine may be busy: state, counters and pixels are judged, never frame rates, and what a rule
// requests in milliseconds is asserted with -long only.
//
//	go test ./tests/web                                that it plays
//	go test ./tests/web -v -full                       all tests, some minutes
//	go test ./tests/web -v -today                      a third of them, the others on other days, as .ci/run does
//	go test ./tests/web -v -long -timeout 2h           as .ci/long does
//	go test ./tests/web -v -run Table -table           the figures of W5
//	go test ./tests/web -v -run Pictures -pictures DIR pictures for README.md and docs/
//
// Without Chromium the tests are skipped; with TIDELOCK_CI they fail.
//
// Guarantees: State, counters and pixels are checked, never frame rates.
package web

import (
	"context"
	"flag"
	"fmt"
	"hash/fnv"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

var (
	full     = flag.Bool("full", false, "all tests; without it only that the client plays")
	today    = flag.Bool("today", false, "those of -full whose turn it is today, a third of them, as .ci/run has them")
	long     = flag.Bool("long", false, "the long form of all tests, where times are asserted, too")
	table    = flag.Bool("table", false, "TestTable: print sizes and times of the client")
	pictures = flag.String("pictures", "", "TestPictures and TestContactSheet: write pictures to this folder")
)

// patience is how long is waited for what must come, however busy the machine is.
const patience = 3 * time.Minute

// inCI tells that what tests need must be there.
func inCI() bool { return os.Getenv("TIDELOCK_CI") != "" }

// longer chooses the form of a test.
func longer[T any](short, full T) T {
	if *long {
		return full
	}
	return short
}

// root is the checkout.
const root = "../.."

// shared is what all tests use: the host's program, and the browser.
var shared struct {
	host    string
	browser context.Context
	skip    string
}

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(run(m))
}

func run(m *testing.M) int {
	program := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if p, err := exec.LookPath(name); err == nil {
			program = p
			break
		}
	}
	if program == "" {
		shared.skip = "there is no Chromium; install the package chromium"
		return m.Run()
	}
	dir, err := os.MkdirTemp("", "tidelock-web-")
	if err != nil {
		fmt.Fprintln(os.Stderr, "web:", err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	shared.host = filepath.Join(dir, "host")
	build := exec.Command("go", "build", "-o", shared.host, "./cmd/host")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "web: %v\n%s", err, out)
		return 1
	}
	flags := []chromedp.ExecAllocatorOption{
		chromedp.ExecPath(program), chromedp.NoFirstRun, chromedp.NoDefaultBrowserCheck, chromedp.Headless, chromedp.NoSandbox,
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
		fmt.Fprintln(os.Stderr, "web: starting", program+":", err)
		return 1
	}
	shared.browser = browser
	return m.Run()
}

// needsTime skips a test that is not requested and whose turn it is not.
func needsTime(t *testing.T) {
	t.Helper()
	if *full || *long {
		return
	}
	if !*today {
		t.Skip("takes some seconds: -full runs it, and .ci/run every third day")
	}
	name := fnv.New32a()
	_, _ = name.Write([]byte(t.Name())) // it never fails
	if (int64(name.Sum32()%3)+time.Now().Unix()/86400)%3 != 0 {
		t.Skip("its turn is another day; -full runs it")
	}
}

// needs skips a test where there is no browser.
func needs(t *testing.T) {
	t.Helper()
	if shared.skip == "" {
		return
	}
	if inCI() {
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
