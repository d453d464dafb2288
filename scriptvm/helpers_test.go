package scriptvm

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm/classfile"
)

// bench is a world under test: the base classes and a chunk of classes of the test's own.
type bench struct {
	t       testing.TB
	w       *engine.World
	v       *VM
	core    []classfile.Source
	reports []Report
	logs    []string
}

// parsed is what all worlds of these tests have of the base classes' text: each is parsed and compiled once, as the worlds
// of one process do.
var parsed = classfile.NewCache(Natives())

// coreSources are the base classes of scripts/core and the modules of scripts/lib.
func coreSources(t testing.TB) (out []classfile.Source) {
	t.Helper()
	for _, dir := range []string{"core", "lib"} {
		files, err := filepath.Glob("../scripts/" + dir + "/*.lua")
		if err != nil || len(files) == 0 {
			t.Fatalf("no scripts in %s: %v", dir, err)
		}
		for _, f := range files {
			text, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			s := classfile.Source{Path: strings.TrimPrefix(filepath.ToSlash(f), "../"), Text: string(text)}
			if dir == "lib" {
				s.Lib = "lib." + strings.TrimSuffix(filepath.Base(f), ".lua")
			}
			out = append(out, s)
		}
	}
	return out
}

// newBench opens a world without a level whose classes are the base classes and those of text.
func newBench(t testing.TB, text string, libs ...classfile.Source) *bench {
	t.Helper()
	b := &bench{t: t, core: append(coreSources(t), libs...)}
	b.v = New(Options{
		Peer:   "server",
		Cache:  parsed,
		Report: func(r Report) { b.reports = append(b.reports, r) },
		Log:    func(_ *engine.Actor, text string) { b.logs = append(b.logs, text) },
	})
	t.Cleanup(b.v.Close)
	for _, d := range b.v.Load(b.sources(text)) {
		if d.Severity == engine.SevError {
			t.Fatal(d)
		}
	}
	b.w = engine.NewWorld(engine.Config{Classes: b.v.Classes(), Script: b.v, Seed: 1})
	b.v.Bind(b.w)
	return b
}

func (b *bench) sources(text string) []classfile.Source {
	return append(append([]classfile.Source(nil), b.core...), classfile.Source{Path: "scripts", Text: text, Multi: true})
}

func (b *bench) reload(text string) ReloadResult { return b.v.Reload(b.sources(text)) }

func (b *bench) spawn(class string, init ...engine.Assignment) *engine.Actor {
	b.t.Helper()
	a, err := b.w.Spawn(b.w.Classes.Find(class), engine.SpawnParams{Init: init})
	if err != nil || a == nil {
		b.t.Fatalf("spawn %s: %v %v\n%s", class, a, err, b.errors())
	}
	return a
}

func (b *bench) run(seconds float64) {
	for range int(seconds*60 + 0.5) {
		b.w.Step(1.0 / 60)
	}
}

func (b *bench) get(a *engine.Actor, name string) engine.Value {
	b.t.Helper()
	p := a.Class.Property(name)
	if p == nil {
		b.t.Fatalf("%s has no variable %s", a.Class, name)
	}
	return a.Get(p)
}

func (b *bench) errors() string {
	var lines []string
	for _, r := range b.reports {
		lines = append(lines, r.String())
	}
	return strings.Join(lines, "\n")
}

// clean fails the test if a script erred.
func (b *bench) clean() {
	b.t.Helper()
	if s := b.errors(); s != "" {
		b.t.Fatalf("script errors:\n%s", s)
	}
}

// set gives a declared variable a value, as the engine does.
func (b *bench) set(a *engine.Actor, name string, x engine.Value) {
	b.t.Helper()
	p := a.Class.Property(name)
	if err := a.Set(p, x); err != nil {
		b.t.Fatal(err)
	}
	b.v.Changed(a, p)
}

// reloads is reload, and expects that it succeeds.
func (b *bench) reloads(text string) ReloadResult {
	b.t.Helper()
	r := b.reload(text)
	if r.Failed {
		b.t.Fatal(r.Diagnostics)
	}
	return r
}

func (b *bench) spawns(n int, class string) (out []*engine.Actor) {
	for range n {
		out = append(out, b.spawn(class))
	}
	return out
}

// quarantined is what is out of use.
func (b *bench) quarantined() string { return fmt.Sprint(b.v.Quarantined()) }

// long skips under -short, as the race detector's step runs these tests: one goroutine fills memory or plays minutes in them, where there is
// no race to find, and `go test` runs them whole.
func long(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("one goroutine, for long; run without -short")
	}
}

// TestMain collects garbage less often than a host does: most of what these tests make is thrown away within a second.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	m.Run()
}
