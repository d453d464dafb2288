package wire

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/count"
	"github.com/tidelock/tidelock/engine/geom"
)

// Layout encodes the variables of one class: all that changed of an actor in one call, which costs half of a call
// for each variable. It does the same as [Values.Append] with the types examined beforehand, and writes the same
// bytes.
//
// A Layout is immutable and may be shared.
type Layout struct{ ops []op }

type op struct {
	code opCode
	bias int32 // of an int
	word int32
	str  int32
	typ  *engine.Type
}

type opCode uint8

const (
	opOther opCode = iota
	opBool
	opInt
	opFloat
	opIndex // enum, class
	opVector
	opRotator
)

// Variable is the location of a replicated variable in an actor's storage.
type Variable struct {
	Type      *engine.Type
	Word, Str int
}

// NewLayout returns the layout of a class whose variables are given in order of their numbers. More than
// [MaxVariables] panics: a class with more does not load.
func NewLayout(vars []Variable) *Layout {
	if len(vars) > MaxVariables {
		panic("wire: NewLayout: too many variables")
	}
	l := &Layout{ops: make([]op, len(vars))}
	for i, v := range vars {
		o := &l.ops[i]
		*o = op{typ: v.Type, word: int32(v.Word), str: int32(v.Str)}
		switch v.Type.Kind {
		case engine.KindBool:
			o.code = opBool
		case engine.KindInt:
			if bias := IntBias(v.Type); int64(int32(bias)) == bias {
				o.code, o.bias = opInt, int32(bias)
			}
		case engine.KindFloat:
			o.code = opFloat
		case engine.KindEnum, engine.KindClass:
			o.code = opIndex
		case engine.KindVector:
			if GridOf(v.Type).Scale == 1 {
				o.code = opVector
			}
		case engine.KindRotator:
			o.code = opRotator
		default: // opOther
		}
	}
	return l
}

// Len returns the number of variables.
func (l *Layout) Len() int { return len(l.ops) }

// Storage is the memory of an actor's variables. Layout takes it by pointer: with two more slices, half of its
// arguments would be passed on the stack, which costs as much as a variable.
type Storage struct {
	Words []uint64
	Strs  []string
}

// For returns the memory for a value of a type, with its old content.
func (s *Storage) For(t *engine.Type) (words []uint64, strs []string) {
	s.Words, s.Strs = slices.Grow(s.Words[:0], t.Words())[:t.Words()], slices.Grow(s.Strs[:0], t.Strs())[:t.Strs()]
	return s.Words, s.Strs
}

// most is enough room for any value that is written without a call: 9 bytes.
const most = 16

// Append appends the variables of mask in order. If e.Ends is not nil, it receives the length of b after each: the
// bytes of the k-th one are b[Ends[k−1]:Ends[k]], and those of neighbours are adjacent.
func (l *Layout) Append(b []byte, e *Values, s *Storage, mask *Mask) []byte {
	n := len(b)
	words, ends := s.Words, e.Ends != nil
	if ends {
		e.Ends = e.Ends[:0]
	}
	b = b[:cap(b)]
	for i, m := range mask {
		for ; m != 0; m &= m - 1 {
			count.Add(count.Encoded, 1)
			o := &l.ops[i<<6+bits.TrailingZeros64(m)]
			if len(b)-n < most {
				b = slices.Grow(b[:n], 256)
				b = b[:cap(b)]
			}
			p := (*[most]byte)(b[n:])
			switch o.code {
			case opBool:
				p[0] = mpFalse | byte(words[o.word]&1)
				n++
			case opInt:
				v := int64(words[o.word]) - int64(o.bias)
				if p[0] = byte(v); uint64(v+32) < 160 {
					n++
				} else {
					n += putInt(p, v)
				}
			case opIndex:
				n += putInt(p, int64(words[o.word]))
			case opFloat:
				f := float32(math.Float64frombits(words[o.word]))
				v := math.Float32bits(f)
				if v<<24 == 0 { // may be a small whole number
					n += len(AppendFloat(p[:0], f))
				} else {
					p[0] = mpFloat32
					binary.BigEndian.PutUint32(p[1:5], v)
					n += 5
				}
			case opVector:
				w := (*[3]uint64)(words[o.word:])
				x, y, z := nearestWord(w[0]), nearestWord(w[1]), nearestWord(w[2])
				switch {
				case uint64(x+32768)|uint64(y+32768)|uint64(z+32768) >= 65536:
					n += len(e.vector(p[:0], o.typ, engine.LoadVector(w[:])))
				case uint64(x+128) >= 384 && uint64(y+128) >= 384: // two components of three bytes: as bin
					binary.BigEndian.PutUint64(p[:8], mpBin8<<56|6<<48|uint64(uint16(x))<<32|uint64(uint16(y))<<16|uint64(uint16(z)))
					n += 8
				default:
					n += len(appendVector16(p[:0], int32(x), int32(y), int32(z)))
				}
			case opRotator:
				n += len(AppendRotator(p[:0], geom.UnpackRotator(words[o.word])))
			default:
				b = e.Append(b[:n], o.typ, words[o.word:], s.Strs[o.str:])
				n = len(b)
				b = b[:cap(b)]
			}
			if ends {
				e.Ends = append(e.Ends, uint32(n))
			}
		}
	}
	return b[:n]
}

// nearestWord rounds as [nearest] does. The stored float is an integer already, so the sign is taken from it; a
// result beyond 64 bits is some number far outside of 16.
func nearestWord(w uint64) int64 {
	const belowHalf = 0x3fdf_ffff_ffff_ffff
	return int64(math.Float64frombits(w) + math.Float64frombits(belowHalf|w&(1<<63)))
}

// putInt is [AppendInt] into existing memory.
func putInt(p *[most]byte, v int64) int {
	switch {
	case uint64(v+32) < 160:
		p[0] = byte(v)
		return 1
	case uint64(v+32768) < 98304:
		if uint64(v+128) < 384 {
			p[0], p[1] = mpUint8, byte(v)
			if v < 0 {
				p[0] = mpInt8
			}
			return 2
		}
		p[0], p[1], p[2] = mpUint16, byte(v>>8), byte(v)
		if v < 0 {
			p[0] = mpInt16
		}
		return 3
	}
	return len(appendInt(p[:0], v))
}
