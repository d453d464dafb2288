package bundle

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/netcode/wire"
)

func file(name, data string) File { return File{Name: name, Data: []byte(data)} }

// What was made is read again: names in order, sizes and hashes; and every file is found by its hash, the manifest too.
func TestManifest(t *testing.T) {
	b := made(t, nil, file("scripts/b.lua", "two"), file("levels/a.map", "one"), file("scripts/c.lua", "two"))
	entries, err := Read(b.Manifest)
	if err != nil || len(entries) != 3 {
		t.Fatal(entries, err)
	}
	for i, want := range []File{file("levels/a.map", "one"), file("scripts/b.lua", "two"), file("scripts/c.lua", "two")} {
		e := entries[i]
		if e.Name != want.Name || e.Size != 3 || e.Hash != wire.HashOf(want.Data) || !bytes.Equal(b.Get(e.Hash), want.Data) {
			t.Errorf("%d: %+v", i, e)
		}
	}
	if !bytes.Equal(b.Get(b.Hash), b.Manifest) || b.Hash != wire.HashOf(b.Manifest) {
		t.Error("the manifest is not found by its hash")
	}
	if b.Get(wire.Hash{1}) != nil {
		t.Error("a file that there is not was found")
	}
}

// The same files in another order are the same bundle; another byte is another.
func TestHashIsOfTheContents(t *testing.T) {
	hash := func(files ...File) wire.Hash { return made(t, nil, files...).Hash }
	x, y := file("x", "1"), file("y", "2")
	if one := hash(x, y); one != hash(y, x) || one == hash(x, file("y", "3")) || one == hash(x, file("z", "2")) {
		t.Error("the order of files matters, or their contents and names do not")
	}
}

func TestWhatIsNoFile(t *testing.T) {
	long := strings.Repeat("x", wire.MaxText+1)
	made := func(files ...File) bool {
		_, err := New(files)
		return err == nil
	}
	for _, name := range []string{"", "/x", "../x", "..", ".", "a/../b", "a//b", "a/", `a\b`, "c:x", "a\x00b", long} {
		if made(file(name, "x")) {
			t.Errorf("%q is a name", name)
		}
	}
	for _, name := range []string{"x", "a/b.lua", "a b", strings.Repeat("x", wire.MaxText)} {
		if !made(file(name, "x")) {
			t.Errorf("%q is no name", name)
		}
	}
	if made(file("x", "1"), file("x", "1")) || made(file("x", "")) ||
		made(File{Name: "x", Data: make([]byte, wire.MaxFile+1)}) {
		t.Error("a file that was given twice, that is empty, or that no client takes")
	}
}

// A bundle of as many files as there may be can be read by clients; one more cannot be made.
func TestMaxFiles(t *testing.T) {
	files := make([]File, 0, MaxFiles+1)
	for n := range MaxFiles + 1 {
		files = append(files, file(fmt.Sprint("f", n), fmt.Sprint(n)))
	}
	b := made(t, nil, files[:MaxFiles]...)
	if entries, err := Read(b.Manifest); err != nil || len(entries) != MaxFiles {
		t.Error(len(entries), err)
	}
	if _, err := New(files); err == nil {
		t.Error("a bundle of more files than a client takes")
	}
}

// A manifest of a hostile server: cut, out of order, with names that lead elsewhere, declared too long.
func TestHostileManifest(t *testing.T) {
	b := made(t, nil, file("a", "1"), file("b", "2"))
	for n := range b.Manifest {
		if _, err := Read(b.Manifest[:n]); err == nil {
			t.Errorf("%d of %d bytes are a manifest", n, len(b.Manifest))
		}
	}
	if _, err := Read(append(append([]byte(nil), b.Manifest...), 0)); err == nil {
		t.Error("bytes after the end")
	}
	h := wire.HashOf(nil)
	two := func(x, y string) []byte {
		m := wire.AppendManifest(nil, 2)
		return wire.AppendManifestFile(wire.AppendManifestFile(m, x, 1, &h), y, 1, &h)
	}
	for _, m := range [][]byte{two("b", "a"), two("a", "a"), two("a", "../b"), two("a", "b/.."), {0xdd, 0xff, 0xff, 0xff, 0xff}, {0xdc, 0xff, 0xff}, {0x92, 0, 0}, nil} {
		if e, err := Read(m); err == nil {
			t.Errorf("%x: %v", m, e)
		}
	}
}
