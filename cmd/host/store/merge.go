package store

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/tidelock/tidelock/engine/store"
)

// Held is an error of a record that a host holds, so that nobody else may write it.
type Held interface {
	error
	// HeldAt is the revision of the record. If it stays the same for as long as hosts need to write again, that host has died.
	HeldAt() store.Revision
}

// Merged is what became of an import into a store that hosts use.
type Merged struct {
	*Import
	Stored int
	// Held are the records that were left out because hosts hold them, one line each.
	Held []string
}

// Merge stores the records of an export in a store that hosts use meanwhile, one by one, as put does it; it needs memory for one record
// and for all keys. The whole file is checked first. Records whose holder writes nothing while wait waits are put again with the revision
// of the dead holder's record. With an error, some records may be stored: the same import again does no harm.
func Merge(file io.ReadSeeker, skip bool, put func(key string, value []byte, dead store.Revision) error, wait func() error) (m Merged, err error) {
	if m.Import, err = VisitImport(file, skip, func(string, store.Record) error { return nil }); err != nil {
		return m, err
	}
	held := map[string]store.Revision{}
	one := func(key string, value []byte, dead store.Revision) error {
		var h Held
		err := put(key, value, dead)
		switch {
		case errors.As(err, &h):
			if held[key] = h.HeldAt(); dead != 0 {
				m.Held = append(m.Held, key+": "+h.Error())
			}
			return nil
		case err != nil:
			return fmt.Errorf("%w; %d of %d records were imported, and the same import again does no harm", err, m.Stored, m.Len())
		}
		m.Stored++
		return nil
	}
	again := func(visit func(key string, r store.Record) error) error {
		if _, err := file.Seek(0, io.SeekStart); err != nil {
			return err
		}
		_, err := VisitImport(file, skip, visit)
		return err
	}
	if err := again(func(key string, r store.Record) error { return one(key, r.Value, 0) }); err != nil {
		return m, err
	}
	if len(held) == 0 {
		return m, nil
	}
	if err := wait(); err != nil {
		return m, err
	}
	return m, again(func(key string, r store.Record) error {
		if dead, ok := held[key]; ok {
			return one(key, r.Value, dead)
		}
		return nil
	})
}

// Spool copies what is read into a file of its own, which Merge can read more than once. drop removes it.
func Spool(r io.Reader) (file *os.File, drop func() error, err error) {
	f, err := os.CreateTemp("", "import-*")
	if err != nil {
		return nil, nil, err
	}
	drop = func() error { return errors.Join(f.Close(), os.Remove(f.Name())) }
	if _, err = io.Copy(f, r); err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, nil, errors.Join(err, drop())
	}
	return f, drop, nil
}
