package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// read reports events, one a word of the form ACTION:TEST[:OUTPUT], a tenth of a second apart.
func read(t *testing.T, args []string, words ...string) (string, error) {
	t.Helper()
	var in strings.Builder
	for i, w := range words {
		action, rest, _ := strings.Cut(w, ":")
		name, output, _ := strings.Cut(rest, ":")
		fmt.Fprintf(&in, "{\"Time\":%q,\"Action\":%q,\"Package\":\"github.com/tidelock/tidelock/p\",\"Test\":%q,\"Output\":%q}\n",
			time.Unix(100, int64(i)*1e8).UTC().Format(time.RFC3339Nano), action, name, output)
	}
	var out strings.Builder
	err := run(append([]string{"read"}, args...), strings.NewReader(in.String()), &out)
	return out.String(), err
}

// TestHash: the hash follows from the names that ran, in any order; a test that was skipped is counted by its reason.
func TestHash(t *testing.T) {
	skip := []string{"run:TestC", "output:TestC:    c_test.go:3: no browser\n", "skip:TestC"}
	a, err := read(t, nil, append([]string{"run:TestA", "pass:TestA", "run:TestB", "pass:TestB"}, skip...)...)
	if err != nil {
		t.Fatal(err)
	}
	b, _ := read(t, nil, append(skip, "run:TestB", "pass:TestB", "run:TestA", "pass:TestA")...)
	c, _ := read(t, nil, append(skip, "run:TestB", "pass:TestB")...)
	if a != b || a == c || !strings.Contains(a, "1 tests: no browser\n") || !strings.HasSuffix(a, "\n2 passed, 0 failed, 1 skipped\n") {
		t.Errorf("%s\n%s\n%s", a, b, c)
	}
}

// TestFailures: a test that fails is shown with its output, and one that never ended has failed, too.
func TestFailures(t *testing.T) {
	out, err := read(t, nil, "run:TestA", "output:TestA:    a_test.go:1: why\n", "fail:TestA", "run:TestB", "output::panic: over\n", "fail:")
	if err == nil || !strings.Contains(out, "a_test.go:1: why") || !strings.Contains(out, "panic: over") || !strings.HasSuffix(out, "\n0 passed, 2 failed, 0 skipped\n") {
		t.Errorf("%v\n%s", err, out)
	}
	out, err = read(t, nil, "build-output::x.go:1: wrong\n", "build-fail:")
	if err == nil || !strings.Contains(out, "x.go:1: wrong") {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestProcessorTime: time goes to the tests that ran in it, not to one that waits for its subtests or its turn.
func TestProcessorTime(t *testing.T) {
	dir := t.TempDir()
	wd, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	var notes strings.Builder
	fmt.Fprintln(&notes, filepath.Join(wd, "p"))
	for i := range 8 {
		fmt.Fprintf(&notes, "%d %d\n", time.Unix(100, int64(i)*1e8+1).UnixNano(), i*15000)
	}
	if err := os.WriteFile(filepath.Join(dir, "cpu1"), []byte(notes.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := read(t, []string{"-cpu", dir}, "run:TestA", "run:TestA/x", "pause:TestA/x", "run:TestA/y", "pass:TestA/y", "cont:TestA/x", "pass:TestA/x", "pass:TestA")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"60.0  p TestA/x\n", "30.0  p TestA/y\n", "15.0  p TestA\n", "p TestA/y takes more than 10 s"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	slow := filepath.Join(dir, "slow.txt")
	if err := os.WriteFile(slow, []byte("# why\np TestA*: it is long\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, _ := read(t, []string{"-cpu", dir, "-slow", slow}, "run:TestA", "pass:TestA"); strings.Contains(out, "takes more") {
		t.Error(out)
	}
}
