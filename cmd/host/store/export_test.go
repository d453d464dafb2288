package store

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vmihailenco/msgpack/v5"
	"pgregory.net/rapid"

	"github.com/tidelock/tidelock/engine/store"
	"github.com/tidelock/tidelock/tests/tier"
)

// exported is what a file exports.
func exported(t testing.TB, b *Bolt) string {
	t.Helper()
	s, err := b.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var w bytes.Buffer
	tail := NewTail(&w)
	if _, err := s.Export(tail); err != nil {
		t.Fatal(err)
	}
	if _, err := tail.End(); err != nil {
		t.Fatal(err)
	}
	return w.String()
}

// valueOf draws a value as a library for msgpack writes it, or bytes of any kind.
var valueOf = rapid.Custom(func(t *rapid.T) []byte {
	if rapid.IntRange(0, 4).Draw(t, "raw") == 0 {
		return rapid.SliceOfN(rapid.Byte(), 1, 40).Draw(t, "bytes")
	}
	var draw func(depth int) any
	draw = func(depth int) any {
		most := 9
		if depth > 3 {
			most = 6
		}
		switch rapid.IntRange(0, most).Draw(t, "kind") {
		case 0:
			return nil
		case 1:
			return rapid.Bool().Draw(t, "bool")
		case 2:
			return rapid.Int64().Draw(t, "int")
		case 3:
			return rapid.Float64().Draw(t, "float")
		case 4:
			return rapid.Float32().Draw(t, "single")
		case 5:
			return rapid.String().Draw(t, "text")
		case 6:
			return rapid.SliceOf(rapid.Byte()).Draw(t, "bin")
		case 7:
			var list []interface{}
			for range rapid.IntRange(0, 20).Draw(t, "n") {
				list = append(list, draw(depth+1))
			}
			return list
		case 8:
			m := map[string]interface{}{}
			for range rapid.IntRange(0, 20).Draw(t, "n") {
				m[rapid.StringMatching(`\$?[a-z]{0,3}`).Draw(t, "key")] = draw(depth + 1)
			}
			return m
		}
		m := map[int64]interface{}{}
		for range rapid.IntRange(0, 5).Draw(t, "n") {
			m[rapid.Int64().Draw(t, "key")] = draw(depth + 1)
		}
		return m
	}
	var w bytes.Buffer
	e := msgpack.NewEncoder(&w)
	e.UseCompactInts(true)
	if err := e.Encode(draw(0)); err != nil {
		t.Fatal(err)
	}
	return w.Bytes()
})

// TestLinesRestoreExactly: a record as a line is that record again, to the bit.
func TestLinesRestoreExactly(t *testing.T) {
	shown, all := 0, 0
	tier.Check(t, func(t *rapid.T) {
		want := store.Record{Value: valueOf.Draw(t, "value"), Revision: store.Revision(rapid.Uint64Range(1, math.MaxUint64-1).Draw(t, "revision"))}
		key := "game/" + rapid.StringMatching(`[a-z/]{1,9}`).Draw(t, "key")
		line, err := appendLine(nil, key, want)
		if err != nil {
			t.Fatal(err)
		}
		if all++; !bytes.Contains(line, []byte(`"base64"`)) {
			shown++
		}
		k, got, end, err := parseLine(line)
		if err != nil || end != nil || k != key || got.Revision != want.Revision || !bytes.Equal(got.Value, want.Value) {
			t.Fatalf("%s: %v\n%x\n%x", line, err, want.Value, got.Value)
		}
	})
	if 4*shown < all {
		t.Errorf("only %d values of %d were readable", shown, all)
	}
}

// TestReadable: what scripts store can be read, and edited.
func TestReadable(t *testing.T) {
	for text, value := range map[string]string{ // any order: cases
		`{"Gold":12,"Rate":1.0,"Name":"Änn <b>"}`:    "\x83\xa4Gold\x0c\xa4Rate\xcb\x3f\xf0\x00\x00\x00\x00\x00\x00\xa4Name\xa8\xc3\x84nn <b>",
		`[null,true,-1,-33,200,70000,1e+300]`:        "\x97\xc0\xc3\xff\xd0\xdf\xcc\xc8\xce\x00\x01\x11\x70\xcb\x7e\x37\xe4\x3c\x88\x00\x75\x9c",
		`{"$map":[[1,"a"],["$b",{"$bin":"AQ=="}]]}`:  "\x82\x01\xa1a\xa2$b\xc4\x01\x01",
		`[{"$f32":0.5},{"$f64":"7ff8000000000001"}]`: "\x92\xca\x3f\x00\x00\x00\xcb\x7f\xf8\x00\x00\x00\x00\x00\x01",
		`{"$str":"/w=="}`:                            "\xa1\xff",
	} {
		got, ok := readable([]byte(value))
		if !ok || string(got) != text {
			t.Errorf("%q is %s, want %s", value, got, text)
		}
	}
	for _, odd := range []string{"", "\xc1", "\x81\xa1a", "\xcc\x05", "\x93\x01", "\x01\x01", "\xd4\x01\x01", strings.Repeat("\x91", 100) + "\x01", "\xdd\xff\xff\xff\xff", "\xca\x7f\xc0\x00\x00"} {
		if got, ok := readable([]byte(odd)); ok {
			t.Errorf("%q is shown as %s, from which other bytes would be made", odd, got)
		}
	}
}

// TestImport: an export into an empty file gives the same export; into one in use it gives new revisions; and with a bad line nothing.
func TestImport(t *testing.T) {
	dir := t.TempDir()
	a := open(t, filepath.Join(dir, "a"), Options{})
	for i := range 50 {
		put(t, a, fmt.Sprintf("game/%d", i), strings.Repeat("x", i))
		put(t, a, fmt.Sprintf("profile/%d", i), "\x81\xa4Gold\x05")
	}
	if _, err := a.Commit([]store.Write{{Key: "game/7", If: store.Any}}); err != nil {
		t.Fatal(err)
	}
	text := exported(t, a)
	in := func(b *Bolt, text string, skip bool) (*Import, error) {
		t.Helper()
		got, err := ReadImport(strings.NewReader(text), skip)
		if err != nil {
			return nil, err
		}
		return got, b.Import(got)
	}
	b := open(t, filepath.Join(dir, "b"), Options{})
	if _, err := in(b, text, false); err != nil {
		t.Fatal(err)
	}
	if again := exported(t, b); again != text {
		t.Errorf("%s\nwas %s", again, text)
	}
	highest := put(t, a, "game/last", "x")
	if r := put(t, b, "game/last", "x"); r != highest {
		t.Errorf("the next revision is %d, was %d", r, highest)
	}
	put(t, b, "game/own", "x")
	if _, err := in(b, text, false); err != nil {
		t.Fatal(err)
	}
	if r, err := b.Get("game/1"); err != nil || r.Revision <= highest || string(r.Value) != "x" {
		t.Error(r, err)
	}
	if r, err := b.Get("game/own"); err != nil || string(r.Value) != "x" {
		t.Error(r, err)
	}
	before := exported(t, b)
	lines := strings.SplitAfter(text, "\n")
	for want, bad := range map[string]string{ // any order: cases
		"line 3: ":                               lines[0] + lines[1] + strings.Replace(lines[2], `"revision":`, `"revision":1`, 1) + strings.Join(lines[3:], ""),
		"line 5: it is no line of an export":     strings.Join(lines[:4], "") + "{\n" + strings.Join(lines[4:], ""),
		"the last line":                          strings.Join(lines[:10], ""),
		"there are 98 records":                   strings.Join(lines[1:], ""),
		"is in line 1 already":                   lines[0] + text,
		"unknown field":                          strings.Replace(text, `"key"`, `"kei"`, 1),
		"line 1: game/0: revision 0":             strings.Replace(text, lines[0], `{"key":"game/0","revision":0,"value":1}`+"\n", 1),
		"line 1: game/0: expected one of value":  strings.Replace(text, lines[0], `{"key":"game/0","revision":1}`+"\n", 1),
		"line 1: game/0: value: $x is not known": strings.Replace(text, lines[0], `{"key":"game/0","revision":1,"value":{"$x":1}}`+"\n", 1),
		`line 1: key "game"`:                     strings.Replace(text, lines[0], `{"key":"game","revision":1,"value":1}`+"\n", 1),
		"it follows the last line":               text + lines[0],
	} {
		if _, err := in(b, bad, false); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v, want %q", err, want)
		}
		if exported(t, b) != before {
			t.Fatalf("%q: something was imported", want)
		}
	}
	got, err := in(b, "nonsense\n"+lines[0]+lines[1], true)
	if err != nil || got.Len() != 2 || len(got.Bad) != 1 || !strings.HasPrefix(got.Bad[0], "line 1: ") {
		t.Errorf("%+v, %v", got, err)
	}
	small := open(t, filepath.Join(dir, "small"), Options{Quota: Quota{Keys: 20}})
	if _, err := in(small, text, false); !errors.Is(err, store.ErrQuota) || small.Figures().Keys != 0 {
		t.Error(err, small.Figures())
	}
}

// TestCopyAndBackup: a copy and a backup have the same records and revisions; a copy has no unused pages.
func TestCopyAndBackup(t *testing.T) {
	dir := t.TempDir()
	a := open(t, filepath.Join(dir, "a"), Options{})
	for i := range 300 {
		put(t, a, fmt.Sprintf("game/%d", i), strings.Repeat("x", 3000))
	}
	for i := range 290 {
		if _, err := a.Commit([]store.Write{{Key: fmt.Sprintf("game/%d", i), If: store.Any}}); err != nil {
			t.Fatal(err)
		}
	}
	text := exported(t, a)
	s, err := a.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(dir, "copied")
	if r, err := s.Copy(copied); err != nil || !r.OK() {
		t.Fatal(err, r)
	}
	s.Close()
	backup := filepath.Join(dir, "backup")
	f, err := os.Create(backup)
	if err != nil {
		t.Fatal(err)
	}
	size := int64(0)
	if err := errors.Join(a.Backup(f, func(n int64) { size = n }), f.Close()); err != nil {
		t.Fatal(err)
	}
	if st, err := os.Stat(backup); err != nil || st.Size() != size {
		t.Errorf("%d bytes were announced: %v", size, err)
	}
	for _, name := range []string{copied, backup} {
		b := open(t, name, Options{})
		if got := exported(t, b); got != text {
			t.Errorf("%s: %s\nwant %s", name, got, text)
		}
		if b.Figures().Keys != 10 {
			t.Error(name, b.Figures())
		}
		h, _ := headers(b.file)
		if name == copied && int64(h.pages)*h.pageSize > 100_000 {
			t.Errorf("the copy uses %d bytes", int64(h.pages)*h.pageSize)
		}
	}
}

// FuzzImportLine: no line of an import panics, and what is taken is the same when it is exported again.
func FuzzImportLine(f *testing.F) {
	for _, r := range []string{"\x81\xa4Gold\x0c", "\xc1", "\x82\x01\xa1a\xa2$b\xc4\x01\x01", "\x92\xca\x3f\x00\x00\x00\xcb\x7f\xf8\x00\x00\x00\x00\x00\x01", "\xa1\xff"} {
		line, err := appendLine(nil, "game/a", store.Record{Value: []byte(r), Revision: 7})
		if err != nil {
			f.Fatal(err)
		}
		f.Add(line)
	}
	f.Add([]byte(`{"revision":5,"records":2,"damage":["x"]}`))
	f.Add([]byte(`{"key":"game/a","revision":1,"value":{"$map":[[1,2],[3]]}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		key, r, end, err := parseLine(text)
		if err != nil || end != nil {
			return
		}
		line, err := appendLine(nil, key, r)
		if err != nil {
			t.Fatal(err)
		}
		k, again, _, err := parseLine(line)
		if err != nil || k != key || again.Revision != r.Revision || !bytes.Equal(again.Value, r.Value) {
			t.Fatalf("%s became %s: %v", text, line, err)
		}
	})
}

// FuzzReadable: no value panics, and what is shown makes the same value.
func FuzzReadable(f *testing.F) {
	f.Add([]byte("\x81\xa4Gold\x0c"))
	f.Add([]byte("\xdf\x00\x00\x00\x01\xa1a\x91\xcb\x00\x00\x00\x00\x00\x00\x00\x01"))
	f.Fuzz(func(t *testing.T, value []byte) {
		if text, ok := readable(value); ok {
			if again, err := packed(text); err != nil || !bytes.Equal(again, value) {
				t.Fatal(err)
			}
		}
	})
}

// FuzzPages: whatever is in a file, reading it by pages is an error at most.
func FuzzPages(f *testing.F) {
	path, _ := sample(f)
	good, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	h, _ := headers(bytes.NewReader(good))
	good = good[:int64(h.pages)*h.pageSize]
	f.Add(uint32(0), []byte{1}, uint32(0))
	f.Add(uint32(2*4096+10), []byte{0xff, 0xff}, uint32(0))
	f.Add(uint32(5*4096+12), []byte{0xff, 0xff, 0xff, 0xff}, uint32(9000))
	f.Fuzz(func(t *testing.T, at uint32, change []byte, cut uint32) {
		b := bytes.Clone(good)
		copy(b[int(at)%len(b):], change)
		b = b[:len(b)-int(cut)%len(b)]
		s, err := snapshot(bytes.NewReader(b), int64(len(b)), "store.db")
		if err != nil {
			return
		}
		s.Check()
		_, _ = s.Get("game/key-0003")       // an error, or not
		_, _ = s.List("profile/", "", 1000) // as above
	})
}
