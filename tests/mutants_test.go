package tests

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"
)

const (
	// overlayVariable tells the test under a mutant where the overlay's list is.
	overlayVariable = "TIDELOCK_OVERLAY"
	// noOverlay is its value in the run before, without the mutant: the tests that run must be the same.
	noOverlay = "none"
)

// overlay is which files a mutant replaces by which others, nil where there is no mutant.
func overlay(t *testing.T) map[string]string {
	t.Helper()
	list := os.Getenv(overlayVariable)
	if list == "" || list == noOverlay {
		return nil
	}
	text, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	var overlay struct{ Replace map[string]string }
	if err := json.Unmarshal(text, &overlay); err != nil {
		t.Fatal(err)
	}
	return overlay.Replace
}

// A mutant is a small break of the source that some test must notice: the proof that the tests can fail.
// Each is a file of tests/mutants:
//
//	rule: R1.3 actors tick in order of spawning
//	file: engine/tick.go
//	test: ./engine -run TestTickOrder
//	--- old
//	the text that is there, exactly once
//	+++ new
//	what it becomes
//
// The break is laid over the file with `go test -overlay`; nothing in the tree changes.
type mutant struct {
	name, rule, file, old, new string
	test                       []string
}

func readMutants(t *testing.T) []mutant {
	t.Helper()
	files, err := filepath.Glob("mutants/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no mutants: %v", err)
	}
	sort.Strings(files)
	var out []mutant
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		m := mutant{name: strings.TrimSuffix(filepath.Base(f), ".txt")}
		head, rest, ok := strings.Cut(string(text), "--- old\n")
		if !ok {
			t.Fatalf("%s: no line `--- old`", f)
		}
		if m.old, m.new, ok = strings.Cut(rest, "+++ new\n"); !ok {
			t.Fatalf("%s: no line `+++ new`", f)
		}
		m.old, m.new = strings.TrimSuffix(m.old, "\n"), strings.TrimSuffix(m.new, "\n")
		for _, line := range strings.Split(strings.TrimSpace(head), "\n") {
			key, value, _ := strings.Cut(line, ": ")
			switch key {
			case "rule":
				m.rule = value
			case "file":
				m.file = value
			case "test":
				m.test = strings.Fields(value)
			default:
				t.Fatalf("%s: unknown line %q", f, line)
			}
		}
		if m.rule == "" || m.file == "" || len(m.test) == 0 {
			t.Fatalf("%s: rule, file and test are needed", f)
		}
		out = append(out, m)
	}
	return out
}

// TestMutantsApply checks without running anything that every mutant still fits the source.
func TestMutantsApply(t *testing.T) {
	for _, m := range readMutants(t) {
		src, err := os.ReadFile(filepath.Join("..", m.file))
		if err != nil {
			t.Errorf("%s: %v", m.name, err)
			continue
		}
		if n := strings.Count(string(src), m.old); n != 1 {
			t.Errorf("%s: its old text stands %d times in %s, not once", m.name, n, m.file)
		}
		if m.old == m.new {
			t.Errorf("%s changes nothing", m.name)
		}
	}
}

// TestMutants breaks the source and expects a red test. TIDELOCK_MUTANTS says which: names with commas between them, or "all"; unset
// runs none.
func TestMutants(t *testing.T) {
	want := os.Getenv("TIDELOCK_MUTANTS")
	if want == "" {
		t.Skip("left to .ci/run and .ci/long, which set TIDELOCK_MUTANTS to all or to names of tests/mutants")
	}
	list := readMutants(t)
	if want != "all" {
		names := strings.Split(want, ",")
		list = slices.DeleteFunc(list, func(m mutant) bool { return !slices.Contains(names, m.name) })
		if len(list) != len(names) {
			t.Fatalf("TIDELOCK_MUTANTS=%s: %d of these %d mutants are in tests/mutants", want, len(list), len(names))
		}
	}
	t.Parallel() // beside the scenarios
	for _, m := range list {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel() // a build and a test seldom keep all cores busy
			m.run(t)
		})
	}
}

func (m mutant) run(t *testing.T) {
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(root, m.file)
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	broken := filepath.Join(dir, filepath.Base(m.file))
	if err := os.WriteFile(broken, []byte(strings.Replace(string(src), m.old, m.new, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{path: broken}})
	if err != nil {
		t.Fatal(err)
	}
	list := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(list, overlay, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := m.goTest(root, nil, overlayVariable+"="+noOverlay); err != nil {
		t.Fatalf("%s: its test fails without the mutant:\n%s", m.name, out)
	}
	out, err := m.goTest(root, []string{"-overlay", list, "-vet=off", "-count=1"}, overlayVariable+"="+list)
	switch verdict := judge(out, err); verdict {
	case "":
	case unnoticed:
		t.Errorf("%s (%s): %s:\n%s", m.name, m.rule, verdict, m.diff())
	default:
		t.Errorf("%s (%s): %s:\n%s", m.name, m.rule, verdict, out)
	}
}

// unnoticed is the verdict on a mutant that no test minded.
const unnoticed = "the tests did not notice"

// judge says what is wrong with the run of a test under a mutant, "" for nothing: a test has to fail by an assertion of its
// own. A run that does not compile, finds no test or is ended by its time limit proves nothing.
func judge(out string, err error) string {
	switch {
	case err == nil && strings.Contains(out, "no tests to run"):
		return "its test does not exist"
	case err == nil:
		return unnoticed
	case strings.Contains(out, "[build failed]"), strings.Contains(out, "[setup failed]"):
		return "does not compile"
	case strings.Contains(out, "panic: test timed out"), strings.Contains(out, "context deadline exceeded"):
		return "noticed by a time limit only, not by an assertion"
	case !strings.Contains(out, "--- FAIL:"):
		return "the run failed, but no test did"
	}
	return ""
}

// goTest runs the mutant's test. Without an overlay the result may come from the cache of go test.
func (m mutant) goTest(root string, flags []string, env ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Minute)
	defer cancel()
	args := append([]string{"test", "-ldflags=-s -w", "-failfast", "-timeout=200s"}, flags...)
	cmd := exec.CommandContext(ctx, "go", append(args, m.test...)...)
	cmd.Dir = root
	cmd.Env = append(append(os.Environ(), "TIDELOCK_MUTANTS=", "TIDELOCK_LONG=", "TIDELOCK_CI=1", "TIDELOCK_UNDRAWN=1"), env...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	if err == nil && strings.Contains(out.String(), "no tests to run") {
		return out.String(), errors.New("there is no such test")
	}
	return out.String(), err
}

// TestJudge: only a failing assertion counts.
func TestJudge(t *testing.T) {
	failed := errors.New("exit status 1")
	for out, c := range map[string]struct {
		err  error
		want string
	}{
		"ok  \tpkg\t0.1s\n": {nil, unnoticed},
		"--- FAIL: TestX (0.00s)\n    x_test.go:3: 1\nFAIL\n":           {failed, ""},
		"FAIL\tpkg [build failed]\n":                                    {failed, "does not compile"},
		"panic: test timed out after 3m20s\n--- FAIL: TestX (200.0s)\n": {failed, "noticed by a time limit only, not by an assertion"},
		"signal: killed\nFAIL\tpkg\t1s\n":                               {failed, "the run failed, but no test did"},
		"ok  \tpkg\t0.1s [no tests to run]\n":                           {nil, "its test does not exist"},
	} {
		if got := judge(out, c.err); got != c.want {
			t.Errorf("%q: %q, want %q", out, got, c.want)
		}
	}
}

func (m mutant) diff() string {
	return fmt.Sprintf("%s\n- %s\n+ %s", m.file, strings.ReplaceAll(m.old, "\n", "\n- "), strings.ReplaceAll(m.new, "\n", "\n+ "))
}
