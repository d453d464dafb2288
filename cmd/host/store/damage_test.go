package store

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/engine/store"
)

var flips = flag.Bool("flips", false, "TestFlippedBytes flips ten times as many bytes")

// sample writes a small file in which trees have branches, and old copies of pages.
func sample(t testing.TB) (path string, want map[string]store.Record) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "store.db")
	b := open(t, path, Options{})
	want = map[string]store.Record{}
	for round := range 3 {
		var writes []store.Write
		flush := func() {
			if len(writes) == 0 {
				return
			}
			revisions, err := b.Commit(writes)
			if err != nil {
				t.Fatal(err)
			}
			for i, w := range writes {
				if want[w.Key] = (store.Record{Value: w.Value, Revision: revisions[i]}); w.Value == nil {
					delete(want, w.Key)
				}
			}
			writes = nil
		}
		for i := range 120 {
			key := fmt.Sprintf("%s/key-%04d", []string{"game", "profile", "mod.x"}[i%3], i)
			w := store.Write{Key: key, If: store.Any, Value: []byte(fmt.Sprintf("round %d of %s, %s", round, key, strings.Repeat("x", i*i%300)))}
			if round == 2 && i%7 == 0 {
				w.Value = nil
			}
			if i == 50 {
				w.Value = bytes.Repeat([]byte("long"), 3000) // over several pages
			}
			if writes = append(writes, w); len(writes) == 40 {
				flush()
			}
		}
		flush()
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	return path, want
}

// TestFlippedBytes: whatever byte of a file is another one, a record reads as it was or is an error that names it; never is one of another
// value, and nothing that was there is said not to be there. A scan finds the rest.
func TestFlippedBytes(t *testing.T) {
	path, want := sample(t)
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	h, valid := headers(bytes.NewReader(good))
	if valid != 2 {
		t.Fatal("no header")
	}
	dir, err := os.MkdirTemp("/dev/shm", "tidelock") // in memory, where there is such a place
	if err != nil {
		dir = t.TempDir()
	} else {
		defer os.RemoveAll(dir) //nolint:errcheck // leftovers of a test
	}
	bad := filepath.Join(dir, "bad.db")
	step, dense := 499, 40 // bytes; a prime, so that all fields of elements are hit
	if *flips {
		step, dense = 61, 256
	}
	tried, found, lost, refused := 0, 0, 0, 0
	for at := 0; at < int(h.pages)*int(h.pageSize); {
		page := at / int(h.pageSize)
		damaged := bytes.Clone(good)
		damaged[at] ^= byte(1 + at%255)
		if err := os.WriteFile(bad, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		tried++
		name := fmt.Sprintf("byte %d of page %d", at%int(h.pageSize), page)
		b, err := Open(bad, Options{})
		if err != nil {
			refused++
			if errors.As(err, new(*LockedError)) {
				t.Fatalf("%s: the test before it left the lock: %v", name, err)
			}
			if !strings.Contains(err.Error(), bad) {
				t.Errorf("%s: %v", name, err)
			}
		} else {
			l := verify(t, name, b, want)
			if lost += l; l > 0 {
				found++
			}
			if err := b.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if at%int(h.pageSize) < dense { // what a page says of itself, and its first elements: every byte of it
			at += 1 + at%3
		} else {
			at += step
		}
	}
	t.Logf("%d bytes flipped, one at a time: damage to records in %d files, %d records lost there in all, %d files refused", tried, found, lost, refused)
}

// verify reads all there is in a file with damage, in each way there is, and returns how many records are lost.
func verify(t *testing.T, name string, b *Bolt, want map[string]store.Record) (lost int) {
	t.Helper()
	same := func(key string, r store.Record) bool {
		w, ok := want[key]
		return ok && r.Revision == w.Revision && bytes.Equal(r.Value, w.Value)
	}
	s, err := b.Snapshot()
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	defer s.Close()
	unreadable := map[string]error{}
	for key := range want { // any order: each is read
		for i, get := range []func(string) (store.Record, error){b.Get, s.Get} {
			r, err := get(key)
			if err != nil && !strings.Contains(err.Error(), key) && !strings.Contains(err.Error(), "damaged") {
				t.Errorf("%s: the error of %s does not name it: %v", name, key, err)
			}
			if err == nil && !same(key, r) {
				t.Errorf("%s: %s by reader %d is %.60v, was %.60v", name, key, i, r, want[key])
			}
			if err != nil {
				unreadable[key] = err
			}
		}
	}
	for _, list := range []func(prefix, after string, most int) ([]string, error){b.List, s.List} {
		keys, err := list("", "", 1000)
		if err != nil {
			continue
		}
		if len(keys) != len(want) {
			t.Errorf("%s: %d keys are listed, %d are there", name, len(keys), len(want))
		}
		for _, k := range keys {
			if _, ok := want[k]; !ok {
				t.Errorf("%s: %q is listed", name, k)
			}
		}
	}
	seen := map[string]bool{}
	var other []string
	report, err := s.Scan(func(key string, r store.Record) error {
		if seen[key] {
			t.Errorf("%s: %s is exported twice", name, key)
		}
		seen[key] = true
		if !same(key, r) {
			other = append(other, key)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range other { // where one byte damages both the index and the records, an older record is better than none, but it has to be said
		said := "record " + key + ": found without the index"
		if !slices.ContainsFunc(report.Damage, func(line string) bool { return strings.HasPrefix(line, said) }) {
			t.Errorf("%s: %s is exported as it never was at the end, and the report does not say so", name, key)
		}
	}
	for key := range want { // any order: each is looked for
		if seen[key] {
			continue
		}
		lost++
		if report.OK() {
			t.Errorf("%s: %s is not exported, and nothing says so", name, key)
		}
	}
	if len(unreadable) > 0 && report.OK() {
		t.Errorf("%s: records are unreadable, and the check finds nothing: %v", name, unreadable)
	}
	if lost > 3 {
		t.Errorf("%s: %d records are lost by one byte: %v", name, lost, report.Lines())
	}
	if b.Broken() == nil { // writing must not make it worse
		_, err := b.Commit([]store.Write{{Key: "game/new", Value: []byte("new"), If: store.Any}})
		if err == nil {
			if r, err := b.Get("game/new"); err != nil || string(r.Value) != "new" {
				t.Errorf("%s: a write after it reads %v, %v", name, r, err)
			}
			for key := range want { // any order: each is read
				if r, err := b.Get(key); err == nil && !same(key, r) {
					t.Errorf("%s: after a write %s is %.60v, was %.60v", name, key, r, want[key])
				}
			}
		} else if !errors.As(err, new(*BrokenError)) && !errors.As(err, new(*DamagedError)) {
			t.Errorf("%s: a write fails with %v", name, err)
		}
	}
	return lost
}
