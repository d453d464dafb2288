// Command host runs worlds and the tools around them.
//
// It owns what no other package may touch: the process's arguments, environment, signals and exit code, and the
// wall clock (through packages loop and serve). Each command is a file here: its flags as a struct, and a Run
// method that connects packages.
//
//	host [serve] [level?option=value…]
//	host check | new | mods | stubs | test | version | help
//
// Guarantees: A wrong setting is one line and exit 2, never a stack trace.
package main

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/tidelock/tidelock/cmd/host/console"
	"github.com/tidelock/tidelock/cmd/host/serve"
	"github.com/tidelock/tidelock/cmd/host/watchdog"
)

func main() {
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	os.Exit(run(os.Args[1:], &system{
		stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, environ: os.Environ(), signals: signals, asks: asks, drains: drains, program: program(), exit: os.Exit,
	}))
}

// system gives a command access to the process. Tests create their own.
type system struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	environ        []string
	signals        <-chan os.Signal
	// asks starts to deliver the signals that request the accounts of a running host; nil if there are none.
	asks func() <-chan os.Signal
	// drains starts to deliver the signals that request a drain; nil if there are none.
	drains func() <-chan os.Signal
	// program is how the user started us, for messages that suggest a command.
	program string
	// exit ends the process when the world hangs, and does not return; nil, as in tests, means no watchdog.
	exit func(code int)
}

// toldWithin bounds how long a hanging process waits to write its last message.
const toldWithin = 3 * time.Second

// hung reports why the process ends, and ends it, because a goroutine that hangs cannot be stopped. It is nil
// if the process cannot be ended. before, if not nil, is called first, for example to restore a terminal.
func (s *system) hung(before func()) func(watchdog.Hang) {
	if s.exit == nil {
		return nil
	}
	return func(h watchdog.Hang) {
		told := make(chan struct{})
		go func() { // ends with the process: the hanging goroutine may hold a lock that it needs, and the output may be blocked
			defer close(told)
			if before != nil {
				before()
			}
			_, _ = fmt.Fprintf(s.stderr, "host: %v; it is ended, exit code %d\n%s\n", h, serve.ExitHung, h.Stacks) // there is nobody else to tell
		}()
		select {
		case <-told:
		case <-time.After(toldWithin):
		}
		s.exit(serve.ExitHung)
	}
}

// lookup returns a variable of the environment.
func (s *system) lookup(name string) (string, bool) {
	for i := len(s.environ) - 1; i >= 0; i-- {
		if v, ok := strings.CutPrefix(s.environ[i], name+"="); ok {
			return v, true
		}
	}
	return "", false
}

// shows reports whether out is a terminal that a program can draw on.
func (s *system) shows(out io.Writer) bool {
	kind, _ := s.lookup("TERM")
	return console.IsTerminal(out) && kind != "dumb"
}

// isTerminal reports whether r is a terminal.
func isTerminal(r io.Reader) bool {
	f, ok := r.(*os.File)
	return ok && console.IsTerminal(f)
}

// colours reports whether terminals are written to in color (no-color.org).
func (s *system) colours() bool {
	text, _ := s.lookup("NO_COLOR")
	kind, _ := s.lookup("TERM")
	return text == "" && kind != "dumb"
}

// program guesses how the process was started: `go run` builds in a temporary folder, which is useless in
// messages. If the user typed a path, host is not in the PATH, so messages show that path.
func program() string {
	if exe, err := os.Executable(); err == nil && strings.Contains(exe, "go-build") {
		return "go run ./cmd/host"
	}
	if strings.ContainsAny(os.Args[0], `/\`) {
		return os.Args[0]
	}
	return "host"
}
