package wire

import (
	"math"

	"github.com/tidelock/tidelock/engine"
)

// A fast array's delta is one value (R5.12):
//
//	[removed, key, struct, key, struct, …]
//
// removed is an array of keys, or nil for none, or true: then every key that does not follow is gone. The receiver
// knows whether a key that follows is added or changed. Items are in order of their keys, which is the order of
// adding.

// AppendFast appends the head of a delta; its items follow, each by [Values.AppendFastItem].
func AppendFast(b []byte, removed []uint32, items int) []byte {
	b = AppendArray(b, 1+2*items)
	if len(removed) == 0 {
		return append(b, mpNil)
	}
	b = AppendArray(b, len(removed))
	for _, k := range removed {
		b = AppendUint(b, uint64(k))
	}
	return b
}

// AppendFastWhole is [AppendFast] for a delta that holds all items.
func AppendFastWhole(b []byte, items int) []byte {
	return append(AppendArray(b, 1+2*items), mpTrue)
}

// AppendFastItem appends an item; t is the fast array's type.
func (e *Values) AppendFastItem(b []byte, t *engine.Type, item *engine.FastItem) []byte {
	return e.Append(AppendUint(b, uint64(item.Key)), t.Elem, item.Words, item.Strs)
}

// FastDelta reads a delta: Whole reports whether all other keys are gone; then call Removed until it returns false,
// then Item.
type FastDelta struct {
	Whole   bool
	r       *Reader
	removed int
	items   int
	last    uint32
}

// FastDelta reads the head of a fast array's delta.
func (r *Reader) FastDelta() FastDelta {
	d := FastDelta{r: r}
	n := r.Array()
	if n&1 == 0 {
		r.Fail(ErrType)
		return d
	}
	d.items = n / 2
	switch r.Peek() {
	case ShapeBool:
		d.Whole = r.Bool()
		if !d.Whole {
			r.Fail(ErrType)
		}
	case ShapeNil:
		r.Nil()
	default:
		d.removed = r.Array()
	}
	if d.items > engine.MaxFastItems || r.err != nil {
		r.Fail(ErrRange)
		d.items, d.removed = 0, 0
	}
	return d
}

// Removed returns the next key that was removed.
func (d *FastDelta) Removed() (key uint32, ok bool) {
	if d.removed == 0 || d.r.err != nil {
		return 0, false
	}
	d.removed--
	key = uint32(d.r.IntIn(1, math.MaxUint32))
	return key, d.r.err == nil
}

// Item returns the key of the next item; read its struct next, by [Reader.Value] with the array's Elem. Keys that
// do not ascend are an error.
func (d *FastDelta) Item() (key uint32, ok bool) {
	for d.removed > 0 && d.r.err == nil {
		d.Removed()
	}
	if d.items == 0 || d.r.err != nil {
		return 0, false
	}
	d.items--
	key = uint32(d.r.IntIn(int64(d.last)+1, math.MaxUint32))
	d.last = key
	return key, d.r.err == nil
}
