package store

import (
	"encoding/binary"
	"hash/fnv"
	"io"
)

// Layout of bbolt's files: numbers are of the machine's byte order. Page 0 and 1 are headers, of which the one with the
// higher transaction is valid.
const (
	boltMagic   = 0xED0CDAED
	boltVersion = 2
	pageHead    = 16         // bytes: id 8, flags 2, count 2, overflow 4
	element     = 16         // bytes of an element of a page
	noFreelist  = ^uint64(0) // the file has none

	flagBranch   = 0x01
	flagLeaf     = 0x02
	flagFreelist = 0x10
	flagBucket   = 0x01 // of an element of a leaf
)

// order is the machine's byte order.
var order = binary.NativeEndian

// header is a header page.
type header struct {
	pageSize       int64
	root, freelist uint64
	pages          uint64 // the file has pages 0 to pages-1
	tx             uint64
}

// headerAt reads the header page at an offset.
func headerAt(r io.ReaderAt, at int64) (h header, ok bool) {
	const size = 64
	var b [pageHead + size]byte
	if _, err := r.ReadAt(b[:], at); err != nil {
		return header{}, false
	}
	m := b[pageHead:]
	sum := fnv.New64a()
	_, _ = sum.Write(m[:size-8]) // never fails
	if order.Uint32(m) != boltMagic || order.Uint32(m[4:]) != boltVersion || order.Uint64(m[size-8:]) != sum.Sum64() {
		return header{}, false
	}
	h = header{pageSize: int64(order.Uint32(m[8:])), root: order.Uint64(m[16:]), freelist: order.Uint64(m[32:]), pages: order.Uint64(m[40:]), tx: order.Uint64(m[48:])}
	return h, h.pageSize >= 512 && h.pageSize <= 1<<24
}

// headers reads both header pages of a file. count is how many of them are valid.
func headers(r io.ReaderAt) (newest header, count int) {
	h, ok := headerAt(r, 0)
	if ok {
		newest, count = h, 1
		if h, ok = headerAt(r, h.pageSize); !ok {
			return newest, count
		}
	} else {
		for size := int64(512); size <= 1<<24; size *= 2 {
			if h, ok = headerAt(r, size); ok && h.pageSize == size {
				break
			}
			ok = false
		}
		if !ok {
			return newest, 0
		}
	}
	count++
	if count == 1 || h.tx > newest.tx {
		newest = h
	}
	return newest, count
}
