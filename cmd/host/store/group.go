package store

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"go.etcd.io/bbolt"

	"github.com/tidelock/tidelock/engine/store"
)

// Get is that of [store.Backend].
func (b *Bolt) Get(key string) (store.Record, error) {
	r := b.one(Job{Kind: Get, Key: key})
	return r.Record, r.Err
}

// List is that of [store.Backend].
func (b *Bolt) List(prefix, after string, most int) ([]string, error) {
	r := b.one(Job{Kind: List, Key: prefix, After: after, Most: most})
	return r.Keys, r.Err
}

// Commit is that of [store.Backend]. A key may be in it once.
func (b *Bolt) Commit(writes []store.Write) ([]store.Revision, error) {
	r := b.one(Job{Kind: Commit, Writes: writes})
	return r.Revisions, r.Err
}

func (b *Bolt) one(j Job) Result {
	var r [1]Result
	b.Group([]Job{j}, r[:])
	return r[0]
}

// Group does jobs in their order, in one transaction, and returns when it is safe. Each job has its own result: one that fails stores
// nothing and leaves the others alone. A read sees the writes before it.
func (b *Bolt) Group(jobs []Job, results []Result) {
	writes := slices.ContainsFunc(jobs, func(j Job) bool { return j.Kind == Commit })
	if b.Broken() == nil {
		var err error
		p := guard(func() { err = b.group(jobs, results, writes) })
		if p == nil && err == nil {
			return
		}
		if p != nil {
			err = b.panicked(p, "stored")
		}
		for i := range jobs {
			if jobs[i].Kind == Commit && (results[i].Err == nil || p != nil) {
				results[i] = Result{Err: err}
			}
		}
		if p == nil && writes { // a transaction that failed, and what it read besides
			b.readAgain(jobs, results)
			return
		}
	}
	s, failed := b.reader()
	for i := range jobs {
		r := &results[i]
		switch j := &jobs[i]; {
		case j.Kind == Commit && r.Err != nil:
		case j.Kind == Commit:
			*r = Result{Err: fmt.Errorf("%w; nothing was stored", b.Broken())}
		case failed != nil:
			*r = Result{Err: failed}
		case j.Kind == List:
			keys, err := s.List(j.Key, j.After, j.most())
			*r = Result{Keys: keys, Err: err}
		default:
			rec, err := s.Get(j.Key)
			*r = Result{Record: rec, Err: err}
		}
	}
}

// readAgain does the reads of a group whose transaction failed.
func (b *Bolt) readAgain(jobs []Job, results []Result) {
	var reads []Job
	var at []int
	for i := range jobs {
		if jobs[i].Kind != Commit {
			reads, at = append(reads, jobs[i]), append(at, i)
		}
	}
	again := make([]Result, len(reads))
	if len(reads) > 0 {
		b.Group(reads, again)
	}
	for i, r := range again {
		results[at[i]] = r
	}
}

// group does jobs in a transaction. An error means that its commit failed.
func (b *Bolt) group(jobs []Job, results []Result, writes bool) error {
	t, err := b.begun(writes)
	if err != nil {
		return fmt.Errorf("store %s: %w; nothing was stored", b.path, err)
	}
	changed := false
	if writes && b.opt.panicking != nil {
		b.opt.panicking()
	}
	for i := range jobs {
		j, r := &jobs[i], &results[i]
		switch j.Kind {
		case List:
			r.Keys, r.Err = t.list(j.Key, j.After, j.most())
		case Commit:
			if r.Revisions, r.Err = t.commit(j.Writes); r.Err == nil {
				changed = true
			}
		default:
			r.Record, r.Err = t.get(j.Key)
			r.Record.Value = bytes.Clone(r.Record.Value) // the mapping changes
		}
	}
	if !changed {
		return t.tx.Rollback()
	}
	return b.safe(t)
}

// safe commits a transaction.
func (b *Bolt) safe(t *transaction) error {
	if err := t.finish(); err != nil {
		_ = t.tx.Rollback() // the first error counts
		return fmt.Errorf("store %s: %w; nothing was stored", b.path, err)
	}
	id := uint64(t.tx.ID()) //nolint:gosec // counted
	b.committing = true
	err := t.tx.Commit()
	b.committing = false
	if err == nil {
		b.keys.Add(t.keys)
		b.bytes.Add(t.bytes)
		b.commits.Add(1)
		return nil
	}
	if h, valid := headers(b.file); valid == 2 && h.tx < id {
		return fmt.Errorf("store %s cannot be written: %w; nothing was stored", b.path, reason(err))
	}
	// The header is in the system's memory, and nobody knows whether it is on the disk. Pages that it set free must not be
	// written: the disk may have the header before it.
	b.Break(fmt.Errorf("its disk failed while a commit was written: %w", reason(err)))
	return &store.UnsureError{Err: b.Broken()}
}

// transaction is one of bbolt, for several jobs.
type transaction struct {
	bolt           *Bolt
	tx             *bbolt.Tx
	records, index *bbolt.Bucket
	revision       uint64
	spaces         []space
	keys, bytes    int64 // how many more there are
}

// space is a namespace with its sums.
type space struct {
	name        string
	keys, bytes int64
}

// begun begins a transaction.
func (b *Bolt) begun(writes bool) (*transaction, error) {
	tx, err := b.db.Begin(writes)
	if err != nil {
		return nil, err
	}
	t := &transaction{bolt: b, tx: tx, records: tx.Bucket([]byte(bucketRecords)), index: tx.Bucket([]byte(bucketIndex))}
	if writes && !numbersOf(tx.Bucket([]byte(bucketStore)).Get([]byte(keyRevision)), &t.revision) {
		panic("its highest revision is not readable")
	}
	return t, nil
}

// panicked breaks the store after a panic of bbolt, and returns the error of what was to be done.
func (b *Bolt) panicked(p *PanicError, done string) error {
	b.stuck = true
	b.Break(p)
	if b.committing {
		b.committing = false
		return &store.UnsureError{Err: b.Broken()}
	}
	return fmt.Errorf("%w; nothing was %s", b.Broken(), done)
}

// get returns the record at a key; its value is valid until the next write.
func (t *transaction) get(key string) (store.Record, error) {
	k := []byte(key)
	r, what := agreed(key, t.records.Get(k), t.index.Get(k))
	if what != "" {
		return store.Record{}, &DamagedError{File: t.bolt.path, Key: key, What: what}
	}
	return r, nil
}

// list lists keys. The two buckets must have the same ones.
func (t *transaction) list(prefix, after string, most int) (keys []string, err error) {
	records, index := t.records.Cursor(), t.index.Cursor()
	from := []byte(max(prefix, after))
	k, v := records.Seek(from)
	x, n := index.Seek(from)
	for {
		in, listed := k != nil && strings.HasPrefix(string(k), prefix), x != nil && strings.HasPrefix(string(x), prefix)
		if !in && !listed || len(keys) == most {
			return keys, nil
		}
		if !in || !listed || !bytes.Equal(k, x) {
			key := x
			if !listed || in && bytes.Compare(k, x) < 0 {
				key = k
			}
			return nil, &DamagedError{File: t.bolt.path, Key: string(key), What: "the index and the records do not agree about it"}
		}
		if rev, what := headOf(string(k), v, len(v)); what != "" || len(n) != 8 || uint64(rev) != binary.BigEndian.Uint64(n) {
			return nil, &DamagedError{File: t.bolt.path, Key: string(k), What: cmp.Or(what, "it is not the one that the index lists")}
		}
		if string(k) != after {
			keys = append(keys, string(k))
		}
		k, v = records.Next()
		x, n = index.Next()
	}
}

// commit makes all writes or, with an error, none.
func (t *transaction) commit(writes []store.Write) ([]store.Revision, error) {
	if len(writes) > store.MaxTx {
		return nil, fmt.Errorf("%d writes in one transaction, at most %d are allowed; nothing was stored", len(writes), store.MaxTx)
	}
	return t.write(writes, false)
}

// write is commit without a bound. exact keeps the revisions that If has, and requires nothing of the records.
func (t *transaction) write(writes []store.Write, exact bool) ([]store.Revision, error) {
	after := slices.Clone(t.spaces)
	seen := make(map[string]bool, len(writes))
	var keys, total int64
	for i := range writes {
		w := &writes[i]
		if err := cmp.Or(store.CheckFull(w.Key), checkSize(w.Key, len(w.Value))); err != nil {
			return nil, err
		}
		if seen[w.Key] {
			return nil, fmt.Errorf("%s is written twice in one transaction; nothing was stored", w.Key)
		}
		seen[w.Key] = true
		k := []byte(w.Key)
		old := t.records.Get(k)
		if !exact && w.If != store.Any {
			r, what := agreed(w.Key, old, t.index.Get(k))
			if what != "" {
				return nil, &DamagedError{File: t.bolt.path, Key: w.Key, What: what + "; nothing was stored"}
			}
			if r.Revision != w.If {
				return nil, fmt.Errorf("%s: %w", w.Key, store.ErrConflict)
			}
		}
		var more, moreBytes int64
		if old != nil {
			more, moreBytes = -1, -int64(len(k)+len(old)-recordHead)
		}
		if w.Value != nil {
			more, moreBytes = more+1, moreBytes+int64(len(k)+len(w.Value))
		}
		var err error
		if after, err = t.count(after, w.Key, more, moreBytes); err != nil {
			return nil, err
		}
		keys, total = keys+more, total+moreBytes
	}
	if err := t.room(after); err != nil {
		return nil, err
	}
	revisions := make([]store.Revision, len(writes))
	for i := range writes {
		rev, err := t.put(&writes[i], exact)
		if err != nil {
			panic(err) // bbolt refuses what was checked: the rest of the group must not be stored either
		}
		revisions[i] = rev
	}
	t.spaces, t.keys, t.bytes = after, t.keys+keys, t.bytes+total
	return revisions, nil
}

// put writes one record.
func (t *transaction) put(w *store.Write, exact bool) (store.Revision, error) {
	k := []byte(w.Key)
	if w.Value == nil {
		if t.records.Get(k) == nil && t.index.Get(k) == nil {
			return 0, nil
		}
		t.revision++ // what is made here next is later than what a client knows
		return 0, errors.Join(t.records.Delete(k), t.index.Delete(k))
	}
	t.revision++
	rev := store.Revision(t.revision)
	if exact {
		rev = w.If
		t.revision = max(t.revision-1, uint64(rev))
	}
	stored := appendRecord(make([]byte, 0, recordHead+len(w.Value)), w.Key, store.Record{Value: w.Value, Revision: rev})
	return rev, errors.Join(t.records.Put(k, stored), t.index.Put(k, binary.BigEndian.AppendUint64(nil, uint64(rev))))
}

// count adds to the sums of a key's namespace.
func (t *transaction) count(spaces []space, key string, keys, bytes int64) ([]space, error) {
	name, _ := store.Split(key)
	i := slices.IndexFunc(spaces, func(s space) bool { return s.name == name })
	if i < 0 {
		var k, n uint64
		if v := t.tx.Bucket([]byte(bucketNamespaces)).Get([]byte(name)); v != nil && !numbersOf(v, &k, &n) {
			return nil, &DamagedError{File: t.bolt.path, What: fmt.Sprintf("the numbers of namespace %s are not readable; nothing was stored", name)}
		}
		i, spaces = len(spaces), append(spaces, space{name, int64(min(k, math.MaxInt64)), int64(min(n, math.MaxInt64))}) //nolint:gosec // bounded here
	}
	spaces[i].keys, spaces[i].bytes = max(spaces[i].keys+keys, 0), max(spaces[i].bytes+bytes, 0)
	return spaces, nil
}

// room returns an error if a namespace has more than its quota, and more than before.
func (t *transaction) room(after []space) error {
	for _, s := range after {
		q := t.bolt.opt.Quotas[s.name].or(*t.bolt.quota.Load())
		before := space{}
		if i := slices.IndexFunc(t.spaces, func(b space) bool { return b.name == s.name }); i >= 0 {
			before = t.spaces[i]
		} else if loaded, err := t.count(nil, s.name+"/", 0, 0); err == nil {
			before = loaded[0]
		}
		if s.bytes > q.Bytes && s.bytes > before.bytes || s.keys > q.Keys && s.keys > before.keys {
			return fmt.Errorf("%w: namespace %s would have %d bytes in %d keys, it may have %d bytes in %d keys; nothing was stored",
				store.ErrQuota, s.name, s.bytes, s.keys, q.Bytes, q.Keys)
		}
	}
	return nil
}

// finish writes the sums and the highest revision.
func (t *transaction) finish() error {
	spaces := t.tx.Bucket([]byte(bucketNamespaces))
	for _, s := range t.spaces {
		var err error
		if s.keys == 0 {
			err = spaces.Delete([]byte(s.name)) // names that once were must not fill the file
		} else {
			err = spaces.Put([]byte(s.name), numbers(uint64(s.keys), uint64(s.bytes))) //nolint:gosec // not negative
		}
		if err != nil {
			return err
		}
	}
	return t.tx.Bucket([]byte(bucketStore)).Put([]byte(keyRevision), number(t.revision))
}
