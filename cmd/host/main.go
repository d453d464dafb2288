// Command host runs worlds and the tools around them.
//
// It owns what no other package may touch: the process's arguments, environment, signals and exit code,
// and the wall clock (through packages loop and serve). Each command is a file here: its flags as a struct, a
// Run method that wires packages together.
//
//	host [serve] [level?option=value…]
//	host check | new | stubs | test | version | help
package main

import (
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/tidelock/tidelock/cmd/host/console"
)

func main() {
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	os.Exit(run(os.Args[1:], &system{
		stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, environ: os.Environ(), signals: signals, program: program(),
	}))
}

// system is what a command may use of the process. Tests make their own.
type system struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	environ        []string
	signals        <-chan os.Signal
	// program is how the user called us, for messages that say what to type next.
	program string
}

// lookup is a variable of the environment.
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

// isTerminal reports whether somebody can type what is read.
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

// program guesses how the process was started: `go run` builds into a folder that nobody types. For somebody who typed a path,
// host is not in the PATH, so messages show that path.
func program() string {
	if exe, err := os.Executable(); err == nil && strings.Contains(exe, "go-build") {
		return "go run ./cmd/host"
	}
	if strings.ContainsAny(os.Args[0], `/\`) {
		return os.Args[0]
	}
	return "host"
}
