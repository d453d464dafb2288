package store

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"go.etcd.io/bbolt"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/tidelock/tidelock/engine/store"
	"github.com/tidelock/tidelock/tests/tier"
)

func must(t rapid.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestMain(m *testing.M) {
	if os.Getenv(writerVariable) != "" {
		os.Exit(writeUntilKilled())
	}
	goleak.VerifyTestMain(m)
}

// open opens a file that is closed with the test.
func open(t testing.TB, path string, o Options) *Bolt {
	t.Helper()
	b, err := Open(path, o)
	must(t, err)
	t.Cleanup(func() { _ = b.Close() }) // it may be closed already
	return b
}

// put stores a record whatever is there.
func put(t testing.TB, b *Bolt, key, value string) store.Revision {
	t.Helper()
	r, err := b.Commit([]store.Write{{Key: key, Value: []byte(value), If: store.Any}})
	must(t, err)
	return r[0]
}

// TestModel: a file is a map with revisions, whatever happens to it in whatever order, and after it is opened again.
func TestModel(t *testing.T) {
	dir := t.TempDir()
	n := 0
	tier.Check(t, func(t *rapid.T) {
		n++
		path := filepath.Join(dir, fmt.Sprint(n))
		quota := Options{Quota: Quota{Bytes: 400, Keys: 6}, Quotas: map[string]Quota{store.Profiles: {Bytes: 1 << 20, Keys: 1000}}}
		b, err := Open(path, quota)
		must(t, err)
		defer func() { _ = b.Close() }()
		model := map[string]store.Record{}
		var highest store.Revision
		keyOf := rapid.Custom(func(t *rapid.T) string {
			return store.Full(rapid.SampledFrom([]string{"game", "mod.a", store.Profiles}).Draw(t, "space"), rapid.SampledFrom([]string{"a", "ab", "b", "c/d", "c/e", "z", "y", "x"}).Draw(t, "key"))
		})
		writesOf := func(t *rapid.T) (writes []store.Write) {
			for _, key := range rapid.SliceOfNDistinct(keyOf, 1, 4, rapid.ID).Draw(t, "keys") {
				w := store.Write{Key: key, If: store.Any}
				switch rapid.IntRange(0, 5).Draw(t, "if") {
				case 0:
					w.If = 0
				case 1:
					w.If = highest
				case 2, 3:
					w.If = model[key].Revision
				}
				if rapid.IntRange(0, 3).Draw(t, "kind") > 0 {
					w.Value = bytes.Repeat([]byte{byte(len(key))}, rapid.IntRange(0, 90).Draw(t, "size"))
				}
				writes = append(writes, w)
			}
			return writes
		}
		// apply is what the model does of a commit.
		apply := func(writes []store.Write) error {
			next := maps.Clone(model)
			for _, w := range writes {
				if w.If != store.Any && model[w.Key].Revision != w.If {
					return store.ErrConflict
				}
				next[w.Key] = store.Record{Value: w.Value}
				if w.Value == nil {
					delete(next, w.Key)
				}
			}
			for _, space := range []string{"game", "mod.a"} {
				sum := func(records map[string]store.Record) (bytes, keys int) {
					for k, r := range records { // any order: a sum
						if strings.HasPrefix(k, space+"/") {
							bytes, keys = bytes+len(k)+len(r.Value), keys+1
						}
					}
					return bytes, keys
				}
				was, wasKeys := sum(model)
				is, keys := sum(next)
				if is > 400 && is > was || keys > 6 && keys > wasKeys {
					return store.ErrQuota
				}
			}
			model = next
			return nil
		}
		check := func(key string) {
			r, err := b.Get(key)
			if want := model[key]; err != nil || !bytes.Equal(r.Value, want.Value) || r.Revision != want.Revision {
				t.Fatalf("%s: %v, %v; want %v", key, r, err, want)
			}
		}
		settle := func(writes []store.Write, revisions []store.Revision, err error) {
			want := apply(writes)
			if !errors.Is(err, want) || (err == nil) != (want == nil) {
				t.Fatalf("commit %v: %v; want %v", writes, err, want)
			}
			if err != nil {
				return
			}
			for i, w := range writes {
				if w.Value == nil {
					if revisions[i] != 0 {
						t.Fatalf("a removed record has revision %d", revisions[i])
					}
					continue
				}
				if revisions[i] <= highest {
					t.Fatalf("revision %d after %d", revisions[i], highest)
				}
				highest = revisions[i]
				model[w.Key] = store.Record{Value: w.Value, Revision: revisions[i]}
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"get": func(t *rapid.T) { check(keyOf.Draw(t, "key")) },
			"commit": func(t *rapid.T) {
				writes := writesOf(t)
				revisions, err := b.Commit(writes)
				settle(writes, revisions, err)
			},
			"group": func(t *rapid.T) {
				var jobs []Job
				for range rapid.IntRange(1, 5).Draw(t, "jobs") {
					if rapid.Bool().Draw(t, "get") {
						jobs = append(jobs, Job{Kind: Get, Key: keyOf.Draw(t, "key")})
					} else {
						jobs = append(jobs, Job{Kind: Commit, Writes: writesOf(t)})
					}
				}
				results := make([]Result, len(jobs))
				b.Group(jobs, results)
				for i, j := range jobs {
					if j.Kind == Commit {
						settle(j.Writes, results[i].Revisions, results[i].Err)
					} else if want := model[j.Key]; results[i].Err != nil || results[i].Record.Revision != want.Revision || !bytes.Equal(results[i].Record.Value, want.Value) {
						t.Fatalf("%s in a group: %v, want %v", j.Key, results[i], want)
					}
				}
			},
			"list": func(t *rapid.T) {
				prefix, after := rapid.SampledFrom([]string{"", "game/", "game/c/", "mod.a/", "profile/"}).Draw(t, "prefix"), rapid.SampledFrom([]string{"", "game/a", "game/c/d", "mod.a/zz"}).Draw(t, "after")
				most := rapid.IntRange(1, 5).Draw(t, "most")
				want := slices.DeleteFunc(slices.Sorted(maps.Keys(model)), func(k string) bool { return !strings.HasPrefix(k, prefix) || k <= after })
				want = want[:min(most, len(want))]
				s, err := b.Snapshot()
				must(t, err)
				defer s.Close()
				for _, list := range []func(prefix, after string, most int) ([]string, error){b.List, s.List} {
					if got, err := list(prefix, after, most); err != nil || !slices.Equal(got, want) {
						t.Fatalf("list %q after %q: %v, %v; want %v", prefix, after, got, err, want)
					}
				}
			},
			"open": func(t *rapid.T) {
				must(t, b.Close())
				if b, err = Open(path, quota); err != nil || b.Broken() != nil {
					t.Fatal(err, b.Broken())
				}
			},
			"": func(t *rapid.T) {
				for k := range model { // any order: nothing changes
					check(k)
				}
				if f := b.Figures(); f.Keys != int64(len(model)) {
					t.Fatalf("%d keys are counted, want %d", f.Keys, len(model))
				}
				if rapid.IntRange(0, 9).Draw(t, "check") > 0 {
					return
				}
				s, err := b.Snapshot()
				must(t, err)
				defer s.Close()
				found := 0
				r, err := s.Scan(func(key string, r store.Record) error {
					found++
					if want := model[key]; r.Revision != want.Revision || !bytes.Equal(r.Value, want.Value) {
						t.Fatalf("scan: %s is %v, want %v", key, r, want)
					}
					return nil
				})
				if err != nil || !r.OK() || found != len(model) {
					t.Fatalf("scan: %d of %d records, %v %v", found, len(model), err, r.Lines())
				}
				if r := s.Check(); !r.OK() {
					t.Fatal(r.Lines())
				}
				if err := b.db.View(func(tx *bbolt.Tx) error { // what bbolt itself says
					var first error
					for err := range tx.Check() {
						first = err
					}
					return first
				}); err != nil {
					t.Fatal(err)
				}
			},
		})
	})
}

// TestOpenRefuses: what is no store of this format, or used by another process, is refused in one line and left as it is.
func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	file := func(name string, content []byte) string {
		path := filepath.Join(dir, name)
		must(t, os.WriteFile(path, content, 0o600))
		return path
	}
	other := filepath.Join(dir, "other")
	db, err := bbolt.Open(other, 0o600, nil)
	must(t, err)
	if err := errors.Join(db.Update(func(tx *bbolt.Tx) error { _, err := tx.CreateBucket([]byte("things")); return err }), db.Close()); err != nil {
		t.Fatal(err)
	}
	newer := filepath.Join(dir, "newer")
	b := open(t, newer, Options{})
	put(t, b, "game/a", "1")
	if err := errors.Join(b.db.Update(func(tx *bbolt.Tx) error {
		return tx.Bucket([]byte(bucketStore)).Put([]byte(keyFormat), number(format+1))
	}), b.Close()); err != nil {
		t.Fatal(err)
	}
	locked := filepath.Join(dir, "locked")
	put(t, open(t, locked, Options{}), "game/a", "1")
	if st, err := os.Stat(locked); err != nil || runtime.GOOS != "windows" && st.Mode().Perm() != 0o600 {
		t.Error(st.Mode(), err)
	}
	folder := filepath.Join(dir, "folder")
	must(t, os.Mkdir(folder, 0o700))
	for path, want := range map[string]string{ // any order: cases
		file("text", []byte(strings.Repeat("a text\n", 5000))): "is no store of a host",
		file("short", []byte("x")):                             "is no store of a host",
		locked:                                                 "is used by another process, probably a running host; use that one: host store … --at",
		other:                                                  "it is a bbolt file of another program",
		newer:                                                  "has format 2, this host knows formats up to 1; use a newer host",
		folder:                                                 "it is no file",
		filepath.Join(dir, "nowhere", "store.db"): "name a file in a folder that can be written",
	} {
		before, _ := os.ReadFile(path) // there may be none
		b, err := Open(path, Options{})
		if err == nil {
			t.Errorf("%s was opened: %v", path, b.Close())
			continue
		}
		if !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), path) {
			t.Errorf("%v\nwant one line with the path and %q", err, want)
		}
		if _, err := OpenSnapshot(path); err == nil {
			t.Errorf("%s was opened for reading", path)
		}
		if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
			t.Errorf("%s was changed", path)
		}
	}
	if _, err := OpenSnapshot(file("empty", nil)); err == nil || !strings.Contains(err.Error(), "there is none, or it is empty") {
		t.Error(err)
	}
}

// TestLostHeader: without its newest header a file is only read; reads fail, and all of the last commit is exported. Without both it is refused.
func TestLostHeader(t *testing.T) {
	path, want := sample(t)
	good, err := os.ReadFile(path)
	must(t, err)
	h, _ := headers(bytes.NewReader(good))
	for page := range int64(2) {
		bad := bytes.Clone(good)
		bad[page*h.pageSize+30]++
		must(t, os.WriteFile(path, bad, 0o600))
		b := open(t, path, Options{})
		_, get := b.Get("game/key-0099")
		_, list := b.List("", "", 1)
		_, commit := b.Commit([]store.Write{{Key: "game/a", Value: []byte("a")}})
		if !errors.As(get, new(*DamagedError)) || !errors.As(list, new(*DamagedError)) || !errors.As(commit, new(*BrokenError)) {
			t.Errorf("page %d: %v, %v, %v", page, get, list, commit)
		}
		must(t, b.Close())
		s, err := OpenSnapshot(path)
		must(t, err)
		n := 0
		r, err := s.Scan(func(key string, r store.Record) error {
			if n++; r.Revision != want[key].Revision || !bytes.Equal(r.Value, want[key].Value) {
				t.Errorf("page %d: %s is of an older commit", page, key)
			}
			return nil
		})
		s.Close()
		if err != nil || r.OK() || n != len(want) {
			t.Errorf("page %d: %d records of %d, %v, %v", page, n, len(want), r.Lines(), err)
		}
		if h := Probe(path); h.Keys != n || !errors.As(h.Err, new(*DamagedError)) {
			t.Errorf("page %d: %+v", page, h)
		}
	}
	good[30]++
	good[h.pageSize+30]++
	must(t, os.WriteFile(path, good, 0o600))
	if _, err := Open(path, Options{}); !errors.Is(err, ErrNoStore) {
		t.Error(err)
	}
}

// TestBounds: sizes and names are checked before anything is stored.
func TestBounds(t *testing.T) {
	b := open(t, filepath.Join(t.TempDir(), "store.db"), Options{})
	large := make([]byte, store.MaxValue+1)
	for _, w := range [][]store.Write{
		{{Key: "game/a", Value: large}},
		{{Key: "mod.x/a", Value: large}},
		{{Key: "game", Value: large[:1]}},
		{{Key: "/a", Value: large[:1]}},
		{{Key: "game/", Value: large[:1]}},
		{{Key: "game/\n", Value: large[:1]}},
		{{Key: "game/\xff", Value: large[:1]}},
		{{Key: "game/" + strings.Repeat("a", maxFullKey), Value: large[:1]}},
		{{Key: "game/b", Value: large[:1]}, {Key: "game/b", Value: large[:1]}},
		make([]store.Write, store.MaxTx+1),
	} {
		if r, err := b.Commit(w); err == nil {
			t.Errorf("%.40v was stored: %v", w[0].Key, r)
		}
	}
	if f := b.Figures(); f.Keys != 0 || f.Commits != 0 {
		t.Error(f)
	}
	blob := bytes.Repeat([]byte("world"), 1<<20)
	for key, v := range map[string][]byte{"game/empty": {}, "game/largest": large[1:], "world/one": blob, "profile/one": blob} { // any order: cases
		if _, err := b.Commit([]store.Write{{Key: key, Value: v}}); err != nil {
			t.Error(err)
		}
		if r, err := b.Get(key); err != nil || !bytes.Equal(r.Value, v) || r.Value == nil {
			t.Errorf("%s: %d bytes, %v", key, len(r.Value), err)
		}
	}
}

// TestSetQuota: a new quota holds for the next commit; what a namespace has beyond it stays, and 0 is the default.
func TestSetQuota(t *testing.T) {
	b := open(t, filepath.Join(t.TempDir(), "store.db"), Options{Quota: Quota{Keys: 2}})
	s := served(t, b, ServiceOptions{})
	for _, c := range []struct {
		set  Quota
		key  string
		full string
	}{
		{Quota{Keys: 2}, "game/a", ""},
		{Quota{Keys: 2}, "game/b", ""},
		{Quota{Keys: 2}, "game/c", "namespace game would have 21 bytes in 3 keys, it may have 268435456 bytes in 2 keys"},
		{Quota{Keys: 3}, "game/c", ""},
		{Quota{Keys: 1}, "game/d", "in 1 keys"},
		{Quota{Keys: 1}, "game/c", ""}, // it is there
		{Quota{}, "game/d", ""},
		{Quota{Bytes: 10}, "game/e", "it may have 10 bytes"},
	} {
		s.SetQuota(c.set)
		err := ask(t, s, set(c.key, "x", store.Any))[0].Err
		if errors.Is(err, store.ErrQuota) != (c.full != "") || !strings.Contains(fmt.Sprint(err), c.full) {
			t.Errorf("%s after %+v: %v, want %q", c.key, c.set, err, c.full)
		}
	}
	if n := b.Figures().Keys; n != 4 {
		t.Errorf("%d keys, want 4", n)
	}
	(*Service)(nil).SetQuota(Quota{})
}

// mount mounts a small file system for a test, or skips it.
func mount(t *testing.T, size string) string {
	t.Helper()
	if runtime.GOOS != "linux" || os.Getuid() != 0 {
		t.Skip("a full disk is a tmpfs, which only root can mount")
	}
	dir := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size="+size, "tmpfs", dir).CombinedOutput(); err != nil {
		t.Skipf("a full disk is a tmpfs, which cannot be mounted here: %v %s", err, out)
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", dir).CombinedOutput(); err != nil {
			t.Errorf("umount: %v %s", err, out)
		}
	})
	return dir
}
