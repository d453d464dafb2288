package wire

import (
	"math"
	"math/bits"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
)

// Quantised is a vector as sent: whole numbers of its grid's steps (R5.10).
type Quantised [3]int32

// Grid is how a vector type is sent: Scale steps per unit, Bits per component.
//
//	vector           1 step a uu     16 bits   ±32 767 uu (and −32 768)
//	quantized, 10    10 steps        24 bits   ±838 860.7 uu
//	quantized, 100   100 steps       30 bits   ±5 368 709.11 uu
//	normal           32 767 steps    16 bits   ±1
type Grid struct {
	Scale float64
	Bits  uint
}

// GridOf returns the grid of a vector type.
func GridOf(t *engine.Type) Grid {
	switch {
	case t.Unit:
		return Grid{32767, 16}
	case t.Quant == 10:
		return Grid{10, 24}
	case t.Quant == 100:
		return Grid{100, 30}
	}
	return Grid{1, 16}
}

// Max returns the largest component; the smallest is −Max−1 (−Max of a normal).
func (g Grid) Max() int32 { return 1<<(g.Bits-1) - 1 }

// Quantise rounds each component to the nearest step, halves away from zero. Components outside the grid saturate
// and are reported. A variable cannot hold NaN (R5.8a); here it becomes 0 and counts as saturated.
func (g Grid) Quantise(v geom.Vector) (q Quantised, saturated bool) {
	hi := float64(g.Max())
	lo := -hi - 1
	if g.Scale == 32767 {
		lo = -hi
	}
	// The conversions prevent a processor from fusing the product with the sum that follows.
	x, y, z := nearest(float64(v.X*g.Scale)), nearest(float64(v.Y*g.Scale)), nearest(float64(v.Z*g.Scale))
	if x > lo-1 && x < hi+1 && y > lo-1 && y < hi+1 && z > lo-1 && z < hi+1 {
		return Quantised{int32(x), int32(y), int32(z)}, false
	}
	var a, b, c bool
	q[0], a = saturate(x, lo, hi)
	q[1], b = saturate(y, lo, hi)
	q[2], c = saturate(z, lo, hi)
	return q, a || b || c
}

// nearest returns a number that truncates to x rounded to the nearest integer, halves away from zero. It adds the
// largest number below a half: with a half itself, the largest number below a half would become 1.
func nearest(x float64) float64 { return x + math.Copysign(0.5-0x1p-54, x) }

// saturate truncates; values beyond the bounds become the bounds.
func saturate(x, lo, hi float64) (int32, bool) {
	switch {
	case x > lo-1 && x < hi+1:
		return int32(x), false
	case x > 0:
		return int32(hi), true
	case x < 0:
		return int32(lo), true
	}
	return 0, true
}

// Value returns the vector that a quantised one represents.
func (g Grid) Value(q Quantised) geom.Vector {
	if g.Scale == 1 {
		return geom.Vector{X: float64(q[0]), Y: float64(q[1]), Z: float64(q[2])}
	}
	return geom.Vector{X: float64(q[0]) / g.Scale, Y: float64(q[1]) / g.Scale, Z: float64(q[2]) / g.Scale}
}

// onGrid returns a vector that was read; it fails if a component does not fit the grid.
func (r *Reader) onGrid(g Grid, v [3]int64) Quantised {
	hi := int64(g.Max())
	for _, n := range v {
		if n > hi || n < -hi-1 {
			r.Fail(ErrRange)
		}
	}
	if r.err != nil {
		return Quantised{}
	}
	return Quantised{int32(v[0]), int32(v[1]), int32(v[2])}
}

// QuantiseFloat returns the value that a float takes when it is set (R5.8a): rounded to 32 bits.
func QuantiseFloat(f float64) float64 { return float64(float32(f)) }

// RotatorBytes returns a rotator's components as sent: (Pitch >> 8) & 255 and so on (R5.10).
func RotatorBytes(r geom.Rotator) (pitch, yaw, roll byte) {
	return byte(r.Pitch >> 8), byte(r.Yaw >> 8), byte(r.Roll >> 8)
}

// AppendVector appends a quantised vector as one value, whichever is shortest:
//
//	[x, y, z]   an array of integers, 4 to 16 bytes
//	bin         the components big-endian in two's complement, one after the other in as many bits each as n bytes
//	            have for three, and zero bits to fill the last byte. n is 6 where Bits is 16, and elsewhere 3 to 12:
//	            the fewest that hold them.
func AppendVector(b []byte, g Grid, q Quantised) []byte {
	if g.Bits == 16 {
		return appendVector16(b, q[0], q[1], q[2])
	}
	n := packedSize(g, q)
	if x, y, z := int64(q[0]), int64(q[1]), int64(q[2]); 1+IntSize(x)+IntSize(y)+IntSize(z) < 2+n {
		return AppendInt(AppendInt(AppendInt(append(b, mpFixArray|3), x), y), z)
	}
	b = append(b, mpBin8, byte(n))
	each := packedBits(g, n)
	held, acc := uint(0), uint64(0) // bits that wait for the rest of their byte
	for _, c := range q {
		acc = acc<<each | uint64(uint32(c))&(1<<each-1)
		for held += each; held >= 8; {
			held -= 8
			b = append(b, byte(acc>>held))
		}
	}
	if held > 0 {
		b = append(b, byte(acc<<(8-held)))
	}
	return b
}

// packedBits returns how many bits a component has in a bin of n bytes.
func packedBits(g Grid, n int) uint { return min(uint(8*n/3), g.Bits) }

// packedSize returns how many bytes a vector takes in a bin, without its head.
func packedSize(g Grid, q Quantised) int {
	if g.Bits == 16 {
		return 6
	}
	need := uint(0)
	for _, c := range q {
		need = max(need, uint(bits.Len32(uint32(c^c>>31)))+1) // and one for the sign
	}
	return max(int(3*need+7)/8, 3)
}

// appendVector16 returns the usual case: the grid of whole uu, and of normals.
func appendVector16(b []byte, x, y, z int32) []byte {
	if uint32(x+128) >= 384 && uint32(y+128) >= 384 || size16(x)+size16(y)+size16(z) > 6 {
		return append(b, mpBin8, 6, byte(x>>8), byte(x), byte(y>>8), byte(y), byte(z>>8), byte(z))
	}
	return AppendInt(AppendInt(AppendInt(append(b, mpFixArray|3), int64(x)), int64(y)), int64(z))
}

// size16 is [IntSize] of 16 bits with sign.
func size16(n int32) int {
	size := 3
	if uint32(n+128) < 384 {
		size = 2
	}
	if uint32(n+32) < 160 {
		size = 1
	}
	return size
}

// Vector reads what [AppendVector] writes, in either form.
func (r *Reader) Vector(g Grid) Quantised {
	if r.Peek() == ShapeArray {
		if r.Array() != 3 {
			r.Fail(ErrType)
			return Quantised{}
		}
		var v [3]int64
		for i := range v {
			v[i] = r.Int()
		}
		return r.onGrid(g, v)
	}
	if s := r.Peek(); s != ShapeBin && s != ShapeNone {
		r.Fail(ErrType)
	}
	s := r.Bytes(12)
	if r.err != nil {
		return Quantised{}
	}
	n := len(s)
	if most := int(3*g.Bits+7) / 8; n < 3 || n > most || g.Bits == 16 && n < most {
		r.err = ErrType
		return Quantised{}
	}
	if g.Bits == 16 {
		return Quantised{int32(int16(be(s[:2]))), int32(int16(be(s[2:4]))), int32(int16(be(s[4:])))}
	}
	var q Quantised
	each := packedBits(g, n)
	held, acc := uint(0), uint64(0)
	for i := range q {
		for held < each {
			acc, s = acc<<8|uint64(s[0]), s[1:]
			held += 8
		}
		held -= each
		q[i] = int32(acc>>held<<(64-each)>>32) >> (32 - each)
	}
	if acc&(1<<held-1) != 0 || len(s) > 0 {
		r.err = ErrRange
		return Quantised{}
	}
	return q
}

// AppendRotator appends a rotator as one integer, yaw + pitch·256 + roll·65 536 of its three bytes: one or two
// bytes for the usual rotator, which has only yaw.
func AppendRotator(b []byte, r geom.Rotator) []byte {
	p, y, o := RotatorBytes(r)
	return AppendUint(b, uint64(y)|uint64(p)<<8|uint64(o)<<16)
}

// Rotator reads what [AppendRotator] writes; a byte n becomes n << 8.
func (r *Reader) Rotator() geom.Rotator {
	n := uint32(r.IntIn(0, 1<<24-1))
	return geom.Rotator{Pitch: uint16(n>>8) << 8, Yaw: uint16(n) << 8, Roll: uint16(n>>16) << 8}
}

// nonFinite reports NaN and infinities.
func nonFinite(f float64) bool { return f-f != 0 || math.IsInf(f, 0) }
