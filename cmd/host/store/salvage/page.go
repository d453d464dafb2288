package salvage

// page is a page of a tree with the pages that continue it.
type page struct {
	file     *File
	id       uint64
	leaf     bool
	n        int // elements
	at, size int64
	buf      []byte // its first bytes
}

// Element is an element of a leaf: a key with a value, or the description of a bucket.
type Element struct {
	Key      []byte
	Bucket   bool
	Page     uint64
	At, Size int64 // where in the file the value is, in bytes
	page     *page
	below    uint64 // of an element of a branch: the page with its key and those that follow
}

// Value reads the value.
func (e Element) Value() ([]byte, error) { return e.Head(e.Size) }

// Head reads the first n bytes of the value, or all of a shorter one.
func (e Element) Head(n int64) ([]byte, error) { return e.page.bytes(e.At-e.page.at, min(n, e.Size)) }

// page reads a page of a tree.
func (f *File) page(id uint64) (*page, error) {
	if id < 2 || id >= f.Pages {
		return nil, damaged(id, "referred to, but the file has pages 2 to %d", f.Pages-1)
	}
	if id >= f.present {
		return nil, damaged(id, "cannot be read: the file ends before it")
	}
	g := &page{file: f, id: id, at: int64(id) * f.PageSize, size: f.PageSize} //nolint:gosec // below present
	if err := g.load(); err != nil {
		return nil, err
	}
	flags, overflow := order.Uint16(g.buf[8:]), uint64(order.Uint32(g.buf[12:]))
	g.leaf = flags == flagLeaf
	switch {
	case order.Uint64(g.buf) != id:
		return nil, damaged(id, "says that it is page %d", order.Uint64(g.buf))
	case flags != flagLeaf && flags != flagBranch:
		return nil, damaged(id, "is of an unknown kind (%#x)", flags)
	case overflow >= f.present-id:
		return nil, damaged(id, "ends beyond the file")
	}
	g.size += int64(overflow) * f.PageSize //nolint:gosec // below present
	return g, nil
}

// inline reads the small page of a bucket that has no page of its own.
func (f *File) inline(t tree) (*page, error) {
	g := &page{file: f, id: uint64(t.at / f.PageSize), leaf: true, at: t.at, size: t.size} //nolint:gosec // an offset
	err := g.load()
	if err == nil && order.Uint16(g.buf[8:]) != flagLeaf {
		err = damaged(g.id, "has a small bucket that is not readable")
	}
	return g, err
}

// load reads the first bytes of a page, up to the size of one. Values that continue on further pages are read when they are wanted.
func (g *page) load() (err error) {
	if g.buf, err = g.file.read(g.at, min(g.size, g.file.PageSize)); err != nil {
		return unreadable(g.id, err)
	}
	if len(g.buf) < pageHead {
		return damaged(g.id, "is too small")
	}
	g.n = int(order.Uint16(g.buf[10:]))
	return nil
}

// place is where in an element the place of its key is: elements of leaves begin with flags.
func (g *page) place() int64 {
	if g.leaf {
		return 4
	}
	return 0
}

// listed is how many elements the page has by the place of the first key, which follows the last element.
func (g *page) listed() int {
	b, err := g.bytes(pageHead+g.place(), 4)
	if err != nil {
		return 0
	}
	return int(order.Uint32(b) / elementSize)
}

// bytes returns a part of the page.
func (g *page) bytes(at, n int64) ([]byte, error) {
	switch {
	case at > g.size || n > g.size-at:
		return nil, damaged(g.id, "an element lies outside of it")
	case at+n <= int64(len(g.buf)):
		return g.buf[at : at+n : at+n], nil
	}
	b, err := g.file.read(g.at+at, n)
	if err != nil {
		return nil, unreadable(g.id, err)
	}
	return b, nil
}

// element returns an element.
func (g *page) element(i int) (Element, error) {
	at := int64(pageHead + i*elementSize)
	b, err := g.bytes(at, elementSize)
	if err != nil {
		return Element{}, err
	}
	key := b[g.place():]
	at, n := at+int64(order.Uint32(key)), int64(order.Uint32(key[4:]))
	if n > maxKey {
		return Element{}, damaged(g.id, "has a key of %d bytes", n)
	}
	e := Element{Page: g.id, page: g}
	e.Key, err = g.bytes(at, n)
	if !g.leaf {
		e.below = order.Uint64(b[8:])
		return e, err
	}
	e.Bucket, e.At, e.Size = order.Uint32(b)&flagBucket != 0, g.at+at+n, int64(order.Uint32(b[12:]))
	if err == nil && e.Size > g.size-at-n {
		err = damaged(g.id, "a value lies outside of it")
	}
	return e, err
}
