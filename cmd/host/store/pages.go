package store

import (
	"bytes"
	"fmt"
	"io"
)

const (
	// mostDepth bounds the depth of a tree: a damaged page may refer to one above it.
	mostDepth = 64
	// wholePage is up to which size a page is read at once, in bytes; of larger ones only what is needed.
	wholePage = 1 << 20
)

// pages reads the trees of a bbolt file without bbolt: by reading the file, not a mapping of it, so that a page that the disk cannot
// read is an error rather than a fault; and with checks of all that a page says.
type pages struct {
	r    io.ReaderAt
	size int64
	head header
}

// page is one page with those that continue it.
type page struct {
	pages    *pages
	id       uint64
	leaf     bool
	n        int
	overflow uint64
	at, size int64
	buf      []byte // its first bytes
}

// brokenPage is damage of a page.
type brokenPage struct {
	id   uint64
	what string
}

func (e *brokenPage) Error() string { return fmt.Sprintf("page %d: %s", e.id, e.what) }

// page reads a page of a tree.
func (p *pages) page(id uint64) (*page, error) {
	if id < 2 || id >= p.head.pages {
		return nil, &brokenPage{id, fmt.Sprintf("referred to, but the file has pages 2 to %d", p.head.pages-1)}
	}
	g := &page{pages: p, id: id, at: int64(id) * p.head.pageSize, size: p.head.pageSize} //nolint:gosec // below head.pages, checked when opened
	var head [pageHead]byte
	if _, err := p.r.ReadAt(head[:], g.at); err != nil {
		return nil, &brokenPage{id, "cannot be read: " + cause(err)}
	}
	flags := order.Uint16(head[8:])
	g.n, g.overflow, g.leaf = int(order.Uint16(head[10:])), uint64(order.Uint32(head[12:])), flags == flagLeaf
	switch {
	case order.Uint64(head[:]) != id:
		return nil, &brokenPage{id, fmt.Sprintf("says that it is page %d", order.Uint64(head[:]))}
	case flags != flagLeaf && flags != flagBranch:
		return nil, &brokenPage{id, fmt.Sprintf("is of an unknown kind (%#x)", flags)}
	case g.overflow >= p.head.pages-id:
		return nil, &brokenPage{id, "ends beyond the file"}
	}
	g.size += int64(g.overflow) * p.head.pageSize
	read := g.size
	if read > wholePage {
		read = min(g.size, pageHead+int64(g.n)*element)
	}
	g.buf = make([]byte, read)
	if _, err := p.r.ReadAt(g.buf, g.at); err != nil {
		return nil, &brokenPage{id, "cannot be read: " + cause(err)}
	}
	if pageHead+int64(g.n)*element > g.size {
		return nil, &brokenPage{id, fmt.Sprintf("has %d elements in %d bytes", g.n, g.size)}
	}
	return g, nil
}

// inline is a page within a value.
func (p *pages) inline(b []byte) (*page, error) {
	if len(b) < pageHead || order.Uint16(b[8:]) != flagLeaf {
		return nil, &brokenPage{0, "a small bucket is not readable"}
	}
	g := &page{pages: p, leaf: true, n: int(order.Uint16(b[10:])), size: int64(len(b)), buf: b}
	if pageHead+int64(g.n)*element > g.size {
		return nil, &brokenPage{0, "a small bucket is not readable"}
	}
	return g, nil
}

// bytes returns a part of the page.
func (g *page) bytes(at, n int64) ([]byte, error) {
	switch {
	case at < 0 || n < 0 || at > g.size || n > g.size-at:
		return nil, &brokenPage{g.id, "an element lies outside of it"}
	case at+n <= int64(len(g.buf)):
		return g.buf[at : at+n : at+n], nil
	}
	b := make([]byte, n)
	if _, err := g.pages.r.ReadAt(b, g.at+at); err != nil {
		return nil, &brokenPage{g.id, "cannot be read: " + cause(err)}
	}
	return b, nil
}

// item is an element of a leaf.
type item struct {
	page   *page
	key    []byte
	bucket bool
	at, n  int64 // the value
}

// value returns the value, or its first bytes.
func (i *item) value(most int64) ([]byte, error) { return i.page.bytes(i.at, min(i.n, most)) }

// item returns an element of a leaf.
func (g *page) item(i int) (item, error) {
	e := g.buf[pageHead+i*element:]
	at, k, n := int64(pageHead+i*element)+int64(order.Uint32(e[4:])), int64(order.Uint32(e[8:])), int64(order.Uint32(e[12:]))
	key, err := g.bytes(at, k)
	if err == nil && (at+k > g.size || n > g.size-at-k) {
		err = &brokenPage{g.id, "a value lies outside of it"}
	}
	return item{page: g, key: key, bucket: order.Uint32(e)&flagBucket != 0, at: at + k, n: n}, err
}

// branch returns an element of a branch: the first key below it, and the page.
func (g *page) branch(i int) (key []byte, id uint64, err error) {
	e := g.buf[pageHead+i*element:]
	key, err = g.bytes(int64(pageHead+i*element)+int64(order.Uint32(e)), int64(order.Uint32(e[4:])))
	return key, order.Uint64(e[8:]), err
}

// root is where a bucket begins: a page of its own, or one within the value that describes it.
type root struct {
	id     uint64
	inline []byte
}

// walk visits the elements of a tree in the order of their keys.
type walk struct {
	pages *pages
	// from is the first key that is of interest; nil for all.
	from []byte
	// visit gets each element; false ends the walk.
	visit func(item) (more bool, err error)
	// damaged gets each damage and says whether to go on beside it. Nil ends the walk with the damage as its error.
	damaged func(error) (more bool)
	// entered, if not nil, gets each page that is not inline; an error is damage, and the page is left out.
	entered func(*page) error

	last  []byte
	begun bool
	least []byte // the key of the innermost branch: none below it is smaller
}

// run walks.
func (w *walk) run(r root) error {
	var g *page
	var err error
	if r.id == 0 {
		g, err = w.pages.inline(r.inline)
	} else {
		g, err = w.pages.page(r.id)
	}
	_, err = w.into(g, err, 0)
	return err
}

// fail reports damage.
func (w *walk) fail(err error) (bool, error) {
	if w.damaged == nil {
		return false, err
	}
	return w.damaged(err), nil
}

func (w *walk) into(g *page, err error, depth int) (more bool, _ error) {
	if err == nil && depth > mostDepth {
		err = &brokenPage{g.id, "is too deep in its tree"}
	}
	if err == nil && w.entered != nil && g.at != 0 {
		err = w.entered(g)
	}
	if err != nil {
		return w.fail(err)
	}
	for i := range g.n {
		if g.leaf {
			more, err = w.leaf(g, i)
		} else {
			more, err = w.child(g, i, depth)
		}
		if !more || err != nil {
			return false, err
		}
	}
	return true, nil
}

// child walks below an element of a branch, if what is of interest can be there.
func (w *walk) child(g *page, i, depth int) (bool, error) {
	key, id, err := g.branch(i)
	if err != nil {
		return w.fail(err)
	}
	if w.from != nil && i+1 < g.n {
		next, _, err := g.branch(i + 1)
		if err != nil {
			return w.fail(err)
		}
		if bytes.Compare(next, w.from) <= 0 {
			return true, nil
		}
	}
	if w.begun && bytes.Compare(key, w.last) <= 0 {
		if more, err := w.fail(&brokenPage{g.id, "its keys are not in order"}); !more || err != nil {
			return more, err
		}
	}
	w.least = append(w.least[:0], key...)
	below, err := w.pages.page(id)
	return w.into(below, err, depth+1)
}

// leaf visits an element of a leaf.
func (w *walk) leaf(g *page, i int) (bool, error) {
	it, err := g.item(i)
	if err == nil && w.begun && bytes.Compare(it.key, w.last) <= 0 {
		err = &brokenPage{g.id, "its keys are not in order"}
	}
	if err != nil {
		return w.fail(err)
	}
	if bytes.Compare(it.key, w.least) < 0 {
		if more, err := w.fail(&brokenPage{g.id, "has a key that is smaller than that of the branch to it"}); !more || err != nil {
			return more, err
		}
	}
	w.last, w.begun = append(w.last[:0], it.key...), true
	if w.from != nil && bytes.Compare(it.key, w.from) < 0 {
		return true, nil
	}
	return w.visit(it)
}

// cause is an error of the system without the path that the message already has.
func cause(err error) string {
	if err == io.EOF || err == io.ErrUnexpectedEOF { //nolint:errorlint // ReadAt returns these themselves
		return "the file ends before it"
	}
	return reason(err).Error()
}
