package wire

import (
	"bytes"
	"math"
	"testing"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/vmihailenco/msgpack/v5"
)

// One delta (id, int, float, bool, vector) takes at most 0.3 of the time of msgpack/v5's typed calls with a reused encoder and
// allocates nothing.

type benchActor struct {
	types  []*engine.Type
	layout *Layout
	at     []int
	q      Quantised
	Storage
}

func newBenchActor(i int) *benchActor {
	a := &benchActor{types: []*engine.Type{
		{Kind: engine.KindInt}, {Kind: engine.KindFloat}, {Kind: engine.KindBool}, {Kind: engine.KindVector},
	}}
	var vars []Variable
	for _, t := range a.types {
		t.Layout()
		a.at = append(a.at, len(a.Words))
		vars = append(vars, Variable{Type: t, Word: len(a.Words)})
		a.Words = append(a.Words, make([]uint64, t.Words())...)
	}
	a.layout = NewLayout(vars)
	a.Words[0] = uint64(1000 + i)
	a.Words[1] = math.Float64bits(float64(float32(i) + 0.25))
	a.Words[2] = uint64(i & 1)
	engine.StoreVector(a.Words[3:], geom.V(float64(3000+i)+0.3, -1234.6, 96))
	a.q, _ = Grid{1, 16}.Quantise(engine.LoadVector(a.Words[3:]))
	return a
}

func newBenchActors() (all [64]*benchActor) {
	for i := range all {
		all[i] = newBenchActor(i)
		all[i].types, all[i].layout = all[0].types, all[0].layout // of one class
	}
	return all
}

var sink int

func BenchmarkEncodeDelta(b *testing.B) {
	actors := newBenchActors()
	mask, ch := Mask{15}, []uint16{77}
	b.Run("wire", func(b *testing.B) {
		b.ReportAllocs()
		e := Values{}
		buf := make([]byte, 0, 256)
		for i := 0; b.Loop(); i++ {
			a := actors[i&63]
			buf = AppendChannels(AppendMask(buf[:0], &mask), ch)
			buf = a.layout.Append(buf, &e, &a.Storage, &mask)
		}
		sink += len(buf)
		b.ReportMetric(float64(len(buf)), "B/delta")
	})
	b.Run("wire-one-by-one", func(b *testing.B) {
		b.ReportAllocs()
		e := Values{}
		buf := make([]byte, 0, 256)
		for i := 0; b.Loop(); i++ {
			a := actors[i&63]
			buf = AppendChannels(AppendMask(buf[:0], &mask), ch)
			for k, t := range a.types {
				buf = e.Append(buf, t, a.Words[a.at[k]:], a.Strs)
			}
		}
		sink += len(buf)
	})
	b.Run("msgpack-v5-typed", func(b *testing.B) {
		b.ReportAllocs()
		var buf bytes.Buffer
		enc := msgpack.NewEncoder(&buf)
		for i := 0; b.Loop(); i++ {
			a := actors[i&63]
			buf.Reset()
			q, _ := Grid{1, 16}.Quantise(engine.LoadVector(a.Words[3:]))
			libraryDelta(enc, a, q)
		}
		sink += buf.Len()
		b.ReportMetric(float64(buf.Len()), "B/delta")
	})
	// The same with the vector's three int16 at hand: calls against calls.
	b.Run("wire-typed-quantised", func(b *testing.B) {
		b.ReportAllocs()
		buf := make([]byte, 0, 256)
		for i := 0; b.Loop(); i++ {
			a := actors[i&63]
			buf = AppendInt(AppendInt(buf[:0], -1-15), 77)
			buf = AppendInt(buf, int64(a.Words[0]))
			buf = AppendFloat(buf, float32(math.Float64frombits(a.Words[1])))
			buf = AppendBool(buf, a.Words[2] != 0)
			buf = AppendVector(buf, Grid{1, 16}, a.q)
		}
		sink += len(buf)
	})
	b.Run("msgpack-v5-typed-quantised", func(b *testing.B) {
		b.ReportAllocs()
		var buf bytes.Buffer
		enc := msgpack.NewEncoder(&buf)
		for i := 0; b.Loop(); i++ {
			a := actors[i&63]
			buf.Reset()
			libraryDelta(enc, a, a.q)
		}
		sink += buf.Len()
	})
}

func libraryDelta(enc *msgpack.Encoder, a *benchActor, q Quantised) {
	_ = enc.EncodeUint(77)
	_ = enc.EncodeUint(15)
	_ = enc.EncodeInt(int64(a.Words[0]))
	_ = enc.EncodeFloat32(float32(math.Float64frombits(a.Words[1])))
	_ = enc.EncodeBool(a.Words[2] != 0)
	_ = enc.EncodeArrayLen(3)
	_ = enc.EncodeInt(int64(q[0]))
	_ = enc.EncodeInt(int64(q[1]))
	_ = enc.EncodeInt(int64(q[2]))
}

func BenchmarkDecodeDelta(b *testing.B) {
	a := newBenchActor(1)
	e := Values{}
	mask := Mask{15}
	buf := AppendChannels(AppendMask([]byte{0}, &mask), []uint16{77})
	for k, t := range a.types {
		buf = e.Append(buf, t, a.Words[a.at[k]:], a.Strs)
	}
	b.Run("wire", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			r := NewReader(buf)
			d := r.Deltas()
			for d.Next() {
				for _, ok := d.Channel(); ok; _, ok = d.Channel() {
					for v := range d.Run.Mask.All() {
						r.Value(a.types[v], a.Words[a.at[v]:], a.Strs, nil)
					}
				}
			}
			if r.End() != nil {
				b.Fatal(r.Err())
			}
		}
	})
	b.Run("guard", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if Guard(buf) != nil {
				b.Fatal()
			}
		}
	})
	b.Run("msgpack-v5-typed", func(b *testing.B) {
		b.ReportAllocs()
		rd := bytes.NewReader(buf)
		dec := msgpack.NewDecoder(rd)
		for b.Loop() {
			rd.Reset(buf)
			dec.Reset(rd)
			_, _ = dec.DecodeInt()
			_, _ = dec.DecodeInt()
			_, _ = dec.DecodeInt()
			_, _ = dec.DecodeInt()
			_, _ = dec.DecodeFloat32()
			_, _ = dec.DecodeBool()
			_, _ = dec.DecodeBytes()
		}
	})
}

func BenchmarkGuardFullDatagram(b *testing.B) {
	buf := bytes.Repeat([]byte{0x93, 1, 0xcd, 1, 2, 0xff}, MaxDatagram/6)
	b.SetBytes(int64(len(buf)))
	b.ReportAllocs()
	for b.Loop() {
		if Guard(buf) != nil {
			b.Fatal()
		}
	}
}

func BenchmarkRelative(b *testing.B) {
	b.ReportAllocs()
	buf := make([]byte, 0, 16)
	for i := int32(0); b.Loop(); i++ {
		buf = AppendRelative(buf[:0], Quantised{i & 31, 7, 9}, Quantised{0, 0, 9})
	}
	sink += len(buf)
}

// A datagram of 100 actors from fragments, as one connection's share of a net update.
func BenchmarkAssemble100(b *testing.B) {
	keys := []RunKey{{Mask: Mask{1}, Rel: Mask{1}, Age: 3}, {Mask: Mask{3}, Rel: Mask{1}, Age: 3}, {Mask: Mask{9}, Rel: Mask{1}, Age: 3}}
	frag := []byte{50, 40, 3}
	var asm Assembler
	buf := make([]byte, 0, MaxDatagram)
	b.ReportAllocs()
	for b.Loop() {
		asm.Reset(MaxDatagram)
		for i := range 100 {
			k := &keys[0]
			if i%8 == 0 {
				k = &keys[1+i>>3&1]
			}
			asm.Add(uint16(2*i), k, frag)
		}
		buf = asm.Append(buf[:0], 1)
	}
	b.ReportMetric(float64(len(buf)), "B")
}

func BenchmarkHeader(b *testing.B) {
	b.ReportAllocs()
	buf := make([]byte, 0, 16)
	for i := Seq(0); b.Loop(); i++ {
		buf = AppendHeader(buf[:0], Header{Seq: i, Acks: true, Ack: i - 3})
	}
	sink += len(buf)
}
