package engine

import "fmt"

// KeyedItem is an item of a fast array that was saved: its key, from 1, and its struct.
type KeyedItem struct {
	Key   uint32
	Value Value
}

// FastRestore gives a fast array the items of a profile (C2), which are in order of their keys. Items that the array has under the
// same key and with the same value stay as they are; the others are changed, added or removed, so that clients receive the
// difference as after Add, Set and Remove. last is the last key that was given when the items were saved: no key up to it, nor one that this actor has
// given, is given again. Items that do not fit the type or the bounds (MaxFastItems, MaxFastBytes) are left out: their number and the
// reason of the first are returned. Keys that do not ascend from 1 panic.
func (a *Actor) FastRestore(p *Property, last uint32, items []KeyedItem) (left int, why error) {
	fit, left, why := a.fitting(p, items)
	f := a.fasts[p.fast]
	if f == nil {
		if last == 0 && len(fit) == 0 {
			return left, why
		}
		f = &FastArray{}
		a.fasts[p.fast] = f
	}
	if last > f.next {
		a.world.journalFast(a, p, fastUndo{change: FastChanged})
		f.next = last
	}
	changed, kept := false, FastArray{items: fit}
	for i := len(f.items) - 1; i >= 0; i-- {
		if kept.find(f.items[i].Key) == nil {
			a.removeFast(p, i)
			changed = true
		}
	}
	for _, x := range fit {
		if a.restoreItem(p, f, x) {
			changed = true
		}
	}
	if changed {
		a.Touched(p)
	}
	return left, why
}

// fitting returns the stored form of the items that fit the array together, without their Rev.
func (a *Actor) fitting(p *Property, items []KeyedItem) (fit []FastItem, left int, why error) {
	elem, bytes, last := p.Type.Elem, 0, uint32(0)
	for i := range items {
		key := items[i].Key
		if key <= last {
			panic(fmt.Sprintf("FastRestore: key %d follows %d", key, last))
		}
		last = key
		v, err := elem.Check(a.world, items[i].Value)
		x := FastItem{Key: key}
		if err == nil && len(fit) == MaxFastItems {
			err = fmt.Errorf("a fastarray holds %d items at most", MaxFastItems)
		}
		if err == nil {
			x.Words, x.Strs = make([]uint64, elem.words), make([]string, elem.strs)
			storeValue(a.world.Classes, elem, x.Words, x.Strs, v)
			n := p.Type.WireBytes() - spare(elem, x.Strs)
			if bytes+n > MaxFastBytes {
				err = fmt.Errorf("with it the items take up to %d bytes on the wire, at most %d", bytes+n, MaxFastBytes)
			} else {
				bytes += n
			}
		}
		if err != nil {
			if left++; why == nil {
				why = fmt.Errorf("item %d: %w", key, err)
			}
			continue
		}
		fit = append(fit, x)
	}
	return fit, left, why
}

// restoreItem sets the item of a key, or adds it in its place, and reports whether that changes anything.
func (a *Actor) restoreItem(p *Property, f *FastArray, x FastItem) (changed bool) {
	if it := f.find(x.Key); it != nil {
		if equalWords(it.Words, x.Words) && equalStrs(it.Strs, x.Strs) {
			return false
		}
		if a.world.journal.open > 0 {
			a.world.journalFast(a, p, fastUndo{change: FastChanged, item: it.clone()})
		}
		x.Rev = it.Rev + 1
		*it = x
	} else {
		at, _ := f.place(x.Key)
		a.world.journalFast(a, p, fastUndo{change: FastAdded, at: at})
		x.Rev = f.lost + 1
		f.insert(at, x)
		f.next = max(f.next, x.Key)
	}
	a.noteFastRefs(p, x.Words)
	return true
}
