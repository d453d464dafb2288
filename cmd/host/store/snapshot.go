package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/tidelock/tidelock/cmd/host/store/salvage"
	"github.com/tidelock/tidelock/engine/store"
)

// Names of the buckets.
const (
	bucketRecords    = "records"
	bucketIndex      = "index"
	bucketNamespaces = "namespaces"
	bucketStore      = "store"
)

var buckets = [...]string{bucketRecords, bucketIndex, bucketNamespaces, bucketStore}

// Keys of the bucket "store".
const (
	keyFormat   = "format"
	keyRevision = "revision"
)

// Snapshot is a file as it was at one moment, read without bbolt. Its methods are for one goroutine at a time; none of them panics,
// whatever is in the file. The first one reads all of the file.
type Snapshot struct {
	file     *salvage.File
	r        io.ReaderAt
	name     string
	survey   func() *survey // of the whole file, which is read once
	released func()
}

// snapshot reads the header pages and the list of buckets.
func snapshot(r io.ReaderAt, size int64, name string) (*Snapshot, error) {
	f, err := salvage.Open(r, size)
	if err != nil {
		return nil, fmt.Errorf("%s %w: %w; name another file, or restore a backup", name, ErrNoStore, err)
	}
	return &Snapshot{file: f, r: r, name: name, survey: sync.OnceValue(func() *survey { return surveyed(f) })}, nil
}

// headers reads the header pages of a file. valid is how many of them are.
func headers(r headerReader) (h header, valid int) {
	size, _ := r.Seek(0, io.SeekEnd) // without a size no header is read
	f, err := salvage.Open(r, size)
	if err != nil {
		return header{}, 0
	}
	return header{f.PageSize, f.Pages, f.Tx}, f.Headers
}

type headerReader interface {
	io.ReaderAt
	io.Seeker
}

// header is what the newest header page says.
type header struct {
	pageSize  int64  // in bytes
	pages, tx uint64 // the pages are 0 to pages-1
}

// Close ends the use of the file.
func (s *Snapshot) Close() {
	if s.released != nil {
		s.released()
		s.released = nil
	}
}

// Get is that of [store.Backend].
func (s *Snapshot) Get(key string) (store.Record, error) {
	all := s.survey()
	if what := all.doubt(key); what != "" {
		return store.Record{}, &DamagedError{File: s.name, Key: key, What: what}
	}
	if e := all.entries[key]; e.found > 0 {
		return s.read(key, e)
	}
	return store.Record{}, nil
}

// agreed returns the record of what the buckets records and index have at a key; what is "" if they agree.
func agreed(key string, stored, index []byte) (r store.Record, what string) {
	switch {
	case stored == nil && index == nil:
		return store.Record{}, ""
	case stored == nil:
		return store.Record{}, "the index lists it, and it is not there"
	case len(index) != 8:
		return store.Record{}, "the index does not list it"
	}
	r, what = recordOf(key, stored)
	if what == "" && uint64(r.Revision) != binary.BigEndian.Uint64(index) {
		return store.Record{}, "it is not the one that the index lists"
	}
	return r, what
}

// List is that of [store.Backend].
func (s *Snapshot) List(prefix, after string, most int) (keys []string, err error) {
	all := s.survey()
	if what := all.doubt(""); what != "" { // there is no such key: damage may hide others, too
		return nil, &DamagedError{File: s.name, What: what}
	}
	in := func(key string) bool { return strings.HasPrefix(key, prefix) && key > after }
	for _, key := range slices.Concat(all.report.Damaged, slices.Sorted(maps.Keys(all.bad))) {
		if what := all.doubt(key); what != "" && in(key) {
			return nil, &DamagedError{File: s.name, Key: key, What: what}
		}
	}
	from, _ := slices.BinarySearch(all.keys, max(prefix, after))
	for _, key := range all.keys[from:] {
		if len(keys) == most || !strings.HasPrefix(key, prefix) {
			break
		}
		if in(key) {
			keys = append(keys, key)
		}
	}
	return keys, nil
}

// Report is what a file has.
type Report struct {
	Records int
	Bytes   int64 // of keys and values
	// Damaged are the keys of records that are lost, Damage is all that is wrong, one line each, at most [maxDamage].
	Damaged []string
	Damage  []string
	// Found is how many records were only found by looking at all pages.
	Found int
	// Revision is the highest revision.
	Revision store.Revision
	left     int
}

// maxDamage bounds the lines of a report.
const maxDamage = 10_000

// OK reports whether nothing is damaged.
func (r *Report) OK() bool { return len(r.Damage) == 0 }

func (r *Report) add(line string) {
	if len(r.Damage) == maxDamage {
		r.left++
		return
	}
	r.Damage = append(r.Damage, line)
}

// Lines describes the damage.
func (r *Report) Lines() []string {
	if r.left == 0 {
		return r.Damage
	}
	return append(r.Damage[:len(r.Damage):len(r.Damage)], fmt.Sprintf("and %d more", r.left))
}

// Scan reads every record, checks every checksum, and gives each good record to visit once, in the order of keys. Records behind damaged
// pages are found by looking at all pages. An error is one of visit, or of a record that could be read before and no longer can.
func (s *Snapshot) Scan(visit func(key string, r store.Record) error) (*Report, error) {
	all := s.survey()
	report := all.report
	for _, key := range all.keys {
		r, err := s.read(key, all.entries[key])
		if err == nil {
			err = visit(key, r)
		}
		if err != nil {
			return &report, err
		}
	}
	return &report, nil
}

// Check reads every record, checks every checksum, and checks how all pages are linked.
func (s *Snapshot) Check() *Report {
	r := s.survey().report
	r.Damage = slices.Clone(r.Damage)
	for _, err := range s.file.Links() {
		line := err.Error()
		if !slices.ContainsFunc(r.Damage, func(l string) bool { return strings.HasSuffix(l, line) }) {
			r.add(line)
		}
	}
	return &r
}

// reason is an error of a file without the path that the message already has.
func reason(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}
