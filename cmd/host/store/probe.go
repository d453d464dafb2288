package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Health is what Probe finds.
type Health struct {
	// Missing says that there is no file yet.
	Missing bool
	Keys    int
	File    int64 // its size in bytes
	// Err is why a host could not use the file as it is; it says what to do.
	Err error
}

// Probe looks whether a host could use a file, and changes nothing.
func Probe(path string) (h Health) {
	st, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Health{Missing: true}
	}
	s, err := OpenSnapshot(path)
	if err != nil {
		return Health{Err: err}
	}
	defer s.Close()
	if f, err := os.OpenFile(path, os.O_RDWR, 0); err != nil {
		return Health{Err: fmt.Errorf("store %s cannot be written: %w; give this user write permission", path, reason(err))}
	} else if err := f.Close(); err != nil {
		return Health{Err: err}
	}
	h.File = st.Size()
	r := s.Check()
	h.Keys = r.Records
	if lines := r.Lines(); len(lines) > 0 {
		h.Err = &DamagedError{File: path, What: fmt.Sprintf("%s (and %d more)", lines[0], len(lines)-1)}
	}
	return h
}

// OpenReadOnly opens a file that no host uses, for Snapshot and Backup. A damaged one is opened, too.
func OpenReadOnly(path string) (*Bolt, error) { return Open(path, Options{readOnly: true}) }

// OpenSnapshot opens a file that no host uses, for reading alone. A damaged one is opened, too.
func OpenSnapshot(path string) (*Snapshot, error) {
	b, err := OpenReadOnly(path)
	if err != nil {
		return nil, err
	}
	s, err := b.Snapshot()
	if err != nil {
		return nil, errors.Join(err, b.Close())
	}
	s.released = func() { _ = b.Close() } // it was only read
	return s, nil
}
