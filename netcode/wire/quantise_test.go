package wire

import (
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/tests/tier"
	"pgregory.net/rapid"
)

var vectorTypes = []*engine.Type{
	{Kind: engine.KindVector},
	{Kind: engine.KindVector, Quant: 1},
	{Kind: engine.KindVector, Quant: 10},
	{Kind: engine.KindVector, Quant: 100},
	{Kind: engine.KindVector, Unit: true},
}

func TestQuantiseByTheRule(t *testing.T) {
	below, whole := math.Nextafter(0.5, 0), vectorTypes[0]
	for _, c := range []struct {
		t    *engine.Type
		in   float64
		want int32
		sat  bool
	}{
		{whole, 0.5, 1, false},
		{whole, -0.5, -1, false},
		{whole, below, 0, false},
		{whole, -below, 0, false},
		{whole, 32767.4, 32767, false},
		{whole, 32767.5, 32767, true},
		{whole, -32768.4, -32768, false},
		{whole, -32768.5, -32768, true},
		{whole, 1e300, 32767, true},
		{whole, math.Inf(-1), -32768, true},
		{whole, math.NaN(), 0, true},
		{whole, math.Copysign(0, -1), 0, false},
		{vectorTypes[2], 838860.7, 1<<23 - 1, false},
		{vectorTypes[2], 838860.8, 1<<23 - 1, true},
		{vectorTypes[2], -838860.8, -1 << 23, false},
		{vectorTypes[3], 5368709.11, 1<<29 - 1, false},
		{vectorTypes[3], -5368709.12, -1 << 29, false},
		{vectorTypes[3], 6e6, 1<<29 - 1, true},
		{vectorTypes[4], 1, 32767, false},
		{vectorTypes[4], -1, -32767, false},
		{vectorTypes[4], -1.1, -32767, true},
	} {
		q, sat := GridOf(c.t).Quantise(geom.V(0, c.in, 0))
		if q != (Quantised{0, c.want, 0}) || sat != c.sat {
			t.Errorf("%s %v: %v, saturated %v; want %d, %v", c.t, c.in, q[1], sat, c.want, c.sat)
		}
	}
}

// Against arithmetic without rounding errors.
func TestQuantiseAgainstRationals(t *testing.T) {
	tier.Check(t, func(t *rapid.T) {
		typ := rapid.SampledFrom(vectorTypes[:2]).Draw(t, "type")
		x := rapid.OneOf(rapid.Float64Range(-40000, 40000), rapid.Map(rapid.IntRange(-70000, 70000), func(i int) float64 { return float64(i) / 2 })).Draw(t, "x")
		q, sat := GridOf(typ).Quantise(geom.V(x, 0, 0))
		r := new(big.Rat).SetFloat64(math.Abs(x))
		r.Add(r, big.NewRat(1, 2))
		n := new(big.Int).Quo(r.Num(), r.Denom()).Int64()
		if x < 0 {
			n = -n
		}
		want := min(max(n, -32768), 32767)
		if int64(q[0]) != want || sat != (want != n) {
			t.Fatalf("%v: %d, %v; want %d", x, q[0], sat, want)
		}
	})
}

func drawQuantised(t *rapid.T, g Grid, name string) Quantised {
	var q Quantised
	for i := range q {
		q[i] = int32(rapid.Int64Range(-int64(g.Max())-1, int64(g.Max())).Draw(t, name)) >> rapid.IntRange(0, 30).Draw(t, "shift")
	}
	return q
}

func TestVectorsCross(t *testing.T) {
	tier.Check(t, func(t *rapid.T) {
		g := GridOf(rapid.SampledFrom(vectorTypes).Draw(t, "type"))
		q, base := drawQuantised(t, g, "q"), drawQuantised(t, g, "base")
		b := AppendVector(nil, g, q)
		if len(b) != VectorSize(g, q) || len(library(t, b)) != 1 {
			t.Fatalf("% x: VectorSize says %d", b, VectorSize(g, q))
		}
		r := NewReader(b)
		if got := r.Vector(g); got != q || r.End() != nil {
			t.Fatalf("%v came out as %v, %v", q, got, r.Err())
		}
		b = AppendRelative(nil, q, base)
		if len(b) != RelativeSize(q, base) {
			t.Fatalf("% x: RelativeSize says %d", b, RelativeSize(q, base))
		}
		r.Reset(b)
		if got := r.Relative(g, base); got != q || r.End() != nil {
			t.Fatalf("%v relative to %v came out as %v, %v", q, base, got, r.Err())
		}
		r.Reset(b)
		if r.SkipRelative(); r.End() != nil {
			t.Fatal("skip", r.Err())
		}
		// Its value quantises to itself: what the receiver holds is stable.
		if again, sat := g.Quantise(g.Value(q)); again != q && q[0] > -32768 && q[1] > -32768 && q[2] > -32768 || sat && g.Scale != 32767 {
			t.Fatalf("%v → %v", q, again)
		}
	})
}

// A wide vector takes as many bytes as its largest component needs, and no more than it would at full width.
func TestWideVectorsAreShort(t *testing.T) {
	for _, c := range []struct {
		g    Grid
		q    Quantised
		size int
	}{
		{Grid{10, 24}, Quantised{1, -2, 3}, 4},
		{Grid{10, 24}, Quantised{120, -128, 127}, 5},
		{Grid{10, 24}, Quantised{4095, -4096, 300}, 7},
		{Grid{10, 24}, Quantised{4096, 0, 881}, 8},
		{Grid{10, 24}, Quantised{32767, -32768, 32767}, 8},
		{Grid{10, 24}, Quantised{32768, 4096, 881}, 9},
		{Grid{10, 24}, Quantised{1<<20 - 1, -1 << 20, 881}, 10},
		{Grid{10, 24}, Quantised{1<<23 - 1, -1 << 23, 881}, 11},
		{Grid{100, 30}, Quantised{1<<23 - 1, -1 << 23, 881}, 11},
		{Grid{100, 30}, Quantised{1<<29 - 1, -1 << 29, 1 << 28}, 14},
	} {
		b := AppendVector(nil, c.g, c.q)
		r := NewReader(b)
		if got := r.Vector(c.g); len(b) != c.size || got != c.q || r.End() != nil {
			t.Errorf("%v takes %d bytes, % x, and comes out as %v, %v; want %d bytes", c.q, len(b), b, got, r.Err(), c.size)
		}
	}
}

func TestHostileVectors(t *testing.T) {
	of := func(g Grid) func(r *Reader) { return func(r *Reader) { r.Vector(g) } }
	zeros := strings.Repeat("\x00", 12)
	refuses(t, "a vector", of(Grid{1, 16}),
		"\x93\xcd\x80\x00\x00\x00", // 32 768
		"\x92\x00\x00", "\xc4\x05"+zeros[:5], "\xc4\x09"+zeros[:9], "\xa6"+zeros[:6], "\x05", "\x93\xcf\xff\xff\xff\xff\xff\xff\xff\xff\x00\x00")
	refuses(t, "a vector of 30 bits a component", of(Grid{100, 30}), "\xc4\x0c"+zeros[:11]+"\x01") // filling bits that are not zero
	refuses(t, "a vector of 24 bits a component", of(Grid{10, 24}),
		"\xc4\x02"+zeros[:2], "\xc4\x04"+zeros[:3],
		"\xc4\x0a"+zeros[:10],       // more than a component needs
		"\xc4\x07"+zeros[:6]+"\x03") // two bits are left of three components of 18
	r := NewReader(AppendInt(AppendInt(nil, math.MaxInt64), math.MinInt64))
	if r.Relative(Grid{100, 30}, Quantised{1, 1, 1}); r.Err() != ErrRange {
		t.Error("a difference that overflows", r.Err())
	}
}

func TestBases(t *testing.T) {
	var k Bases
	if _, ok := k.Get(0); ok {
		t.Fatal("the zero Bases holds something")
	}
	for s := Seq(65500); s != 40; s++ {
		k.Put(s, Quantised{int32(s)})
		for age := Seq(0); age < MaxAge; age++ {
			if q, ok := k.Get(s - age); ok != (s-age-65500 <= s-65500) || ok && q[0] != int32(s-age) {
				t.Fatalf("%d back from %d: %v, %v", age, s, q, ok)
			}
		}
		if _, ok := k.Get(s - MaxAge); ok {
			t.Fatalf("%d is still held after %d", s-MaxAge, s)
		}
	}
	k.Clear()
	if _, ok := k.Get(39); ok {
		t.Fatal("cleared")
	}
}
