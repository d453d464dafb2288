package wire

import (
	"iter"
	"math/bits"
)

// Mask is a set of variables by their numbers. The zero Mask is empty.
type Mask [MaxVariables / 64]uint64

// Set adds a variable.
func (m *Mask) Set(n int) { m[n>>6] |= 1 << (n & 63) }

// Clear removes a variable.
func (m *Mask) Clear(n int) { m[n>>6] &^= 1 << (n & 63) }

// Has reports whether a variable is in the set.
func (m *Mask) Has(n int) bool { return m[n>>6]>>(n&63)&1 != 0 }

// Empty reports whether the set is empty.
func (m *Mask) Empty() bool { return m[0]|m[1]|m[2]|m[3] == 0 }

// Len returns the number of variables in the set.
func (m *Mask) Len() int {
	return bits.OnesCount64(m[0]) + bits.OnesCount64(m[1]) + bits.OnesCount64(m[2]) + bits.OnesCount64(m[3])
}

// All yields the variables of the set, ascending.
func (m *Mask) All() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i, w := range m {
			for ; w != 0; w &= w - 1 {
				if !yield(i<<6 + bits.TrailingZeros64(w)) {
					return
				}
			}
		}
	}
}

// And returns the intersection of two sets.
func (m Mask) And(o Mask) Mask { return Mask{m[0] & o[0], m[1] & o[1], m[2] & o[2], m[3] & o[3]} }

// Or returns the union of two sets.
func (m Mask) Or(o Mask) Mask { return Mask{m[0] | o[0], m[1] | o[1], m[2] | o[2], m[3] | o[3]} }

// Without returns the difference of two sets.
func (m Mask) Without(o Mask) Mask {
	return Mask{m[0] &^ o[0], m[1] &^ o[1], m[2] &^ o[2], m[3] &^ o[3]}
}

// Meets reports whether the sets have a variable in common.
func (m Mask) Meets(o Mask) bool { return m[0]&o[0]|m[1]&o[1]|m[2]&o[2]|m[3]&o[3] != 0 }

// AppendMask appends a set of variables as one value, whichever is shortest:
//
//	−1−n     an integer: n has bit i set where variable i is in the set, for variables 0…30
//	[…]      an array: the first number, then for each further one the numbers left out before it
//	bin      bit i%8 of byte i/8, as far as the last that is not zero
//
// So each of the first five variables takes one byte, each of the first seven at most two, and any single one at
// most three.
func AppendMask(b []byte, m *Mask) []byte {
	if m[0] < 32 && m[1]|m[2]|m[3] == 0 {
		return append(b, ^byte(m[0]))
	}
	return appendMask(b, m)
}

func appendMask(b []byte, m *Mask) []byte {
	small := m[0] < 1<<31 && m[1]|m[2]|m[3] == 0
	if small && m[0] < 128 { // one or two bytes; nothing is shorter
		return AppendInt(b, -1-int64(m[0]))
	}
	count, gaps := m.gapSize()
	n := m.bytes()
	if small && IntSize(-1-int64(m[0])) <= min(gaps, 2+n) {
		return AppendInt(b, -1-int64(m[0]))
	}
	if 2+n < gaps {
		b = append(b, mpBin8, byte(n))
		for i := range n {
			b = append(b, byte(m[i>>3]>>(i&7*8)))
		}
		return b
	}
	b = AppendArray(b, count)
	last := -1
	for i := range m.All() {
		b = AppendUint(b, uint64(i-last-1))
		last = i
	}
	return b
}

// gapSize returns the length of the array, and its size in bytes.
func (m *Mask) gapSize() (count, size int) {
	size = 1
	last := -1
	for i := range m.All() {
		size += IntSize(int64(i - last - 1))
		last = i
		if count++; count == 16 {
			size += 2
		}
	}
	return count, size
}

// bytes returns the number of bytes up to the last that is not zero.
func (m *Mask) bytes() int {
	for w := len(m) - 1; w >= 0; w-- {
		if m[w] != 0 {
			return w*8 + (bits.Len64(m[w])+7)/8
		}
	}
	return 0
}

// Mask reads what [AppendMask] writes, in any of its forms.
func (r *Reader) Mask() (m Mask) {
	switch r.Peek() {
	case ShapeInt:
		n := -1 - r.IntIn(-1<<31, -1)
		m[0] = uint64(n)
	case ShapeArray:
		n := r.Array()
		at := int64(-1)
		for range n {
			at += 1 + r.IntIn(0, MaxVariables-1)
			if at >= MaxVariables {
				r.Fail(ErrRange)
			}
			if r.err != nil {
				return Mask{}
			}
			m.Set(int(at))
		}
	case ShapeBin:
		s := r.Bytes(MaxVariables / 8)
		for i, c := range s {
			m[i>>3] |= uint64(c) << (i & 7 * 8)
		}
	case ShapeNone:
		r.Fail(ErrTruncated)
	default:
		r.Fail(ErrType)
	}
	if r.err != nil {
		return Mask{}
	}
	return m
}
