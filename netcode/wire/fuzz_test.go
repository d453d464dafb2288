package wire

import (
	"reflect"
	"testing"

	"github.com/tidelock/tidelock/engine"
)

// The corpus of each target is the vectors, and what lies in testdata/fuzz.

// FuzzDatagram and FuzzMessage: nothing panics, loops or reads beyond; what is read and was guarded, the library
// reads, too.
func FuzzDatagram(f *testing.F) { fuzzRead(f, true) }

func FuzzMessage(f *testing.F) { fuzzRead(f, false) }

func fuzzRead(f *testing.F, datagram bool) {
	for _, v := range vectors() {
		f.Add(v.b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) > 60_000 {
			return
		}
		guarded := Guard(b)
		r := NewReader(b)
		readAll(&r, datagram)
		if r.Pos() > len(b) {
			t.Fatal("read beyond the end")
		}
		if guarded == nil {
			library(t, b)
			for i := NewReader(b); i.More(); {
				if i.Skip(); i.Err() != nil {
					t.Fatalf("guarded, but not to be skipped: %v", i.Err())
				}
			}
		}
	})
}

// FuzzGuard: Guard and Skip agree on what is one sequence of values, and what passes the library decodes.
func FuzzGuard(f *testing.F) {
	for _, v := range vectors() {
		f.Add(v.b)
	}
	f.Add([]byte{0xdf, 0xff, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, b []byte) {
		if GuardNodes(b, len(b)) != nil {
			return
		}
		library(t, b)
	})
}

// FuzzValues: every kind of value, from any bytes, into storage; what was read crosses again to the same.
func FuzzValues(f *testing.F) {
	types := []*engine.Type{
		{Kind: engine.KindBool},
		{Kind: engine.KindInt},
		{Kind: engine.KindInt, Ranged: true, Min: 1000, Max: 1100},
		{Kind: engine.KindFloat},
		{Kind: engine.KindFloat, Ranged: true, Min: -1, Max: 1},
		{Kind: engine.KindString, MaxLen: 20},
		{Kind: engine.KindEnum, Enum: []string{"A", "B", "C"}},
		{Kind: engine.KindVector},
		{Kind: engine.KindVector, Quant: 10},
		{Kind: engine.KindVector, Quant: 100},
		{Kind: engine.KindVector, Unit: true},
		{Kind: engine.KindRotator},
		{Kind: engine.KindClass},
		{Kind: engine.KindRef},
		{Kind: engine.KindStruct, Fields: []engine.Field{{Name: "A", Type: &engine.Type{Kind: engine.KindInt}}, {Name: "B", Type: &engine.Type{Kind: engine.KindString}}, {Name: "C", Type: &engine.Type{Kind: engine.KindBool}, Local: true}}},
		{Kind: engine.KindArray, Elem: &engine.Type{Kind: engine.KindFloat}, Len: 3},
	}
	for i, typ := range types {
		typ.Layout()
		for _, v := range vectors() {
			if v.what == "value" {
				f.Add(uint8(i), v.b)
			}
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, b []byte) {
		typ := types[int(which)%len(types)]
		words, strs := make([]uint64, typ.Words()), make([]string, typ.Strs())
		r := NewReader(b)
		r.Value(typ, words, strs, names{})
		ar := NewReader(b)
		(&Args{}).Read(&ar, []engine.Param{{Type: typ}}, 1, names{}, exampleClasses())
		if r.Err() == nil && ar.Err() != nil && typ.Kind != engine.KindClass {
			t.Fatalf("%s: a variable is taken, an argument is not: %v", typ, ar.Err())
		}
		fuzzAny(t, b)
		if r.Err() == nil {
			e := Values{Names: names{}}
			again := e.Append(nil, typ, words, strs)
			if e.Saturated != 0 && typ.Kind == engine.KindVector && !typ.Unit {
				t.Fatalf("%s: % x saturates again", typ, b)
			}
			w, s := make([]uint64, len(words)), make([]string, len(strs))
			r.Reset(again)
			r.Value(typ, w, s, names{})
			if r.End() != nil {
				t.Fatalf("%s: % x → % x: %v", typ, b, again, r.Err())
			}
			for i := range w {
				if w[i] != words[i] && !typ.Unit {
					t.Fatalf("%s: % x → % x: %x, want %x", typ, b, again, w, words)
				}
			}
			for i := range s {
				if s[i] != strs[i] {
					t.Fatalf("%s: %q, want %q", typ, s, strs)
				}
			}
		}
		if typ.Kind == engine.KindArray {
			var set Elements
			r.Reset(b)
			r.Elements(typ, words, strs, names{}, &set)
		}
		r.Reset(b)
		d := r.FastDelta()
		for _, ok := d.Removed(); ok; _, ok = d.Removed() {
		}
		for _, ok := d.Item(); ok; _, ok = d.Item() {
			r.Value(typ, words, strs, names{})
		}
		if typ.Kind == engine.KindVector {
			r.Reset(b)
			r.Relative(GridOf(typ), Quantised{1, -2, 3})
		}
	})
}

// fuzzAny reads an argument of undeclared type: what is taken crosses again to the same.
func fuzzAny(t *testing.T, b []byte) {
	params := []engine.Param{{Type: &engine.Type{Kind: engine.KindAny}}}
	r := NewReader(b)
	got := new(Args).Read(&r, params, 1, names{}, nil)
	if r.Err() != nil {
		return
	}
	if _, err := params[0].Type.Check(nil, got[0]); err != nil {
		t.Fatalf("%v was read: %v", got[0], err)
	}
	e := Values{Names: names{}}
	again := NewReader(e.AppendValue(nil, params[0].Type, &got[0], nil))
	back := new(Args).Read(&again, params, 1, names{}, nil)
	if err := again.End(); err != nil || !reflect.DeepEqual(got, back) {
		t.Fatalf("%v crossed to %v, %v", got, back, err)
	}
}

// FuzzFiles: class tables and manifests.
func FuzzFiles(f *testing.F) {
	for _, v := range vectors() {
		if v.what == "file" {
			f.Add(v.b)
		}
	}
	f.Fuzz(func(_ *testing.T, b []byte) {
		_, _ = tableOf(b)
		r := NewReader(b)
		for n := r.Manifest(); n > 0 && r.Err() == nil; n-- {
			r.ManifestFile()
		}
	})
}

// FuzzAck: acknowledgements of any kind leave the ring sound.
func FuzzAck(f *testing.F) {
	f.Add([]byte{1, 0, 3, 0, 0, 0, 0, 0, 2})
	f.Add([]byte("push push push ack 0 lost"))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, out, fates, pushed := NewSent(64), []Notification(nil), map[int32]bool{}, int32(0)
		for i := 0; i+3 <= len(b); i += 3 {
			if b[i]&1 == 0 {
				_, out = s.Push(pushed, out[:0])
				pushed++
			} else {
				h := Header{Acks: true, Ack: s.Next() - Seq(b[i+1])<<(b[i]>>4), Missing: uint32(b[i+2]) * 0x01010101}
				out, _ = s.Ack(h, out[:0])
			}
			for _, k := range out {
				if fates[k.Record] || k.Record >= pushed {
					t.Fatal("a fate twice, or of nothing", k)
				}
				fates[k.Record] = true
			}
		}
		out = s.Lose(s.Next(), out[:0])
		for _, k := range out {
			fates[k.Record] = true
		}
		if int32(len(fates)) != pushed {
			t.Fatalf("%d fates of %d", len(fates), pushed)
		}
	})
}
