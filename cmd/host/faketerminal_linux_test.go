package main

import (
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// fakeTerminal is a pseudo-terminal that a program runs on, and what a person would see there.
//
//	term := openTerminal(t, 80, 24)
//	cmd.Stdin, cmd.Stdout = term.TTY, term.TTY
//	term.Type("w")
//	term.Await(time.Minute, "health")
type fakeTerminal struct {
	// TTY is the program's end.
	TTY *os.File

	t       testing.TB
	control *os.File
	mu      sync.Mutex
	seen    *emulator
	raw     strings.Builder
	changed chan struct{} // one element: something was written
}

// openTerminal makes a terminal of some size, until the test ends.
func openTerminal(t testing.TB, width, height int) *fakeTerminal {
	t.Helper()
	control, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo-terminals here: %v", err)
	}
	must(t, unix.IoctlSetPointerInt(int(control.Fd()), unix.TIOCSPTLCK, 0))
	n, err := unix.IoctlGetInt(int(control.Fd()), unix.TIOCGPTN)
	must(t, err)
	tty, err := os.OpenFile("/dev/pts/"+strconv.Itoa(n), os.O_RDWR|syscall.O_NOCTTY, 0)
	must(t, err)
	term := &fakeTerminal{TTY: tty, t: t, control: control, seen: newEmulator(width, height), changed: make(chan struct{}, 1)}
	term.Resize(width, height)
	done := make(chan struct{})
	go func() { // ends when the terminal is closed, awaited by the cleanup
		defer close(done)
		_, _ = io.Copy(terminalWriter{term}, control)
	}()
	t.Cleanup(func() {
		_ = tty.Close()
		_ = control.Close()
		<-done
		if term.seen.unknown != nil {
			t.Errorf("sequences that this terminal does not know: %q", term.seen.unknown)
		}
	})
	return term
}

type terminalWriter struct{ *fakeTerminal }

func (w terminalWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.raw.Write(p)
	_, _ = w.seen.Write(p)
	select {
	case w.changed <- struct{}{}:
	default:
	}
	return len(p), nil
}

// Start starts a program on the terminal, as its session's leader, and kills it at the end of the test.
func (t *fakeTerminal) Start(cmd *exec.Cmd) {
	t.t.Helper()
	if cmd.Stdin == nil {
		cmd.Stdin = t.TTY
	}
	if cmd.Stdout == nil {
		cmd.Stdout = t.TTY
	}
	if cmd.Stderr == nil {
		cmd.Stderr = t.TTY
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 0}
	must(t.t, cmd.Start())
	t.t.Cleanup(func() { _ = cmd.Process.Kill() })
}

// Type types.
func (t *fakeTerminal) Type(keys string) {
	t.t.Helper()
	must(t.t, errOf(t.control.WriteString(keys)))
}

// Resize changes the size.
func (t *fakeTerminal) Resize(width, height int) {
	t.t.Helper()
	t.mu.Lock()
	t.seen.resize(width, height)
	t.mu.Unlock()
	must(t.t, unix.IoctlSetWinsize(int(t.control.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: uint16(height), Col: uint16(width)}))
}

// Shown is what the terminal shows.
func (t *fakeTerminal) Shown() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.seen.String()
}

// Raw is all that was written.
func (t *fakeTerminal) Raw() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.raw.String()
}

// Look calls f with what is shown, and nothing is written meanwhile.
func (t *fakeTerminal) Look(f func(*emulator)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f(t.seen)
}

// Await waits until what is shown has all these texts, and fails where it has not after a while.
func (t *fakeTerminal) Await(within time.Duration, texts ...string) {
	t.t.Helper()
	t.Until(within, strings.Join(texts, " and "), func(e *emulator) bool {
		shown := e.String()
		for _, text := range texts {
			if !strings.Contains(shown, text) {
				return false
			}
		}
		return true
	})
}

// Until waits until something is so.
func (t *fakeTerminal) Until(within time.Duration, what string, is func(*emulator) bool) {
	t.t.Helper()
	late := time.After(within)
	for {
		ok := false
		t.Look(func(e *emulator) { ok = is(e) })
		if ok {
			return
		}
		select {
		case <-t.changed:
		case <-late:
			t.t.Fatalf("this did not come within %v: %s\nshown:\n%s", within, what, t.Shown())
		}
	}
}

// Mode is the terminal's present mode.
func (t *fakeTerminal) Mode() unix.Termios {
	t.t.Helper()
	m, err := unix.IoctlGetTermios(int(t.TTY.Fd()), unix.TCGETS)
	must(t.t, err)
	return *m
}
