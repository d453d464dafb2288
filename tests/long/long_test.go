package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestStale: an item is fresh until a file that it depends on changes, and a failure stays one with the same files.
func TestStale(t *testing.T) {
	dir := t.TempDir()
	hash := func(text string) string {
		if err := os.WriteFile(filepath.Join(dir, "a.go"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return (&tree{root: dir, sums: map[string]string{}}).hash([]string{"a.go", "gone.go"})
	}
	was, now := hash("a"), hash("b")
	r := record{"k/x": {ok: true, files: was}, "k/y": {files: was}}
	for _, c := range []struct {
		name, files string
		want        state
	}{{"k/x", was, fresh}, {"k/x", now, stale}, {"k/y", was, failed}, {"k/y", now, stale}, {"k/z", was, stale}} {
		if got := r.state(item{c.name, c.files}); got != c.want {
			t.Errorf("%+v: state %d", c, got)
		}
	}
}

// TestRecord: what is written is read again, and a line that nobody wrote is an error.
func TestRecord(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Mkdir(".ci", 0o700); err != nil {
		t.Fatal(err)
	}
	want := result{ok: true, seconds: 3.5, commit: "abc", files: "def"}
	if err := (record{"k/x": want}).write(); err != nil {
		t.Fatal(err)
	}
	if r, err := readRecord(); err != nil || len(r) != 1 || r["k/x"] != want {
		t.Errorf("%v %v", r, err)
	}
	if err := os.WriteFile(recordFile, []byte("k/x maybe 1 a b\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := readRecord(); err == nil {
		t.Error("a wrong line was read")
	}
}

// TestChoose: .ci/run takes what is stale first, then others, within the budget, and the same each time.
func TestChoose(t *testing.T) {
	k := &kind{name: "k", seconds: 10, change: 55}
	l := &long{record: record{}}
	for i := range 12 {
		it := item{name: fmt.Sprintf("k/%d", i), files: "now"}
		k.items = append(k.items, it)
		if i >= 3 {
			l.record[it.name] = result{ok: true, seconds: 10, files: "now"}
		}
	}
	list, left := l.choose(k)
	first := slices.Sorted(slices.Values([]string{list[0].name, list[1].name, list[2].name}))
	if len(list) != 5 || left != 0 || !slices.Equal(first, []string{"k/0", "k/1", "k/2"}) {
		t.Errorf("%v, %d left", list, left)
	}
	if again, _ := l.choose(k); !slices.Equal(list, again) {
		t.Errorf("%v, then %v", list, again)
	}
	k.change = 25
	if list, left := l.choose(k); len(list) != 2 || left != 1 {
		t.Errorf("%v, %d left", list, left)
	}
}
