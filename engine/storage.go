package engine

import (
	"math"

	"github.com/tidelock/tidelock/engine/geom"
)

// Values are packed into 64-bit words so that comparing, copying and hashing a variable is comparing,
// copying and hashing words, and the garbage collector sees no pointers but strings:
//
//	bool      0 or 1
//	int       two's complement, sign-extended
//	float     IEEE 754 bits of a float64 that is exactly a float32
//	enum      index of the name
//	vector    three words of IEEE 754 bits
//	rotator   pitch | yaw<<16 | roll<<32
//	classref  Index+1 of the class, 0 for none
//	ref       the actor's id, 0 for nil
//	struct    its members one after another; array: its elements
//	string    no word; an entry among the strings

// storeValue packs a checked value.
func storeValue(cs *Classes, t *Type, words []uint64, strs []string, v Value) {
	switch t.Kind {
	case KindBool:
		words[0] = uint64(v.Num)
	case KindInt:
		words[0] = uint64(int64(v.Num))
	case KindFloat:
		words[0] = math.Float64bits(v.Num)
	case KindEnum:
		words[0] = uint64(max(t.EnumIndex(v.Str), 0))
	case KindVector:
		StoreVector(words, v.Vec)
	case KindRotator:
		words[0] = v.Rot.Pack()
	case KindClass:
		words[0] = 0
		if c := cs.Find(v.Str); c != nil {
			words[0] = uint64(c.Index) + 1
		}
	case KindRef:
		words[0] = uint64(v.Ref)
	case KindString:
		strs[0] = v.Str
	case KindStruct:
		for i := range t.Fields {
			f := &t.Fields[i]
			storeValue(cs, f.Type, words[f.word:], strs[f.str:], v.List[i])
		}
	case KindArray:
		for i := range v.List {
			storeValue(cs, t.Elem, words[i*t.Elem.words:], strs[i*t.Elem.strs:], v.List[i])
		}
	default:
	}
}

// loadValue unpacks what storeValue packed. cs may be nil; a class reference then reads as none.
func loadValue(cs *Classes, t *Type, words []uint64, strs []string) Value {
	v := Value{Kind: t.Kind}
	switch t.Kind {
	case KindBool:
		v.Num = float64(words[0])
	case KindInt:
		v.Num = float64(int64(words[0]))
	case KindFloat:
		v.Num = math.Float64frombits(words[0])
	case KindEnum:
		v.Str = t.Enum[words[0]]
	case KindVector:
		v.Vec = LoadVector(words)
	case KindRotator:
		v.Rot = geom.UnpackRotator(words[0])
	case KindClass:
		if words[0] != 0 && cs != nil {
			v.Str = cs.sorted[words[0]-1].Name
		}
	case KindRef:
		v.Ref = ActorID(words[0])
	case KindString:
		v.Str = strs[0]
	case KindStruct:
		v.List = make([]Value, len(t.Fields))
		for i := range t.Fields {
			f := &t.Fields[i]
			v.List[i] = loadValue(cs, f.Type, words[f.word:], strs[f.str:])
		}
	case KindArray:
		v.List = make([]Value, t.Len)
		for i := range v.List {
			v.List[i] = loadValue(cs, t.Elem, words[i*t.Elem.words:], strs[i*t.Elem.strs:])
		}
	default:
	}
	return v
}

// StoreVector packs a vector into three words.
func StoreVector(words []uint64, v geom.Vector) {
	_ = words[2]
	words[0], words[1], words[2] = math.Float64bits(v.X), math.Float64bits(v.Y), math.Float64bits(v.Z)
}

// LoadVector undoes [StoreVector].
func LoadVector(words []uint64) geom.Vector {
	_ = words[2]
	return geom.Vector{
		X: math.Float64frombits(words[0]), Y: math.Float64frombits(words[1]), Z: math.Float64frombits(words[2]),
	}
}

// Default is the class's default of a property.
func (c *Class) Default(p *Property) Value {
	if p.Native != nil {
		a := Actor{Vars: c.defVars, Class: c}
		return p.Native.get(&a)
	}
	return loadValue(c.set, p.Type, c.defWords[p.word:], c.defStrs[p.str:])
}
