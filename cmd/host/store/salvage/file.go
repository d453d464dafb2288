package salvage

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
)

// Layout of bbolt's files: numbers have the machine's byte order. Pages 0 and 1 are headers; the valid one with the higher transaction counts.
const (
	magic       = 0xED0CDAED
	version     = 2
	pageHead    = 16 // bytes: id 8, flags 2, count 2, overflow 4
	elementSize = 16 // bytes of an element of a page
	headerSize  = 64 // bytes of a header, after the page's head
	noFreelist  = ^uint64(0)

	flagBranch   = 0x01
	flagLeaf     = 0x02
	flagFreelist = 0x10
	flagBucket   = 0x01 // of an element of a leaf

	minPageSize = 512     // bytes
	maxPageSize = 1 << 24 // bytes
	maxKey      = 1 << 15 // bytes, as bbolt.MaxKeySize
	maxDepth    = 64      // levels of a tree: with two pages below each branch, more than any file has
)

var order = binary.NativeEndian

// ErrHeader means that a file has no header page of bbolt, or none that is readable.
var ErrHeader = errors.New("no header page is readable")

// File is a bbolt file as its newest readable header describes it. Its methods are for one goroutine at a time.
type File struct {
	PageSize int64    // in bytes
	Pages    uint64   // the pages are 0 to Pages-1
	Tx       uint64   // the transaction that wrote the header
	Headers  int      // readable header pages; with 1 the last commit may be missing
	Buckets  []string // their names, in order
	Damage   error    // the first of the list of buckets; nil for none

	r              io.ReaderAt
	size           int64
	root, freelist uint64
	present        uint64 // pages that begin within the file and that the header knows
	buckets        map[string]tree
}

// tree is where a bucket begins: at a page of its own, or with id 0 at a small page within the value that describes the bucket.
type tree struct {
	id       uint64
	at, size int64
}

// Open reads the header pages and the list of buckets of a file of so many bytes. An error is [ErrHeader]; other damage is in the File.
func Open(r io.ReaderAt, size int64) (*File, error) {
	f := &File{r: r, size: size}
	if f.header(0) {
		f.header(f.PageSize)
	} else {
		for size := int64(minPageSize); size <= maxPageSize && !f.header(size); size *= 2 {
		}
	}
	if f.Headers == 0 {
		return nil, ErrHeader
	}
	f.list()
	return f, nil
}

// At returns the file as it would be if its list of buckets were on another page. A page to which no header leads any more can have the
// list of a commit whose header is lost.
func (f *File) At(page uint64) *File {
	g := &File{r: f.r, size: f.size, PageSize: f.PageSize, Headers: f.Headers, root: page, freelist: noFreelist, Pages: uint64(f.size / f.PageSize)} //nolint:gosec // a size
	g.list()
	return g
}

// list reads the list of buckets.
func (f *File) list() {
	f.present, f.buckets = min(f.Pages, uint64(f.size/f.PageSize)+1), map[string]tree{} //nolint:gosec // a size
	f.walk(tree{id: f.root}, make([]byte, f.present), func(err error) { f.Damage = cmp.Or(f.Damage, err) }, func(e Element) error {
		head, err := e.Head(pageHead)
		switch {
		case err != nil || !e.Bucket:
			return err
		case len(head) < pageHead:
			return damaged(e.Page, "describes no bucket where one is")
		}
		f.buckets[string(e.Key)] = tree{order.Uint64(head), e.At + pageHead, e.Size - pageHead}
		f.Buckets = append(f.Buckets, string(e.Key))
		return nil
	})
}

// header reads the header page at an offset, and keeps it if it is newer than what is known.
func (f *File) header(at int64) bool {
	var b [headerSize]byte
	if _, err := f.r.ReadAt(b[:], at+pageHead); err != nil {
		return false
	}
	sum := fnv.New64a()
	_, _ = sum.Write(b[:headerSize-8]) // never fails
	size, tx := int64(order.Uint32(b[8:])), order.Uint64(b[48:])
	switch {
	case order.Uint32(b[:]) != magic || order.Uint32(b[4:]) != version || order.Uint64(b[headerSize-8:]) != sum.Sum64():
		return false
	case size < minPageSize || size > maxPageSize || at != 0 && at != size:
		return false
	}
	f.Headers++
	if f.Headers == 1 || tx > f.Tx {
		f.PageSize, f.root, f.freelist, f.Pages, f.Tx = size, order.Uint64(b[16:]), order.Uint64(b[32:]), order.Uint64(b[40:]), tx
	}
	return true
}

// HasFreelist reports whether the file has a list of free pages. Programs may write bbolt files without one.
func (f *File) HasFreelist() bool { return f.freelist != noFreelist }

// read reads n bytes. It allocates nothing for what lies outside of the file.
func (f *File) read(at, n int64) ([]byte, error) {
	if at < 0 || n < 0 || at > f.size || n > f.size-at {
		return nil, io.ErrUnexpectedEOF
	}
	b := make([]byte, n)
	_, err := io.ReadFull(io.NewSectionReader(f.r, at, n), b)
	return b, err
}

// damaged is an error of a page.
func damaged(id uint64, what string, args ...any) error {
	return fmt.Errorf("page %d: "+what, append([]any{id}, args...)...)
}

// unreadable is an error of reading a page, without the path that messages of the caller have.
func unreadable(id uint64, err error) error {
	var pe *fs.PathError
	switch {
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return damaged(id, "cannot be read: the file ends before it")
	case errors.As(err, &pe):
		err = pe.Err
	}
	return damaged(id, "cannot be read: %w", err)
}
