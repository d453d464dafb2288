package main

import (
	"io"
	"sync"
)

// typedLines is how many lines may wait for execution; more are refused.
const typedLines = 16

// typed is a reader of the lines typed in the view, for the reader of commands.
type typed struct {
	lines chan string
	end   chan struct{} // closed when no more come
	once  sync.Once
	rest  string // rest of the present line; for Read alone
}

func newTyped() *typed { return &typed{lines: make(chan string, typedLines), end: make(chan struct{})} }

// add adds a line without waiting. It reports whether there was room.
func (t *typed) add(line string) bool {
	select {
	case t.lines <- line + "\n":
		return true
	default:
		return false
	}
}

// close ends the lines. Any goroutine may call it, and more than once.
func (t *typed) close() { t.once.Do(func() { close(t.end) }) }

// Read implements io.Reader. It waits for a line, and ends with close.
func (t *typed) Read(p []byte) (int, error) {
	if t.rest == "" {
		select {
		case t.rest = <-t.lines:
		case <-t.end:
			return 0, io.EOF
		}
	}
	n := copy(p, t.rest)
	t.rest = t.rest[n:]
	return n, nil
}
