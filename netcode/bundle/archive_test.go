package bundle

import (
	"bytes"
	"compress/flate"
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/netcode/wire"
)

// text is about size bytes that look like scripts.
func text(seed, size int) string {
	rng := rand.New(rand.NewPCG(uint64(seed), 1))
	words := []string{"function", "self", "local", "return", "Pawn", "end", "Health", "Damage", "=", "if", "then", "world"}
	var b strings.Builder
	for b.Len() < size {
		fmt.Fprintf(&b, "%s %d ", words[rng.IntN(len(words))], rng.IntN(1000))
	}
	return b.String()
}

// scripts are n files.
func scripts(n int, size func(i int) int) (files []File) {
	for i := range n {
		files = append(files, file(fmt.Sprintf("scripts/%02d.lua", i), text(i, size(i))))
	}
	return files
}

func made(t testing.TB, before *Bundle, files ...File) *Bundle {
	t.Helper()
	b, err := Next(before, files)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// opened are the files of an archive as a client takes them that has some others.
func opened(t testing.TB, p *Archive, have map[wire.Hash][]byte) {
	t.Helper()
	ok := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	entries := []Entry{{Size: p.Size, Hash: p.Hash}}
	var dict []byte
	differs := p.Base != (wire.Hash{})
	if p.Files != nil {
		list, err := Read(have[p.Hash]) // the manifest is to come first
		ok(err)
		if entries = Chosen(list, p.Files); differs {
			base, err := Read(have[p.Base])
			ok(err)
			dict, err = Dictionary(entries, base, func(h wire.Hash) []byte { return have[h] })
			ok(err)
		}
	} else if differs {
		dict = Tail(have[p.Base])
	}
	plain, err := Inflate(p.Packed(), p.Size, dict)
	ok(err)
	for _, e := range entries {
		if e.Size > len(plain) || wire.HashOf(plain[:e.Size]) != e.Hash {
			t.Fatalf("%q is another file", e.Name)
		}
		have[e.Hash], plain = plain[:e.Size], plain[e.Size:]
	}
	if len(plain) > 0 {
		t.Fatal("more than the files")
	}
}

func complete(t *testing.T, b *Bundle, have map[wire.Hash][]byte) {
	t.Helper()
	list, err := Read(have[b.Hash])
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range list {
		if !bytes.Equal(have[e.Hash], b.Files[i].Data) {
			t.Fatalf("%q did not come", e.Name)
		}
	}
}

// Whatever is requested comes, and who knows nothing gets it all in a fraction of its size.
func TestArchives(t *testing.T) {
	files := scripts(90, func(i int) int { return 500 + i*97 })
	size := 0
	for _, f := range files {
		size += len(f.Data)
	}
	b := made(t, nil, files...)
	have := map[wire.Hash][]byte{}
	opened(t, b.Alone(b.Hash), have)
	bytesOut := 0
	all := b.All(nil)
	for _, p := range all {
		opened(t, p, have)
		bytesOut += len(p.Packed())
	}
	complete(t, b, have)
	if bytesOut > size/2 || len(all) < 3 {
		t.Errorf("%d bytes are %d in %d archives", size, bytesOut, len(all))
	}
	rng := rand.New(rand.NewPCG(5, 5))
	for range 50 {
		var set []byte
		want := 0
		for i := range files {
			if rng.IntN(1+rng.IntN(20)) == 0 {
				set = Set(set, i)
				want++
			}
		}
		if set == nil {
			continue
		}
		some := map[wire.Hash][]byte{b.Hash: b.Manifest}
		for _, p := range b.Archives(nil, set) {
			opened(t, p, some)
		}
		if len(some) != want+1 {
			t.Fatalf("%d files, want %d", len(some)-1, want)
		}
	}
	if got := b.Archives(nil, bytes.Repeat([]byte{255}, wire.MaxFiles/8)); len(got) != len(all) {
		t.Error("all of them are not the groups")
	}
	if p := b.Alone(wire.HashOf(files[7].Data)); p == nil || p != b.Alone(wire.HashOf(files[7].Data)) {
		t.Error("a file by itself is compressed every time")
	}
	if b.Alone(wire.Hash{9}) != nil || len(Nothing(wire.Hash{9}, []byte{1}).Packed()) != 0 {
		t.Error("what is not there is there")
	}
}

// A changed line costs about as much as a line, for who has the files of before; who has not gets whole files. What did not
// change is not compressed again (R5.23).
func TestUpdate(t *testing.T) {
	files := scripts(60, func(int) int { return 6000 })
	a := made(t, nil, files...)
	a.Pack()
	next := append([]File(nil), files...)
	for _, i := range []int{3, 40, 41} {
		next[i].Data = append([]byte("-- another line\n"), next[i].Data...)
	}
	next = append(next, file("scripts/new.lua", text(99, 500)))
	b := made(t, a, next...)
	u := b.Since(a)
	for i := range next {
		if changed := i == 3 || i == 40 || i == 41 || i == 60; Has(u.Files, i) != changed {
			t.Errorf("file %d: new %v", i, !changed)
		}
	}
	have := maps.Clone(a.data)
	have[a.Hash] = a.Manifest
	n := 0
	for _, p := range u.Delta {
		opened(t, p, have)
		n += len(p.Packed())
	}
	complete(t, b, have)
	if n > 1500 {
		t.Errorf("three lines and a file of 500 bytes are %d bytes", n)
	}
	none := map[wire.Hash][]byte{}
	for _, p := range u.Full {
		if p.Base != (wire.Hash{}) {
			t.Error("a difference for who has nothing")
		}
		opened(t, p, none)
	}
	if len(none) != 5 {
		t.Errorf("%d files and a manifest, want 5", len(none))
	}
	shared := func(g *Archive) bool {
		return slices.ContainsFunc(a.groups, func(was *Archive) bool { return was.body == g.body })
	}
	if !slices.ContainsFunc(b.groups, shared) {
		t.Error("everything is compressed again")
	}
	if u := a.Since(nil); len(u.Delta) < 2 || u.Delta[0].Base != (wire.Hash{}) {
		t.Error("since nothing is not all")
	}
}

// A file as large as there may be, and many that changed, cross too: no archive is larger than it may be.
func TestLargeUpdate(t *testing.T) {
	big := make([]byte, wire.MaxFile)
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range big {
		big[i] = byte(rng.Uint32())
	}
	files := []File{file("a", "x"), {Name: "b", Data: big}, file("c", text(1, 50_000)), file("d", text(2, 50_000)), file("e", "y")}
	a := made(t, nil, files...)
	next := append([]File(nil), files...)
	for i := range next {
		next[i].Data = append([]byte{'.'}, next[i].Data[:len(next[i].Data)-1]...)
	}
	b := made(t, a, next...)
	for _, list := range [][]*Archive{b.Since(a).Delta, b.Since(a).Full, b.All([]*Archive{b.Alone(b.Hash)})} {
		have := maps.Clone(a.data)
		for _, p := range list {
			if p.Size > wire.MaxFile || len(p.Packed()) > wire.MaxPacked {
				t.Errorf("an archive of %d bytes in %d", p.Size, len(p.Packed()))
			}
			opened(t, p, have)
		}
		complete(t, b, have)
	}
}

// bomb is size zeros, compressed.
func bomb(size int) []byte {
	var out bytes.Buffer
	w, err := flate.NewWriter(&out, flate.BestCompression)
	if err != nil {
		panic(err)
	}
	_, _ = w.Write(make([]byte, size))
	_ = w.Close()
	return out.Bytes()
}

// What inflates to more or less than it says, ends early or goes on is an error, and takes no memory beyond what was said, nor beyond
// what is there.
func TestInflateBounds(t *testing.T) {
	good := deflate([][]byte{[]byte(text(1, 5000))}, nil)
	size := len(text(1, 5000))
	if _, err := Inflate(good, size, nil); err != nil {
		t.Fatal(err)
	}
	for what, c := range map[string]struct {
		packed []byte
		size   int
		most   int // bytes allocated; the decoder itself has 44 KB of windows and tables
	}{
		"a byte more than it says": {good, size - 1, 2*size + 200<<10},
		"a byte less":              {good, size + 1, 2*size + 200<<10},
		"cut":                      {good[:len(good)-1], size, 2*size + 200<<10},
		"bytes behind":             {append(bytes.Clone(good), 0), size, 2*size + 200<<10},
		"nothing":                  {nil, 1, 200 << 10},
		"a bomb":                   {bomb(50 << 20), 1000, 200 << 10},
		"noise":                    {[]byte("\xff\xff noise"), 100, 200 << 10},
		"a byte that says more":    {deflate([][]byte{[]byte("x")}, nil), wire.MaxFile, 200 << 10},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := Inflate(c.packed, c.size, nil)
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; err == nil || n > uint64(c.most) {
			t.Errorf("%s: %v, %d bytes allocated for %d", what, err, n, c.size)
		}
	}
}

// FuzzInflate: whatever comes is refused or is as long as it says.
func FuzzInflate(f *testing.F) {
	f.Add(deflate([][]byte{[]byte("local Chest = class(\"Chest\")\n")}, nil), 29, []byte(nil))
	f.Add(deflate([][]byte{[]byte("-- x\nlocal Chest = class(\"Chest\")\n")}, []byte("local Chest = class(\"Chest\")\n")), 34, []byte("local Chest = class(\"Chest\")\n"))
	f.Add(bomb(1<<20), 1000, []byte(nil))
	f.Add([]byte{3, 0}, 1, []byte("x"))
	f.Fuzz(func(t *testing.T, packed []byte, size int, dict []byte) {
		if size < 1 || size > 1<<20 {
			return
		}
		b, err := Inflate(packed, size, Tail(dict))
		if err == nil && len(b) != size {
			t.Fatalf("%d bytes, want %d", len(b), size)
		}
	})
}
