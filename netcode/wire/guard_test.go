package wire

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

func nested(n int, inner ...byte) []byte { return append(bytes.Repeat([]byte{0x91}, n), inner...) }

func TestGuard(t *testing.T) {
	cases := []struct {
		name string
		in   []byte
		want error
	}{
		{"nothing", nil, nil},
		{"an integer", []byte{5}, nil},
		{"a map32 of 2³² pairs", []byte{0xdf, 0xff, 0xff, 0xff, 0xff}, ErrLength},
		{"a bin32 of 256 MB", []byte{0xc6, 0x10, 0, 0, 0}, ErrLength},
		{"a str32", []byte{0xdb, 0, 0, 0, 2, 'x'}, ErrLength},
		{"an array32", []byte{0xdd, 0, 0, 0, 2, 1}, ErrLength},
		{"nested array32", bytes.Repeat([]byte{0xdd, 0, 0, 0, 0x10}, 240), ErrDepth},
		{"16 deep", nested(16, 1), nil},
		{"17 deep", nested(17, 1), ErrDepth},
		{"4 million deep", nested(4<<20, 1), ErrDepth},
		{"an array as a key", []byte{0x81, 0x90, 1}, ErrKey},
		{"nil as a key", []byte{0x81, 0xc0, 1}, ErrKey},
		{"true as a key", []byte{0x81, 0xc3, 1}, ErrKey},
		{"a bin as a key", []byte{0x81, 0xc4, 1, 'x', 1}, ErrKey},
		{"a float as a key", []byte{0x81, 0xca, 0, 0, 0, 0, 1}, ErrKey},
		{"a map as a key", []byte{0x81, 0x80, 1}, ErrKey},
		{"a second key", []byte{0x82, 1, 1, 0xc0, 1}, ErrKey},
		{"an array as a value", []byte{0x81, 1, 0x91, 0xc0}, nil},
		{"str and int keys", []byte{0x84, 0xa1, 'x', 0xc0, 0xcd, 1, 1, 0xc0, 0xd9, 1, 'y', 0xc0, 0xff, 0xc0}, nil},
		{"ext8", []byte{0xc7, 1, 1, 1}, ErrFormat},
		{"fixext1", []byte{0xd4, 1, 1}, ErrFormat},
		{"never used", []byte{0xc1}, ErrFormat},
		{"half a uint32", []byte{0xce, 0, 0}, ErrTruncated},
		{"half a length", []byte{0xda, 0}, ErrTruncated},
		{"4 096 values", bytes.Repeat([]byte{1}, 4096), nil},
		{"4 097 values", bytes.Repeat([]byte{1}, 4097), ErrNodes},
		{"4 096 empty arrays in one", append([]byte{0xdc, 0x10, 0}, bytes.Repeat([]byte{0x90}, 4096)...), ErrNodes},
	}
	for _, c := range cases {
		if got := Guard(c.in); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
		if n := testing.AllocsPerRun(3, func() { _ = Guard(c.in) }); n != 0 {
			t.Errorf("%s: %v allocations", c.name, n)
		}
	}
}

// Whatever passes, the library decodes in memory in proportion to the bytes.
func TestWhatPassesIsSafe(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	passed := 0
	for range 20000 {
		b := make([]byte, 1+rng.IntN(24))
		for i := range b {
			switch rng.IntN(3) {
			case 0:
				b[i] = byte(rng.IntN(256))
			case 1:
				b[i] = byte(0x80 + rng.IntN(0x60))
			default:
				b[i] = byte(rng.IntN(4))
			}
		}
		if Guard(b) != nil {
			continue
		}
		passed++
		library(t, b)
		r := NewReader(b)
		for r.More() {
			r.Skip()
		}
		if r.Err() != nil {
			t.Fatalf("% x passed, but Skip: %v", b, r.Err())
		}
	}
	if passed < 1000 {
		t.Fatalf("only %d inputs passed: the test tests nothing", passed)
	}
}
