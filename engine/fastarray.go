package engine

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// MaxFastItems bounds a fast array; Add fails beyond it.
const MaxFastItems = 1024

func (it *FastItem) clone() FastItem {
	return FastItem{Key: it.Key, Rev: it.Rev, Words: slices.Clone(it.Words), Strs: slices.Clone(it.Strs)}
}

// undoFast undoes the newest change of a fast array. References to actors that were destroyed since stay nil.
func (a *Actor) undoFast(p *Property, u *fastUndo) {
	f := a.fasts[p.fast]
	if f.next = u.next; f.next == 0 {
		a.fasts[p.fast] = nil // as before the first
		return
	}
	switch u.change {
	case FastAdded:
		f.items = slices.Delete(f.items, u.at, u.at+1)
		return
	case FastChanged:
		if it := f.find(u.item.Key); it != nil { // else only keys were skipped
			*it = u.item
		}
	case FastRemoved:
		f.insert(u.at, u.item)
	}
	eachRef(p.Type.Elem, u.item.Words, func(w *uint64) {
		if *w != 0 && !a.world.alive(ActorID(*w)) {
			*w = 0
		}
	})
	a.noteFastRefs(p, u.item.Words)
}

// Len returns the number of items.
func (f *FastArray) Len() int {
	if f == nil {
		return 0
	}
	return len(f.items)
}

// LastKey returns the last key that was given, 0 before the first.
func (f *FastArray) LastKey() uint32 {
	if f == nil {
		return 0
	}
	return f.next
}

// Items returns the items in order of their keys, which is that of adding. The caller must not change them.
func (f *FastArray) Items() []FastItem {
	if f == nil {
		return nil
	}
	return f.items
}

func (f *FastArray) find(key uint32) *FastItem {
	if i, found := f.place(key); found {
		return &f.items[i]
	}
	return nil
}

// place returns the index of the item of a key, or the one at which it belongs.
func (f *FastArray) place(key uint32) (i int, found bool) {
	return slices.BinarySearchFunc(f.Items(), key, func(it FastItem, key uint32) int { return cmp.Compare(it.Key, key) })
}

// insert adds an item at an index.
func (f *FastArray) insert(at int, it FastItem) { f.items = slices.Insert(f.items, at, it) }

// Fast returns the fast array of a property.
func (a *Actor) Fast(p *Property) *FastArray { return a.fasts[p.fast] }

// FastAdd appends a struct and returns its key.
func (a *Actor) FastAdd(p *Property, v Value) (uint32, error) {
	v, err := p.Type.Elem.Check(a.world, v)
	if err != nil {
		return 0, err
	}
	f := a.fasts[p.fast]
	if f.Len() >= MaxFastItems {
		return 0, fmt.Errorf("fastarray %s is full: it holds %d items at most", p.Name, MaxFastItems)
	}
	if err := f.room(a.world.Classes, p, 0, v); err != nil {
		return 0, err
	}
	if f == nil {
		f = &FastArray{}
		a.fasts[p.fast] = f
	}
	if f.next == math.MaxUint32 {
		return 0, fmt.Errorf("fastarray %s has given all its keys, and none is given twice", p.Name)
	}
	a.world.journalFast(a, p, fastUndo{change: FastAdded, at: len(f.items)})
	f.next++
	it := FastItem{Key: f.next, Rev: 1, Words: make([]uint64, p.Type.Elem.words), Strs: make([]string, p.Type.Elem.strs)}
	storeValue(a.world.Classes, p.Type.Elem, it.Words, it.Strs, v)
	f.items = append(f.items, it)
	a.noteFastRefs(p, it.Words)
	a.Touched(p)
	return it.Key, nil
}

// FastSet replaces the struct of a key.
func (a *Actor) FastSet(p *Property, key uint32, v Value) error {
	if a.fasts[p.fast].find(key) == nil {
		return fmt.Errorf("fastarray %s has no item %d", p.Name, key)
	}
	v, err := p.Type.Elem.Check(a.world, v)
	if err != nil {
		return err
	}
	if err := a.fasts[p.fast].room(a.world.Classes, p, key, v); err != nil {
		return err
	}
	it := a.fasts[p.fast].find(key)
	if a.world.journal.open > 0 {
		a.world.journalFast(a, p, fastUndo{change: FastChanged, item: it.clone()})
	}
	storeValue(a.world.Classes, p.Type.Elem, it.Words, it.Strs, v)
	it.Rev++
	a.noteFastRefs(p, it.Words)
	a.Touched(p)
	return nil
}

// room returns an error if the array would be too large for the wire with a value in place of the item of a
// key, 0 for one more. Items are examined only if their largest possible sizes add up to too much.
func (f *FastArray) room(cs *Classes, p *Property, key uint32, v Value) error {
	most := p.Type.WireBytes()
	if most*(f.Len()+1) <= MaxFastBytes {
		return nil
	}
	elem := p.Type.Elem
	bytes := most
	words, strs := make([]uint64, elem.words), make([]string, elem.strs)
	storeValue(cs, elem, words, strs, v)
	bytes -= spare(elem, strs)
	for i := range f.Items() {
		if it := &f.items[i]; it.Key != key {
			bytes += most - spare(elem, it.Strs)
		}
	}
	if bytes > MaxFastBytes {
		return fmt.Errorf("fastarray %s is full: with this item its items take up to %d bytes on the wire, at most %d", p.Name, bytes, MaxFastBytes)
	}
	return nil
}

// spare returns by how many bytes the replicated strings of a stored value are shorter than their maximum.
func spare(t *Type, strs []string) (n int) {
	switch t.Kind {
	case KindString:
		return t.StringLimit() - len(strs[0])
	case KindStruct:
		for i := range t.Fields {
			if f := &t.Fields[i]; !f.Local {
				n += spare(f.Type, strs[f.str:])
			}
		}
	case KindArray:
		for i := range t.Len {
			n += spare(t.Elem, strs[i*t.Elem.strs:])
		}
	default:
	}
	return n
}

// FastRemove removes the struct of a key.
func (a *Actor) FastRemove(p *Property, key uint32) error {
	f := a.fasts[p.fast]
	if i, found := f.place(key); found {
		a.removeFast(p, i)
		a.Touched(p)
		return nil
	}
	return fmt.Errorf("fastarray %s has no item %d", p.Name, key)
}

// removeFast removes an item by its index. The caller marks the variable as changed.
func (a *Actor) removeFast(p *Property, i int) {
	f := a.fasts[p.fast]
	a.world.journalFast(a, p, fastUndo{change: FastRemoved, at: i, item: f.items[i]})
	f.lost = max(f.lost, f.items[i].Rev)
	f.items = append(f.items[:i], f.items[i+1:]...)
}

// FastGet returns the struct of a key.
func (a *Actor) FastGet(p *Property, key uint32) (Value, bool) {
	it := a.fasts[p.fast].find(key)
	if it == nil {
		return Value{}, false
	}
	return a.FastValue(p, it), true
}

// FastValue returns the struct of an item, one of [FastArray.Items] of the property.
func (a *Actor) FastValue(p *Property, it *FastItem) Value {
	return loadValue(a.world.Classes, p.Type.Elem, it.Words, it.Strs)
}

// eachRef calls fn with every word of a value that holds a reference.
func eachRef(t *Type, words []uint64, fn func(w *uint64)) {
	switch t.Kind {
	case KindRef:
		fn(&words[0])
	case KindStruct:
		for i := range t.Fields {
			eachRef(t.Fields[i].Type, words[t.Fields[i].word:], fn)
		}
	case KindArray:
		for i := range t.Len {
			eachRef(t.Elem, words[i*t.Elem.words:], fn)
		}
	default:
	}
}

// refersTo reports whether an item holds a reference to an actor.
func (f *FastArray) refersTo(t *Type, id ActorID) bool {
	found := false
	for i := range f.Items() {
		eachRef(t, f.items[i].Words, func(w *uint64) { found = found || *w == uint64(id) })
	}
	return found
}

// forget sets the references to an actor to nil; the items that had one count as changed.
func (f *FastArray) forget(t *Type, id ActorID) {
	for i := range f.Items() {
		it := &f.items[i]
		hit := false
		eachRef(t, it.Words, func(w *uint64) {
			if *w == uint64(id) {
				*w, hit = 0, true
			}
		})
		if hit {
			it.Rev++
		}
	}
}

// noteFastRefs registers the references of an item.
func (a *Actor) noteFastRefs(p *Property, words []uint64) {
	eachRef(p.Type.Elem, words, func(w *uint64) {
		if t := a.world.Actor(ActorID(*w)); t != nil {
			t.addRef(refEdge{a.id, p, 0})
		}
	})
}
