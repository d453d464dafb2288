package wire

import (
	"math"

	"github.com/tidelock/tidelock/engine"
)

// AppendValue is [Values.Append] for a value on its way: an argument of a call. The value must fit the type
// ([engine.Type.Check]); no value at all (Lua's nil) crosses as nil and stands for the parameter's default.
// Class references and actors are numbers: classes gives a class's Index by name.
func (e *Values) AppendValue(b []byte, t *engine.Type, v *engine.Value, classes *engine.Classes) []byte {
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

// GivenArgs is how many arguments of a call have to cross: those at the end that are what the parameters say anyway
// are left out.
func GivenArgs(params []engine.Param, args []engine.Value) int {
	n := min(len(args), len(params))
	for n > 0 && isDefault(&params[n-1].Default, &args[n-1]) {
		n--
	}
	return n
}

func isDefault(d, v *engine.Value) bool {
	if v.Kind == engine.KindNone {
		return true
	}
	return v.Kind == d.Kind && v.Num == d.Num && v.Str == d.Str && v.Vec == d.Vec && v.Rot == d.Rot && v.Ref == d.Ref &&
		len(v.List) == 0 && len(d.List) == 0 && !(v.Num == 0 && math.Signbit(v.Num) != math.Signbit(d.Num))
}

// What a value of an undeclared argument is, where its shape alone does not tell.
var (
	anyVector = &engine.Type{Kind: engine.KindVector}
	anyRef    = &engine.Type{Kind: engine.KindRef}
)

// appendAny appends an argument of engine.KindAny: bools, numbers and strings as they are, the rest as an array of its
// kind and its value.
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

// appendNumber appends a number of no declared type, exactly, in the fewest bytes that do it.
func appendNumber(b []byte, n float64) []byte {
	if f := float32(n); float64(f) == n {
		return AppendFloat(b, f)
	}
	if math.Abs(n) < 1<<53 && n == math.Trunc(n) {
		return AppendInt(b, int64(n))
	}
	return AppendFloat64(b, n)
}

// Args reads the arguments of calls. It keeps what it needs from call to call: memory in proportion to the
// parameters a class declares, never to what a peer sends. The zero Args is ready.
type Args struct {
	args []engine.Value
	list []engine.Value // the members and elements of all arguments
}

// slots is how many members and elements a value of the type has, all levels together.
func slots(t *engine.Type) int {
	n := 0
	switch t.Kind {
	case engine.KindStruct:
		for i := range t.Fields {
			n += 1 + slots(t.Fields[i].Type)
		}
	case engine.KindArray:
		n = t.Len * (1 + slots(t.Elem))
	default:
	}
	return n
}

// Read reads n arguments for the given parameters, n being at most their number. Those left out and those sent
// as nil are the parameter's default. The result holds until the next Read.
func (a *Args) Read(r *Reader, params []engine.Param, n int, names Names, classes *engine.Classes) []engine.Value {
	if n > len(params) || n > MaxArgs {
		r.Fail(ErrFields)
		return nil
	}
	need := 0
	for i := range params[:n] {
		need += slots(params[i].Type)
	}
	if cap(a.list) < need {
		a.list = make([]engine.Value, 0, need)
	}
	clear(a.list[:need])
	a.list = a.list[:0]
	clear(a.args)
	a.args = a.args[:0]
	for i := range params {
		v := params[i].Default
		if i < n && !r.Nil() {
			v = a.value(r, params[i].Type, names, classes)
		}
		a.args = append(a.args, v)
	}
	if r.err != nil {
		return nil
	}
	return a.args
}

// take gives n fresh values of the list.
func (a *Args) take(n int) []engine.Value {
	l := len(a.list)
	a.list = a.list[:l+n]
	return a.list[l : l+n : l+n]
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

// QuantiseArg rounds an argument as crossing rounds it, so that a caller can work with exactly what the other
// side gets (R9.3). Lists are changed in place.
func QuantiseArg(t *engine.Type, v *engine.Value) {
	kind := t.Kind
	if kind == engine.KindAny && v.Kind != engine.KindInt && v.Kind != engine.KindFloat { // numbers of no type cross exactly
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
