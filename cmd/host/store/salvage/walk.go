package salvage

import "bytes"

// Walk visits the elements of a bucket in the order of their keys, goes on beside what is damaged, and returns the damage. An error of
// visit is damage of its element. A bucket that is not there has no elements.
func (f *File) Walk(bucket string, visit func(Element) error) (damage []error) {
	t, ok := f.buckets[bucket]
	if !ok {
		return nil
	}
	f.walk(t, make([]byte, f.present), func(err error) { damage = append(damage, err) }, visit)
	return damage
}

// Leaves visits the elements of every page that can be read as a leaf, whether the tree still uses it or not. Many elements are old copies,
// and some are garbage. Leaves ignores the page's own header, which may be damaged. An error from visit ends it.
func (f *File) Leaves(visit func(Element) error) error {
	for at := 2 * f.PageSize; at+pageHead+elementSize <= f.size; at += f.PageSize {
		g := &page{file: f, id: uint64(at / f.PageSize), at: at, size: f.size - at} //nolint:gosec // an offset
		if g.load() != nil {
			continue
		}
		g.leaf = true
		g.n = min(max(g.n, g.listed()), (len(g.buf)-pageHead)/elementSize)
		for i := range g.n {
			e, err := g.element(i)
			if err != nil {
				continue
			}
			if err := visit(e); err != nil {
				return err
			}
		}
	}
	return nil
}

// walk is a walk through a tree.
type walk struct {
	file    *File
	visit   func(Element) error
	damaged func(error)
	used    []byte // pages that were entered; none is twice
	last    []byte // the key before; nil for none yet
	least   []byte // the key of the innermost branch: none below it is smaller
}

// walk visits the elements of a tree.
func (f *File) walk(t tree, used []byte, damaged func(error), visit func(Element) error) {
	w := walk{file: f, used: used, damaged: damaged, visit: visit}
	g, err := f.inline(t)
	if t.id != 0 {
		g, err = f.page(t.id)
	}
	w.into(g, err, 0)
}

// into visits what is below a page.
func (w *walk) into(g *page, err error, depth int) {
	switch {
	case err != nil:
	case depth > maxDepth:
		err = damaged(g.id, "is too deep in its tree")
	case g.n > 0 && g.n != g.listed():
		err = damaged(g.id, "counts %d elements, and has %d", g.n, g.listed())
	}
	if err == nil && g.at == int64(g.id)*w.file.PageSize { //nolint:gosec // below present; others are within another page
		err = use(w.used, g.id, uint64(g.size/w.file.PageSize)) //nolint:gosec // a size
	}
	if err != nil {
		w.damaged(err)
		return
	}
	for i := range g.n {
		if err := w.element(g, i, depth); err != nil {
			w.damaged(err)
		}
	}
}

func (w *walk) element(g *page, i, depth int) error {
	e, err := g.element(i)
	if err != nil {
		return err
	}
	if w.last != nil && bytes.Compare(e.Key, w.last) <= 0 {
		w.damaged(damaged(g.id, "its keys are not in order"))
	}
	if !g.leaf {
		w.least = e.Key
		below, err := w.file.page(e.below)
		w.into(below, err, depth+1)
		return nil
	}
	if bytes.Compare(e.Key, w.least) < 0 {
		w.damaged(damaged(g.id, "has a key that is smaller than that of the branch to it"))
	}
	w.last = e.Key
	return w.visit(e)
}
