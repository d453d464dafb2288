package salvage

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math"
)

// maxLinks bounds what Links returns: a file that is cut off can have millions of wrong links.
const maxLinks = 100

// Links checks how the pages are linked: each belongs to one tree or to the list of free pages, or is free. It returns what is wrong, at
// most 100 errors, and reads no values. bbolt may read a file in which nothing is wrong; a commit to another one could overwrite records.
func (f *File) Links() (wrong []error) {
	add := func(err error) {
		if len(wrong) < maxLinks {
			wrong = append(wrong, err)
		}
	}
	if need := float64(f.Pages) * float64(f.PageSize); need > float64(f.size) {
		add(fmt.Errorf("the file has %d bytes, its header says %.0f: it was cut off", f.size, need))
	}
	used := make([]byte, f.present)
	trees := []tree{{id: f.root}}
	for _, name := range f.Buckets {
		trees = append(trees, f.buckets[name])
	}
	for i, t := range trees {
		f.walk(t, used, add, func(e Element) error {
			if e.Bucket && i > 0 {
				return damaged(e.Page, "has a bucket where none belongs")
			}
			return nil
		})
	}
	if err := f.free(used); err != nil {
		add(fmt.Errorf("the list of free pages: %w", err))
		return wrong // without it, what is neither free nor in use says nothing
	}
	if n := bytes.Count(used[min(2, len(used)):], []byte{0}); n > 0 {
		add(fmt.Errorf("%d pages are neither free nor in use", n))
	}
	return wrong
}

// use marks pages. None may have a mark already.
func use(used []byte, id, pages uint64) error {
	for i := id; i < id+pages; i++ {
		if used[i] != 0 {
			return damaged(i, "is used twice")
		}
		used[i] = 1
	}
	return nil
}

// free marks the pages of the list of free pages, and those that it lists.
func (f *File) free(used []byte) error {
	switch {
	case !f.HasFreelist():
		return errors.New("there is none: another program wrote the file")
	case f.freelist < 2 || f.freelist >= f.present:
		return damaged(f.freelist, "is not in the file")
	}
	at := int64(f.freelist) * f.PageSize //nolint:gosec // below present
	head, err := f.read(at, pageHead+8)
	if err != nil {
		return unreadable(f.freelist, err)
	}
	n, pages, skip := uint64(order.Uint16(head[10:])), uint64(order.Uint32(head[12:]))+1, int64(0)
	if n == math.MaxUint16 { // the count did not fit, and is in front of the list
		n, skip = order.Uint64(head[pageHead:]), 8
	}
	switch {
	case order.Uint64(head) != f.freelist || order.Uint16(head[8:]) != flagFreelist:
		return damaged(f.freelist, "is none")
	case pages > f.present-f.freelist || n > f.present:
		return damaged(f.freelist, "ends beyond the file")
	}
	list, err := f.read(at+pageHead+skip, int64(8*n)) //nolint:gosec // below present
	if err != nil {
		return unreadable(f.freelist, err)
	}
	wrong := use(used, f.freelist, pages)
	for ; len(list) > 0; list = list[8:] {
		id := order.Uint64(list)
		if id < 2 || id >= f.present {
			return damaged(f.freelist, "lists page %d, which is not in the file", id)
		}
		wrong = cmp.Or(wrong, use(used, id, 1))
	}
	return wrong
}
