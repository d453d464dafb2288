package store

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/tidelock/tidelock/cmd/host/store/salvage"
	"github.com/tidelock/tidelock/engine/store"
)

// survey is where all records of a file are, and what is damaged. It needs about 200 bytes of memory for each key.
type survey struct {
	file    *salvage.File
	report  Report
	entries map[string]entry
	keys    []string          // of the records that were found, sorted
	bad     map[string]string // what is wrong with a record that the trees do not agree about

	indexBroken, recordsBroken bool // damage may hide keys
}

// entry is what a survey knows about a key.
type entry struct {
	listed, found store.Revision // in the index, and of the record; 0 for none
	searched      bool           // the record is of a page to which no tree leads
	at, size      int64          // where in the file the record is
}

// surveyed reads every record and checks every checksum.
func surveyed(f *salvage.File) *survey {
	s := &survey{file: f, entries: map[string]entry{}, bad: map[string]string{}}
	if f.Headers < 2 {
		f = newest(f)
		s.file = f
		s.report.add("one of its two header pages is damaged: the last commit may be missing")
	}
	if err := listDamage(f); err != nil {
		s.report.add("the list of buckets: " + err.Error())
		s.indexBroken, s.recordsBroken = !slices.Contains(f.Buckets, bucketIndex), !slices.Contains(f.Buckets, bucketRecords)
	}
	s.readTotals()
	s.indexBroken = !s.walk(bucketIndex, s.readIndex) || s.indexBroken
	s.recordsBroken = !s.walk(bucketRecords, s.readRecord) || s.recordsBroken
	s.search()
	for key, e := range s.entries { // any order: sums, and keys that are sorted
		if e.found == 0 {
			s.report.Damaged = append(s.report.Damaged, key)
			continue
		}
		s.report.Bytes += int64(len(key)) + e.size - recordHead
		s.report.Revision = max(s.report.Revision, e.found)
	}
	slices.Sort(s.keys) // most are
	slices.Sort(s.report.Damaged)
	s.report.Records = len(s.keys)
	for _, key := range s.report.Damaged {
		s.report.add(fmt.Sprintf("record %s: it is lost", key))
	}
	if s.report.Found > 0 {
		s.report.add(fmt.Sprintf("%d records were found by looking at all pages", s.report.Found))
	}
	return s
}

// newest returns the file as its last commit left it: at the list of buckets with the highest revision, whether a header leads to it or
// not. What a process that was killed wrote without an acknowledgement counts only if nothing of it is damaged.
func newest(f *salvage.File) *salvage.File {
	best := f
	highest, _ := numberAt(f, keyRevision)
	_ = f.Leaves(func(e salvage.Element) error { // has no error
		if !e.Bucket || string(e.Key) != bucketStore {
			return nil
		}
		g := f.At(e.Page)
		n, ok := numberAt(g, keyRevision)
		if !ok || n <= highest || listDamage(g) != nil {
			return nil
		}
		for _, name := range buckets {
			if len(g.Walk(name, func(salvage.Element) error { return nil })) > 0 {
				return nil
			}
		}
		best, highest = g, n
		return nil
	})
	return best
}

// walk visits a bucket and reports whether all of it was readable.
func (s *survey) walk(bucket string, visit func(salvage.Element) error) (whole bool) {
	damage := s.file.Walk(bucket, visit)
	for _, err := range damage {
		s.report.add("bucket " + bucket + ": " + err.Error())
	}
	return len(damage) == 0
}

// readTotals reads the highest revision and the sums of the namespaces.
func (s *survey) readTotals() {
	if len(s.file.Buckets) == 0 && s.file.Damage == nil {
		return // a new file
	}
	n, ok := numberAt(s.file, keyRevision)
	if s.report.Revision = store.Revision(n); !ok {
		s.report.add("its highest revision is not readable")
	}
	s.walk(bucketNamespaces, func(e salvage.Element) error {
		v, err := e.Value()
		if err == nil && !numbersOf(v, new(uint64), new(uint64)) {
			err = fmt.Errorf("the numbers of namespace %q are not readable", e.Key)
		}
		return err
	})
}

func (s *survey) readIndex(e salvage.Element) error {
	v, err := e.Value()
	if err == nil && (len(v) != 8 || e.Bucket) {
		err = fmt.Errorf("page %d: an entry of the index has no revision", e.Page)
	}
	if err == nil {
		s.entries[string(e.Key)] = entry{listed: store.Revision(binary.BigEndian.Uint64(v))}
	}
	return err
}

// readRecord reads a record to which the tree leads.
func (s *survey) readRecord(e salvage.Element) error {
	v, err := e.Value()
	if err != nil {
		return err
	}
	key := string(e.Key)
	if e.Bucket { // bbolt does not find it then
		s.report.add(fmt.Sprintf("record %s: it is marked as a bucket", key))
	}
	r, what := recordOf(key, v)
	known := s.entries[key]
	switch {
	case what != "" && known.listed > 0:
		s.bad[key] = what
		return nil // reported at the end, if it is not found elsewhere
	case what != "":
	case known.listed > 0 && known.listed != r.Revision:
		what = fmt.Sprintf("revision %d, where the index lists %d", r.Revision, known.listed)
	case known.listed == 0 && !s.indexBroken:
		what = "the index does not list it"
	default:
		s.take(key, r.Revision, e, false)
		return nil
	}
	s.bad[key] = what
	s.report.add(fmt.Sprintf("record %.*q: %s", maxFullKey, key, what))
	return nil
}

// take keeps where a good record is.
func (s *survey) take(key string, rev store.Revision, e salvage.Element, searched bool) {
	known := s.entries[key]
	if known.found == 0 {
		s.keys = append(s.keys, key)
	}
	s.entries[key] = entry{listed: known.listed, found: rev, searched: searched, at: e.At, size: e.Size}
}

// search looks for missing records in all leaves of the file. Of a record that the index lists, only that revision counts. Where neither
// tree can tell which record is the last, the highest revision counts, and the report says so.
func (s *survey) search() {
	missing := s.indexBroken && s.recordsBroken
	for _, e := range s.entries { // any order: one is enough
		missing = missing || e.found == 0
	}
	if !missing {
		return
	}
	_ = s.file.Leaves(func(e salvage.Element) error { // has no error
		key := string(e.Key)
		head, err := e.Head(recordHead)
		rev, what := headOf(key, head, int(e.Size))
		known := s.entries[key]
		switch {
		case err != nil || what != "" || rev <= known.found:
			return nil
		case known.listed > 0 && rev != known.listed:
			return nil
		case known.listed == 0 && (!s.indexBroken || !s.recordsBroken || known.found > 0 && !known.searched):
			return nil
		}
		v, err := e.Value()
		if err != nil {
			return nil //nolint:nilerr // there may be another copy
		}
		if _, what := recordOf(key, v); what == "" {
			s.take(key, rev, e, true)
		}
		return nil
	})
	var doubtful []string
	for key, e := range s.entries { // any order: sorted
		if e.searched {
			s.report.Found++
		}
		if e.searched && e.found != e.listed {
			doubtful = append(doubtful, key)
		}
	}
	slices.Sort(doubtful)
	for _, key := range doubtful {
		s.report.add(fmt.Sprintf("record %s: found without the index, as it was at revision %d; it may be older than the last one, or removed", key, s.entries[key].found))
	}
}

// doubt returns why a record, or that there is none, cannot be believed; "" if it can.
func (s *survey) doubt(key string) string {
	e, listed := s.entries[key]
	switch {
	case s.file.Headers < 2:
		return "one of the two header pages is damaged, so the last commit may be missing"
	case e.listed > 0 && e.found == e.listed:
		return ""
	case s.bad[key] != "":
		return s.bad[key]
	case e.listed > 0:
		return "the index lists it, and it is not there"
	case listed || s.indexBroken || s.recordsBroken:
		return "a page that lists it, or has it, is damaged"
	}
	return ""
}

// read reads a record that was found.
func (s *Snapshot) read(key string, e entry) (store.Record, error) {
	b := make([]byte, e.size)
	_, err := s.r.ReadAt(b, e.at)
	r, what := recordOf(key, b)
	if err != nil {
		what = reason(err).Error()
	}
	if what != "" {
		return store.Record{}, &DamagedError{File: s.name, Key: key, What: what}
	}
	return r, nil
}

// numberAt returns a number of the bucket "store".
func numberAt(f *salvage.File, key string) (n uint64, ok bool) {
	damage := f.Walk(bucketStore, func(e salvage.Element) error {
		v, err := e.Value()
		ok = ok || string(e.Key) == key && numbersOf(v, &n)
		return err
	})
	return n, ok && len(damage) == 0
}

// listDamage returns what is wrong with the list of buckets.
func listDamage(f *salvage.File) error {
	if f.Damage != nil || len(f.Buckets) == 0 {
		return f.Damage
	}
	for _, name := range buckets {
		if !slices.Contains(f.Buckets, name) {
			return fmt.Errorf("the bucket %q is missing", name)
		}
	}
	return nil
}
