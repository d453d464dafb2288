package wire

import (
	"errors"
	"math"
)

// Errors of reading. They contain neither position nor value: creating such errors would let a peer cause
// allocations. The caller adds which message of which peer it was.
var (
	ErrTruncated = errors.New("wire: the bytes end within a value")
	ErrLength    = errors.New("wire: a declared length is more than the bytes left")
	ErrType      = errors.New("wire: a value of another type than the layout says")
	ErrRange     = errors.New("wire: a value outside its range")
	ErrFormat    = errors.New("wire: a format byte that is not used")
	ErrDepth     = errors.New("wire: nested too deep")
	ErrNodes     = errors.New("wire: too many values")
	ErrKey       = errors.New("wire: a map key that is neither string nor integer")
	ErrFields    = errors.New("wire: a message with the wrong number of fields")
	ErrKind      = errors.New("wire: an unknown kind of message")
	ErrTrailing  = errors.New("wire: bytes after the end")
	ErrBase      = errors.New("wire: a relative value whose base is not known")
)

// Reader reads msgpack from a slice. It allocates nothing, and its first error sticks: afterwards every read
// returns zero and the position does not change. Slices it returns point into its input.
//
// The zero Reader is at the end of an empty input; [Reader.Reset] starts it.
type Reader struct {
	b   []byte
	pos int
	err error
}

// NewReader returns a reader at the start of b.
func NewReader(b []byte) Reader { return Reader{b: b} }

// Reset starts again on b.
func (r *Reader) Reset(b []byte) { *r = Reader{b: b} }

// Err returns the first error, or nil.
func (r *Reader) Err() error { return r.err }

// Fail sets the reader's error unless it has one.
func (r *Reader) Fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

// Left returns the number of remaining bytes; 0 after an error.
func (r *Reader) Left() int {
	if r.err != nil {
		return 0
	}
	return len(r.b) - r.pos
}

// Pos returns how many bytes were read.
func (r *Reader) Pos() int { return r.pos }

// More reports whether there are remaining bytes and no error.
func (r *Reader) More() bool { return r.err == nil && r.pos < len(r.b) }

// End fails with ErrTrailing unless everything was read, and returns the reader's error.
func (r *Reader) End() error {
	if r.err == nil && r.pos != len(r.b) {
		r.err = ErrTrailing
	}
	return r.err
}

// take returns the next n bytes.
func (r *Reader) take(n int) []byte {
	if r.err != nil {
		return nil
	}
	if n > len(r.b)-r.pos {
		r.err = ErrTruncated
		return nil
	}
	s := r.b[r.pos : r.pos+n : r.pos+n]
	r.pos += n
	return s
}

// head returns the next format byte.
func (r *Reader) head() byte {
	if r.err != nil {
		return mpNil
	}
	if r.pos >= len(r.b) {
		r.err = ErrTruncated
		return mpNil
	}
	c := r.b[r.pos]
	r.pos++
	return c
}

// Shape is the kind of a value, as its first byte shows.
type Shape uint8

// The shapes. ShapeNone is returned at the end and after an error.
const (
	ShapeNone Shape = iota
	ShapeNil
	ShapeBool
	ShapeInt
	ShapeFloat
	ShapeString
	ShapeBin
	ShapeArray
	ShapeMap
	ShapeOther // extensions and reserved formats
	numShapes
)

func (s Shape) String() string {
	names := [numShapes]string{"none", "nil", "bool", "int", "float", "string", "bin", "array", "map", "other"}
	if s < numShapes {
		return names[s]
	}
	return "Shape?"
}

// Peek returns the next value's shape without reading it.
func (r *Reader) Peek() Shape {
	if !r.More() {
		return ShapeNone
	}
	switch c := r.b[r.pos]; {
	case c < mpFixMap || c >= 0xe0 || c >= mpUint8 && c <= mpInt64:
		return ShapeInt
	case c < mpFixArray || c == mpMap16 || c == mpMap32:
		return ShapeMap
	case c < mpFixStr || c == mpArray16 || c == mpArray32:
		return ShapeArray
	case c < mpNil || c >= mpStr8 && c <= mpStr32:
		return ShapeString
	case c == mpNil:
		return ShapeNil
	case c == mpFalse || c == mpTrue:
		return ShapeBool
	case c >= mpBin8 && c <= mpBin32:
		return ShapeBin
	case c == mpFloat32 || c == mpFloat64:
		return ShapeFloat
	}
	return ShapeOther
}

// Nil reads a nil if there is one next and reports whether it did.
func (r *Reader) Nil() bool {
	if r.Peek() != ShapeNil {
		return false
	}
	r.pos++
	return true
}

// Bool reads a bool.
func (r *Reader) Bool() bool {
	c := r.head()
	if c != mpTrue && c != mpFalse {
		r.Fail(ErrType)
	}
	return c == mpTrue && r.err == nil
}

// Int reads an integer of any width; one beyond 64 bits signed is an error.
func (r *Reader) Int() int64 {
	c := r.head()
	switch {
	case r.err != nil:
		return 0
	case c < mpFixMap || c >= 0xe0:
		return int64(int8(c))
	}
	return r.wideInt(c)
}

func (r *Reader) wideInt(c byte) int64 {
	if c < mpUint8 || c > mpInt64 {
		r.Fail(ErrType)
		return 0
	}
	width := c & 3 // of 1, 2, 4 or 8 bytes
	v := r.be(1 << width)
	if c >= mpInt8 {
		free := 64 - 8<<width
		return int64(v) << free >> free
	}
	if v > math.MaxInt64 {
		r.err = ErrRange
		return 0
	}
	return int64(v)
}

// IntIn reads an integer between the bounds, both included; any other is an error and returns lo.
func (r *Reader) IntIn(lo, hi int64) int64 {
	v := r.Int()
	if r.err != nil {
		return lo
	}
	if v < lo || v > hi {
		r.err = ErrRange
		return lo
	}
	return v
}

func (r *Reader) uint16() uint16 { return uint16(r.IntIn(0, math.MaxUint16)) }
func (r *Reader) uint32() uint32 { return uint32(r.IntIn(0, math.MaxUint32)) }
func (r *Reader) epoch() uint8   { return uint8(r.IntIn(0, 127)) }

// Number reads a float of either width, or an integer. It may be NaN or infinite: code that stores it must check.
func (r *Reader) Number() float64 {
	if !r.More() {
		r.Fail(ErrTruncated)
		return 0
	}
	switch r.b[r.pos] {
	case mpFloat32:
		r.pos++
		return float64(math.Float32frombits(uint32(r.be(4))))
	case mpFloat64:
		r.pos++
		return math.Float64frombits(r.be(8))
	}
	return float64(r.Int())
}

// Bytes reads a str or a bin of at most limit bytes.
func (r *Reader) Bytes(limit int) []byte {
	c := r.head()
	n := 0
	switch {
	case r.err != nil:
	case c >= mpFixStr && c < mpNil:
		n = int(c & 31)
	case c >= mpStr8 && c <= mpStr32:
		n = int(r.be(1 << (c - mpStr8)))
	case c >= mpBin8 && c <= mpBin32:
		n = int(r.be(1 << (c - mpBin8)))
	default:
		r.err = ErrType
	}
	if r.err != nil {
		return nil
	}
	if n > len(r.b)-r.pos {
		r.err = ErrLength
	} else if n > limit {
		r.err = ErrRange
	}
	return r.take(n)
}

// Text is [Reader.Bytes] as a string, the only allocation of this package when reading: only bytes that were
// received.
func (r *Reader) Text(limit int) string { return string(r.Bytes(limit)) }

// be reads a big-endian number of 1, 2, 4 or 8 bytes.
func (r *Reader) be(width int) uint64 { return be(r.take(width)) }

func be(s []byte) (n uint64) {
	for _, c := range s {
		n = n<<8 | uint64(c)
	}
	return n
}

// Array reads the head of an array and returns its length, which is at most the remaining bytes.
func (r *Reader) Array() int { return r.count(mpFixArray, mpArray16, 1) }

// Map reads the head of a map and returns its number of pairs, which take at least two bytes each.
func (r *Reader) Map() int { return r.count(mpFixMap, mpMap16, 2) }

// count reads the head of an array or a map, in one byte from short on, or with the format byte long or the next
// one. each is the minimum size of an element.
func (r *Reader) count(short, long byte, each int) (n int) {
	switch c := r.head(); {
	case r.err != nil:
	case c&0xf0 == short:
		n = int(c & 15)
	case c == long || c == long+1:
		n = int(r.be(2 << (c - long)))
	default:
		r.err = ErrType
	}
	if r.err == nil && n > (len(r.b)-r.pos)/each {
		r.err = ErrLength
	}
	if r.err != nil {
		return 0
	}
	return n
}

// Skip skips one value with everything in it, and returns its bytes. It does not recurse and goes no deeper than
// [MaxDepth].
func (r *Reader) Skip() []byte {
	if r.err != nil {
		return nil
	}
	w := walker{b: r.b, pos: r.pos, nodes: len(r.b)}
	if err := w.value(); err != nil {
		r.err = err
		return nil
	}
	s := r.b[r.pos:w.pos:w.pos]
	r.pos = w.pos
	return s
}

// Read returns the bytes read since a position returned by [Reader.Pos].
func (r *Reader) Read(from int) []byte { return r.b[from:r.pos:r.pos] }
