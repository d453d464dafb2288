package wire

import (
	"bytes"
	"fmt"
	"math"
	"testing"

	"github.com/tidelock/tidelock/tests/tier"
	"github.com/vmihailenco/msgpack/v5"
	"pgregory.net/rapid"
)

// What we write the library reads, and what it writes we read, to the same.
func TestSameAsLibrary(t *testing.T) {
	tier.Check(t, func(t *rapid.T) {
		shift := rapid.IntRange(0, 63).Draw(t, "shift")
		i := rapid.Int64().Draw(t, "int") >> shift
		u := rapid.Uint64().Draw(t, "uint") >> shift
		f := rapid.OneOf(rapid.Float32(), rapid.Map(rapid.Int32Range(-70000, 70000), func(i int32) float32 { return float32(i) })).Draw(t, "float")
		g := rapid.Float64().Draw(t, "double")
		s := rapid.StringN(0, 300, -1).Draw(t, "string")
		raw := rapid.SliceOfN(rapid.Byte(), 0, 300).Draw(t, "bin")
		n := rapid.SampledFrom([]int{0, 1, 15, 16, 255, 70000}).Draw(t, "n")

		b := AppendInt(nil, i)
		if len(b) != IntSize(i) {
			t.Fatalf("IntSize(%d) = %d, took %d", i, IntSize(i), len(b))
		}
		b = AppendUint(b, u)
		b = AppendFloat(b, f)
		b = AppendFloat64(b, g)
		b = AppendString(b, s)
		b = AppendBin(b, raw)
		b = AppendString(b, string(raw))
		b = AppendBool(AppendBool(append(b, mpNil), true), false)
		b = AppendArray(b, n)
		for range n {
			b = append(b, 7)
		}
		b = AppendMap(b, 2)
		b = append(b, 1, 2)
		b = append(AppendString(b, "k"), 3)
		if err := GuardNodes(b, 1<<20); err != nil {
			t.Fatal(err)
		}

		d := msgpack.NewDecoder(bytes.NewReader(b))
		reads := func(want any) func(got any, err error) {
			return func(got any, err error) {
				if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
					t.Fatalf("the library read %v, %v; wrote %v", got, err, want)
				}
			}
		}
		reads(i)(d.DecodeInt64())
		reads(u)(d.DecodeUint64())
		reads(f)(d.DecodeFloat32())
		reads(g)(d.DecodeFloat64())
		reads(s)(d.DecodeString())
		reads(raw)(d.DecodeBytes())
		reads(raw)(d.DecodeBytes())

		// Ours.
		r := NewReader(b)
		if r.Int() != i || u <= math.MaxInt64 && r.Int() != int64(u) {
			t.Fatal("int")
		}
		if u > math.MaxInt64 {
			if r.Int(); r.Err() != ErrRange {
				t.Fatal("an integer beyond 63 bits must be refused")
			}
			r.err = nil
		}
		if math.Float32bits(float32(r.Number())) != math.Float32bits(f) || math.Float64bits(r.Number()) != math.Float64bits(g) {
			t.Fatal("float")
		}
		if r.Text(2000) != s || !bytes.Equal(r.Bytes(300), raw) || !bytes.Equal(r.Bytes(300), raw) || !r.Nil() ||
			!r.Bool() || r.Bool() || r.Array() != n {
			t.Fatal("text, nil, bool or array")
		}
		for range n {
			r.Skip()
		}
		if r.Map() != 2 || r.Int() != 1 || r.Int() != 2 || r.Text(9) != "k" || r.Int() != 3 || r.End() != nil {
			t.Fatal("map", r.Err())
		}

		// The library's bytes.
		var buf bytes.Buffer
		e := msgpack.NewEncoder(&buf)
		_ = e.EncodeInt64(i) // always nine bytes
		_ = e.EncodeInt(i)
		_ = e.EncodeFloat64(g)
		_ = e.EncodeString(s)
		_ = e.EncodeBytes(append([]byte{}, raw...))
		r.Reset(buf.Bytes())
		first, second := r.Int(), r.Int()
		if first != i || second != i || math.Float64bits(r.Number()) != math.Float64bits(g) || r.Text(2000) != s || !bytes.Equal(r.Bytes(300), raw) || r.End() != nil {
			t.Fatal("what the library wrote", r.Err())
		}
	})
}

func TestFloatsCrossExactly(t *testing.T) {
	for _, f := range []float32{0, float32(math.Copysign(0, -1)), 1, -1, 127, 128, -32, -33, -32768, -32769, 65535, 65536, 0.5, 1e30, math.MaxFloat32, math.SmallestNonzeroFloat32, 1 << 31, -(1 << 31)} {
		b := AppendFloat(nil, f)
		r := NewReader(b)
		if got := float32(r.Number()); math.Float32bits(got) != math.Float32bits(f) || r.End() != nil {
			t.Errorf("%v came out as %v (% x)", f, got, b)
		}
		if len(b) > 5 {
			t.Errorf("%v took %d bytes", f, len(b))
		}
	}
}

func TestTextIsCutBetweenCharacters(t *testing.T) {
	for n, want := range map[int]string{0: "", 1: "a", 2: "a", 3: "aé", 4: "aéb", 9: "aéb"} {
		if got := cut("aéb", n); got != want {
			t.Errorf("cut at %d: %q, want %q", n, got, want)
		}
	}
}

func TestFirstErrorSticks(t *testing.T) {
	r := NewReader([]byte{0xc0, 5})
	r.Int()
	if r.Err() != ErrType {
		t.Fatal(r.Err())
	}
	pos := r.Pos()
	if r.Int() != 0 || r.Bool() || r.Text(9) != "" || r.Array() != 0 || r.Map() != 0 || r.Number() != 0 || r.Skip() != nil || r.Nil() || r.Peek() != ShapeNone || r.Left() != 0 {
		t.Fatal("reads after an error must give zero")
	}
	if r.Pos() != pos || r.End() != ErrType {
		t.Fatal("the first error must stay")
	}
}
