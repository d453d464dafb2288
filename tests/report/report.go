package main

import (
	"crypto/sha256"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"
)

// event is one line of `go test -json` (see `go doc test2json`).
type event struct {
	Time                                      time.Time
	Action, Package, Test, Output, ImportPath string
	Elapsed                                   float64
}

// test is one test or subtest, or a package where its name is empty.
type test struct {
	pkg, name string
	result    string // pass, fail or skip; "" while it runs
	seconds   float64
	cpu       float64 // seconds of processor time, of it alone and not of its subtests
	measured  bool    // whether cpu is known
	output    []string
	spans     []span
}

// span is a time in which a test ran and did not wait for its turn.
type span struct{ from, to time.Time }

func (t *test) begin(at time.Time) { t.spans = append(t.spans, span{from: at}) }

func (t *test) pause(at time.Time) {
	if n := len(t.spans); n > 0 && t.spans[n-1].to.IsZero() {
		t.spans[n-1].to = at
	}
}

// report collects events.
type report struct {
	out    io.Writer
	tests  map[string]*test // by package, a space, and name
	builds map[string][]string
	failed bool
}

func newReport(out io.Writer) *report {
	return &report{out: out, tests: map[string]*test{}, builds: map[string][]string{}}
}

func (r *report) test(e event) *test {
	key := e.Package + " " + e.Test
	t := r.tests[key]
	if t == nil {
		t = &test{pkg: e.Package, name: e.Test}
		r.tests[key] = t
	}
	return t
}

func (r *report) print(format string, args ...any) {
	_, _ = fmt.Fprintf(r.out, format, args...) // where a terminal is gone nobody reads
}

func (r *report) add(e event) {
	switch e.Action {
	case "build-output":
		r.builds[e.ImportPath] = append(r.builds[e.ImportPath], e.Output)
		return
	case "build-fail":
		r.failed = true
		r.print("%s", strings.Join(r.builds[e.ImportPath], ""))
		return
	}
	t := r.test(e)
	switch e.Action {
	case "run", "cont":
		t.begin(e.Time)
	case "pause":
		t.pause(e.Time)
	case "output":
		if !strings.HasPrefix(e.Output, "=== ") {
			t.output = append(t.output, e.Output)
		}
	case "pass", "fail", "skip":
		t.pause(e.Time)
		t.result, t.seconds = e.Action, e.Elapsed
		if e.Action == "fail" {
			r.failed = true
		}
		if e.Test == "" || e.Action == "fail" {
			r.show(t)
		}
		if e.Action != "skip" {
			t.output = nil
		}
	}
}

// show prints what a package says at its end, or all that a failed test printed.
func (r *report) show(t *test) {
	for _, line := range t.output {
		if t.name != "" || t.result == "fail" || strings.HasPrefix(line, "ok  ") {
			r.print("%s", line)
		}
	}
}

// reasonLine is a line that a test logged: file, line and text.
var reasonLine = regexp.MustCompile(`^\s+\S+\.go:\d+: (.*)`)

// reason is why a test was skipped.
func (t *test) reason() string {
	for _, line := range slices.Backward(t.output) {
		if m := reasonLine.FindStringSubmatch(line); m != nil {
			return strings.TrimSpace(m[1])
		}
	}
	return "no reason given"
}

// slowSeconds is how much processor time a test may take without a line that says why.
const slowSeconds = 10

// end prints the summary. The error says that something failed.
func (r *report) end(reasons map[string]string) error {
	var ran []*test
	var names []string
	skipped := map[string][]string{}
	counts := map[string]int{}
	for _, key := range slices.Sorted(maps.Keys(r.tests)) {
		t := r.tests[key]
		if t.name == "" {
			continue
		}
		if t.result == "" { // its program ended before it did
			t.result, r.failed = "fail", true
		}
		counts[t.result]++
		if t.result == "skip" {
			why := t.reason()
			skipped[why] = append(skipped[why], key)
			continue
		}
		ran, names = append(ran, t), append(names, key)
	}
	r.print("\nran      %s  %d tests\n", hashOf(names), len(names))
	for _, why := range slices.Sorted(maps.Keys(skipped)) {
		r.print("skipped  %s  %d tests: %s\n", hashOf(skipped[why]), len(skipped[why]), why)
	}
	slices.SortStableFunc(ran, func(a, b *test) int { return compare(b.cost(), a.cost()) })
	r.print("\nthe slowest, in seconds of processor time (of the clock, where no processor time is known)\n")
	for _, t := range ran[:min(20, len(ran))] {
		r.print("%8.1f  %s %s\n", t.cost(), shorten(t.pkg), t.name)
	}
	for _, t := range ran {
		if t.cost() > slowSeconds && !excused(reasons, shorten(t.pkg)+" "+t.name) {
			r.print("%s %s takes more than %d s; make it cheaper, or say why in tests/slow.txt\n", shorten(t.pkg), t.name, slowSeconds)
		}
	}
	r.print("\n%d passed, %d failed, %d skipped\n", counts["pass"], counts["fail"], counts["skip"])
	if r.failed {
		return fmt.Errorf("%d tests failed, or did not compile; see above", counts["fail"])
	}
	return nil
}

func (t *test) cost() float64 {
	if t.measured {
		return t.cpu
	}
	return t.seconds
}

func compare(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func hashOf(names []string) string {
	return fmt.Sprintf("%x", sha256.Sum256([]byte(strings.Join(names, "\n"))))[:16]
}

// shorten leaves out the module's path.
func shorten(pkg string) string { return strings.TrimPrefix(pkg, "github.com/tidelock/tidelock/") }

// readReasons reads a file with a line for each slow test: its package, its name (one that ends with * stands for all that begin so), and why.
func readReasons(file string) (map[string]string, error) {
	if file == "" {
		return nil, nil
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	reasons := map[string]string{}
	for i, line := range strings.Split(string(b), "\n") {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, why, ok := strings.Cut(line, ": ")
		if !ok {
			return nil, fmt.Errorf("%s:%d: expected PACKAGE TEST: REASON", file, i+1)
		}
		reasons[name] = why
	}
	return reasons, nil
}

func excused(reasons map[string]string, name string) bool {
	if reasons[name] != "" {
		return true
	}
	for pattern := range reasons { // any order: one is enough
		if prefix, ok := strings.CutSuffix(pattern, "*"); ok && strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}
