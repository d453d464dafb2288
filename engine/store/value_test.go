package store_test

import (
	"bytes"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/engine/store"
)

func randomValue(r *rand.Rand, depth int) any {
	kinds := 10
	if depth > 3 {
		kinds = 8
	}
	switch r.IntN(kinds) {
	case 0:
		return nil
	case 1:
		return r.IntN(2) == 0
	case 2:
		return float64(r.IntN(400) - 200)
	case 3:
		return math.Float64frombits(r.Uint64()>>2 | 1) // finite
	case 4:
		return float64(int64(r.Uint64()) >> r.IntN(64))
	case 5:
		return strings.Repeat("wave", r.IntN(100))
	case 6:
		return string([]byte{0xff, byte(r.IntN(256))})
	case 7:
		if r.IntN(2) == 0 {
			return geom.Rotator{Pitch: uint16(r.Uint32()), Yaw: uint16(r.Uint32()), Roll: 7}
		}
		return geom.Vector{X: r.Float64(), Y: -r.Float64(), Z: 1e6}
	case 8:
		t := &store.Table{}
		for range 1 + r.IntN(40) {
			t.Array = append(t.Array, randomValue(r, depth+1))
		}
		return t
	}
	t := &store.Table{}
	for i := range r.IntN(20) {
		t.Pairs = append(t.Pairs, store.Pair{Key: float64(i) + 0.5, Value: randomValue(r, depth+1)})
	}
	return t
}

// TestValues: what is stored comes back, and the same value is always the same bytes.
func TestValues(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		x := randomValue(r, 0)
		b, err := store.Append(nil, x)
		if err != nil {
			continue // too large
		}
		got, err := store.Decode(b)
		if err != nil {
			t.Fatalf("%v: %v", x, err)
		}
		again, err := store.Append(nil, got)
		if err != nil || !bytes.Equal(again, b) {
			t.Fatalf("%x became %x, %v", b, again, err)
		}
		if _, ok := x.(*store.Table); !ok && !reflect.DeepEqual(got, x) {
			t.Fatalf("%#v became %#v", x, got)
		}
	}
	a, _ := store.Append(nil, &store.Table{Pairs: []store.Pair{{Key: "b", Value: 1.0}, {Key: "a", Value: 2.0}}})
	b, _ := store.Append(nil, &store.Table{Pairs: []store.Pair{{Key: "a", Value: 2.0}, {Key: "b", Value: 1.0}}})
	if !bytes.Equal(a, b) {
		t.Errorf("the order of pairs matters: %x, %x", a, b)
	}
	if b, _ := store.Append(nil, math.Copysign(0, -1)); b[0] != 0xcb {
		t.Errorf("-0 became %x", b)
	}
}

// TestNoValues: what cannot be stored is an error in one line.
func TestNoValues(t *testing.T) {
	deep := &store.Table{}
	deep.Array = []any{deep}
	wide := &store.Table{Array: make([]any, 20000)}
	for _, c := range []struct {
		x    any
		want string
	}{
		{deep, "nested more than 16 deep, or contains itself"},
		{wide, "more than 16384 parts"},
		{strings.Repeat("x", store.MaxValue), "a value of 65541 bytes is too large: at most 65536; use several keys"},
		{&store.Table{Pairs: []store.Pair{{Key: geom.Vector{}, Value: 1.0}}}, "a geom.Vector cannot be the key of a stored table"},
		{7, "a int cannot be stored"},
	} {
		if _, err := store.Append(nil, c.x); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%T: %v, want %s", c.x, err, c.want)
		}
	}
}

// FuzzDecode: no bytes crash the decoder, or make it take memory that they do not pay for; what it accepts is a value.
func FuzzDecode(f *testing.F) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		b, _ := store.Append(nil, randomValue(r, 0))
		f.Add(b)
	}
	f.Add([]byte{0xdd, 0xff, 0xff, 0xff, 0xff})
	f.Add(bytes.Repeat([]byte{0x91}, 100))
	f.Fuzz(func(t *testing.T, b []byte) {
		x, err := store.Decode(b)
		if err != nil {
			return
		}
		again, err := store.Append(nil, x)
		if err != nil {
			if len(b) < store.MaxValue/9 {
				t.Fatalf("%x was read as %v, which cannot be stored: %v", b, x, err)
			}
			return
		}
		if _, err := store.Decode(again); err != nil {
			t.Fatalf("%x: %v", again, err)
		}
	})
}

// TestKeys: a key is text that every backend takes.
func TestKeys(t *testing.T) {
	for _, k := range []string{"gold", "a/b.c:d@e+f=_-", strings.Repeat("k", store.MaxKey)} {
		if err := store.CheckKey(k); err != nil {
			t.Errorf("%q: %v", k, err)
		}
	}
	for k, want := range map[string]string{
		"": "1 to 128 bytes", strings.Repeat("k", store.MaxKey+1): "this one has 129", "a b": `' ' is not allowed`, "größe": `'ö' is not allowed`, "a*": `'*'`, "x\n": `'\n'`,
	} {
		if err := store.CheckKey(k); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", k, err, want)
		}
	}
}
