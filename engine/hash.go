package engine

import "math"

// Hash hashes state: FNV-1a over 64-bit words with a final mix. Equal states give equal hashes on one
// architecture (Go may fuse multiply-add elsewhere).
type Hash struct{ h uint64 }

// NewHash starts a hash.
func NewHash() *Hash { return &Hash{14695981039346656037} }

// Word adds 64 bits.
func (h *Hash) Word(w uint64) {
	x := h.h ^ w
	x *= 0x9fb21c651e98df25
	x ^= x >> 32
	h.h = x * 1099511628211
}

// Float adds a number.
func (h *Hash) Float(f float64) { h.Word(math.Float64bits(f)) }

// Bool adds a boolean.
func (h *Hash) Bool(b bool) {
	if b {
		h.Word(1)
	} else {
		h.Word(2)
	}
}

// String adds a string and its length.
func (h *Hash) String(s string) {
	h.Word(uint64(len(s)))
	for len(s) >= 8 {
		h.Word(uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
			uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56)
		s = s[8:]
	}
	var t uint64
	for i := 0; i < len(s); i++ {
		t = t<<8 | uint64(s[i])
	}
	h.Word(t)
}

// Vector adds the three numbers of a vector.
func (h *Hash) Vector(v vec) {
	h.Float(v.X)
	h.Float(v.Y)
	h.Float(v.Z)
}

// Sum returns the hash so far.
func (h *Hash) Sum() uint64 {
	x := h.h
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	return x
}
