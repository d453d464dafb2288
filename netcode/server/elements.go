package server

import (
	"slices"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/schema"
	"github.com/tidelock/tidelock/netcode/wire"
)

// elementVersions records when each element of an array, or item of a fast array, changed, so that each connection
// is sent the changes since the newest version that it is known to have (R5.12). Times are net updates.
type elementVersions struct {
	// of a static array: per element the update of its last change, 0 for never
	elems []uint32
	// of a fast array
	items   []fastItem
	removed []removedItem
	floor   uint32 // removals up to this update are no longer known individually
}

type fastItem struct {
	key, rev uint32
	changed  uint32
}

type removedItem struct{ key, update uint32 }

// maxRemoved bounds the stored removals; a connection that missed older ones is sent all items again.
const maxRemoved = 64

func (p *elementVersions) init(v *schema.Var) {
	*p = elementVersions{}
	if v.Type.Kind == engine.KindArray {
		p.elems = make([]uint32, v.Type.Len)
	}
}

// compareFast stores the present state of a fast array and reports whether anything has changed since.
func (p *elementVersions) compareFast(f *engine.FastArray, update uint32) bool {
	now := f.Items()
	changed := false
	// Both are in order of keys, which is the order of adding.
	i, out := 0, p.items[:0]
	old := p.items
	apart := len(now) > 0 && (len(old) == 0 || old[len(old)-1].key < now[len(now)-1].Key)
	if apart {
		out = make([]fastItem, 0, len(now)+4) // grows: not in place
	}
	for j := range now {
		it := &now[j]
		for i < len(old) && old[i].key < it.Key {
			p.remove(old[i].key, update)
			changed = true
			i++
		}
		x := fastItem{it.Key, it.Rev, update}
		if i < len(old) && old[i].key == it.Key {
			if old[i].rev == it.Rev {
				x.changed = old[i].changed
			} else {
				changed = true
			}
			i++
		} else {
			changed = true
			p.back(it.Key)
			if !apart && len(out) == i && i < len(old) { // it would overwrite an item that is still to be compared
				out, apart = append(make([]fastItem, 0, len(now)+4), out...), true
			}
		}
		out = append(out, x)
	}
	for ; i < len(old); i++ {
		p.remove(old[i].key, update)
		changed = true
	}
	p.items = out
	return changed
}

func (p *elementVersions) remove(key, update uint32) {
	if len(p.removed) == maxRemoved {
		p.floor = p.removed[maxRemoved/2-1].update
		p.removed = append(p.removed[:0], p.removed[maxRemoved/2:]...)
	}
	p.removed = append(p.removed, removedItem{key, update})
}

// back forgets that a key was removed: a profile brought its item back (engine.Actor.FastRestore). A connection that did not receive the
// removal receives a change of the item.
func (p *elementVersions) back(key uint32) {
	p.removed = slices.DeleteFunc(p.removed, func(r removedItem) bool { return r.key == key })
}

// appendArray appends the elements that changed after an update.
func (p *elementVersions) appendArray(b []byte, val *wire.Values, v *schema.Var, words []uint64, strs []string, since uint32) []byte {
	var set wire.Elements
	for i, u := range p.elems {
		if u > since {
			set.Set(i)
		}
	}
	return val.AppendElements(b, v.Type, words, strs, &set)
}

// appendFast appends the items that changed after an update, and the keys that were removed.
func (p *elementVersions) appendFast(b []byte, val *wire.Values, v *schema.Var, f *engine.FastArray, since uint32) []byte {
	items := f.Items()
	if since < p.floor {
		b = wire.AppendFastWhole(b, len(items))
		for i := range items {
			b = val.AppendFastItem(b, v.Type, &items[i])
		}
		return b
	}
	var gone [maxRemoved]uint32
	keys := gone[:0]
	for _, r := range p.removed {
		if r.update > since {
			keys = append(keys, r.key)
		}
	}
	// The contents are the present ones; additions and removals since the last compare are sent by the next update.
	b = wire.AppendFast(b, keys, p.eachChanged(items, since, func(*engine.FastItem) {}))
	p.eachChanged(items, since, func(it *engine.FastItem) { b = val.AppendFastItem(b, v.Type, it) })
	return b
}

// eachChanged calls f for the items that changed after an update and still exist, and returns their number.
func (p *elementVersions) eachChanged(items []engine.FastItem, since uint32, f func(*engine.FastItem)) int {
	n, j := 0, 0
	for i := range p.items {
		if p.items[i].changed <= since {
			continue
		}
		for j < len(items) && items[j].Key < p.items[i].key {
			j++
		}
		if j < len(items) && items[j].Key == p.items[i].key {
			f(&items[j])
			n++
		}
	}
	return n
}

// touch marks everything that was ever set as changed now: nobody knows which element referred to an actor that has
// just arrived, and acknowledgements of earlier values are still in flight.
func (p *elementVersions) touch(clock uint32) {
	for i := range p.elems {
		if p.elems[i] > 0 {
			p.elems[i] = clock
		}
	}
	for i := range p.items {
		p.items[i].changed = clock
	}
}
