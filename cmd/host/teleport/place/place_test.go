package place

import (
	"reflect"
	"strings"
	"testing"
)

// TestURL: a place comes back as it was, whatever its host is called, and fits the message that has it.
func TestURL(t *testing.T) {
	for _, p := range []Place{
		{Host: "a-1", Name: "two", Address: "127.0.0.1:7777", ServerKey: [32]byte{1}, Token: "abc-_"},
		{Host: "b", Name: "Zoë ?=&%41 100%", Address: "[::1]:7777", ServerKey: [32]byte{2}, Token: "x", Web: "https://play.example.org:8443/x"},
		{
			Host: strings.Repeat("h", 64), Name: strings.Repeat("n", 64), Address: "play.example.org:7777", ServerKey: [32]byte{3}, Token: strings.Repeat("t", 300),
			Hashes: []string{strings.Repeat("0a", 32), strings.Repeat("ff", 32)},
		},
	} {
		url := p.URL()
		got, err := Parse(url)
		if err != nil || !reflect.DeepEqual(got, p) {
			t.Errorf("%q: %+v %v", url, got, err)
		}
		if len(url) > 1024 {
			t.Errorf("%d bytes do not fit", len(url))
		}
	}
}

// TestNoPlace: what a host may not name is an error.
func TestNoPlace(t *testing.T) {
	key := "?key=" + strings.Repeat("01", 32)
	for _, s := range []string{
		"", "127.0.0.1:1", "127.0.0.1:1?id=a?token=t", "127.0.0.1:1?id=a" + key, "127.0.0.1:1?token=t" + key, "127.0.0.1?id=a?token=t" + key, "x/y:1?id=a?token=t" + key,
		"127.0.0.1:1?id=a?token=t%2" + key, "127.0.0.1:1?id=a?token=t%zz" + key, "127.0.0.1:1?id=../a?token=t" + key, "127.0.0.1:1?id=a?token=t?web=javascript:x" + key,
		"127.0.0.1:1?id=a?token=t?web=https://u@x" + key, "127.0.0.1:1?id=a?token=t?hashes=00" + key, "127.0.0.1:1?id=a?token=t?name=%0A" + key, "127.0.0.1:1?id=a?token=t?key=01",
	} {
		if p, err := Parse(s); err == nil {
			t.Errorf("%q is %+v", s, p)
		}
	}
}

// FuzzParse: bytes of a host cause no panic, and what is read can be written.
func FuzzParse(f *testing.F) {
	f.Add("127.0.0.1:7777?id=a?name=b%20c?token=t?key=" + strings.Repeat("01", 32))
	f.Fuzz(func(t *testing.T, s string) {
		p, err := Parse(s)
		if err != nil {
			return
		}
		if again, err := Parse(p.URL()); err != nil || !reflect.DeepEqual(again, p) {
			t.Errorf("%q: %+v, then %+v, %v", s, p, again, err)
		}
	})
}
