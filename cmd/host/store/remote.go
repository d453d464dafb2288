package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/tidelock/tidelock/engine/store"
)

// What a cluster keeps cannot be read as it was at one moment: records are read one by one while hosts write others. Each is whole
// and has its checksum, and what one transaction wrote can be found in part.

// Damaged is an error of a backend that says which record is damaged; others are about the backend.
type Damaged interface {
	error
	DamagedKey() string
}

// readAhead is how many records are read at once. Saved worlds are read one by one, because they can be large.
const readAhead = 16

// Scan reads every record of a backend whose methods are for any goroutine, and gives each that is good to visit, in the order of keys. A
// damaged one is in the report. An error is one of visit or of the backend, and then not all was read.
func Scan(b store.Backend, visit func(key string, r store.Record) error) (*Report, error) {
	report := &Report{}
	for after := ""; ; {
		keys, err := b.List("", after, store.MaxList)
		if err != nil {
			return report, err
		}
		for rest := keys; len(rest) > 0; {
			n := 1
			for n < min(readAhead, len(rest)) && !isWorld(rest[0]) && !isWorld(rest[n]) {
				n++
			}
			if err := report.read(b, rest[:n], visit); err != nil {
				return report, err
			}
			rest = rest[n:]
		}
		if len(keys) < store.MaxList {
			return report, nil
		}
		after = keys[len(keys)-1]
	}
}

func isWorld(key string) bool {
	space, _ := store.Split(key)
	return space == store.Worlds
}

// read reads some records at once.
func (r *Report) read(b store.Backend, keys []string, visit func(key string, r store.Record) error) error {
	var found [readAhead]store.Record
	var errs [readAhead]error
	var work sync.WaitGroup
	for i, key := range keys {
		work.Go(func() { found[i], errs[i] = b.Get(key) })
	}
	work.Wait()
	for i, key := range keys {
		var bad Damaged
		switch {
		case errors.As(errs[i], &bad):
			r.Damaged = append(r.Damaged, key)
			r.add("record " + key + ": it is lost: " + errs[i].Error())
			continue
		case errs[i] != nil:
			return errs[i]
		case found[i].Revision == 0:
			continue // removed meanwhile
		}
		r.Records++
		r.Bytes += int64(len(key) + len(found[i].Value))
		r.Revision = max(r.Revision, found[i].Revision)
		if err := visit(key, found[i]); err != nil {
			return err
		}
	}
	return nil
}

// Export writes all records of a backend as [Snapshot.Export] does.
func Export(b store.Backend, w io.Writer) (*Report, error) {
	return export(w, func(visit func(string, store.Record) error) (*Report, error) { return Scan(b, visit) })
}

// Check reads all records of a backend.
func Check(b store.Backend) (*Report, error) {
	return Scan(b, func(string, store.Record) error { return nil })
}

// Copy writes all records of a backend to a new file. The report says what could not be read.
func Copy(b store.Backend, path string) (*Report, error) {
	return copyTo(path, func(visit func(string, store.Record) error) (*Report, error) { return Scan(b, visit) })
}

// Backup writes a file with all records of a backend. sized, if not nil, gets its size first. A damaged record is the error: a backup
// is whole.
func Backup(b store.Backend, w io.Writer, sized func(bytes int64)) (err error) {
	dir, err := os.MkdirTemp("", "store-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	file := filepath.Join(dir, "store.db")
	report, err := Copy(b, file)
	switch {
	case err != nil:
		return err
	case !report.OK():
		return fmt.Errorf("the store is damaged, and so would be its backup: %s; host store export --damaged-ok saves what is readable", report.Lines()[0])
	}
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // it was only read
	if sized != nil {
		st, err := f.Stat()
		if err != nil {
			return err
		}
		sized(st.Size())
	}
	_, err = io.Copy(w, f)
	return err
}

// queued is a backend that has a service do everything.
type queued struct {
	ctx     context.Context //nolint:containedctx // of the one use that it is made for
	service *Service
}

// Backend returns the service's records for any goroutine other than the service's own: every call is a job in its queue. With ctx's end
// calls fail; a commit that was on its way is then one of [store.UnsureError].
func (s *Service) Backend(ctx context.Context) store.Backend { return queued{ctx, s} }

func (q queued) do(j Job) (Result, error) {
	got := make(chan Result, 1)
	j.Done = func(r Result) { got <- r }
	if err := q.service.Submit(j); err != nil {
		return Result{}, err
	}
	select {
	case r := <-got:
		return r, r.Err
	case <-q.ctx.Done():
		err := fmt.Errorf("the store did not answer in time: %w", q.ctx.Err())
		if j.Kind == Commit {
			err = &store.UnsureError{Err: err}
		}
		return Result{}, err
	}
}

// Get implements [store.Backend].
func (q queued) Get(key string) (store.Record, error) {
	r, err := q.do(Job{Kind: Get, Key: key})
	return r.Record, err
}

// List implements [store.Backend].
func (q queued) List(prefix, after string, most int) ([]string, error) {
	r, err := q.do(Job{Kind: List, Key: prefix, After: after, Most: most})
	return r.Keys, err
}

// Commit implements [store.Backend].
func (q queued) Commit(writes []store.Write) ([]store.Revision, error) {
	r, err := q.do(Job{Kind: Commit, Writes: writes})
	return r.Revisions, err
}
