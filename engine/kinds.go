package engine

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/engine/level"
)

// Kind is the kind of a typed variable or argument (R5.9).
type Kind uint8

// The kinds. KindNone is the zero value: no value, Lua's nil.
const (
	KindNone Kind = iota
	KindBool
	KindInt
	KindFloat
	KindString
	KindEnum
	KindVector
	KindRotator
	KindClass
	KindRef
	KindStruct
	KindArray
	KindFastArray
	// KindAny is an argument with an undeclared type: nil, a bool, a number, a string of at most
	// [DefaultStringBytes], a vector, a rotator or an actor. Variables never have it.
	KindAny
	numKinds
)

func (k Kind) String() string {
	if k < numKinds {
		return kinds[k].name
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

// kind is all that the engine knows about a kind of value: a new one is a constant above and an entry in kinds.
// For structs and arrays this holds only the container itself; the functions that read the table walk through
// the contents. Every function may be nil.
type kind struct {
	name string
	// words and strs are how much of an actor's storage a value takes (storage.go); ref and class mark a word
	// that is an actor's id, or a number in one set of classes.
	words, strs int
	ref, class  bool
	// store packs a value that check accepted, load reverses it; its cs may be nil. Both are nil for vectors,
	// which storage.go packs itself, because a call through the table takes half as long again.
	store func(cs *Classes, t *Type, words []uint64, strs []string, v Value)
	load  func(cs *Classes, t *Type, words []uint64, strs []string) Value
	// zero returns the default of a type without one, if that is not the zero value of its kind.
	zero func(t *Type) Value
	// check returns the kind and the number of a value as it is stored; the rest of the value stays. fits is
	// false if it is of another kind altogether, and err describes other faults. w may be nil.
	check func(w *World, t *Type, v Value) (kind Kind, num float64, fits bool, err error)
	// wire returns the largest size of a value on the wire in bytes, rep its size as R5.12 counts it.
	wire, rep func(t *Type) int
	// text writes the type as a modder would, if that is not the name; stub as the Lua language server does.
	text, stub func(t *Type) string
	// describe writes a value that does not fit, if the name of its kind is not enough; literal writes it as
	// Lua does.
	describe, literal func(v Value) string
	// parse reads a level's key: see parseKey.
	parse func(p *Property, text string, scale float64) (Value, error)
}

// A reference takes at most 5 bytes on the wire, and so does a number; R5.12 counts 4.
func wireNumber(*Type) int { return 5 }
func repNumber(*Type) int  { return 4 }

func bytes(n int) func(*Type) int { return func(*Type) int { return n } }

func text(s string) func(*Type) string { return func(*Type) string { return s } }

// kinds is the table of kinds by number.
var kinds = [numKinds]kind{
	KindNone: {
		name: "nil", wire: wireNumber, rep: repNumber,
		check: func(_ *World, _ *Type, v Value) (Kind, float64, bool, error) { return v.Kind, v.Num, true, nil },
	},
	KindBool: {
		name: "bool", words: 1, wire: bytes(1), rep: bytes(1), stub: text("boolean"),
		store: func(_ *Classes, _ *Type, words []uint64, _ []string, v Value) { words[0] = uint64(v.Num) },
		load: func(_ *Classes, _ *Type, words []uint64, _ []string) Value {
			return Value{Kind: KindBool, Num: float64(words[0])}
		},
		check: func(_ *World, _ *Type, v Value) (Kind, float64, bool, error) {
			return v.Kind, v.Num, v.Kind == KindBool, nil
		},
		parse: func(_ *Property, s string, _ float64) (Value, error) {
			switch strings.ToLower(strings.TrimSpace(s)) {
			case "1", "true", "yes", "on":
				return Bool(true), nil
			case "0", "false", "no", "off", "":
				return Bool(false), nil
			}
			return Value{}, fmt.Errorf("expected 1 or 0")
		},
		describe: boolText, literal: boolText,
	},
	KindInt: {
		name: "int", words: 1, wire: wireNumber, rep: repNumber, text: rangeText, stub: text("integer"),
		store: func(_ *Classes, _ *Type, words []uint64, _ []string, v Value) { words[0] = uint64(int64(v.Num)) },
		load: func(_ *Classes, _ *Type, words []uint64, _ []string) Value {
			return Value{Kind: KindInt, Num: float64(int64(words[0]))}
		},
		zero: nearestZero, check: checkNumber, parse: parseNumber, describe: describeNumber, literal: numberText,
	},
	KindFloat: {
		name: "float", words: 1, wire: wireNumber, rep: repNumber, text: rangeText, stub: text("number"),
		store: func(_ *Classes, _ *Type, words []uint64, _ []string, v Value) { words[0] = math.Float64bits(v.Num) },
		load: func(_ *Classes, _ *Type, words []uint64, _ []string) Value {
			return Float(math.Float64frombits(words[0]))
		},
		zero: nearestZero, check: checkNumber, parse: parseNumber, describe: describeNumber, literal: numberText,
	},
	KindString: {
		name: "string", strs: 1, stub: text("string"),
		wire:  func(t *Type) int { return 3 + t.StringLimit() },
		rep:   func(t *Type) int { return t.StringLimit() },
		store: func(_ *Classes, _ *Type, _ []uint64, strs []string, v Value) { strs[0] = v.Str },
		load:  func(_ *Classes, _ *Type, _ []uint64, strs []string) Value { return String(strs[0]) },
		check: func(_ *World, t *Type, v Value) (Kind, float64, bool, error) {
			if v.Kind == KindString && len(v.Str) > t.StringLimit() {
				return v.Kind, v.Num, true, fmt.Errorf("expected a string of at most %d bytes, got %d", t.StringLimit(), len(v.Str))
			}
			return v.Kind, v.Num, v.Kind == KindString, nil
		},
		text: func(t *Type) string {
			if t.MaxLen > 0 {
				return fmt.Sprintf("string(%d)", t.MaxLen)
			}
			return "string"
		},
		parse:    func(_ *Property, s string, _ float64) (Value, error) { return String(s), nil },
		describe: describeText, literal: quoted,
	},
	KindEnum: {
		name: "enum", words: 1, rep: bytes(1),
		wire: func(t *Type) int {
			if len(t.Enum) <= 1<<7 {
				return 1
			}
			return 3
		},
		store: func(_ *Classes, t *Type, words []uint64, _ []string, v Value) {
			words[0] = uint64(max(t.EnumIndex(v.Str), 0))
		},
		load: func(_ *Classes, t *Type, words []uint64, _ []string) Value { return Enum(t.Enum[words[0]]) },
		zero: func(t *Type) Value {
			if len(t.Enum) > 0 {
				return Enum(t.Enum[0])
			}
			return Enum("")
		},
		check: func(_ *World, t *Type, v Value) (Kind, float64, bool, error) {
			if v.Kind != KindString && v.Kind != KindEnum {
				return v.Kind, v.Num, false, nil
			}
			if t.EnumIndex(v.Str) < 0 {
				return v.Kind, v.Num, true, fmt.Errorf("expected one of %s, got %q", t, v.Str)
			}
			v.Kind = KindEnum
			return v.Kind, v.Num, true, nil
		},
		text: func(t *Type) string { return "enum(" + strings.Join(t.Enum, ", ") + ")" },
		stub: func(t *Type) string {
			q := make([]string, len(t.Enum))
			for i, e := range t.Enum {
				q[i] = strconv.Quote(e)
			}
			return strings.Join(q, "|")
		},
		parse: func(p *Property, s string, _ float64) (Value, error) {
			t, s := p.Type, strings.TrimSpace(s)
			if i, err := strconv.Atoi(s); err == nil && i >= 0 && i < len(t.Enum) && t.EnumIndex(s) < 0 {
				return Enum(t.Enum[i]), nil
			}
			return Enum(s), nil
		},
		describe: describeText, literal: quoted,
	},
	KindVector: {
		name: "vector", words: 3, wire: bytes(3 * 5), rep: bytes(6), stub: text("vector"),
		check: func(_ *World, _ *Type, v Value) (Kind, float64, bool, error) {
			if v.Kind == KindVector && !v.Vec.IsFinite() {
				return v.Kind, v.Num, true, fmt.Errorf("expected a finite vector, got %s", v.Vec)
			}
			return v.Kind, v.Num, v.Kind == KindVector, nil
		},
		text: func(t *Type) string {
			switch {
			case t.Unit:
				return "normal"
			case t.Quant > 1:
				return fmt.Sprintf("quantized(vector, %d)", t.Quant)
			}
			return "vector"
		},
		parse: func(p *Property, s string, scale float64) (Value, error) {
			v, ok := level.ParseVector(strings.TrimSpace(s))
			if !ok {
				return Value{}, fmt.Errorf("expected three numbers")
			}
			if p.Type.Unit {
				return Vec(v), nil
			}
			return Vec(v.Mul(scale)), nil
		},
		literal: func(v Value) string {
			if v.Vec == (geom.Vector{}) {
				return "vector()"
			}
			return fmt.Sprintf("vector(%g, %g, %g)", v.Vec.X, v.Vec.Y, v.Vec.Z)
		},
	},
	KindRotator: {
		name: "rotator", words: 1, wire: bytes(8), rep: bytes(3), stub: text("rotator"),
		store: func(_ *Classes, _ *Type, words []uint64, _ []string, v Value) { words[0] = v.Rot.Pack() },
		load: func(_ *Classes, _ *Type, words []uint64, _ []string) Value {
			return Rotation(geom.UnpackRotator(words[0]))
		},
		check: func(_ *World, _ *Type, v Value) (Kind, float64, bool, error) {
			return v.Kind, v.Num, v.Kind == KindRotator, nil
		},
		parse: func(_ *Property, s string, _ float64) (Value, error) {
			v, ok := level.ParseVector(strings.TrimSpace(s))
			if !ok {
				return Value{}, fmt.Errorf("expected pitch, yaw and roll in degrees")
			}
			u := func(d float64) uint16 { return geom.FromRadians(math.Mod(d, 360) * math.Pi / 180) }
			return Rotation(geom.Rotator{Pitch: u(v.X), Yaw: u(v.Y), Roll: u(v.Z)}), nil
		},
		literal: func(v Value) string {
			if v.Rot == (geom.Rotator{}) {
				return "rotator()"
			}
			return fmt.Sprintf("rotator(%d, %d, %d)", v.Rot.Pitch, v.Rot.Yaw, v.Rot.Roll)
		},
	},
	KindClass: {
		name: "classref", words: 1, class: true, wire: wireNumber, rep: repNumber, text: pointsTo, stub: text("class?"),
		store: func(cs *Classes, _ *Type, words []uint64, _ []string, v Value) {
			words[0] = 0
			if c := cs.Find(v.Str); c != nil {
				words[0] = uint64(c.Index) + 1
			}
		},
		load: func(cs *Classes, _ *Type, words []uint64, _ []string) Value {
			if words[0] != 0 && cs != nil {
				return ClassName(cs.sorted[words[0]-1].Name)
			}
			return ClassName("")
		},
		check: checkClass,
		parse: func(_ *Property, s string, _ float64) (Value, error) {
			return ClassName(CanonicalClass(strings.TrimSpace(s))), nil
		},
		describe: func(v Value) string { return "class " + v.Str },
		literal: func(v Value) string {
			if v.Str == "" {
				return "nil"
			}
			return strconv.Quote(v.Str)
		},
	},
	KindRef: {
		name: "ref", words: 1, ref: true, wire: wireNumber, rep: repNumber, text: pointsTo,
		store: func(_ *Classes, _ *Type, words []uint64, _ []string, v Value) { words[0] = uint64(v.Ref) },
		load: func(_ *Classes, _ *Type, words []uint64, _ []string) Value {
			return Value{Kind: KindRef, Ref: ActorID(words[0])}
		},
		check: checkRef,
		stub: func(t *Type) string {
			if t.Class == "" {
				return "Actor?"
			}
			return t.Class + "?"
		},
		describe: func(Value) string { return "an actor" },
	},
	KindStruct: {name: "struct"},
	KindArray: {
		name:     "array",
		describe: func(v Value) string { return fmt.Sprintf("a list of %d", len(v.List)) },
	},
	KindFastArray: {name: "fastarray", rep: repNumber, stub: text("fastarray")},
	KindAny: {
		name: "any", rep: repNumber,
		wire:  bytes(3 + DefaultStringBytes),
		check: checkAny,
	},
}

func boolText(v Value) string   { return strconv.FormatBool(v.Num != 0) }
func numberText(v Value) string { return strconv.FormatFloat(v.Num, 'g', -1, 32) }
func quoted(v Value) string     { return strconv.Quote(v.Str) }

func describeNumber(v Value) string { return fmt.Sprintf("number %v", v.Num) }

func describeText(v Value) string {
	if len(v.Str) > 40 {
		return fmt.Sprintf("string %q…", v.Str[:40])
	}
	return fmt.Sprintf("string %q", v.Str)
}

func rangeText(t *Type) string {
	name := "float"
	if t.Kind == KindInt {
		name = "int"
	}
	if t.Ranged {
		name += "(" + t.bound(t.Min) + "…" + t.bound(t.Max) + ")"
	}
	return name
}

func pointsTo(t *Type) string {
	name, c := "ref", t.Class
	if t.Kind == KindClass {
		name = "classref"
	}
	if c == "" {
		c = "Actor"
	}
	return name + "(" + c + ")"
}

func nearestZero(t *Type) Value {
	v := Value{Kind: t.Kind}
	if t.Ranged {
		v.Num = math.Max(t.Min, math.Min(t.Max, 0))
	}
	return v
}

func checkNumber(_ *World, t *Type, v Value) (Kind, float64, bool, error) {
	if v.Kind != KindInt && v.Kind != KindFloat {
		return v.Kind, v.Num, false, nil
	}
	n, err := t.CheckNumber(v.Num)
	if err == nil {
		v.Kind, v.Num = t.Kind, n
	}
	return v.Kind, v.Num, true, err
}

func checkRef(w *World, t *Type, v Value) (Kind, float64, bool, error) {
	if v.Kind == KindNone {
		return KindRef, 0, true, nil
	}
	if v.Kind == KindRef && w != nil && v.Ref != 0 && t.Class != "" {
		if a := w.Actor(v.Ref); a != nil && !a.Class.IsA(t.Class) {
			return v.Kind, v.Num, true, fmt.Errorf("expected %s, got %s", t, a)
		}
	}
	return v.Kind, v.Num, v.Kind == KindRef, nil
}

func checkClass(w *World, t *Type, v Value) (Kind, float64, bool, error) {
	switch v.Kind {
	case KindNone:
		return KindClass, 0, true, nil
	case KindString:
		v.Kind = KindClass
	case KindClass:
	default:
		return v.Kind, v.Num, false, nil
	}
	if w == nil || v.Str == "" {
		return v.Kind, v.Num, true, nil
	}
	c := w.Classes.Find(v.Str)
	if c == nil {
		return v.Kind, v.Num, true, fmt.Errorf("expected %s, got unknown class %q", t, v.Str)
	}
	if t.Class != "" && !c.IsA(t.Class) {
		return v.Kind, v.Num, true, fmt.Errorf("expected %s, got class %s", t, v.Str)
	}
	return v.Kind, v.Num, true, nil
}

// checkAny keeps the value's own kind; a number keeps its precision, because no type says how it is sent.
func checkAny(_ *World, _ *Type, v Value) (Kind, float64, bool, error) {
	switch v.Kind {
	case KindNone, KindBool, KindRotator, KindRef:
	case KindInt, KindFloat:
		if n := v.Num; n-n != 0 {
			return v.Kind, v.Num, true, fmt.Errorf("expected a finite number, got %g", n)
		}
		v.Kind = KindFloat
	case KindString, KindEnum:
		v.Kind = KindString
		if len(v.Str) > DefaultStringBytes {
			return v.Kind, v.Num, true, fmt.Errorf("expected a string of at most %d bytes, got %d", DefaultStringBytes, len(v.Str))
		}
	case KindVector:
		if !v.Vec.IsFinite() {
			return v.Kind, v.Num, true, fmt.Errorf("expected a finite vector, got %s", v.Vec)
		}
	default:
		return v.Kind, v.Num, false, nil
	}
	return v.Kind, v.Num, true, nil
}

func parseNumber(p *Property, text string, _ float64) (Value, error) {
	s := strings.TrimSpace(text)
	if n, ok := constant(p, s); ok {
		return Int(n), nil
	}
	n, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return Value{}, fmt.Errorf("expected %s", p.Type)
	}
	if p.Type.Kind == KindInt && n == math.Trunc(n) && math.Abs(n) < 1<<31 {
		return Int(int(n)), nil
	}
	return Float(n), nil
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

// constant returns the number of a constant that scripts know by name, for native variables that hold such
// constants.
func constant(p *Property, s string) (int, bool) {
	if p.Native == nil {
		return 0, false
	}
	var names []string
	switch p.Name {
	case "Physics":
		names = physicsNames[:]
	case "RemoteRole":
		names = roleNames[:]
	case "NetDormancy":
		names = dormancyNames[:]
	}
	for i, n := range names {
		if n == s {
			return i, true
		}
	}
	return 0, false
}

// StoreVector packs a vector into three words.
func StoreVector(words []uint64, v geom.Vector) {
	_ = words[2]
	words[0], words[1], words[2] = math.Float64bits(v.X), math.Float64bits(v.Y), math.Float64bits(v.Z)
}

// LoadVector reverses [StoreVector].
func LoadVector(words []uint64) geom.Vector {
	_ = words[2]
	return geom.Vector{
		X: math.Float64frombits(words[0]), Y: math.Float64frombits(words[1]), Z: math.Float64frombits(words[2]),
	}
}

// Ref returns a reference to an actor; a nil actor gives the nil reference.
func Ref(a *Actor) Value {
	if a == nil {
		return Value{Kind: KindRef}
	}
	return Value{Kind: KindRef, Ref: a.id}
}
