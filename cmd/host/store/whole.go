package store

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// WriteWhole writes a file that appears under its name when it is complete and on the disk: beside it, and renamed then. checks get its
// name before that, and an error of theirs keeps it from appearing. An existing file is replaced. The mode is 0600.
func WriteWhole(name string, write func(io.Writer) error, checks ...func(name string) error) (err error) {
	f, err := os.CreateTemp(filepath.Dir(name), ".store-*")
	if err != nil {
		return fmt.Errorf("%s: %w; name a file in a folder that can be written", name, reason(err))
	}
	beside := f.Name()
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(beside))
		}
	}()
	if err = write(f); err == nil {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	for _, check := range checks {
		if err == nil {
			err = check(beside)
		}
	}
	if err != nil {
		return err
	}
	return Publish(beside, name)
}

// Publish renames a complete file on the disk, and returns when its name is safe, too.
func Publish(beside, name string) error {
	if err := os.Rename(beside, name); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return syncFolder(filepath.Dir(name))
}

// Tail passes an export on and keeps its last line.
type Tail struct {
	w    io.Writer
	last []byte
	// long says that the present line is longer than a last one can be, ended that it is complete.
	long, ended bool
}

// mostTail bounds the last line of an export, in bytes: [maxDamage] lines of damage.
const mostTail = maxDamage * 1024

// NewTail returns one that writes to w.
func NewTail(w io.Writer) *Tail { return &Tail{w: w} }

// Write implements io.Writer.
func (t *Tail) Write(p []byte) (int, error) {
	for part := p; len(part) > 0; {
		line, ended := part, false
		if i := bytes.IndexByte(part, '\n'); i >= 0 {
			line, ended = part[:i+1], true
		}
		if t.ended {
			t.last, t.long = t.last[:0], false
		}
		if t.long = t.long || len(t.last)+len(line) > mostTail; !t.long {
			t.last = append(t.last, line...)
		}
		t.ended = ended
		part = part[len(line):]
	}
	return t.w.Write(p)
}

// End returns what the last line says; an error means that the export is not complete.
func (t *Tail) End() (*End, error) {
	if t.ended && !t.long {
		if _, _, end, err := parseLine(t.last); err == nil && end != nil {
			return end, nil
		}
	}
	return nil, errors.New("the export ended too early: its last line is missing")
}
