package engine

import "fmt"

// Check reports why v does not fit the type (R5.8a), or nil. It also returns v as it will be stored: a float
// rounded to 32 bits, an int given as a float made an int. World may be nil; then references are not checked
// against their class.
func (t *Type) Check(w *World, v Value) (Value, error) {
	switch t.Kind {
	case KindVector: // the most frequent kind; the call through the table would double its time
		if v.Kind == KindVector && v.Vec.IsFinite() {
			return v, nil
		}
		return t.checkKind(w, v)
	case KindStruct:
		if v.Kind != KindStruct || len(v.List) != len(t.Fields) {
			return v, t.mismatch(v)
		}
		for i := range t.Fields {
			e, err := t.Fields[i].Type.Check(w, v.List[i])
			if err != nil {
				return v, fmt.Errorf("member %s: %w", t.Fields[i].Name, err)
			}
			v.List[i] = e
		}
	case KindArray:
		if v.Kind != KindArray || len(v.List) != t.Len {
			return v, t.mismatch(v)
		}
		for i := range v.List {
			e, err := t.Elem.Check(w, v.List[i])
			if err != nil {
				return v, fmt.Errorf("element %d: %w", i+1, err)
			}
			v.List[i] = e
		}
	default:
		return t.checkKind(w, v)
	}
	return v, nil
}

// checkKind is Check through the table of kinds.
func (t *Type) checkKind(w *World, v Value) (Value, error) {
	f := kinds[t.Kind].check
	if f == nil {
		return v, t.mismatch(v)
	}
	kind, num, fits, err := f(w, t, v)
	switch {
	case err != nil:
		return v, err
	case !fits:
		return v, t.mismatch(v)
	}
	v.Kind, v.Num = kind, num
	return v, nil
}

// mismatch reports that a value is of another kind.
func (t *Type) mismatch(v Value) error {
	if t.Kind == KindAny {
		return fmt.Errorf("expected a bool, number, string, vector, rotator, actor or nil, got %s", v.describe())
	}
	return fmt.Errorf("expected %s, got %s", t, v.describe())
}

func (v Value) describe() string {
	if f := kinds[v.Kind].describe; f != nil {
		return f(v)
	}
	return v.Kind.String()
}

// Literal writes a value as Lua does; it is "" for a struct or an array, whose members have their own.
func (v Value) Literal() string {
	switch v.Kind {
	case KindStruct, KindArray, KindFastArray:
		return ""
	default:
	}
	if f := kinds[v.Kind].literal; f != nil {
		return f(v)
	}
	return "nil"
}
