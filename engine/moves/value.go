package moves

import (
	"math"
	"math/bits"

	"github.com/tidelock/tidelock/engine"
)

// leaf is a value without parts: a whole variable, or a member or an element of one, with the offset where it
// is stored.
type leaf struct {
	typ       *engine.Type
	word, str int
	bits      int // at most
	lossy     bool
}

// Vectors are sent as 32-bit floats, quantized ones as 24 bits of tenths or hundredths of a uu (838 860 or 83
// 886 uu at most), unit normals as 16 bits per component.
const (
	quantBits  = 24
	normalBits = 16
	quantMost  = 1<<(quantBits-1) - 1
	normalMost = 1<<(normalBits-1) - 1
)

func (l *leaf) size() int {
	t := l.typ
	switch t.Kind {
	case engine.KindBool:
		return 1
	case engine.KindInt:
		if t.Ranged {
			return bits.Len64(uint64(int64(t.Max) - int64(t.Min)))
		}
		return 32
	case engine.KindFloat:
		return 32
	case engine.KindEnum:
		return bits.Len(uint(max(len(t.Enum), 1) - 1))
	case engine.KindString:
		return 16 + 8*t.StringLimit()
	case engine.KindRotator:
		return 48
	case engine.KindVector:
		return 3 * l.axis()
	default:
		return 0
	}
}

// axis returns how many bits a component of a vector takes.
func (l *leaf) axis() int {
	switch t := l.typ; {
	case t.Unit:
		return normalBits
	case t.Quant > 1:
		return quantBits
	default:
		return 32
	}
}

// scale returns the steps per uu of a quantized vector, and their maximum; 0 for others.
func (l *leaf) scale() (steps float64, most int64) {
	switch t := l.typ; {
	case t.Unit:
		return normalMost, normalMost
	case t.Quant > 1:
		return float64(t.Quant), quantMost
	default:
		return 0, 0
	}
}

func (l *leaf) write(w *writer, words []uint64, strs []string) {
	t := l.typ
	switch t.Kind {
	case engine.KindBool, engine.KindEnum, engine.KindRotator:
		w.put(words[l.word], l.bits)
	case engine.KindInt:
		n := int64(words[l.word])
		if t.Ranged {
			n -= int64(t.Min)
		}
		w.put(uint64(n), l.bits)
	case engine.KindFloat:
		w.put(uint64(math.Float32bits(float32(math.Float64frombits(words[l.word])))), 32)
	case engine.KindString:
		s := strs[l.str]
		w.put(uint64(len(s)), 16)
		for i := range len(s) {
			w.put(uint64(s[i]), 8)
		}
	case engine.KindVector:
		steps, most := l.scale()
		for i := range 3 {
			x := math.Float64frombits(words[l.word+i])
			if steps == 0 {
				w.put(uint64(math.Float32bits(float32(max(-math.MaxFloat32, min(math.MaxFloat32, x))))), 32)
				continue
			}
			n := int64(math.Round(max(-float64(most), min(float64(most), x*steps))))
			w.put(uint64(n+most), l.axis())
		}
	default:
	}
}

func (l *leaf) read(r *reader, words []uint64, strs []string) {
	t := l.typ
	switch t.Kind {
	case engine.KindBool, engine.KindRotator:
		words[l.word] = r.get(l.bits)
	case engine.KindEnum:
		n := r.get(l.bits)
		if n >= uint64(len(t.Enum)) {
			r.fail(ErrRange)
			return
		}
		words[l.word] = n
	case engine.KindInt:
		n := int64(int32(uint32(r.get(l.bits))))
		if t.Ranged {
			n = int64(uint32(n)) + int64(t.Min)
			if n > int64(t.Max) {
				r.fail(ErrRange)
				return
			}
		}
		words[l.word] = uint64(n)
	case engine.KindFloat:
		words[l.word] = math.Float64bits(r.float(t))
	case engine.KindString:
		n := int(r.get(16))
		if n > t.StringLimit() {
			r.fail(ErrRange)
			return
		}
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(r.get(8))
		}
		strs[l.str] = string(b)
	case engine.KindVector:
		steps, most := l.scale()
		for i := range 3 {
			x := 0.0
			if steps == 0 {
				x = r.float(t)
			} else if n := int64(r.get(l.axis())) - most; n > most {
				r.fail(ErrRange)
			} else {
				x = float64(n) / steps
			}
			words[l.word+i] = math.Float64bits(x)
		}
	default:
	}
}

// float reads a 32-bit float of a type; 0 if the type does not allow the value.
func (r *reader) float(t *engine.Type) float64 {
	x := float64(math.Float32frombits(uint32(r.get(32))))
	if x-x != 0 || t.Ranged && (x < t.Min || x > t.Max) {
		r.fail(ErrRange)
		return 0
	}
	return x
}

// leaves appends the values that a type consists of.
func leaves(out []leaf, t *engine.Type, word, str int) []leaf {
	switch t.Kind {
	case engine.KindStruct:
		for i := range t.Fields {
			f := &t.Fields[i]
			out = leaves(out, f.Type, word+f.Word(), str+f.Str())
		}
	case engine.KindArray:
		for i := range t.Len {
			out = leaves(out, t.Elem, word+i*t.Elem.Words(), str+i*t.Elem.Strs())
		}
	default:
		l := leaf{typ: t, word: word, str: str, lossy: t.Kind == engine.KindVector}
		l.bits = l.size()
		out = append(out, l)
	}
	return out
}
