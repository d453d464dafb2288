package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// errInterrupted ends a run by a signal: what ran then has no result.
var errInterrupted = errors.New("interrupted; what ran before is in " + recordFile)

func (l *long) interrupted() bool {
	select {
	case s := <-l.signals:
		l.signals <- s // it stays so
		return true
	default:
		return false
	}
}

// started prepares a command with the environment of .ci/long.
func (l *long) started(env []string, name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Env = append(append(os.Environ(), "CI=true", "TIDELOCK_CI=1"), env...)
	return cmd
}

// lastOutput is how much of a failed command's output is shown, in bytes.
const lastOutput = 12_000

// goCommand runs an item as one command of go, whose exit code is the verdict.
func (l *long) goCommand(it item, env []string, args ...string) error {
	began := time.Now()
	out, err := l.started(env, "go", args...).CombinedOutput()
	if l.interrupted() {
		return errInterrupted
	}
	if err != nil {
		fmt.Printf("go %s: %v\n…%s\n", strings.Join(args, " "), err, tail(out))
	}
	for _, line := range figures(out) {
		fmt.Printf("        %s\n", line)
	}
	return l.note(it, err == nil, time.Since(began).Seconds())
}

func tail(b []byte) []byte { return b[max(0, len(b)-lastOutput):] }

// figureLine is a line that a test logs for docs/performance.md.
var figureLine = regexp.MustCompile(`(?m)^ +\w+_test\.go:\d+: ((?:hops|seen|\w+: \d+ moments|figure).*)$`)

func figures(out []byte) []string {
	var lines []string
	for _, m := range figureLine.FindAllSubmatch(out, -1) {
		lines = append(lines, string(m[1]))
	}
	return lines
}

// goTest runs items as subtests of one `go test`. key gives the item's short name for a test's, nil where lines "verdict ITEM ok" or "verdict ITEM failed"
// in the output say it.
func (l *long) goTest(part []item, pkg string, env, args []string, key func(test string) string) error {
	left := map[string]item{}
	for _, it := range part {
		left[it.short()] = it
	}
	cmd := l.started(env, "go", append([]string{"test", "-json", "-count=1", "-timeout=6h", pkg}, args...)...)
	cmd.Stderr = os.Stderr
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	said := map[string][]byte{}
	last := time.Now()
	done := func(name string, ok bool, seconds float64, output []byte) error {
		it, known := left[name]
		if !known {
			return nil
		}
		delete(left, name)
		if l.interrupted() {
			return errInterrupted
		}
		if !ok {
			fmt.Printf("%s\n", tail(output))
		}
		return l.note(it, ok, seconds)
	}
	lines := bufio.NewReader(pipe)
	for {
		line, err := lines.ReadBytes('\n')
		var e struct {
			Action, Test, Output string
			Elapsed              float64
		}
		if json.Unmarshal(line, &e) == nil {
			if e.Action == "output" || e.Action == "build-output" {
				said[e.Test] = append(said[e.Test], e.Output...)
			}
			var failed error
			if key != nil && (e.Action == "pass" || e.Action == "fail" || e.Action == "skip") {
				failed = done(key(e.Test), e.Action != "fail", e.Elapsed, said[e.Test])
			} else if _, verdict, ok := strings.Cut(e.Output, "verdict "); key == nil && ok {
				words := strings.Fields(verdict)
				failed = done(words[0], words[1] == "ok", time.Since(last).Seconds(), said[e.Test])
				last = time.Now()
			}
			if failed != nil {
				_ = cmd.Process.Kill() // it ends, and Wait says so
				_ = cmd.Wait()
				return failed
			}
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
	}
	_ = cmd.Wait() // the events say what failed
	if l.interrupted() {
		return errInterrupted
	}
	if len(left) > 0 {
		fmt.Printf("%s\n%s\n", tail(said[""]), tail(bytes.Join([][]byte{said["TestMutants"], said["TestAttacks"]}, nil)))
	}
	for name := range left { // any order: each is noted alone
		if err := done(name, false, 0, []byte("it did not run")); err != nil {
			return err
		}
	}
	return nil
}

var atLine = regexp.MustCompile(`(?m)^  at: (?:.*/)?([^/]+)\.lua:\d+`)

// hostTest runs scenario files with `host test`.
func (l *long) hostTest(part []item, flags []string) error {
	if l.host == "" {
		host := filepath.Join(l.dir, "host")
		if out, err := exec.Command("go", "build", "-o", host, "./cmd/host").CombinedOutput(); err != nil {
			return fmt.Errorf("building the host: %w\n%s", err, out)
		}
		l.host = host
	}
	args := append([]string{"test"}, flags...)
	for _, it := range part {
		args = append(args, "tests/scenarios/"+it.short()+".lua")
	}
	began := time.Now()
	out, err := l.started(nil, l.host, args...).CombinedOutput()
	if l.interrupted() {
		return errInterrupted
	}
	broken := map[string][]string{}
	for _, block := range strings.Split("\n"+string(out), "\nnot ok ")[1:] {
		block, _, _ = strings.Cut(block, "\nok ")
		if m := atLine.FindStringSubmatch(block); m != nil {
			broken[m[1]] = append(broken[m[1]], block)
		} else { // nobody knows whose it is
			broken[""] = append(broken[""], block)
		}
	}
	if err != nil && len(broken) == 0 {
		broken[""] = []string{string(tail(out))}
	}
	seconds := time.Since(began).Seconds() / float64(len(part))
	for _, it := range part {
		lines := broken[it.short()]
		lines = append(lines, broken[""]...)
		for _, b := range lines {
			fmt.Printf("not ok %.4000s\n", b)
		}
		if err := l.note(it, len(lines) == 0, seconds); err != nil {
			return err
		}
	}
	return nil
}

// year runs all tests twice, the second time with a standard library whose clock is a year ahead, and compares which ran.
func (l *long) year(it item) error {
	began := time.Now()
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return err
	}
	file := filepath.Join(strings.TrimSpace(string(root)), "src", "time", "time.go")
	src, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	const old = "\tsec, nsec, mono := runtimeNow()\n"
	if bytes.Count(src, []byte(old)) == 0 {
		return fmt.Errorf("%s: expected the line %q, where time.Now reads the clock; write the change for this version of Go", file, strings.TrimSpace(old))
	}
	ahead := filepath.Join(l.dir, "time.go")
	if err := os.WriteFile(ahead, bytes.ReplaceAll(src, []byte(old), []byte(old+"\tsec += 365 * 24 * 3600\n")), 0o600); err != nil {
		return err
	}
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{file: ahead}})
	if err != nil {
		return err
	}
	list := filepath.Join(l.dir, "year.json")
	if err := os.WriteFile(list, overlay, 0o600); err != nil {
		return err
	}
	report := filepath.Join(l.dir, "report")
	if out, err := exec.Command("go", "build", "-o", report, "./tests/report").CombinedOutput(); err != nil {
		return fmt.Errorf("building the report: %w\n%s", err, out)
	}
	var ran [2]string
	ok := true
	for i, flags := range []string{"", "-overlay=" + list} {
		out, err := l.started([]string{"TIDELOCK_CI=", "TIDELOCK_LONG="}, "sh", "-c", "go test -json -count=1 "+flags+" ./... | "+report+" read").CombinedOutput()
		if l.interrupted() {
			return errInterrupted
		}
		if err != nil { // what fails there may only follow from programs whose clock is today's: names are compared
			fmt.Printf("%s…%s\n", flags, tail(out))
		}
		for _, line := range strings.Split(string(out), "\n") {
			if strings.HasPrefix(line, "ran ") || strings.HasPrefix(line, "skipped ") {
				ran[i] += line + "\n"
			}
		}
	}
	if ran[0] != ran[1] || ran[0] == "" {
		fmt.Printf("today\n%sa year ahead\n%s", ran[0], ran[1])
		ok = false
	}
	return l.note(it, ok, time.Since(began).Seconds())
}
