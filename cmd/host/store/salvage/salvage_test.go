package salvage

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"go.etcd.io/bbolt"
)

const keys = 300

// sound is a file that bbolt wrote: a bucket with branches and a value over several pages, and a small one within the list of buckets.
func sound(t *testing.T, o bbolt.Options) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	db, err := bbolt.Open(path, 0o600, &o)
	if err != nil {
		t.Fatal(err)
	}
	for round := range 3 { // with free pages
		err := db.Update(func(tx *bbolt.Tx) error {
			large, err := tx.CreateBucketIfNotExists([]byte("large"))
			for i := 0; i < keys && err == nil; i++ {
				err = large.Put(fmt.Appendf(nil, "key-%03d", i), bytes.Repeat([]byte{byte(round)}, 60+i/299*9000))
			}
			small, e := tx.CreateBucketIfNotExists([]byte("small"))
			return errors.Join(err, e, small.Put([]byte("one"), []byte("value")))
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// failing is a disk with a bad page.
type failing struct {
	*bytes.Reader
	page int64
}

func (r failing) ReadAt(b []byte, at int64) (int, error) {
	if at/4096 == r.page {
		return 0, &fs.PathError{Op: "read", Path: "secret", Err: syscall.EIO}
	}
	return r.Reader.ReadAt(b, at)
}

// TestFaults: each fault is told, and the elements beside and below it are found.
func TestFaults(t *testing.T) {
	good := sound(t, bbolt.Options{PageSize: 4096})
	open := func(b []byte) *File {
		f, err := Open(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	f := open(good)
	top, err := f.page(f.buckets["large"].id)
	if err != nil || top.leaf || f.buckets["small"].id != 0 {
		t.Fatal("the sample has no branch, or no small bucket", err)
	}
	second, _ := top.element(1) // it was read
	branch, leaf, free, root := int(top.id), int(second.below), int(f.freelist), int(f.root)
	at := func(page, field int) int { return page*4096 + field }
	first := int(order.Uint32(good[at(leaf, 20):])) + 16 // the first key of the leaf
	for _, c := range []struct {
		name, want string
		change     func(b []byte) []byte
		walked     int // elements of the large bucket that the walk still reaches, at least
	}{
		{"none", "", func(b []byte) []byte { return b }, keys},
		{"a branch that refers to itself", fmt.Sprintf("page %d: is used twice", branch), put64(at(branch, 24), uint64(branch)), keys / 2},
		{"a branch beyond the file", "referred to, but the file has pages", put64(at(branch, 24), 1<<40), keys / 2},
		{"another page's number", "says that it is page 0", put64(at(leaf, 0), 0), keys / 2},
		{"an unknown kind", "is of an unknown kind (0x40)", put16(at(leaf, 8), 0x40), keys / 2},
		{"too many elements", "counts 65535 elements", put16(at(leaf, 10), 0xffff), keys / 2},
		{"too few elements", "counts 1 elements", put16(at(leaf, 10), 1), keys / 2},
		{"too many pages", "ends beyond the file", put16(at(leaf, 14), 0xffff), keys / 2},
		{"a long key", "has a key of 65543 bytes", put16(at(leaf, 26), 1), keys - 1},
		{"a key outside", "an element lies outside of it", put16(at(leaf, 16+16+6), 1), keys - 1},
		{"a value outside", "a value lies outside of it", put16(at(leaf, 30), 1), keys - 1},
		{"a marked bucket", "has a bucket where none belongs", put16(at(leaf, 16), 1), keys},
		{"a large key", "its keys are not in order", put16(at(leaf, first), 0x7a7a), keys},
		{"a small key", "smaller than that of the branch", put16(at(leaf, first), 0x2020), keys},
		{"a list of free pages that is none", "is none", put16(at(free, 8), flagLeaf), keys},
		{"a long list of free pages", "list of free pages: page ", put16(at(free, 10), 0xfffe), keys},
		{"a header listed as free", "lists page 1, which is not in the file", put64(at(free, 16), 1), keys},
		{"a used page listed as free", fmt.Sprintf("page %d: is used twice", leaf), put64(at(free, 16), uint64(leaf)), keys},
		{"a free page that is not listed", "1 pages are neither free nor in use", func(b []byte) []byte { b[at(free, 10)]--; return b }, keys},
		{"a bucket without a description", "describes no bucket", put16(at(root, 28), 3), 0},
		{"a damaged small bucket", "has a small bucket that is not readable", func(b []byte) []byte {
			b[int(f.buckets["small"].at)+8] = flagBranch
			return b
		}, keys},
		{"half of the file", "it was cut off", func(b []byte) []byte { return b[:max(leaf+1, branch+1, root+1)*4096] }, 1},
		{"a header", "", func(b []byte) []byte { b[at(int(f.Tx+1)%2, 40)]++; return b }, keys},
	} {
		g := open(c.change(bytes.Clone(good)))
		walked, found := 0, map[string]bool{}
		damage := g.Walk("large", func(Element) error { walked++; return nil })
		wrong := append(append(damage, g.Links()...), g.Damage)
		if text := fmt.Sprint(errors.Join(wrong...)); c.want == "" && text != "<nil>" || !strings.Contains(text, c.want) || strings.Count(text, "\n") > keys {
			t.Errorf("%s: %s, want %q", c.name, text, c.want)
		}
		_ = g.Leaves(func(e Element) error { // has no error
			if v, err := e.Value(); err == nil && len(v) >= 60 && v[0] == 2 {
				found[string(e.Key)] = true
			}
			return nil
		})
		if walked < c.walked || len(found) < keys-2 && g.size == f.size {
			t.Errorf("%s: %d elements walked, want %d; %d found of %d", c.name, walked, c.walked, len(found), keys)
		}
	}
	if f.Headers != 2 || open(put64(56, 1)(bytes.Clone(good))).Headers != 1 {
		t.Errorf("%d headers, or two with a damaged one", f.Headers)
	}
	if g := f.At(uint64(leaf)); len(g.Buckets) > 0 {
		t.Error("a leaf of a bucket has buckets", g.Buckets)
	}
	if g := f.At(uint64(root)); g.Damage != nil || fmt.Sprint(g.Buckets) != "[large small]" {
		t.Error(g.Buckets, g.Damage)
	}
	g, err := Open(failing{bytes.NewReader(good), int64(leaf)}, int64(len(good)))
	if err != nil {
		t.Fatal(err)
	}
	if text := fmt.Sprint(g.Walk("large", func(Element) error { return nil })); text != fmt.Sprintf("[page %d: cannot be read: input/output error]", leaf) {
		t.Error(text)
	}
	for _, b := range [][]byte{nil, make([]byte, 9000), put64(4096+56, 1)(put64(56, 1)(bytes.Clone(good)))} {
		if _, err := Open(bytes.NewReader(b), int64(len(b))); !errors.Is(err, ErrHeader) {
			t.Error(err)
		}
	}
	if g := open(sound(t, bbolt.Options{NoFreelistSync: true})); g.HasFreelist() || len(g.Links()) != 1 {
		t.Error(g.Links())
	}
}

func put16(at int, n uint16) func([]byte) []byte {
	return func(b []byte) []byte { order.PutUint16(b[at:], n); return b }
}

func put64(at int, n uint64) func([]byte) []byte {
	return func(b []byte) []byte { order.PutUint64(b[at:], n); return b }
}
