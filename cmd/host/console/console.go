// Package console writes an operator's logs, as text on a terminal and as JSON lines elsewhere, through a
// writer that never delays the world.
//
// It owns terminal detection and the queue limit. It deliberately does not: know what is worth logging, rotate
// files (the platform does), or hold a global logger.
//
// Guarantees: Never delays a tick; a log line stays one printable line, whatever it contains; the terminal is restored.
package console

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/lmittmann/tint"
	"golang.org/x/term"
)

// Format is the format of logs.
type Format string

// The formats. Auto is Text on a terminal, JSON otherwise.
const (
	Auto Format = "auto"
	Text Format = "text"
	JSON Format = "json"
)

// IsTerminal reports whether w is a terminal. /dev/null is a character device, too, but not a terminal.
func IsTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	st, err := f.Stat()
	if err != nil || st.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(st, null)
}

// HungUp returns a function that reports whether the terminal that w writes to is gone, for example because its
// window was closed; nil if w is not a terminal.
func HungUp(w io.Writer) func() bool {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return nil
	}
	return func() bool { return !term.IsTerminal(int(f.Fd())) }
}

// Logger makes a logger. level may be changed while it is in use. colour is for Text only.
func Logger(w io.Writer, f Format, level *slog.LevelVar, colour bool) *slog.Logger {
	if f == JSON {
		return slog.New(clean{slog.NewJSONHandler(w, &slog.HandlerOptions{Level: level})})
	}
	return slog.New(clean{tint.NewTextHandler(w, &tint.Options{Level: level, TimeFormat: "15:04:05.000", NoColor: !colour})})
}

const (
	// queueLines is how many lines wait while the reader of the console is blocked: some seconds of a talkative
	// game. Beyond it, lines are dropped and counted; the count is written when there is room.
	queueLines = 4096
	// flushWithin is how long Close waits for a blocked reader.
	flushWithin = 2 * time.Second
)

// Writer writes lines on a goroutine of its own. A terminal that was stopped with Ctrl-S, or a full pipe,
// blocks every write to it; here it blocks only that goroutine, and the match goes on.
type Writer struct {
	lines chan []byte
	done  chan struct{}

	mu      sync.Mutex
	closed  bool
	dropped int
}

// NewWriter starts a writer on w. Close stops and awaits its goroutine.
func NewWriter(w io.Writer) *Writer {
	a := &Writer{lines: make(chan []byte, queueLines), done: make(chan struct{})}
	go a.run(w)
	return a
}

// Write queues one line; it never blocks and never fails. After Close the line is dropped.
func (a *Writer) Write(p []byte) (int, error) {
	line := append([]byte(nil), p...)
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return len(p), nil
	}
	select {
	case a.lines <- line:
	default:
		a.dropped++
	}
	return len(p), nil
}

// Close writes the queued lines, within bounds, and ends the writer.
func (a *Writer) Close() {
	a.mu.Lock()
	if !a.closed {
		a.closed = true
		close(a.lines)
	}
	a.mu.Unlock()
	select {
	case <-a.done:
	case <-time.After(flushWithin):
	}
}

func (a *Writer) takeDropped() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	n := a.dropped
	a.dropped = 0
	return n
}

// run is the writer's goroutine: from NewWriter until Close has closed lines and they are written.
func (a *Writer) run(w io.Writer) {
	defer close(a.done)
	for line := range a.lines {
		_, _ = w.Write(line) // a closed console must not stop a match
		if n := a.takeDropped(); n > 0 {
			_, _ = fmt.Fprintf(w, `{"level":"WARN","msg":"log lines dropped: nobody read them","lines":%d}`+"\n", n)
		}
	}
}
