package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"strings"

	"github.com/tidelock/tidelock/engine/store"
)

// Names of the buckets.
const (
	bucketRecords    = "records"
	bucketIndex      = "index"
	bucketNamespaces = "namespaces"
	bucketStore      = "store"
)

// Keys of the bucket "store".
const (
	keyFormat   = "format"
	keyRevision = "revision"
)

// Snapshot is a file as it was at one moment. Its methods are for one goroutine at a time; none of them panics, whatever is in
// the file.
type Snapshot struct {
	pages    *pages
	name     string
	buckets  map[string]root
	headers  int   // valid ones; 1 means that the last commit may be missing
	rootErr  error // damage of the list of buckets
	released func()
}

// snapshot reads the list of buckets. tx is the transaction to read, 0 for the last one.
func snapshot(r io.ReaderAt, size int64, name string) (*Snapshot, error) {
	h, valid := headers(r)
	if valid == 0 {
		return nil, fmt.Errorf("%s is no store: it has no header of one, or both are damaged; give the file of a host, or restore a backup", name)
	}
	s := &Snapshot{pages: &pages{r: r, size: size, head: h}, name: name, buckets: map[string]root{}, headers: valid}
	if most := uint64(math.MaxInt64) / uint64(h.pageSize); h.pages > most { //nolint:gosec // 512 to 16 MB
		return nil, &DamagedError{File: name, What: fmt.Sprintf("its header counts %d pages", h.pages)}
	}
	w := walk{pages: s.pages, visit: func(i item) (bool, error) {
		if !i.bucket {
			return true, nil
		}
		v, err := i.value(wholePage)
		if err != nil {
			return false, err
		}
		if len(v) < 16 {
			return false, &brokenPage{i.page.id, "describes no bucket where one is"}
		}
		s.buckets[string(i.key)] = root{order.Uint64(v), bytes.Clone(v[16:])}
		return true, nil
	}}
	s.rootErr = w.run(root{id: h.root})
	for _, name := range []string{bucketRecords, bucketIndex, bucketNamespaces, bucketStore} {
		if _, ok := s.buckets[name]; !ok && s.rootErr == nil && len(s.buckets) > 0 {
			s.rootErr = fmt.Errorf("the bucket %q is missing", name)
		}
	}
	return s, nil
}

// Close ends the use of the file.
func (s *Snapshot) Close() {
	if s.released != nil {
		s.released()
		s.released = nil
	}
}

// damage makes an error of damage of pages.
func (s *Snapshot) damage(err error) error {
	if err == nil || errors.As(err, new(*DamagedError)) {
		return err
	}
	return &DamagedError{File: s.name, What: err.Error()}
}

// at returns the value at a key of a bucket, nil if there is none.
func (s *Snapshot) at(bucket, key string) (value []byte, err error) {
	if s.rootErr != nil {
		return nil, s.rootErr
	}
	r, ok := s.buckets[bucket]
	if !ok {
		return nil, nil
	}
	w := walk{pages: s.pages, from: []byte(key), visit: func(i item) (bool, error) {
		if string(i.key) == key && !i.bucket {
			value, err = i.value(math.MaxInt64)
		}
		return false, err
	}}
	if err := w.run(r); err != nil {
		return nil, err
	}
	return value, nil
}

// format returns the version of the file's format, 0 for a file without any bucket.
func (s *Snapshot) format() (uint64, error) {
	if s.rootErr == nil && len(s.buckets) == 0 {
		return 0, nil
	}
	v, err := s.at(bucketStore, keyFormat)
	var n uint64
	if err == nil && !numbersOf(v, &n) {
		err = errors.New("the version of its format is not readable")
	}
	return n, s.damage(err)
}

// Get is that of [store.Backend].
func (s *Snapshot) Get(key string) (store.Record, error) {
	damaged := func(what string) error { return &DamagedError{File: s.name, Key: key, What: what} }
	v, err := s.at(bucketRecords, key)
	if err != nil {
		return store.Record{}, damaged(err.Error())
	}
	x, err := s.at(bucketIndex, key)
	if err != nil {
		return store.Record{}, damaged(err.Error())
	}
	r, what := agreed(key, v, x)
	if what != "" {
		return store.Record{}, damaged(what)
	}
	return r, nil
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
func (s *Snapshot) List(prefix, after string, most int) ([]string, error) {
	if s.rootErr != nil {
		return nil, s.damage(s.rootErr)
	}
	var lists [2][]string
	for i, name := range [...]string{bucketRecords, bucketIndex} {
		r, ok := s.buckets[name]
		if !ok {
			continue
		}
		w := walk{pages: s.pages, from: []byte(max(prefix, after)), visit: func(it item) (bool, error) {
			key := string(it.key)
			if key == after {
				return true, nil
			}
			if !strings.HasPrefix(key, prefix) || len(lists[i]) == most {
				return false, nil
			}
			lists[i] = append(lists[i], key)
			return true, nil
		}}
		if err := w.run(r); err != nil {
			return nil, s.damage(fmt.Errorf("the keys of %s: %w", prefix, err))
		}
	}
	for i, key := range lists[1] {
		if i >= len(lists[0]) || lists[0][i] != key {
			return nil, &DamagedError{File: s.name, Key: key, What: "the index lists it, and it is not there"}
		}
	}
	if len(lists[0]) > len(lists[1]) {
		return nil, &DamagedError{File: s.name, Key: lists[0][len(lists[1])], What: "the index does not list it"}
	}
	return lists[0], nil
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

// Scan reads every record, checks every checksum and gives each record that is good, once, to visit: in the order of keys, and
// then those that were found only by looking at all pages because those above them are damaged. An error is one of visit.
// The map of the index is in memory: about 150 bytes for each key.
func (s *Snapshot) Scan(visit func(key string, r store.Record) error) (*Report, error) {
	c := &scan{Snapshot: s, report: &Report{}, visit: visit}
	if s.headers < 2 {
		c.report.add("one of its two header pages is damaged: the last commit may be missing")
	}
	if s.rootErr != nil {
		c.report.add("the list of buckets: " + s.rootErr.Error())
	}
	c.readIndex()
	if err := c.readRecords(); err != nil {
		return c.report, err
	}
	if len(c.index) > 0 || c.indexBroken && c.recordsBroken {
		if err := c.search(); err != nil {
			return c.report, err
		}
	}
	for key := range c.index { // any order: sorted by finish
		c.report.Damaged = append(c.report.Damaged, key)
	}
	c.finish()
	return c.report, nil
}

// Check is Scan, and checks how all pages are linked.
func (s *Snapshot) Check() *Report {
	r, _ := s.Scan(func(string, store.Record) error { return nil }) // it has no other error
	for _, err := range s.structure() {
		if line := err.Error(); !contains(r.Damage, line) {
			r.add(line)
		}
	}
	return r
}

func contains(lines []string, line string) bool {
	for _, l := range lines {
		if strings.HasSuffix(l, line) {
			return true
		}
	}
	return false
}

// reason is an error of a file without the path that the message already has.
func reason(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}
