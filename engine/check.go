package engine

import (
	"fmt"
	"math"
)

// Check reports why v does not fit the type (R5.8a), or nil. It also returns v as it will be held:
// a float rounded to 32 bits, an int given as a float made an int. World may be nil; then references
// are not checked against their class.
func (t *Type) Check(w *World, v Value) (Value, error) {
	bad := func() (Value, error) {
		return v, fmt.Errorf("expected %s, got %s", t, v.describe())
	}
	switch t.Kind {
	case KindBool:
		if v.Kind != KindBool {
			return bad()
		}
	case KindInt, KindFloat:
		if v.Kind != KindInt && v.Kind != KindFloat {
			return bad()
		}
		n, err := t.CheckNumber(v.Num)
		if err != nil {
			return v, err
		}
		v.Kind, v.Num = t.Kind, n
	case KindString:
		if v.Kind != KindString {
			return bad()
		}
		if len(v.Str) > t.StringLimit() {
			return v, fmt.Errorf("expected a string of at most %d bytes, got %d", t.StringLimit(), len(v.Str))
		}
	case KindEnum:
		if v.Kind != KindString && v.Kind != KindEnum {
			return bad()
		}
		if t.EnumIndex(v.Str) < 0 {
			return v, fmt.Errorf("expected one of %s, got %q", t, v.Str)
		}
		v.Kind = KindEnum
	case KindVector:
		if v.Kind != KindVector {
			return bad()
		}
		if !v.Vec.IsFinite() {
			return v, fmt.Errorf("expected a finite vector, got %s", v.Vec)
		}
	case KindRotator:
		if v.Kind != KindRotator {
			return bad()
		}
	case KindRef:
		if v.Kind == KindNone {
			return Value{Kind: KindRef}, nil
		}
		if v.Kind != KindRef {
			return bad()
		}
		if w != nil && v.Ref != 0 && t.Class != "" {
			if a := w.Actor(v.Ref); a != nil && !a.Class.IsA(t.Class) {
				return v, fmt.Errorf("expected %s, got %s", t, a)
			}
		}
	case KindClass:
		switch v.Kind {
		case KindNone:
			return Value{Kind: KindClass}, nil
		case KindString:
			v.Kind = KindClass
		case KindClass:
		default:
			return bad()
		}
		if w != nil && v.Str != "" {
			c := w.Classes.Find(v.Str)
			if c == nil {
				return v, fmt.Errorf("expected %s, got unknown class %q", t, v.Str)
			}
			if t.Class != "" && !c.IsA(t.Class) {
				return v, fmt.Errorf("expected %s, got class %s", t, v.Str)
			}
		}
	case KindStruct:
		if v.Kind != KindStruct || len(v.List) != len(t.Fields) {
			return bad()
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
			return bad()
		}
		for i := range v.List {
			e, err := t.Elem.Check(w, v.List[i])
			if err != nil {
				return v, fmt.Errorf("element %d: %w", i+1, err)
			}
			v.List[i] = e
		}
	case KindAny:
		return checkAny(v)
	case KindNone:
		return v, nil
	default:
		return bad()
	}
	return v, nil
}

// checkAny is [Type.Check] of KindAny. The value keeps its own kind; a number stays as exact as it is, since no
// type says how it crosses.
func checkAny(v Value) (Value, error) {
	switch v.Kind {
	case KindNone, KindBool, KindRotator, KindRef:
	case KindInt, KindFloat:
		if n := v.Num; n-n != 0 {
			return v, fmt.Errorf("expected a finite number, got %g", n)
		}
		v.Kind = KindFloat
	case KindString, KindEnum:
		v.Kind = KindString
		if len(v.Str) > DefaultStringBytes {
			return v, fmt.Errorf("expected a string of at most %d bytes, got %d", DefaultStringBytes, len(v.Str))
		}
	case KindVector:
		if !v.Vec.IsFinite() {
			return v, fmt.Errorf("expected a finite vector, got %s", v.Vec)
		}
	default:
		return v, fmt.Errorf("expected a bool, number, string, vector, rotator, actor or nil, got %s", v.describe())
	}
	return v, nil
}

// CheckNumber is [Type.Check] for the int and float kinds without a Value.
func (t *Type) CheckNumber(n float64) (float64, error) {
	if n-n != 0 {
		return 0, fmt.Errorf("expected a finite %s, got %g", t, n)
	}
	if t.Kind == KindInt {
		if n != math.Trunc(n) || n < math.MinInt32 || n > math.MaxInt32 {
			return 0, fmt.Errorf("expected a 32-bit %s, got %v", t, n)
		}
	} else {
		f := float64(float32(n))
		if f-f != 0 {
			return 0, fmt.Errorf("expected a 32-bit %s, got %g", t, n)
		}
		n = f
	}
	if t.Ranged && (n < t.Min || n > t.Max) {
		return 0, fmt.Errorf("expected %s, got %v", t, n)
	}
	return n, nil
}

func (v Value) describe() string {
	switch v.Kind {
	case KindInt, KindFloat:
		return fmt.Sprintf("number %v", v.Num)
	case KindString, KindEnum:
		if len(v.Str) > 40 {
			return fmt.Sprintf("string %q…", v.Str[:40])
		}
		return fmt.Sprintf("string %q", v.Str)
	case KindBool:
		return fmt.Sprintf("%v", v.Num != 0)
	case KindArray:
		return fmt.Sprintf("a list of %d", len(v.List))
	case KindClass:
		return "class " + v.Str
	case KindRef:
		return "an actor"
	default:
	}
	return v.Kind.String()
}
