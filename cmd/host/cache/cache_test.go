package cache_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/tidelock/tidelock/cmd/host/cache"
	"github.com/tidelock/tidelock/netcode/wire"
)

func open(t *testing.T, dir string, limit int64) *cache.Cache {
	t.Helper()
	c, err := cache.Open(cache.Options{Dir: dir, Max: limit, OnError: func(err error) { t.Error(err) }})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func fileOf(dir string, h wire.Hash) string {
	name := hex.EncodeToString(h[:])
	return filepath.Join(dir, name[:2], name)
}

func TestWhatIsPutIsThereForTheNextProcess(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	data := []byte("class file")
	h := wire.HashOf(data)
	c := open(t, dir, 0)
	if got := c.Get(h); got != nil {
		t.Errorf("there before it was put: %q", got)
	}
	c.Put(h, data)
	c.Put(h, data)
	if got := open(t, dir, 0).Get(h); !bytes.Equal(got, data) {
		t.Errorf("got %q", got)
	}
	st, err := os.Stat(fileOf(dir, h))
	if err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", st.Mode(), err)
	}
}

// A file that was changed in the folder is not what was requested: it is never given out, and goes.
func TestDamagedFileIsAsGoodAsNone(t *testing.T) {
	dir := t.TempDir()
	data := []byte("class file")
	h := wire.HashOf(data)
	c := open(t, dir, 0)
	for _, bad := range [][]byte{[]byte("class fil!"), {}, make([]byte, wire.MaxFile+1)} {
		c.Put(h, data)
		if err := os.WriteFile(fileOf(dir, h), bad, 0o600); err != nil {
			t.Fatal(err)
		}
		if got := c.Get(h); got != nil {
			t.Errorf("%d bytes were given out", len(got))
		}
		if _, err := os.Stat(fileOf(dir, h)); err == nil {
			t.Errorf("the damaged file is still there")
		}
	}
}

func TestFolderIsBounded(t *testing.T) {
	dir := t.TempDir()
	c := open(t, dir, 10_000)
	var hashes []wire.Hash
	for i := range 40 {
		data := bytes.Repeat([]byte{byte(i)}, 1000)
		h := wire.HashOf(data)
		hashes = append(hashes, h)
		c.Put(h, data)
		if i == 0 {
			continue
		}
		// The first is used again and again, so it stays; the others are older the earlier they came.
		when := time.Now().Add(time.Duration(i-100) * time.Minute)
		if err := os.Chtimes(fileOf(dir, h), when, when); err != nil {
			t.Fatal(err)
		}
		if c.Get(hashes[0]) == nil {
			t.Fatalf("what is used went when file %d came", i)
		}
		if n := size(t, dir); n > 10_000 {
			t.Fatalf("%d bytes in the folder", n)
		}
	}
	if c.Get(hashes[39]) == nil || c.Get(hashes[1]) != nil {
		t.Error("the newest is not there, or the oldest is")
	}
	big := make([]byte, 10_001)
	if c.Put(wire.HashOf(big), big); size(t, dir) > 10_000 {
		t.Errorf("%d bytes in the folder", size(t, dir))
	}
	// A smaller bound takes effect when the folder is opened, and files left by a process that died go.
	left, old := filepath.Join(dir, "x.part"), time.Now().Add(-2*time.Hour)
	if err := errors.Join(os.WriteFile(left, []byte("half"), 0o600), os.Chtimes(left, old, old)); err != nil {
		t.Fatal(err)
	}
	open(t, dir, 3_000)
	if n := size(t, dir); n > 3_000 {
		t.Errorf("%d bytes in the folder", n)
	}
	if _, err := os.Stat(left); err == nil {
		t.Error("a file left behind is still there")
	}
}

func TestFolderThatCannotBe(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := cache.Open(cache.Options{Dir: filepath.Join(file, "sub")})
	if err == nil || !strings.Contains(err.Error(), "not a directory; give one that can be written") {
		t.Errorf("got %v", err)
	}
}

func size(t *testing.T, dir string) (n int64) {
	t.Helper()
	err := filepath.WalkDir(dir, func(_ string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		st, err := d.Info()
		n += st.Size()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// What the program has anyhow is found without having been fetched, and not kept a second time.
func TestOwnFiles(t *testing.T) {
	dir := t.TempDir()
	data, other := []byte("local Pawn = class(\"Pawn\")"), []byte("another")
	h := wire.HashOf(data)
	c, err := cache.Open(cache.Options{Dir: dir, Own: []fs.FS{fstest.MapFS{"core/Pawn.lua": {Data: data}}, fstest.MapFS{}}})
	if err != nil {
		t.Fatal(err)
	}
	if c.Empty() || !bytes.Equal(c.Get(h), data) || c.Get(wire.HashOf(other)) != nil {
		t.Error("what the program has is not found, or more than that")
	}
	c.Put(h, data)
	if _, err := os.Stat(fileOf(dir, h)); err == nil {
		t.Error("it is kept twice")
	}
	c.Put(wire.HashOf(other), other)
	if !bytes.Equal(c.Get(wire.HashOf(other)), other) {
		t.Error("what was put is gone")
	}
	if c := open(t, t.TempDir(), 0); !c.Empty() {
		t.Error("an empty folder is not empty")
	}
}
