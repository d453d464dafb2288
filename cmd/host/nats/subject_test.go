package nats

import (
	"strings"
	"testing"

	"github.com/tidelock/tidelock/engine/store"
)

// FuzzSubjects: a key has one subject, from which it can be told again, and which NATS takes.
func FuzzSubjects(f *testing.F) {
	for _, s := range []string{"game/a", "game/a//b", "game//", "mod.x/a.b", "game/=", "profile/~1", "game/ü", "game/a b*>"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, key string) {
		if store.CheckFull(key) != nil {
			return
		}
		subject := subjectOf(key)
		back, ok := keyOf(subject)
		if !ok || back != key {
			t.Fatalf("%q is %q, which is %q", key, subject, back)
		}
		if strings.ContainsAny(subject, " *>\t\r\n") || strings.Contains("."+subject+".", "..") {
			t.Fatalf("%q is %q", key, subject)
		}
	})
}

// FuzzRecords: whatever is stored is a record within bounds or an error, and what was made is read again.
func FuzzRecords(f *testing.F) {
	f.Add("game/a", []byte("value"), []byte{})
	f.Add("world/w", appendRecord("world/w", kindPointer, (&pointer{chunks: 1, size: 5}).bytes()), []byte{1})
	f.Fuzz(func(t *testing.T, key string, rest, raw []byte) {
		if value, at, err := parseRecord(key, raw); err == nil && (value == nil) == (at == nil) {
			t.Fatal(value, at)
		}
		b := appendRecord(key, kindValue, rest)
		value, at, err := parseRecord(key, b)
		if err != nil || at != nil || string(value) != string(rest) {
			if len(rest) <= mostOf(key) {
				t.Fatal(value, at, err)
			}
		}
		if value, at, err := parseRecord(key, appendRecord(key, kindPointer, rest)); err == nil && (value != nil || at.size > uint64(mostOf(key))) {
			t.Fatal(value, at)
		}
	})
}
