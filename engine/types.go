package engine

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/tidelock/tidelock/engine/geom"
)

// Type says what a variable, a struct member or an argument may hold. Types are immutable once a
// class is registered and may be shared.
type Type struct {
	Kind Kind

	// Min and Max bound an int or a float, both included, if Ranged.
	Min, Max float64
	Ranged   bool

	// MaxLen bounds a string, in bytes; 0 means [DefaultStringBytes].
	MaxLen int

	// Enum lists the names of an enum; the stored value is the index.
	Enum []string

	// Quant is the precision of a vector on the wire: 0 or 1 whole uu, 10 and 100 tenths and hundredths
	// (R5.10). It does not change the value stored here.
	Quant int
	// Unit marks a vector as a unit normal (R5.10).
	Unit bool

	// Class names what a ref or classref may point to, itself or a child. Empty: any Actor.
	Class string
	// Wait makes a replicated call wait until the actor of this argument is known (R6.9).
	Wait bool

	// Elem and Len describe an array; Elem alone a fast array (its struct).
	Elem *Type
	Len  int

	// Fields are a struct's members in order.
	Fields []Field

	words, strs int
	refs        bool // contains references to actors
}

// Field is one member of a struct.
type Field struct {
	Name string
	Type *Type
	// Local marks a member that is not replicated (R5.11).
	Local bool
	// Default is the member's value in a fresh struct.
	Default Value

	word, str int
}

// Word and Str return the member's offsets inside the struct's storage.
func (f *Field) Word() int { return f.word }

// Str returns the member's offset among the struct's strings.
func (f *Field) Str() int { return f.str }

// Layout computes how many words and strings a value of the type takes, and the offsets of struct
// members. It must be called once before the type is used; calling it again is harmless.
func (t *Type) Layout() {
	switch t.Kind {
	case KindArray:
		t.Elem.Layout()
		t.words, t.strs = t.Elem.words*t.Len, t.Elem.strs*t.Len
		t.refs = t.Elem.refs
	case KindStruct:
		t.words, t.strs = 0, 0
		for i := range t.Fields {
			f := &t.Fields[i]
			f.Type.Layout()
			f.word, f.str = t.words, t.strs
			t.words += f.Type.words
			t.strs += f.Type.strs
			t.refs = t.refs || f.Type.refs
		}
	case KindFastArray:
		t.Elem.Layout()
		t.refs = t.Elem.refs
	default:
		k := &kinds[t.Kind]
		t.words, t.strs, t.refs = k.words, k.strs, k.ref
	}
}

// Words returns the number of 64-bit words of a value of the type in an actor's storage.
func (t *Type) Words() int { return t.words }

// Strs returns the number of strings of a value of the type in an actor's storage.
func (t *Type) Strs() int { return t.strs }

// FieldNamed returns the struct's member of that name, or nil.
func (t *Type) FieldNamed(name string) *Field {
	for i := range t.Fields {
		if t.Fields[i].Name == name {
			return &t.Fields[i]
		}
	}
	return nil
}

// EnumIndex returns the index of an enum's name, or −1.
func (t *Type) EnumIndex(name string) int {
	for i, n := range t.Enum {
		if n == name {
			return i
		}
	}
	return -1
}

// StringLimit returns the maximum number of bytes of a string of the type.
func (t *Type) StringLimit() int {
	if t.MaxLen > 0 {
		return t.MaxLen
	}
	return DefaultStringBytes
}

// String writes the type as a modder would.
func (t *Type) String() string {
	switch t.Kind {
	case KindArray:
		return fmt.Sprintf("array(%s, %d)", t.Elem, t.Len)
	case KindFastArray:
		return "fastarray(" + t.Elem.String() + ")"
	case KindStruct:
		parts := make([]string, len(t.Fields))
		for i, f := range t.Fields {
			parts[i] = f.Name + " = " + f.Type.String()
		}
		return "struct{" + strings.Join(parts, ", ") + "}"
	default:
	}
	if f := kinds[t.Kind].text; f != nil {
		return f(t)
	}
	return t.Kind.String()
}

// Stub writes the type as the Lua language server does.
func (t *Type) Stub() string {
	switch t.Kind {
	case KindStruct:
		parts := make([]string, len(t.Fields))
		for i, f := range t.Fields {
			parts[i] = f.Name + ": " + f.Type.Stub()
		}
		return "{ " + strings.Join(parts, ", ") + " }"
	case KindArray:
		e := t.Elem.Stub()
		if strings.ContainsAny(e, "|? ") {
			e = "(" + e + ")"
		}
		return e + "[]"
	default:
	}
	if f := kinds[t.Kind].stub; f != nil {
		return f(t)
	}
	return "any"
}

// bound writes an end of a range, "" if it is the kind's own.
func (t *Type) bound(n float64) string {
	if t.Kind == KindInt && (n == math.MinInt32 || n == math.MaxInt32) || math.Abs(n) == math.MaxFloat32 {
		return ""
	}
	return strconv.FormatFloat(n, 'f', -1, 64)
}

// Same reports whether two types hold the same values in the same layout, so that a live value can be
// kept when a class is reloaded. Ranges may differ: [Type.Check] tells whether the value still fits.
func (t *Type) Same(o *Type) bool {
	if t.Kind != o.Kind || t.Len != o.Len || t.Class != o.Class || len(t.Enum) != len(o.Enum) ||
		len(t.Fields) != len(o.Fields) {
		return false
	}
	for i := range t.Enum {
		if t.Enum[i] != o.Enum[i] {
			return false
		}
	}
	for i := range t.Fields {
		if t.Fields[i].Name != o.Fields[i].Name || !t.Fields[i].Type.Same(o.Fields[i].Type) {
			return false
		}
	}
	if (t.Elem == nil) != (o.Elem == nil) {
		return false
	}
	return t.Elem == nil || t.Elem.Same(o.Elem)
}

// Value is a typed value: a default, an argument, the result of a trace. Actors store their variables packed in
// words; a Value is the form that crosses a boundary.
//
// The zero Value is nil.
type Value struct {
	Kind Kind
	// Num holds bool (0 or 1), int and float.
	Num float64
	// Str holds a string, an enum's name, a class's name.
	Str string
	Vec geom.Vector
	Rot geom.Rotator
	Ref ActorID
	// List holds a struct's members in the type's order, an array's elements.
	List []Value
	// Any holds data that the engine only passes on for the script side.
	Any any
}

// ActorID identifies an actor of one world permanently: the low 32 bits are an index in the table, the high 32
// how often that index was used before. 0 is no actor. An id is never reused for another actor.
type ActorID uint64

// Constructors of values.
func Bool(b bool) Value {
	if b {
		return Value{Kind: KindBool, Num: 1}
	}
	return Value{Kind: KindBool}
}
func Int(n int) Value               { return Value{Kind: KindInt, Num: float64(n)} }
func Float(f float64) Value         { return Value{Kind: KindFloat, Num: f} }
func String(s string) Value         { return Value{Kind: KindString, Str: s} }
func Enum(s string) Value           { return Value{Kind: KindEnum, Str: s} }
func ClassName(s string) Value      { return Value{Kind: KindClass, Str: s} }
func Vec(v geom.Vector) Value       { return Value{Kind: KindVector, Vec: v} }
func Rotation(r geom.Rotator) Value { return Value{Kind: KindRotator, Rot: r} }

// Truth is Lua's truth: everything but nil and false.
func (v Value) Truth() bool {
	return !(v.Kind == KindNone || v.Kind == KindBool && v.Num == 0 || v.Kind == KindRef && v.Ref == 0)
}

// Zero returns the default of a type without a declared one: false, 0 (or the nearest to 0 in range), "", the
// first name of an enum, the zero vector and rotator, nil.
func (t *Type) Zero() Value {
	if f := kinds[t.Kind].zero; f != nil {
		return f(t)
	}
	v := Value{Kind: t.Kind}
	switch t.Kind {
	case KindStruct:
		v.List = make([]Value, len(t.Fields))
		for i := range t.Fields {
			v.List[i] = t.Fields[i].Default
			if v.List[i].Kind == KindNone {
				v.List[i] = t.Fields[i].Type.Zero()
			}
		}
	case KindArray:
		v.List = make([]Value, t.Len)
		for i := range v.List {
			v.List[i] = t.Elem.Zero()
		}
	default:
	}
	return v
}

func makeID(index int, gen uint32) ActorID { return ActorID(uint64(gen)<<32 | uint64(index+1)) }

func (id ActorID) index() int { return int(uint32(id)) - 1 }
