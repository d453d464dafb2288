package wire

import (
	"math/bits"

	"github.com/tidelock/tidelock/engine"
)

// Elements is a set of elements of a static array, which has at most 447 (R5.12).
type Elements [(engine.MaxArrayBytes + 63) / 64]uint64

// Set adds an element, counted from 0.
func (s *Elements) Set(i int) { s[i>>6] |= 1 << (i & 63) }

// Has reports whether an element is in the set.
func (s *Elements) Has(i int) bool { return s[i>>6]>>(i&63)&1 != 0 }

// Len returns the number of elements in the set.
func (s *Elements) Len() int {
	n := 0
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}

// AppendElements appends the elements of a static array that are in the set (R5.12), as one value:
//
//	{index: element, …}   indexes from 0, ascending
//	[element, …]          all of them, where that is not longer
func (e *Values) AppendElements(b []byte, t *engine.Type, words []uint64, strs []string, set *Elements) []byte {
	n := set.Len()
	if n >= t.Len {
		return e.Append(b, t, words, strs)
	}
	b = AppendMap(b, n)
	for i := range t.Len {
		if set.Has(i) {
			b = AppendUint(b, uint64(i))
			b = e.Append(b, t.Elem, words[i*t.Elem.Words():], strs[i*t.Elem.Strs():])
		}
	}
	return b
}

// Elements reads what [Values.AppendElements] writes: it stores the elements that were sent, and adds them to set.
func (r *Reader) Elements(t *engine.Type, words []uint64, strs []string, names Names, set *Elements) {
	if r.Peek() == ShapeArray {
		r.Value(t, words, strs, names)
		for i := 0; i < t.Len && r.err == nil; i++ {
			set.Set(i)
		}
		return
	}
	n, next := r.Map(), int64(0)
	for ; n > 0 && r.err == nil; n-- {
		i := r.IntIn(next, int64(t.Len)-1)
		if r.err != nil {
			return
		}
		r.Value(t.Elem, words[int(i)*t.Elem.Words():], strs[int(i)*t.Elem.Strs():], names)
		set.Set(int(i))
		next = i + 1
	}
}
