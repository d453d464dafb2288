package wire

import (
	"math"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/count"
	"github.com/tidelock/tidelock/engine/geom"
)

// Names converts references of a world to their wire form, and back, for one recipient or sender. A reference is a
// small number in the stream that means the same on all connections, so that one encoding serves all peers that may
// know the actor; the others get nil (R3.12).
type Names interface {
	// NetID returns the number of an actor on the wire, 0 if this recipient must not know it.
	NetID(id engine.ActorID) uint32
	// Actor returns the actor of a number, which is not 0; t may require a class. For an actor that is not known
	// yet it returns 0 and true, and the implementation records the reference (R5.13); for a reference that is not
	// permitted it returns false, an error.
	Actor(net uint32, t *engine.Type) (engine.ActorID, bool)
	// Class reports whether word, engine.Class.Index+1, is a class that fits t.
	Class(word uint32, t *engine.Type) bool
}

// This file contains everything that the wire knows of a kind of value: how it is appended and read, in an actor's
// storage and as an argument, and how sending rounds it. [Layout] has the same for the commonest kinds without a
// call.

// Values appends typed values. Every value is exactly one msgpack value, whatever its type, so that it can be
// skipped unread (a vector sent as a difference is not: see [AppendRelative]):
//
//	bool       true, false
//	int        int, less [IntBias] of a declared range
//	float      float32, or an int where that is exactly the same and shorter
//	enum       int, index of the name
//	string     str; bin where it is not UTF-8
//	vector     array of three int, or bin: see [AppendVector]
//	rotator    int: see [AppendRotator]
//	classref   int: the class's number + 1; 0 for none
//	ref        int: the actor's number; 0 for nil
//	struct     array of the members that are not local, in order
//	array      map of index (from 0, ascending) to element: those that changed; or array: all of them
//	fastarray  array: see [AppendFast]
type Values struct {
	Names Names
	// Saturated counts vectors that did not fit their grid (R5.10).
	Saturated uint64
	// Ends, if not nil, receives from [Layout.Append] the end of each variable.
	Ends []uint32
}

// Tags of a value of an undeclared argument, if its shape alone is ambiguous.
var (
	anyVector = &engine.Type{Kind: engine.KindVector}
	anyRef    = &engine.Type{Kind: engine.KindRef}
)

// IntBias returns what is subtracted from an int of type t before it is sent: 0, unless its declared range then
// takes fewer bytes in the worst case. Up to 160 values take one byte, up to 384 two, up to 98 304 three.
func IntBias(t *engine.Type) int64 {
	if !t.Ranged {
		return 0
	}
	lo, hi := rangeOf(t)
	worst, span := max(IntSize(lo), IntSize(hi)), hi-lo
	switch {
	case span < 160 && worst > 1:
		return lo + 32
	case span < 384 && worst > 2:
		return lo + 128
	case span < 98304 && worst > 3:
		return lo + 32768
	}
	return 0
}

// rangeOf returns the bounds of an int type, within 32 bits.
func rangeOf(t *engine.Type) (lo, hi int64) {
	if !t.Ranged {
		return math.MinInt32, math.MaxInt32
	}
	return int64(math.Ceil(math.Max(t.Min, math.MinInt32))), int64(math.Floor(math.Min(t.Max, math.MaxInt32)))
}

// Append appends a value of an actor's storage (package engine, storage.go). Fast arrays are not included: see
// [AppendFast].
func (e *Values) Append(b []byte, t *engine.Type, words []uint64, strs []string) []byte {
	count.Add(count.Encoded, 1)
	switch t.Kind {
	case engine.KindBool:
		return append(b, mpFalse|byte(words[0]&1))
	case engine.KindInt:
		v := int64(words[0])
		if t.Ranged {
			v -= IntBias(t)
		}
		return AppendInt(b, v)
	case engine.KindFloat:
		return AppendFloat(b, float32(math.Float64frombits(words[0])))
	case engine.KindEnum, engine.KindClass:
		return AppendUint(b, words[0])
	case engine.KindVector:
		v := engine.LoadVector(words)
		if !t.Unit && t.Quant <= 1 {
			// Whole uu, the usual case, without intermediate steps.
			x, y, z := int64(nearest(v.X)), int64(nearest(v.Y)), int64(nearest(v.Z))
			if uint64(x+32768)|uint64(y+32768)|uint64(z+32768) < 65536 { // values that are not finite are out of range by then
				return appendVector16(b, int32(x), int32(y), int32(z))
			}
		}
		return e.vector(b, t, v)
	case engine.KindRotator:
		return AppendRotator(b, geom.UnpackRotator(words[0]))
	case engine.KindRef:
		return e.ref(b, engine.ActorID(words[0]))
	case engine.KindString:
		return AppendString(b, strs[0])
	case engine.KindStruct:
		b = AppendArray(b, crossing(t))
		for i := range t.Fields {
			if f := &t.Fields[i]; !f.Local {
				b = e.Append(b, f.Type, words[f.Word():], strs[f.Str():])
			}
		}
		return b
	case engine.KindArray:
		b = AppendArray(b, t.Len)
		for i := range t.Len {
			b = e.Append(b, t.Elem, words[i*t.Elem.Words():], strs[i*t.Elem.Strs():])
		}
		return b
	default:
		return append(b, mpNil)
	}
}

func (e *Values) vector(b []byte, t *engine.Type, v geom.Vector) []byte {
	g := GridOf(t)
	q, saturated := g.Quantise(v)
	if saturated {
		e.Saturated++
	}
	return AppendVector(b, g, q)
}

func (e *Values) ref(b []byte, id engine.ActorID) []byte {
	if id == 0 || e.Names == nil {
		return append(b, 0)
	}
	return AppendUint(b, uint64(e.Names.NetID(id)))
}

// crossing returns the number of a struct's members that are replicated.
func crossing(t *engine.Type) int {
	n := 0
	for i := range t.Fields {
		if !t.Fields[i].Local {
			n++
		}
	}
	return n
}

// Value reads a value of type t into an actor's storage. It checks the value against the type: ranges, lengths,
// NaN, references. After an error nothing may be used, and words may be partly written, so read into storage of
// your own and copy it when [Reader.Err] is nil. Members that are not replicated stay unchanged.
//
// names may be nil if t holds no references.
func (r *Reader) Value(t *engine.Type, words []uint64, strs []string, names Names) {
	switch t.Kind {
	case engine.KindBool:
		words[0] = 0
		if r.Bool() {
			words[0] = 1
		}
	case engine.KindInt:
		words[0] = uint64(r.rangedInt(t))
	case engine.KindFloat:
		words[0] = math.Float64bits(r.float(t))
	case engine.KindEnum:
		words[0] = uint64(r.IntIn(0, int64(len(t.Enum))-1))
	case engine.KindClass:
		words[0] = r.class(t, names)
	case engine.KindVector:
		g := GridOf(t)
		engine.StoreVector(words, g.Value(r.Vector(g)))
	case engine.KindRotator:
		words[0] = r.Rotator().Pack()
	case engine.KindRef:
		words[0] = r.actor(t, names)
	case engine.KindString:
		if s := r.Bytes(t.StringLimit()); r.err == nil && string(s) != strs[0] {
			strs[0] = string(s)
		}
	case engine.KindStruct:
		if r.Array() != crossing(t) {
			r.Fail(ErrType)
		}
		for i := range t.Fields {
			if f := &t.Fields[i]; !f.Local && r.err == nil {
				r.Value(f.Type, words[f.Word():], strs[f.Str():], names)
			}
		}
	case engine.KindArray:
		if r.Array() != t.Len {
			r.Fail(ErrType)
		}
		for i := 0; i < t.Len && r.err == nil; i++ {
			r.Value(t.Elem, words[i*t.Elem.Words():], strs[i*t.Elem.Strs():], names)
		}
	default:
		r.Fail(ErrType)
	}
}

func (r *Reader) rangedInt(t *engine.Type) int64 {
	lo, hi := rangeOf(t)
	bias := IntBias(t)
	return r.IntIn(lo-bias, hi-bias) + bias
}

func (r *Reader) float(t *engine.Type) float64 {
	f := float64(float32(r.Number()))
	if nonFinite(f) || t.Ranged && (f < t.Min || f > t.Max) {
		r.Fail(ErrRange)
	}
	if r.err != nil {
		return 0
	}
	return f
}

func (r *Reader) class(t *engine.Type, names Names) uint64 {
	n := r.IntIn(0, math.MaxUint32)
	if n != 0 && (names == nil || !names.Class(uint32(n), t)) {
		r.Fail(ErrRange)
	}
	if r.err != nil {
		return 0
	}
	return uint64(n)
}

func (r *Reader) actor(t *engine.Type, names Names) uint64 {
	n := r.IntIn(0, math.MaxUint32)
	if n == 0 || r.err != nil {
		return 0
	}
	if names == nil {
		r.err = ErrRange
		return 0
	}
	id, ok := names.Actor(uint32(n), t)
	if !ok {
		r.err = ErrRange
		return 0
	}
	return uint64(id)
}

// AppendValue is [Values.Append] for a value outside of storage: an argument of a call. The value must fit the type
// ([engine.Type.Check]); no value at all (Lua's nil) is sent as nil and means the parameter's default. Class
// references and actors are numbers: classes maps a name to a class's Index.
func (e *Values) AppendValue(b []byte, t *engine.Type, v *engine.Value, classes *engine.Classes) []byte {
	count.Add(count.Encoded, 1)
	if v.Kind == engine.KindNone {
		return append(b, mpNil)
	}
	switch t.Kind {
	case engine.KindBool:
		return AppendBool(b, v.Num != 0)
	case engine.KindInt:
		return AppendInt(b, int64(v.Num)-IntBias(t))
	case engine.KindFloat:
		return AppendFloat(b, float32(v.Num))
	case engine.KindEnum:
		return AppendUint(b, uint64(max(t.EnumIndex(v.Str), 0)))
	case engine.KindClass:
		if classes != nil && v.Str != "" {
			if c := classes.Find(v.Str); c != nil {
				return AppendUint(b, uint64(c.Index)+1)
			}
		}
		return append(b, 0)
	case engine.KindVector:
		return e.vector(b, t, v.Vec)
	case engine.KindRotator:
		return AppendRotator(b, v.Rot)
	case engine.KindRef:
		return e.ref(b, v.Ref)
	case engine.KindString:
		return AppendString(b, v.Str)
	case engine.KindStruct:
		b = AppendArray(b, crossing(t))
		for i := range t.Fields {
			if f := &t.Fields[i]; !f.Local {
				b = e.AppendValue(b, f.Type, &v.List[i], classes)
			}
		}
		return b
	case engine.KindArray:
		b = AppendArray(b, t.Len)
		for i := range t.Len {
			b = e.AppendValue(b, t.Elem, &v.List[i], classes)
		}
		return b
	case engine.KindAny:
		return e.appendAny(b, v)
	default:
		return append(b, mpNil)
	}
}

// appendAny appends an argument of engine.KindAny: bools, numbers and strings unchanged, the others as an array of
// kind and value.
func (e *Values) appendAny(b []byte, v *engine.Value) []byte {
	switch v.Kind {
	case engine.KindBool:
		return AppendBool(b, v.Num != 0)
	case engine.KindInt, engine.KindFloat:
		return appendNumber(b, v.Num)
	case engine.KindString, engine.KindEnum:
		return AppendString(b, v.Str)
	case engine.KindVector:
		return e.vector(appendTagged(b, v.Kind), anyVector, v.Vec)
	case engine.KindRotator:
		return AppendRotator(appendTagged(b, v.Kind), v.Rot)
	case engine.KindRef:
		return e.ref(appendTagged(b, v.Kind), v.Ref)
	default:
		return append(b, mpNil)
	}
}

func appendTagged(b []byte, k engine.Kind) []byte { return append(b, mpFixArray|2, byte(k)) }

// appendNumber appends a number of no declared type, exactly, in the fewest possible bytes.
func appendNumber(b []byte, n float64) []byte {
	if f := float32(n); float64(f) == n {
		return AppendFloat(b, f)
	}
	if math.Abs(n) < 1<<53 && n == math.Trunc(n) {
		return AppendInt(b, int64(n))
	}
	return AppendFloat64(b, n)
}

func (a *Args) value(r *Reader, t *engine.Type, names Names, classes *engine.Classes) engine.Value {
	v := engine.Value{Kind: t.Kind}
	if r.err != nil {
		return v
	}
	switch t.Kind {
	case engine.KindBool:
		if r.Bool() {
			v.Num = 1
		}
	case engine.KindInt:
		v.Num = float64(r.rangedInt(t))
	case engine.KindFloat:
		v.Num = r.float(t)
	case engine.KindEnum:
		if i := r.IntIn(0, int64(len(t.Enum))-1); r.err == nil {
			v.Str = t.Enum[i]
		}
	case engine.KindClass:
		if n := r.class(t, names); n != 0 {
			if all := classes.All(); n <= uint64(len(all)) {
				v.Str = all[n-1].Name
			} else {
				r.Fail(ErrRange)
			}
		}
	case engine.KindVector:
		g := GridOf(t)
		v.Vec = g.Value(r.Vector(g))
	case engine.KindRotator:
		v.Rot = r.Rotator()
	case engine.KindRef:
		v.Ref = engine.ActorID(r.actor(t, names))
	case engine.KindString:
		v.Str = r.Text(t.StringLimit())
	case engine.KindStruct:
		if r.Array() != crossing(t) {
			r.Fail(ErrType)
			return v
		}
		v.List = a.take(len(t.Fields))
		for i := range t.Fields {
			f := &t.Fields[i]
			switch {
			case !f.Local:
				v.List[i] = a.value(r, f.Type, names, classes)
			case f.Default.Kind != engine.KindNone:
				v.List[i] = f.Default
			default:
				v.List[i] = f.Type.Zero()
			}
		}
	case engine.KindArray:
		if r.Array() != t.Len {
			r.Fail(ErrType)
			return v
		}
		v.List = a.take(t.Len)
		for i := range v.List {
			v.List[i] = a.value(r, t.Elem, names, classes)
		}
	case engine.KindAny:
		return r.any(names)
	default:
		r.Fail(ErrType)
	}
	return v
}

// any reads an argument of engine.KindAny that is not nil.
func (r *Reader) any(names Names) (v engine.Value) {
	switch r.Peek() {
	case ShapeBool:
		v.Kind = engine.KindBool
		if r.Bool() {
			v.Num = 1
		}
	case ShapeInt, ShapeFloat:
		v.Kind, v.Num = engine.KindFloat, r.Number()
		if nonFinite(v.Num) {
			r.Fail(ErrRange)
		}
	case ShapeString, ShapeBin:
		v.Kind, v.Str = engine.KindString, r.Text(engine.DefaultStringBytes)
	case ShapeArray:
		if r.Array() != 2 {
			r.Fail(ErrType)
			return engine.Value{}
		}
		switch v.Kind = engine.Kind(r.IntIn(0, int64(engine.KindAny))); v.Kind {
		case engine.KindVector:
			g := GridOf(anyVector)
			v.Vec = g.Value(r.Vector(g))
		case engine.KindRotator:
			v.Rot = r.Rotator()
		case engine.KindRef:
			v.Ref = engine.ActorID(r.actor(anyRef, names))
		default:
			r.Fail(ErrType)
		}
	default:
		r.Fail(ErrType)
	}
	if r.err != nil {
		return engine.Value{}
	}
	return v
}

// QuantiseArg rounds an argument as sending rounds it, so that a caller can work with exactly what the other side
// receives (R9.3). Lists are changed in place.
func QuantiseArg(t *engine.Type, v *engine.Value) {
	kind := t.Kind
	if kind == engine.KindAny && v.Kind != engine.KindInt && v.Kind != engine.KindFloat { // untyped numbers are sent exactly
		kind, t = v.Kind, anyVector
	}
	switch kind {
	case engine.KindFloat:
		v.Num = QuantiseFloat(v.Num)
	case engine.KindVector:
		g := GridOf(t)
		q, _ := g.Quantise(v.Vec)
		v.Vec = g.Value(q)
	case engine.KindRotator:
		v.Rot.Pitch &^= 0xff
		v.Rot.Yaw &^= 0xff
		v.Rot.Roll &^= 0xff
	case engine.KindStruct:
		for i := range min(len(t.Fields), len(v.List)) {
			QuantiseArg(t.Fields[i].Type, &v.List[i])
		}
	case engine.KindArray:
		for i := range v.List {
			QuantiseArg(t.Elem, &v.List[i])
		}
	default: // crosses exactly
	}
}
