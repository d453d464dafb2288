package web

import (
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// fakeModule is a module that the client's package is in, with one of each that counts and one of each that does not.
func fakeModule(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":                         "module example.test/fake // a comment\n\ngo 1.26.0\n\nreplace example.test/other => ./other\n",
		"other/go.mod":                   "module example.test/other\n",
		"other/other.go":                 "package other\n",
		"cmd/host/browser/main.go":       "package main\n\nimport \"example.test/fake/inner\"\n\nfunc main() { println(inner.Text) }\n",
		"cmd/host/browser/main_test.go":  "package main\n",
		"cmd/host/browser/main_linux.go": "package main\n",
		"inner/inner.go":                 "package inner\n\nimport _ \"embed\"\n\n//go:embed text.txt\nvar Text string\n",
		"inner/text.txt":                 "hello\n",
		"elsewhere/elsewhere.go":         "package elsewhere\n",
	} {
		writeFile(t, filepath.Join(dir, name), []byte(text), time.Now())
	}
	return dir
}

func TestSourceKey(t *testing.T) {
	dir := fakeModule(t)
	key := func() string {
		t.Helper()
		k, err := sourceKey(dir)
		if err != nil {
			t.Fatal(err)
		}
		if !isKey(k) {
			t.Fatalf("key %q", k)
		}
		return k
	}
	for _, c := range []struct {
		name  string
		other bool
	}{
		{"go.mod", true},
		{"go.sum", true},
		{"other/other.go", true},
		{"cmd/host/browser/main.go", true},
		{"cmd/host/browser/more.go", true},
		{"inner/inner.go", true},
		{"inner/more_js.go", true},
		{"inner/text.txt", true},
		{"cmd/host/browser/main_test.go", false},
		{"cmd/host/browser/main_linux.go", false},
		{"elsewhere/elsewhere.go", false},
		{"inner/unused.txt", false},
	} {
		before := key()
		name := filepath.Join(dir, c.name)
		old, err := os.ReadFile(name)
		if err != nil {
			switch {
			case strings.HasPrefix(c.name, "inner/more"):
				old = []byte("package inner\n")
			case strings.HasSuffix(c.name, ".go"):
				old = []byte("package main\n")
			}
		}
		writeFile(t, name, append(old, "// changed\n"...), time.Now())
		if after := key(); (after != before) != c.other {
			t.Errorf("%s: another key is %v, want %v", c.name, after != before, c.other)
		}
	}
	if err := os.Remove(filepath.Join(dir, "go.mod")); err != nil {
		t.Fatal(err)
	}
	if _, err := sourceKey(dir); err == nil {
		t.Error("a folder without go.mod has a key")
	}
}

func built(t *testing.T, o BuilderOptions) *Builder {
	t.Helper()
	o.Now = time.Now
	b := NewBuilder(o)
	t.Cleanup(b.Close)
	return b
}

func entries(t *testing.T, dir string) (names []string) {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range list {
		if d.IsDir() {
			names = append(names, d.Name())
		}
	}
	return names
}

// Two hosts that start at once build once; what is built is served packed and forever; a damaged build is built again; and
// what the compiler complains of is said in one line without a folder of this machine.
func TestBuilds(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles for js/wasm")
	}
	leaks := goleak.IgnoreCurrent()
	t.Cleanup(func() { goleak.VerifyNone(t, leaks) })
	module, dir := fakeModule(t), filepath.Join(t.TempDir(), "clients")
	if err := os.RemoveAll(filepath.Join(module, "other")); err != nil { // not needed to build, and the key tells its absence
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(module, "go.mod"), []byte("module example.test/fake\n\ngo 1.26.0\n"), time.Now())
	one, two := built(t, BuilderOptions{Module: module, Dir: dir}), built(t, BuilderOptions{Module: module, Dir: dir})
	<-one.done
	<-two.done
	a, b := one.join(), two.join()
	if a.State != "ready" || b.State != "ready" || a.Wasm != b.Wasm || a.Exec != b.Exec || a.Size == 0 {
		t.Fatalf("%+v and %+v", a, b)
	}
	if fromSource := strings.Count(a.Text+b.Text, "built from source"); fromSource != 1 {
		t.Errorf("built %d times: %q, %q", fromSource, a.Text, b.Text)
	}
	if n := entries(t, dir); len(n) != 1 || !isKey(n[0]) {
		t.Errorf("entries %q", n)
	}

	l := listen(t, Options{Client: one})
	r, packed := get(t, l, a.Wasm, "Accept-Encoding", "gzip")
	if r.StatusCode != 200 || r.Header.Get("Content-Type") != "application/wasm" || r.Header.Get("Content-Encoding") != "gzip" || !strings.Contains(r.Header.Get("Cache-Control"), "immutable") {
		t.Errorf("%s %v", r.Status, r.Header)
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	wasm, err := io.ReadAll(z)
	if err != nil || int64(len(wasm)) != a.Size {
		t.Errorf("%d bytes, want %d (%v)", len(wasm), a.Size, err)
	}
	if _, plain := get(t, l, a.Wasm); !bytes.Equal(plain, wasm) {
		t.Error("unpacked on the way it is another file")
	}
	if r, b := get(t, l, a.Exec); r.StatusCode != 200 || !bytes.Contains(b, []byte("globalThis.Go")) {
		t.Errorf("wasm_exec.js: %s", r.Status)
	}

	again := built(t, BuilderOptions{Module: module, Dir: dir})
	<-again.done
	if j := again.join(); j.Text != "built earlier" {
		t.Errorf("the second start: %+v", j)
	}
	entry := filepath.Join(dir, entries(t, dir)[0])
	if err := os.Truncate(filepath.Join(entry, packedName), 1000); err != nil {
		t.Fatal(err)
	}
	anew := built(t, BuilderOptions{Module: module, Dir: dir})
	<-anew.done
	if j := anew.join(); j.State != "ready" || j.Text != "built from source" || j.Wasm != a.Wasm {
		t.Errorf("after damage: %+v", j)
	}

	writeFile(t, filepath.Join(module, "inner/wrong.go"), []byte("package inner\n\nvar x int = \"\"\n"), time.Now())
	broken := built(t, BuilderOptions{Module: module, Dir: dir})
	<-broken.done
	if j := broken.join(); j.State != "failed" || !strings.Contains(j.Text, "inner/wrong.go:3") || strings.Contains(j.Text, module) || strings.Contains(j.Text, "\n") {
		t.Errorf("a wrong source: %+v", j)
	}
	if n := entries(t, dir); len(n) != 1 {
		t.Errorf("a failed build left %q", n)
	}
}

// A source that changes while it is compiled does not leave a build under the key of another content.
func TestSourceChangesMeanwhile(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles for js/wasm")
	}
	module, dir := fakeModule(t), t.TempDir()
	b := built(t, BuilderOptions{Module: module, Dir: dir})
	eventually(t, "it compiles", func() bool { j := b.join(); return strings.HasPrefix(j.Text, "compiling") || j.State != "building" })
	writeFile(t, filepath.Join(module, "inner/text.txt"), []byte("changed meanwhile\n"), time.Now())
	if j := b.join(); !strings.HasPrefix(j.Text, "compiling") {
		t.Skipf("the build was faster than the change: %+v", j)
	}
	<-b.done
	key, err := sourceKey(module)
	if err != nil {
		t.Fatal(err)
	}
	if n := entries(t, dir); len(n) != 1 || n[0] != key {
		t.Errorf("entries %q, the sources have %s", n, key)
	}
	j := b.join()
	if j.State != "ready" {
		t.Fatalf("%+v", j)
	}
	z, err := gzip.NewReader(bytes.NewReader(b.file(j.Wasm).gz()))
	if err != nil {
		t.Fatal(err)
	}
	if wasm, err := io.ReadAll(z); err != nil || !bytes.Contains(wasm, []byte("changed meanwhile")) {
		t.Errorf("the client has the old text (%v)", err)
	}
}

// Close ends a build wherever it is, and leaves no folder of it.
func TestCloseWhileBuilding(t *testing.T) {
	leaks := goleak.IgnoreCurrent()
	module, dir := fakeModule(t), t.TempDir()
	b := NewBuilder(BuilderOptions{Module: module, Dir: dir, Now: time.Now})
	eventually(t, "it compiles", func() bool { j := b.join(); return strings.HasPrefix(j.Text, "compiling") || j.State != "building" })
	b.Close()
	b.Close()
	if j := b.join(); j.State != "failed" || j.Text != "the host is shutting down" {
		t.Errorf("%+v", j)
	}
	if n := entries(t, dir); len(n) != 0 {
		t.Errorf("left %q", n)
	}
	goleak.VerifyNone(t, leaks)
}

func TestNoClient(t *testing.T) {
	var none *Builder
	if j := none.join(); j.State != "failed" || j.Text == "" || none.file("/client/x/client.wasm") != nil {
		t.Errorf("%+v", j)
	}
	for _, module := range []string{"", t.TempDir()} {
		b := built(t, BuilderOptions{Module: module, Dir: t.TempDir()})
		<-b.done
		if j := b.join(); j.State != "failed" || !strings.Contains(j.Text, "released") || j.Wasm != "" {
			t.Errorf("module %q: %+v", module, j)
		}
		if j := b.join(); module != "" && strings.Contains(j.Text, module) {
			t.Errorf("strangers are told a folder of this machine: %+v", j)
		}
	}
	if _, err := findGo(t.Context(), t.TempDir(), goVersion(), []string{filepath.Join(t.TempDir(), "go")}); err == nil || !strings.Contains(err.Error(), "install") {
		t.Errorf("no toolchain: %v", err)
	}
	if _, err := findGo(t.Context(), t.TempDir(), "go9.9.9", goCandidates()); err == nil || !strings.Contains(err.Error(), goVersion()) {
		t.Errorf("another version: %v", err)
	}
}

// The builds used last stay, others' folders too, and what a host left that died goes.
func TestPrune(t *testing.T) {
	dir, now := t.TempDir(), time.Now()
	key := func(n byte) string { return hex.EncodeToString(bytes.Repeat([]byte{n}, keyBytes)) }
	ages := map[string]time.Duration{tempPrefix + "old": 2 * abandoned, tempPrefix + "new": 0, "other": 99 * time.Hour}
	for n := range byte(7) {
		ages[key(n)] = time.Duration(n) * time.Hour
	}
	for name, age := range ages {
		writeFile(t, filepath.Join(dir, name, "x"), nil, now)
		if err := os.Chtimes(filepath.Join(dir, name), now.Add(-age), now.Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	if err := prune(dir, key(6), now); err != nil {
		t.Fatal(err)
	}
	want := strings.Join([]string{tempPrefix + "new", key(0), key(1), key(2), key(6), "other"}, " ")
	if got := strings.Join(entries(t, dir), " "); got != want {
		t.Errorf("left %s\nwant %s", got, want)
	}
}
