package wire

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/tests/tier"
	"pgregory.net/rapid"
)

// names is a Names for tests: an actor's number is its id, up to 1 000; there are 50 classes.
type names struct{}

func (names) NetID(id engine.ActorID) uint32 { return uint32(id) }
func (names) Actor(net uint32, _ *engine.Type) (engine.ActorID, bool) {
	return engine.ActorID(net), net <= 1000
}
func (names) Class(word uint32, _ *engine.Type) bool { return word <= 50 }

func drawType(t *rapid.T, depth int) *engine.Type {
	kinds := []engine.Kind{
		engine.KindBool, engine.KindInt, engine.KindFloat, engine.KindString, engine.KindEnum, engine.KindVector, engine.KindRotator,
		engine.KindClass, engine.KindRef,
	}
	if depth > 0 {
		kinds = append(kinds, engine.KindStruct, engine.KindArray)
	}
	typ := &engine.Type{Kind: rapid.SampledFrom(kinds).Draw(t, "kind")}
	switch typ.Kind {
	case engine.KindInt:
		if typ.Ranged = rapid.Bool().Draw(t, "ranged"); typ.Ranged {
			typ.Min = float64(rapid.Int32().Draw(t, "min") >> rapid.IntRange(0, 31).Draw(t, "shift"))
			typ.Max = math.Min(math.MaxInt32, typ.Min+float64(rapid.Uint32().Draw(t, "span")>>rapid.IntRange(0, 31).Draw(t, "shift")))
		}
	case engine.KindFloat:
		if typ.Ranged = rapid.Bool().Draw(t, "ranged"); typ.Ranged {
			typ.Min, typ.Max = -10, 1000
		}
	case engine.KindString:
		typ.MaxLen = rapid.SampledFrom([]int{0, 3, 40, 1000}).Draw(t, "longest")
	case engine.KindEnum:
		for i := range rapid.IntRange(1, 200).Draw(t, "names") {
			typ.Enum = append(typ.Enum, fmt.Sprint("N", i))
		}
	case engine.KindVector:
		v := rapid.SampledFrom(vectorTypes).Draw(t, "vector")
		typ.Quant, typ.Unit = v.Quant, v.Unit
	case engine.KindStruct:
		for i := range rapid.IntRange(1, 5).Draw(t, "members") {
			typ.Fields = append(typ.Fields, engine.Field{Name: fmt.Sprint("F", i), Type: drawType(t, depth-1), Local: rapid.IntRange(0, 4).Draw(t, "local") == 0})
		}
	case engine.KindArray:
		typ.Elem, typ.Len = drawType(t, depth-1), rapid.IntRange(1, 20).Draw(t, "len")
	}
	typ.Layout()
	return typ
}

// drawWords fills storage with a value of the type; want is what comes out at the other end.
func drawWords(t *rapid.T, typ *engine.Type, words []uint64, strs []string, wantW []uint64, wantS []string) {
	set := func(w, want uint64) { words[0], wantW[0] = w, want }
	whole := func(lo, hi int64) {
		w := uint64(rapid.Int64Range(lo, hi).Draw(t, "whole"))
		set(w, w)
	}
	switch typ.Kind {
	case engine.KindBool:
		whole(0, 1)
	case engine.KindInt:
		whole(rangeOf(typ))
	case engine.KindEnum:
		whole(0, int64(len(typ.Enum)-1))
	case engine.KindClass:
		whole(0, 50)
	case engine.KindRef:
		whole(0, 1000)
	case engine.KindFloat:
		f := float64(rapid.Float32Range(-math.MaxFloat32, math.MaxFloat32).Draw(t, "float"))
		if typ.Ranged {
			f = float64(rapid.Float32Range(-10, 1000).Draw(t, "float"))
		}
		set(math.Float64bits(f), math.Float64bits(f))
	case engine.KindString:
		s := rapid.StringN(0, min(typ.StringLimit(), 60), typ.StringLimit()).Draw(t, "string")
		if len(s) > 2 && rapid.Bool().Draw(t, "broken") {
			s = s[:len(s)-1]
		}
		strs[0], wantS[0] = s, s
	case engine.KindVector:
		v := geom.V(rapid.Float64Range(-1e5, 1e5).Draw(t, "x"), rapid.Float64Range(-1, 1).Draw(t, "y"), float64(rapid.IntRange(-300, 300).Draw(t, "z")))
		engine.StoreVector(words, v)
		g := GridOf(typ)
		q, _ := g.Quantise(v)
		engine.StoreVector(wantW, g.Value(q))
	case engine.KindRotator:
		r := geom.Rotator{Pitch: rapid.Uint16().Draw(t, "p"), Yaw: rapid.Uint16().Draw(t, "y"), Roll: rapid.Uint16().Draw(t, "r")}
		set(r.Pack(), r.Pack()&0xff00ff00ff00)
	case engine.KindStruct:
		for i := range typ.Fields {
			f := &typ.Fields[i]
			w, s := wantW[f.Word():], wantS[f.Str():]
			if f.Local {
				w, s = make([]uint64, len(w)), make([]string, len(s))
			}
			drawWords(t, f.Type, words[f.Word():], strs[f.Str():], w, s)
		}
	case engine.KindArray:
		n, m := typ.Elem.Words(), typ.Elem.Strs()
		for i := range typ.Len {
			drawWords(t, typ.Elem, words[i*n:], strs[i*m:], wantW[i*n:], wantS[i*m:])
		}
	}
}

// drawValue draws a value of a type, and what comes out at the other end.
func drawValue(t *rapid.T, typ *engine.Type) (in, want Storage) {
	in, want = room(typ), room(typ)
	drawWords(t, typ, in.Words, in.Strs, want.Words, want.Strs)
	return in, want
}

// room is storage for a value of a type.
func room(typ *engine.Type) Storage {
	return Storage{make([]uint64, typ.Words()), make([]string, typ.Strs())}
}

// wantWhole checks that no beginning of what was written can be read.
func wantWhole(t interface{ Fatalf(string, ...any) }, b []byte, read func(r *Reader)) {
	for i := range b {
		r := NewReader(b[:i])
		if read(&r); r.Err() == nil {
			t.Fatalf("%d bytes of % x are enough", i, b)
		}
	}
}

// refuses checks that none of some bytes can be read.
func refuses(t *testing.T, what string, read func(r *Reader), inputs ...string) {
	t.Helper()
	for _, in := range inputs {
		r := NewReader([]byte(in))
		if read(&r); r.Err() == nil {
			t.Errorf("% x is taken for %s", in, what)
		}
	}
}

func TestValuesCross(t *testing.T) {
	tier.Check(t, func(t *rapid.T) {
		typ := drawType(t, 2)
		in, want := drawValue(t, typ)
		e := Values{Names: names{}}
		b := e.Append(nil, typ, in.Words, in.Strs)
		if err := Guard(b); err != nil && err != ErrNodes {
			t.Fatalf("%s: % x: %v", typ, b, err)
		}
		if seen := library(t, b); len(seen) != 1 {
			t.Fatalf("%s takes %d values", typ, len(seen))
		}
		// A layout writes the same, wherever the variable lies.
		layout := NewLayout([]Variable{{Type: typ, Word: 1, Str: 1}, {Type: typ, Word: 1, Str: 1}})
		e.Ends = make([]uint32, 1)
		both := layout.Append([]byte{9}, &e, &Storage{append([]uint64{7}, in.Words...), append([]string{"x"}, in.Strs...)}, &Mask{3})
		if string(both[1:]) != string(b)+string(b) || len(e.Ends) != 2 || int(e.Ends[0]) != 1+len(b) || int(e.Ends[1]) != len(both) {
			t.Fatalf("%s: a layout writes % x, %v; want % x", typ, both[1:], e.Ends, b)
		}
		got := room(typ)
		r := NewReader(b)
		r.Value(typ, got.Words, got.Strs, names{})
		if err := r.End(); err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%s: % x came out as %v, %v; want %v", typ, b, got, err, want)
		}
		wantWhole(t, b, func(r *Reader) { r.Value(typ, got.Words, got.Strs, names{}) })
	})
}

func TestElementsCross(t *testing.T) {
	tier.Check(t, func(t *rapid.T) {
		typ := &engine.Type{Kind: engine.KindArray, Elem: drawType(t, 1), Len: rapid.IntRange(1, 60).Draw(t, "len")}
		typ.Layout()
		in, want := drawValue(t, typ)
		var set, crossed Elements
		n, m := typ.Elem.Words(), typ.Elem.Strs()
		for i := range typ.Len {
			if rapid.IntRange(0, 3).Draw(t, "changed") > 0 {
				set.Set(i)
			} else {
				clear(want.Words[i*n : i*n+n])
				clear(want.Strs[i*m : i*m+m])
			}
		}
		e := Values{Names: names{}}
		b := e.AppendElements(nil, typ, in.Words, in.Strs, &set)
		if len(library(t, b)) != 1 {
			t.Fatal("not one value")
		}
		got := room(typ)
		r := NewReader(b)
		r.Elements(typ, got.Words, got.Strs, names{}, &crossed)
		if r.End() != nil || crossed != set || !reflect.DeepEqual(got, want) {
			t.Fatalf("%v of %v crossed to %v, want %v; %v", crossed, set, got, want, r.Err())
		}
	})
}

func TestFastArraysCross(t *testing.T) {
	elem := &engine.Type{Kind: engine.KindStruct, Fields: []engine.Field{{Name: "Name", Type: &engine.Type{Kind: engine.KindString}}, {Name: "Score", Type: &engine.Type{Kind: engine.KindInt}}}}
	typ := &engine.Type{Kind: engine.KindFastArray, Elem: elem}
	typ.Layout()
	items := []engine.FastItem{{Key: 3, Words: []uint64{7}, Strs: []string{"a"}}, {Key: 900, Words: []uint64{^uint64(0)}, Strs: []string{"b"}}}
	for _, c := range []struct {
		removed []uint32
		whole   bool
		seen    string
	}{
		{nil, false, `[nil, 3, ["a", 7], 900, ["b", -1]]`},
		{[]uint32{1, 70000}, false, `[[1, 70000], 3, ["a", 7], 900, ["b", -1]]`},
		{nil, true, `[true, 3, ["a", 7], 900, ["b", -1]]`},
	} {
		e := Values{}
		b := AppendFast(nil, c.removed, len(items))
		if c.whole {
			b = AppendFastWhole(nil, len(items))
		}
		for i := range items {
			b = e.AppendFastItem(b, typ, &items[i])
		}
		if got := shown(library(t, b)...); got != c.seen {
			t.Errorf("the library sees %s, want %s", got, c.seen)
		}
		read := func(r *Reader) (removed []uint32, got []engine.FastItem, whole bool, err error) {
			d := r.FastDelta()
			for k, ok := d.Removed(); ok; k, ok = d.Removed() {
				removed = append(removed, k)
			}
			for k, ok := d.Item(); ok; k, ok = d.Item() {
				it := engine.FastItem{Key: k, Words: make([]uint64, 1), Strs: make([]string, 1)}
				r.Value(elem, it.Words, it.Strs, nil)
				got = append(got, it)
			}
			return removed, got, d.Whole, r.End()
		}
		r := NewReader(b)
		removed, got, whole, err := read(&r)
		if err != nil || !reflect.DeepEqual(removed, c.removed) || !reflect.DeepEqual(got, items) || whole != c.whole {
			t.Errorf("%s came out as %v %v %v, %v", c.seen, removed, got, whole, err)
		}
		wantWhole(t, b, func(r *Reader) { read(r) })
	}
	refuses(t, "a fast array", func(r *Reader) {
		d := r.FastDelta()
		for _, ok := d.Item(); ok; _, ok = d.Item() {
			r.Value(elem, make([]uint64, 1), make([]string, 1), nil)
		}
	}, "\x92\xc0\x01", "\x91\xc2", "\x95\xc0\x03\x92\xa0\x00\x03\x92\xa0\x00", "\x93\xc0\x00\x92\xa0\x00")
}

// Arguments take the same bytes as variables, and come out as QuantiseArg says.
func TestArgumentsCross(t *testing.T) {
	var args Args
	tier.Check(t, func(t *rapid.T) {
		var params []engine.Param
		var in []engine.Value
		var b []byte
		e, same := Values{Names: names{}}, Values{Names: names{}}
		for range rapid.IntRange(0, 4).Draw(t, "parameters") {
			typ := drawType(t, 2)
			if strings.Contains(typ.String(), "classref") {
				continue // a name needs classes: see TestClassArguments
			}
			stored, _ := drawValue(t, typ)
			v := engine.LoadValue(nil, typ, stored.Words, stored.Strs)
			one := e.AppendValue(nil, typ, &v, nil)
			if string(one) != string(same.Append(nil, typ, stored.Words, stored.Strs)) {
				t.Fatalf("%s: an argument % x differs from a variable", typ, one)
			}
			params, in, b = append(params, engine.Param{Name: "p", Type: typ}), append(in, v), append(b, one...)
		}
		r := NewReader(b)
		got := args.Read(&r, params, len(params), names{}, nil)
		if r.End() != nil {
			t.Fatal(r.Err())
		}
		for i := range in {
			QuantiseArg(params[i].Type, &in[i])
			dropLocal(params[i].Type, &in[i])
			if !reflect.DeepEqual(got[i], in[i]) {
				t.Fatalf("%s: % x came out as %+v, want %+v", params[i].Type, b, got[i], in[i])
			}
		}
		wantWhole(t, b, func(r *Reader) { args.Read(r, params, len(params), names{}, nil) })
	})
}

func dropLocal(typ *engine.Type, v *engine.Value) {
	for i := range v.List {
		if typ.Kind == engine.KindArray {
			dropLocal(typ.Elem, &v.List[i])
		} else if f := &typ.Fields[i]; f.Local {
			v.List[i] = f.Type.Zero()
		} else {
			dropLocal(f.Type, &v.List[i])
		}
	}
}

// Arguments that nobody declared cross as what they are, numbers exactly, and nothing else is taken for one.
func TestUndeclaredArgumentsCross(t *testing.T) {
	var args Args
	typ := &engine.Type{Kind: engine.KindAny}
	params := []engine.Param{{Type: typ}}
	ref := engine.Value{Kind: engine.KindRef, Ref: 500}
	for _, v := range []engine.Value{
		{},
		engine.Bool(true), engine.Bool(false), engine.Float(0), engine.Float(-32768), engine.Float(0.1), engine.Float(0.5), engine.Float(1 << 40),
		engine.Float(1<<40 + 1), engine.Float(1e300), engine.String(""), engine.String("\xff"), engine.String(strings.Repeat("x", 255)),
		engine.Vec(geom.V(1.5, -2.5, 1e6)), engine.Rotation(geom.Rotator{Pitch: 300, Yaw: 16384}), ref,
		{Kind: engine.KindRef},
	} {
		e := Values{Names: names{}}
		b := e.AppendValue(nil, typ, &v, nil)
		if err := Guard(b); err != nil {
			t.Fatal(err)
		}
		r := NewReader(b)
		got := args.Read(&r, params, 1, names{}, nil)
		if err := r.End(); err != nil {
			t.Fatalf("%v: % x: %v", v, b, err)
		}
		QuantiseArg(typ, &v)
		if !reflect.DeepEqual(got[0], v) {
			t.Errorf("% x came out as %+v, want %+v", b, got[0], v)
		}
		wantWhole(t, b, func(r *Reader) { args.Read(r, params, 1, names{}, nil) })
	}
	refuses(t, "an argument", func(r *Reader) { args.Read(r, params, 1, names{}, nil) },
		"\x90", "\x91\x09", "\x93\x09\x01\x01", "\x92\x01\xc3", "\x92\x0c\x90", "\x92\x0d\xc0", "\x92\x09\xc0", "\x80", "\x81\x01\x01",
		"\xcb\x7f\xf0\x00\x00\x00\x00\x00\x00", "\xca\x7f\xc0\x00\x00", "\xd9\xff", "\xda\x01\x00"+strings.Repeat("x", 256))
}

func TestArgumentsLeftOut(t *testing.T) {
	params := []engine.Param{
		{Name: "a", Type: &engine.Type{Kind: engine.KindInt}, Default: engine.Int(5)},
		{Name: "b", Type: &engine.Type{Kind: engine.KindString}, Default: engine.String("x")},
		{Name: "c", Type: &engine.Type{Kind: engine.KindRef}},
	}
	var args Args
	e := Values{}
	b := e.AppendValue(nil, params[0].Type, &engine.Value{}, nil)
	r := NewReader(b)
	got := args.Read(&r, params, 1, nil, nil)
	if r.End() != nil || !reflect.DeepEqual(got, []engine.Value{engine.Int(5), engine.String("x"), {}}) {
		t.Fatal(got, r.Err())
	}
	r.Reset([]byte{1, 0xa1, 'a', 0, 0})
	if args.Read(&r, params, 4, nil, nil); r.Err() != ErrFields {
		t.Fatal("more arguments than parameters", r.Err())
	}
}

func TestRangedInts(t *testing.T) {
	for _, c := range []struct {
		min, max float64
		bias     int64
		worst    int
	}{
		{0, 100, 0, 1},
		{-32, 127, 0, 1},
		{0, 159, 32, 1},
		{-100, 59, -68, 1},
		{1000, 1100, 1032, 1},
		{-100, 100, 0, 2},
		{0, 255, 0, 2},
		{-200, 50, -72, 2},
		{1000, 1383, 1128, 2},
		{-1000, 1000, 0, 3},
		{100000, 150000, 132768, 3},
		{math.MinInt32, math.MaxInt32, 0, 5},
		{-2147483648, -2147483600, -2147483616, 1},
	} {
		typ := &engine.Type{Kind: engine.KindInt, Ranged: true, Min: c.min, Max: c.max}
		if got := IntBias(typ); got != c.bias {
			t.Errorf("%s: bias %d, want %d", typ, got, c.bias)
		}
		e, worst := Values{}, 0
		for _, v := range []float64{c.min, c.max, (c.min + c.max) / 2} {
			b := e.Append(nil, typ, []uint64{uint64(int64(v))}, nil)
			worst = max(worst, len(b))
			w := []uint64{0}
			r := NewReader(b)
			if r.Value(typ, w, nil, nil); r.End() != nil || int64(w[0]) != int64(v) {
				t.Errorf("%s: %v came out as %d, %v", typ, v, int64(w[0]), r.Err())
			}
		}
		if worst != c.worst {
			t.Errorf("%s: %d bytes at worst, want %d", typ, worst, c.worst)
		}
		for _, v := range []int64{int64(c.min) - 1, int64(c.max) + 1} {
			b := AppendInt(nil, v-c.bias)
			r := NewReader(b)
			if r.Value(typ, []uint64{0}, nil, nil); r.Err() != ErrRange {
				t.Errorf("%s: %d is taken", typ, v)
			}
		}
	}
}

func TestHostileValues(t *testing.T) {
	enum := &engine.Type{Kind: engine.KindEnum, Enum: []string{"A", "B"}}
	float := &engine.Type{Kind: engine.KindFloat}
	ranged := &engine.Type{Kind: engine.KindFloat, Ranged: true, Min: 0, Max: 1}
	str := &engine.Type{Kind: engine.KindString, MaxLen: 3}
	ref := &engine.Type{Kind: engine.KindRef}
	class := &engine.Type{Kind: engine.KindClass}
	for _, c := range []struct {
		typ  *engine.Type
		in   string
		want error
	}{
		{enum, "\x02", ErrRange},
		{enum, "\xff", ErrRange},
		{enum, "\xa1A", ErrType},
		{float, "\xca\x7f\x80\x00\x00", ErrRange},
		{float, "\xca\x7f\xc0\x00\x00", ErrRange},
		{float, "\xcb\x7f\xef\xff\xff\xff\xff\xff\xff", ErrRange},
		{float, "\xc3", ErrType},
		{ranged, "\x02", ErrRange},
		{ranged, "\xff", ErrRange},
		{str, "\xa4abcd", ErrRange},
		{str, "\xdb\xff\xff\xff\xff", ErrLength},
		{str, "\x05", ErrType},
		{ref, "\xcd\x04\x00", ErrRange},
		{ref, "\xff", ErrRange},
		{ref, "\xc0", ErrType},
		{class, "\x33", ErrRange},
		{&engine.Type{Kind: engine.KindBool}, "\x01", ErrType},
		{&engine.Type{Kind: engine.KindInt}, "\xce\x80\x00\x00\x00", ErrRange},
		{&engine.Type{Kind: engine.KindRotator}, "\xce\x01\x00\x00\x00", ErrRange},
		{&engine.Type{}, "\xc0", ErrType},
	} {
		r := NewReader([]byte(c.in))
		if r.Value(c.typ, make([]uint64, 3), make([]string, 1), names{}); r.Err() != c.want {
			t.Errorf("%s from % x: %v, want %v", c.typ, c.in, r.Err(), c.want)
		}
		p := []engine.Param{{Type: c.typ}}
		r = NewReader([]byte(c.in))
		if (&Args{}).Read(&r, p, 1, names{}, nil); r.Err() != c.want && c.in != "\xc0" {
			t.Errorf("argument %s from % x: %v, want %v", c.typ, c.in, r.Err(), c.want)
		}
	}
}

func TestMask(t *testing.T) {
	tier.Check(t, func(t *rapid.T) {
		var m Mask
		top := rapid.SampledFrom([]int{1, 5, 7, 15, 31, 40, 64, 130, 256}).Draw(t, "top")
		list := rapid.SliceOfN(rapid.IntRange(0, top-1), 0, rapid.SampledFrom([]int{1, 3, 300}).Draw(t, "most")).Draw(t, "set")
		for _, n := range list {
			m.Set(n)
		}
		b := AppendMask(nil, &m)
		if len(library(t, b)) != 1 {
			t.Fatal("not one value")
		}
		if n := maskSize(&m); n != len(b) {
			t.Fatalf("%v: %d bytes, maskSize says %d", list, len(b), n)
		}
		r := NewReader(b)
		if got := r.Mask(); got != m || r.End() != nil {
			t.Fatalf("% x: %v, %v", b, got, r.Err())
		}
		wantWhole(t, b, func(r *Reader) {
			if r.Mask() != (Mask{}) {
				t.Fatalf("% x: something is read of what is cut", b)
			}
		})
		if count := m.Len(); count == 1 && len(b) > 3 || top <= 5 && len(b) != 1 || top <= 7 && len(b) > 2 || len(b) > 35 {
			t.Fatalf("%v takes %d bytes", list, len(b))
		}
	})
	refuses(t, "a mask", func(r *Reader) { r.Mask() },
		"\x00", "\x05", "\xd3\x80\x00\x00\x00\x00\x00\x00\x00", "\x92\xcc\xff\x00", "\xc4\x21"+strings.Repeat("x", 33), "\xa1a", "\xc0")
}
