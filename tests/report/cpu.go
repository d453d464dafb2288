package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// interval is how often processor time is read: often enough to share it among tests that follow each other.
const interval = 100 * time.Millisecond

// watch runs the program of a package's tests and notes, in a file of the folder, its working folder and then lines of a time in nanoseconds
// and the processor time in milliseconds that it and its children took so far. It ends the process with the program's exit code.
func watch(dir string, args []string) error {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	notes, err := os.CreateTemp(dir, "cpu")
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	where, err := os.Getwd()
	if err != nil {
		return err
	}
	w := bufio.NewWriter(notes)
	_, _ = fmt.Fprintln(w, where) // Flush returns what went wrong
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }() // ends with the program
	tick := time.NewTicker(interval)
	u := &usage{root: cmd.Process.Pid, of: map[int]float64{}}
	for ended := false; !ended; {
		select {
		case err = <-done:
			ended = true
			u.of = map[int]float64{u.root: (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds() * 1000}
		case <-tick.C:
			u.read()
		}
		_, _ = fmt.Fprintf(w, "%d %.0f\n", time.Now().UnixNano(), u.total())
	}
	if err := errors.Join(w.Flush(), notes.Close()); err != nil {
		return err
	}
	if code := cmd.ProcessState.ExitCode(); err != nil && code > 0 {
		os.Exit(code)
	}
	return err
}

// usage is the processor time of a process and of those that it started, in milliseconds.
type usage struct {
	root int
	of   map[int]float64
	most float64
}

// total never falls: what a process took that ended is part of its parent's time, but not at once.
func (u *usage) total() float64 {
	sum := 0.0
	for _, ms := range u.of { // any order: a sum
		sum += ms
	}
	u.most = max(u.most, sum)
	return u.most
}

// tickMilliseconds is the unit of /proc/PID/stat (proc(5): sysconf(_SC_CLK_TCK), 100 on Linux).
const tickMilliseconds = 10

// read reads /proc; elsewhere nothing is known until the end.
func (u *usage) read() {
	files, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is one
	type process struct {
		parent int
		ms     float64
	}
	all := map[int]process{}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			continue // it ended
		}
		// pid (name) state ppid …; utime is the 14th field, stime the 15th, cutime and cstime those after it.
		_, rest, ok := strings.Cut(string(b), ") ")
		fields := strings.Fields(rest)
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(f)))
		if !ok || err != nil || len(fields) < 15 {
			continue
		}
		p := process{}
		p.parent, _ = strconv.Atoi(fields[1]) // the kernel writes numbers
		for _, s := range fields[11:15] {
			n, _ := strconv.ParseFloat(s, 64)
			p.ms += n * tickMilliseconds
		}
		all[pid] = p
	}
	u.of = map[int]float64{}
	for pid, p := range all { // any order: each is looked at alone
		for at := pid; at > 1; at = all[at].parent {
			if at == u.root {
				u.of[pid] = p.ms
				break
			}
		}
	}
}

// attribute gives the noted processor time to the tests that ran at the time, in equal parts.
func (r *report) attribute(dir string) error {
	files, err := filepath.Glob(filepath.Join(dir, "cpu*"))
	if err != nil {
		return err
	}
	root, err := os.Getwd()
	if err != nil {
		return err
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			return err
		}
		lines := strings.Split(strings.TrimSpace(string(b)), "\n")
		rel, err := filepath.Rel(root, lines[0])
		if err != nil {
			return fmt.Errorf("%s: %w", f, err)
		}
		r.share("github.com/tidelock/tidelock/"+filepath.ToSlash(rel), lines[1:])
	}
	return nil
}

func (r *report) share(pkg string, samples []string) {
	var tests []*test
	for _, t := range r.tests { // any order: sorted below
		if t.pkg == pkg && t.name != "" {
			t.measured = true
			tests = append(tests, t)
		}
	}
	slices.SortFunc(tests, func(a, b *test) int { return strings.Compare(a.name, b.name) })
	var before float64
	var last time.Time
	for _, line := range samples {
		var ns int64
		var ms float64
		if n, err := fmt.Sscanf(line, "%d %f", &ns, &ms); n != 2 || err != nil {
			continue
		}
		now := time.Unix(0, ns)
		var active []*test
		for i, t := range tests {
			// Sorted, a test's subtests follow it: one that has a running subtest waits for it.
			if t.runs(last, now) && !slices.ContainsFunc(tests[i+1:], func(s *test) bool { return strings.HasPrefix(s.name, t.name+"/") && s.runs(last, now) }) {
				active = append(active, t)
			}
		}
		for _, t := range active {
			t.cpu += (ms - before) / 1000 / float64(len(active))
		}
		before, last = ms, now
	}
}

// runs reports whether a test ran at some moment between two.
func (t *test) runs(from, to time.Time) bool {
	return slices.ContainsFunc(t.spans, func(s span) bool { return s.from.Before(to) && (s.to.IsZero() || s.to.After(from)) })
}
