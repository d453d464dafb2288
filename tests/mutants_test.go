package tests

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"testing"
	"time"
)

// overlayVariable tells the test under a mutant where the overlay's list is.
const overlayVariable = "TIDELOCK_OVERLAY"

// overlay is which files a mutant replaces by which others, nil where there is no mutant.
func overlay(t *testing.T) map[string]string {
	t.Helper()
	list := os.Getenv(overlayVariable)
	if list == "" {
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

// TestMutants breaks the source and expects a red test. TIDELOCK_MUTANTS says how many: "all", or a number,
// which takes another stretch of the list every day; unset runs none.
func TestMutants(t *testing.T) {
	want := os.Getenv("TIDELOCK_MUTANTS")
	if want == "" {
		t.Skip("set TIDELOCK_MUTANTS=all (or a number) to run the mutants; .ci/run does")
	}
	list := readMutants(t)
	if want != "all" {
		n, err := strconv.Atoi(want)
		if err != nil || n < 1 {
			t.Fatalf("TIDELOCK_MUTANTS=%s: expected all or a number from 1", want)
		}
		n = min(n, len(list))
		start := int(time.Now().Unix()/86400) * n % len(list)
		list = append(list, list...)[start : start+n]
	}
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
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", append([]string{"test", "-overlay", list, "-vet=off", "-ldflags=-s -w", "-count=1", "-failfast", "-timeout=200s"}, m.test...)...)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "TIDELOCK_MUTANTS=", "TIDELOCK_SEEDS=1", overlayVariable+"="+list)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err = cmd.Run()
	switch {
	case err == nil:
		t.Errorf("%s (%s): the tests did not notice:\n%s", m.name, m.rule, m.diff())
	case strings.Contains(out.String(), "[build failed]"), strings.Contains(out.String(), "[setup failed]"):
		t.Errorf("%s: does not compile:\n%s", m.name, out.String())
	case strings.Contains(out.String(), "no tests to run"):
		t.Errorf("%s: its test does not exist:\n%s", m.name, out.String())
	}
}

func (m mutant) diff() string {
	return fmt.Sprintf("%s\n- %s\n+ %s", m.file, strings.ReplaceAll(m.old, "\n", "\n- "), strings.ReplaceAll(m.new, "\n", "\n+ "))
}
