package web

import (
	"bytes"
	"compress/gzip"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
)

func built(t *testing.T, o BuilderOptions) *Builder {
	t.Helper()
	o.Now = time.Now
	b := NewBuilder(o)
	t.Cleanup(b.Close)
	return b
}

// Two hosts that start at once build once; what is built is served packed and forever; a damaged build is built again; and
// what the compiler complains of is said in one line without a folder of this machine.
func TestBuilds(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles for js/wasm")
	}
	leaks := goleak.IgnoreCurrent()
	t.Cleanup(func() { goleak.VerifyNone(t, leaks) })
	module, dir := t.TempDir(), filepath.Join(t.TempDir(), "clients")
	write := func(name, text string) { writeFile(t, filepath.Join(module, name), []byte(text), time.Now()) }
	write("go.mod", "module example.test/fake\n\ngo 1.26.0\n")
	write("cmd/host/browser/main.go", "package main\n\nimport \"example.test/fake/inner\"\n\nfunc main() { println(inner.Text) }\n")
	write("inner/inner.go", "package inner\n\nconst Text = \"built in "+module+"\"\n") // no cache has it
	options := BuilderOptions{Source: Source{Checkout: module}, Dir: dir}
	one, two := built(t, options), built(t, options)
	<-one.done
	<-two.done
	a, b := one.join(), two.join()
	if a.State != "ready" || b.State != "ready" || a.Wasm != b.Wasm || a.Exec != b.Exec || a.Size == 0 {
		t.Fatalf("%+v and %+v", a, b)
	}
	if fromSource := strings.Count(a.Text+b.Text, "built from source"); fromSource != 1 {
		t.Errorf("built %d times: %q, %q", fromSource, a.Text, b.Text)
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

	again := built(t, options)
	<-again.done
	if j := again.join(); j.Text != "as it was built before" || j.Wasm != a.Wasm {
		t.Errorf("the second start: %+v", j)
	}
	if err := os.Truncate(filepath.Join(dir, packedName), 1000); err != nil {
		t.Fatal(err)
	}
	anew := built(t, options)
	<-anew.done
	if j := anew.join(); j.State != "ready" || j.Wasm != a.Wasm {
		t.Errorf("after damage: %+v", j)
	}

	write("inner/wrong.go", "package inner\n\nvar x int = \"\"\n")
	broken := built(t, options)
	<-broken.done
	if j := broken.join(); j.State != "failed" || !strings.Contains(j.Text, "inner/wrong.go:3") || strings.Contains(j.Text, module) || strings.Contains(j.Text, "\n") {
		t.Errorf("a wrong source: %+v", j)
	}
	write("inner/wrong.go", "package inner\n\nfunc init() { println(`changed`) }\n")
	edited := built(t, options)
	<-edited.done
	if j := edited.join(); j.State != "ready" || j.Text != "built from source" || j.Wasm == a.Wasm {
		t.Errorf("after an edit: %+v", j)
	}
}

func TestNoClient(t *testing.T) {
	var none *Builder
	if j := none.join(); j.State != "failed" || j.Text == "" || none.file("/client/x/client.wasm") != nil {
		t.Errorf("%+v", j)
	}
	fails := func(what string, from Source, text string) {
		t.Helper()
		b := built(t, BuilderOptions{Source: from, Dir: t.TempDir()})
		<-b.done
		if j := b.join(); j.State != "failed" || !strings.Contains(j.Text, text) || !strings.Contains(j.Text, "released host") || j.Wasm != "" || from.Checkout != "" && strings.Contains(j.Text, from.Checkout) {
			t.Errorf("%s: %+v", what, j)
		}
	}
	fails("no source", Source{}, "no client compiled in")
	fails("no module", Source{Checkout: t.TempDir()}, "go.mod")
	t.Setenv("GOPROXY", "off")
	fails("no network", Source{Module: "example.test/fake@v1.0.0"}, "example.test/fake@v1.0.0: module lookup disabled by GOPROXY=off; check the network")
	t.Setenv("PATH", t.TempDir())
	fails("no toolchain", Source{Checkout: t.TempDir()}, "install Go")
}

// lines records when each line of a log was written.
type lines []time.Time

func (l *lines) Write(b []byte) (int, error) {
	if bytes.Contains(b, []byte("compiling, 12 of 24 packages")) {
		*l = append(*l, time.Now())
	}
	return len(b), nil
}

// While a client is built, no five seconds pass without a line of the log; where lines are shown, the log has none of them.
func TestTold(t *testing.T) {
	for _, shows := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			var log lines
			var shown []string
			begun := time.Now()
			b := &Builder{phase: building, started: begun, opt: BuilderOptions{Now: time.Now, Log: slog.New(slog.NewTextHandler(&log, nil))}}
			if shows {
				b.opt.Show = func(line string) { shown = append(shown, line) }
			}
			b.compiling(12, 24)
			over, told := make(chan struct{}), make(chan struct{})
			go func() {
				defer close(told)
				b.tell(over)
			}()
			time.Sleep(time.Minute)
			close(over)
			<-told
			if shows {
				if len(log) > 0 || shown[19] != "browser client: [#####.....] compiling, 12 of 24 packages, 5 s" || shown[len(shown)-1] != "" {
					t.Errorf("logged at %v, shown %q", log, shown)
				}
				return
			}
			for i, at := range append(log, begun.Add(time.Minute)) {
				if before := append(lines{begun}, log...)[i]; at.Sub(before) > 5*time.Second {
					t.Errorf("nothing is said for %v", at.Sub(before))
				}
			}
		})
	}
}
