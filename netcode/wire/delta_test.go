package wire

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/tidelock/tidelock/tests/tier"
	"pgregory.net/rapid"
)

type sentActor struct {
	key RunKey
	// values, in order of the mask: relative ones as vectors, others as ints.
	vectors map[int]Quantised
	ints    map[int]int64
}

func TestChannels(t *testing.T) {
	tier.Check(t, func(t *rapid.T) {
		top := rapid.SampledFrom([]int{10, 200, 3000, 65535}).Draw(t, "top")
		list := rapid.SliceOfNDistinct(rapid.Uint16Range(0, uint16(top)), 1, 300, func(u uint16) uint16 { return u }).Draw(t, "channels")
		slices.Sort(list)
		m := Mask{1}
		b := AppendChannels(AppendMask([]byte{0}, &m), list)
		if len(library(t, b)) != 3 {
			t.Fatal("not one value")
		}
		if most := 5 + 2*len(list) + len(list)/2; len(b) > most+2 {
			t.Fatalf("%d channels take %d bytes", len(list), len(b))
		}
		for range list {
			b = append(b, 7)
		}
		r := NewReader(b)
		d := r.Deltas()
		var got []uint16
		for d.Next() {
			for c, ok := d.Channel(); ok; c, ok = d.Channel() {
				got = append(got, c)
				if r.Int() != 7 {
					t.Fatal("value")
				}
			}
		}
		if r.End() != nil || !slices.Equal(got, list) {
			t.Fatalf("% x: %v, %v; want %v", b, got, r.Err(), list)
		}
	})
}

// Random actors through the assembler and back, in any order, with bases, waits and unknown actors; truncated at
// every byte.
func TestDeltasCross(t *testing.T) {
	var asm Assembler
	g := Grid{1, 16}
	tier.Check(t, func(t *rapid.T) {
		keys := make([]RunKey, rapid.IntRange(1, 4).Draw(t, "keys"))
		for i := range keys {
			k := &keys[i]
			for range rapid.SampledFrom([]int{1, 1, 2, 4}).Draw(t, "variables") {
				k.Mask.Set(rapid.SampledFrom([]int{0, 1, 2, 3, 6, 9, 40, 100, 255}).Draw(t, "variable"))
			}
			if rapid.Bool().Draw(t, "relative") {
				k.Rel.Set(first(&k.Mask))
				k.Age = rapid.IntRange(1, MaxAge).Draw(t, "age")
			}
			if rapid.IntRange(0, 3).Draw(t, "waits") == 0 {
				k.Waits, k.After = true, rapid.Uint16().Draw(t, "after")
			}
		}
		limit := rapid.SampledFrom([]int{60, 400, MaxDatagram}).Draw(t, "limit")
		asm.Reset(limit)
		base := Quantised{100, 200, 300}
		sent := map[uint16]sentActor{}
		for range rapid.IntRange(1, 120).Draw(t, "actors") {
			ch := rapid.Uint16Range(0, 400).Draw(t, "channel")
			if _, twice := sent[ch]; twice {
				continue
			}
			a := sentActor{key: keys[rapid.IntRange(0, len(keys)-1).Draw(t, "key")], vectors: map[int]Quantised{}, ints: map[int]int64{}}
			var frags [][]byte
			for v := range a.key.Mask.All() {
				if a.key.Rel.Has(v) {
					a.vectors[v] = drawQuantised(t, g, "vector")
					frags = append(frags, AppendRelative(nil, a.vectors[v], base))
				} else {
					a.ints[v] = rapid.Int64Range(-70000, 70000).Draw(t, "int")
					frags = append(frags, AppendInt(nil, a.ints[v]))
				}
			}
			if v := first(&a.key.Mask); a.key.Mask == a.key.Rel && a.key.Mask.Len() == 1 && v < 64 && !a.key.Waits {
				before := asm.Size() // the same by the short way
				if n := asm.AddRelative(ch, v, a.key.Age, a.vectors[v], base); n > 0 {
					sent[ch] = a
					if n != len(frags[0]) {
						t.Fatalf("AddRelative says %d bytes, they are %d", n, len(frags[0]))
					}
				} else if asm.Size() != before {
					t.Fatal("what was refused takes room")
				}
				continue
			}
			if m := a.key.Mask; m[1]|m[2]|m[3] == 0 && !a.key.Waits && ch%2 == 0 {
				if asm.AddNarrow(ch, m[0], a.key.Rel[0], a.key.Age, slices.Concat(frags...)) {
					sent[ch] = a
				}
				continue
			}
			if asm.Add(ch, &a.key, frags...) {
				sent[ch] = a
			}
		}
		b := asm.Append([]byte{9}, 300%128)[1:]
		if len(b) > asm.Size() || asm.Size() > limit || asm.Len() != len(sent) {
			t.Fatalf("%d bytes, Size says %d, limit %d; %d actors of %d", len(b), asm.Size(), limit, asm.Len(), len(sent))
		}
		if len(b) == 0 {
			return
		}
		if err := Guard(b); err != nil {
			t.Fatal(err)
		}
		library(t, b)

		unknown := rapid.Uint16Range(0, 400).Draw(t, "unknown")
		read := func(b []byte) (int, error) {
			r := NewReader(b)
			d := r.Deltas()
			n := 0
			for d.Next() {
				for ch, ok := d.Channel(); ok; ch, ok = d.Channel() {
					n++
					if ch == unknown {
						d.SkipActor()
						continue
					}
					a, ok := sent[ch]
					if r.Err() == nil && (!ok || d.Run.Mask != a.key.Mask || d.Run.Rel != a.key.Rel || a.key.Age != 0 && d.Run.Age != a.key.Age || d.Run.Waits != a.key.Waits || d.Run.After != a.key.After) {
						return n, fmt.Errorf("channel %d: %+v, want %+v", ch, d.Run, a.key)
					}
					for v := range d.Run.Mask.All() {
						if d.Run.Rel.Has(v) {
							if q := r.Relative(g, base); r.Err() == nil && q != a.vectors[v] {
								return n, fmt.Errorf("channel %d variable %d: %v, want %v", ch, v, q, a.vectors[v])
							}
						} else if i := r.Int(); r.Err() == nil && i != a.ints[v] {
							return n, fmt.Errorf("channel %d variable %d: %v, want %v", ch, v, i, a.ints[v])
						}
					}
				}
			}
			return n, r.End()
		}
		whole := NewReader(b)
		if n, err := read(b); err != nil || n != len(sent) || whole.Deltas().Epoch != 300%128 {
			t.Fatalf("% x: %d actors of %d, %v", b, n, len(sent), err)
		}
		for i := range b {
			if n, err := read(b[:i]); err == nil && n == len(sent) {
				t.Fatalf("%d bytes of %d are enough", i, len(b))
			}
		}
	})
}

func TestHostileDeltas(t *testing.T) {
	refuses(t, "deltas", func(r *Reader) {
		d := r.Deltas()
		for d.Next() {
			for _, ok := d.Channel(); ok; _, ok = d.Channel() {
				d.SkipActor()
			}
		}
	},
		"\xff",                                 // an epoch below 0
		"\x00\xff\x00",                         // an empty mask
		"\x00\xfe",                             // no channels
		"\x00\xfe\xc0",                         // nil for channels
		"\x00\xfe\xc4\x02\x00\x00",             // a set without bits
		"\x00\xfe\x93\x00\xcd\xff\xff\x00\x07", // beyond the last channel
		"\x00\xfe\xc4\x03\xff\xff\x02\x07",
		"\x00\x81\x21\xfe\xfe\x00\x00", // an age of 33
		"\x00\x81\x01",
		"\x00\x80\xfe\x00\x00",
		"\x00\x82\x01\xfe\x02\xfe\xfe\x00\x00",
		"\x00\xfe\x00", // a value is missing
	)
}

// What one variable of one actor costs, and what many cost together.
func TestDeltaSizes(t *testing.T) {
	var asm Assembler
	location := RunKey{Mask: Mask{1}, Rel: Mask{1}, Age: 3}
	size := func(n int) int {
		asm.Reset(MaxDatagram)
		for i := range n {
			asm.Add(uint16(2*i), &location, AppendRelative(nil, Quantised{44, -44, 0}, Quantised{}))
		}
		return len(asm.Append(nil, 0))
	}
	if n := size(1); n != 1+3+1+1+2 {
		t.Errorf("one actor that moved takes %d bytes", n)
	}
	if n := size(82); n != 1+3+1+(2+2+21)+82*2 {
		t.Errorf("82 actors that moved take %d bytes", n)
	}
	asm.Reset(MaxDatagram)
	asm.Add(5, &RunKey{Mask: Mask{1 << 2}}, AppendInt(nil, 100))
	if n := len(asm.Append(nil, 0)); n != 4 {
		t.Errorf("one small variable takes %d bytes", n)
	}
}

func TestAssemblerAllocatesNothing(t *testing.T) {
	var asm Assembler
	keys := []RunKey{{Mask: Mask{1}, Rel: Mask{1}, Age: 3}, {Mask: Mask{5}}, {Mask: Mask{1 << 40}}}
	frag := []byte{1, 2, 3}
	b := make([]byte, 0, MaxDatagram)
	if n := testing.AllocsPerRun(100, func() {
		asm.Reset(MaxDatagram)
		for i := range 100 {
			asm.Add(uint16(7*i%100), &keys[i%3], frag, frag)
		}
		b = asm.Append(b[:0], 1)
	}); n != 0 {
		t.Fatalf("%v allocations", n)
	}
	if bytes.Count(b, frag) != 200 {
		t.Fatal("fragments are missing")
	}
}

// first is the lowest variable of a set, or −1.
func first(m *Mask) int {
	for n := range m.All() {
		return n
	}
	return -1
}
