package store

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/tidelock/tidelock/engine/store"
)

// scan is one call of [Snapshot.Scan].
type scan struct {
	*Snapshot
	report *Report
	visit  func(key string, r store.Record) error
	// index has the keys of the index that were not seen yet; if indexBroken, some are missing.
	index                      map[string]store.Revision
	indexBroken, recordsBroken bool
	seen                       map[string]bool // only where the index cannot tell
}

// readIndex reads the index as far as possible.
func (c *scan) readIndex() {
	c.index = map[string]store.Revision{}
	c.indexBroken = !c.walk(bucketIndex, func(i item) (bool, error) {
		v, err := i.value(8)
		if err == nil && (i.n != 8 || i.bucket) {
			err = &brokenPage{i.page.id, "an entry of the index has no revision"}
		}
		if err == nil {
			c.index[string(i.key)] = store.Revision(binary.BigEndian.Uint64(v))
		}
		return true, err
	})
}

// walk visits a bucket and reports whether all of it was readable. Errors of visit are damage.
func (c *scan) walk(name string, visit func(item) (bool, error)) (whole bool) {
	r, ok := c.buckets[name]
	if !ok {
		return c.rootErr == nil
	}
	whole = true
	damaged := func(err error) bool {
		whole = false
		c.report.add("bucket " + name + ": " + err.Error())
		return true
	}
	w := walk{pages: c.pages, damaged: damaged, visit: func(i item) (bool, error) {
		more, err := visit(i)
		if err != nil {
			damaged(err)
		}
		return more, nil
	}}
	if err := w.run(r); err != nil {
		damaged(err)
	}
	return whole
}

// readRecords reads the records that the tree leads to.
func (c *scan) readRecords() (failed error) {
	if c.indexBroken {
		c.seen = map[string]bool{}
	}
	c.recordsBroken = !c.walk(bucketRecords, func(i item) (bool, error) {
		v, err := i.value(math.MaxInt64)
		if err != nil {
			return true, err
		}
		key := string(i.key)
		if i.bucket { // bbolt does not find it then
			c.report.add(fmt.Sprintf("record %s: it is marked as a bucket", key))
		}
		r, what := recordOf(key, v)
		rev, listed := c.index[key]
		switch {
		case what != "" && listed:
			return true, nil // reported below, if it is not found elsewhere
		case what != "":
			c.report.add(fmt.Sprintf("record %.80q: %s", key, what))
			return true, nil
		case listed && rev != r.Revision:
			c.report.add(fmt.Sprintf("record %s: revision %d, where the index lists %d", key, r.Revision, rev))
			return true, nil
		case !listed && !c.indexBroken:
			c.report.add(fmt.Sprintf("record %s: the index does not list it", key))
			return true, nil
		}
		failed = c.take(key, r)
		return failed == nil, nil
	})
	return failed
}

// take gives a good record to the visitor.
func (c *scan) take(key string, r store.Record) error {
	delete(c.index, key)
	if c.seen != nil {
		c.seen[key] = true
	}
	c.report.Records++
	c.report.Bytes += int64(len(key) + len(r.Value))
	c.report.Revision = max(c.report.Revision, r.Revision)
	return c.visit(key, r)
}

// search looks for records in all leaves of the file. Of those that are listed in the index, only that revision counts; if neither the
// index nor the records can be read as trees, the highest revision that there is of a key counts, and the report says so.
func (c *scan) search() error {
	best := map[string]store.Revision{}
	look := func(use func(key string, r store.Record) error) error {
		for id := uint64(2); id < c.pages.head.pages; id++ {
			g, err := c.pages.page(id)
			if err != nil || !g.leaf {
				continue // most are not in use, and have old content
			}
			for n := range g.n {
				i, err := g.item(n)
				if err != nil || i.bucket || i.n < recordHead || len(i.key) > maxFullKey {
					continue
				}
				head, err := i.value(recordHead)
				if err != nil {
					continue
				}
				key := string(i.key)
				rev, what := headOf(key, head, int(i.n))
				listed, ok := c.index[key]
				switch {
				case what != "" || c.seen[key]:
					continue
				case ok && rev != listed:
					continue
				case !ok && (!c.indexBroken || !c.recordsBroken || rev < best[key]):
					continue
				}
				v, err := i.value(math.MaxInt64)
				if err != nil {
					continue
				}
				if r, what := recordOf(key, v); what == "" {
					if err := use(key, r); err != nil {
						return err
					}
				}
			}
		}
		return nil
	}
	if c.indexBroken && c.recordsBroken {
		_ = look(func(key string, r store.Record) error { best[key] = max(best[key], r.Revision); return nil }) // has no error
	}
	return look(func(key string, r store.Record) error {
		if _, listed := c.index[key]; !listed {
			c.report.add(fmt.Sprintf("record %s: found without the index, as it was at revision %d; it may be older than the last one, or removed", key, r.Revision))
		}
		c.report.Found++
		return c.take(key, r)
	})
}

// finish completes the report.
func (c *scan) finish() {
	slices.Sort(c.report.Damaged)
	for _, key := range c.report.Damaged {
		c.report.add(fmt.Sprintf("record %s: it is lost", key))
	}
	if c.report.Found > 0 {
		c.report.add(fmt.Sprintf("%d records were found by looking at all pages", c.report.Found))
	}
	v, err := c.at(bucketStore, keyRevision)
	var n uint64
	switch ok := numbersOf(v, &n); {
	case err == nil && ok:
		c.report.Revision = max(c.report.Revision, store.Revision(n))
	case len(c.buckets) > 0 || c.rootErr != nil:
		c.report.add("its highest revision is not readable")
	}
	if r, ok := c.buckets[bucketNamespaces]; ok {
		w := walk{pages: c.pages, visit: func(i item) (bool, error) {
			v, err := i.value(64)
			if err == nil && !numbersOf(v, new(uint64), new(uint64)) {
				err = fmt.Errorf("the numbers of namespace %q are not readable", i.key)
			}
			return true, err
		}}
		if err := w.run(r); err != nil {
			c.report.add("bucket " + bucketNamespaces + ": " + err.Error())
		}
	}
}

// structure checks how the pages are linked: each belongs to one tree, to the list of free ones, or is free; and returns what is
// wrong. It reads no values. A commit to a file with a wrong list of free pages could overwrite records.
func (s *Snapshot) structure() []error {
	const most = 100
	var out []error
	add := func(err error) bool { out = append(out, err); return len(out) < most }
	h := s.pages.head
	if need := int64(h.pages) * h.pageSize; need > s.pages.size { //nolint:gosec // checked by snapshot
		add(fmt.Errorf("the file has %d bytes, its header says %d: it was cut off", s.pages.size, need))
	}
	if h.pages > uint64(s.pages.size) { //nolint:gosec // a size
		return out // counting them would take all memory
	}
	used := make([]bool, h.pages)
	use := func(id, overflow uint64) error {
		for i := id; i <= id+overflow; i++ {
			if used[i] {
				return &brokenPage{i, "is used twice"}
			}
			used[i] = true
		}
		return nil
	}
	roots := []root{{id: h.root}}
	for _, name := range [...]string{bucketRecords, bucketIndex, bucketNamespaces, bucketStore} {
		if r, ok := s.buckets[name]; ok {
			roots = append(roots, r)
		}
	}
	for n, r := range roots {
		w := walk{
			pages: s.pages, damaged: add, visit: func(i item) (bool, error) {
				if n > 0 && i.bucket && !add(&brokenPage{i.page.id, "has a bucket where none belongs"}) {
					return false, nil
				}
				return true, nil
			},
			entered: func(g *page) error { return use(g.id, g.overflow) },
		}
		if err := w.run(r); err != nil {
			add(err)
		}
	}
	free, pages, err := s.freelist()
	if err == nil && pages > 0 {
		err = use(h.freelist, pages-1)
	}
	if err != nil {
		add(fmt.Errorf("the list of free pages: %w", err))
		return out
	}
	for _, id := range free {
		if err := use(id, 0); err != nil {
			add(fmt.Errorf("the list of free pages: %w", err))
		}
	}
	unused := 0
	for id := uint64(2); id < h.pages; id++ {
		if !used[id] {
			unused++
		}
	}
	if unused > 0 {
		add(fmt.Errorf("%d pages are neither free nor in use", unused))
	}
	return out
}

// freelist reads the list of free pages, and how many pages it is on itself.
func (s *Snapshot) freelist() (free []uint64, pages uint64, err error) {
	h := s.pages.head
	if h.freelist == noFreelist {
		return nil, 0, fmt.Errorf("there is none: another program wrote the file")
	}
	if h.freelist < 2 || h.freelist >= h.pages {
		return nil, 0, &brokenPage{h.freelist, "is not in the file"}
	}
	at := int64(h.freelist) * h.pageSize //nolint:gosec // below pages
	var head [pageHead + 8]byte
	if _, err := s.pages.r.ReadAt(head[:], at); err != nil {
		return nil, 0, &brokenPage{h.freelist, "cannot be read: " + cause(err)}
	}
	n, overflow, skip := uint64(order.Uint16(head[10:])), uint64(order.Uint32(head[12:])), int64(0)
	if n == math.MaxUint16 {
		n, skip = order.Uint64(head[pageHead:]), 8
	}
	size := (overflow + 1) * uint64(h.pageSize) //nolint:gosec // 512 to 16 MB
	switch {
	case order.Uint64(head[:]) != h.freelist || order.Uint16(head[8:]) != flagFreelist:
		return nil, 0, &brokenPage{h.freelist, "is none"}
	case overflow >= h.pages-h.freelist || n > size/8:
		return nil, 0, &brokenPage{h.freelist, "ends beyond the file"}
	}
	b := make([]byte, 8*n)
	if _, err := s.pages.r.ReadAt(b, at+pageHead+skip); err != nil {
		return nil, 0, &brokenPage{h.freelist, "cannot be read: " + cause(err)}
	}
	for i := range n {
		id := order.Uint64(b[8*i:])
		if id < 2 || id >= h.pages {
			return nil, 0, &brokenPage{h.freelist, fmt.Sprintf("lists page %d, which is not in the file", id)}
		}
		free = append(free, id)
	}
	return free, overflow + 1, nil
}
