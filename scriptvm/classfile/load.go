package classfile

import (
	"fmt"
	"runtime"
	"slices"
	"sort"
	"sync"
	"sync/atomic"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/moves"
	"github.com/tidelock/tidelock/engine/rewind"
)

// loader is one call of Load.
type loader struct {
	opt     Options
	natives *vocabulary
	diags   []engine.Diagnostic
	units   []*unit

	classes  map[string]*classInfo
	declSpec map[*classDecl]*engine.ClassSpec
	hitBoxes rewind.Table
	moves    *moves.Table
	defs     map[*defDecl]*Def
	declOf   map[*Def]*defDecl
	built    *engine.Classes
	slow     map[*condDecl]bool // conditions the VM has to evaluate
	key      *[32]byte          // see setKey; nil until it is requested
}

// Load reads, checks and compiles a set of files. The program is nil if any diagnostic is an error. Diagnostics are
// sorted by file and position.
func Load(sources []Source, opt Options) (*Program, []engine.Diagnostic) {
	l := newLoader(opt)
	broken := l.read(sources)
	l.reserved()
	if broken || l.failed() {
		l.build(broken)
		return nil, l.sorted()
	}
	key := l.setKey()
	return opt.Cache.program(cacheKey(key, opt.Prev), func() (*Program, []engine.Diagnostic) {
		if !l.build(false) {
			return nil, l.sorted()
		}
		return l.finish(key)
	})
}

func newLoader(opt Options) *loader {
	if exists := opt.Content; exists != nil {
		known := map[string]bool{} // many looks and literals use the same file
		opt.Content = func(name string) bool {
			is, ok := known[name]
			if !ok {
				is = exists(name)
				known[name] = is
			}
			return is
		}
	}
	return &loader{
		opt: opt, natives: opt.Cache.natives, classes: map[string]*classInfo{}, declSpec: map[*classDecl]*engine.ClassSpec{}, hitBoxes: rewind.Table{},
		defs: map[*defDecl]*Def{}, declOf: map[*Def]*defDecl{}, slow: map[*condDecl]bool{},
	}
}

// read returns the first pass over all files that are not in a cache; it reports whether one cannot be read.
func (l *loader) read(sources []Source) (broken bool) {
	l.units = make([]*unit, len(sources))
	var others []int
	for i := range sources {
		if last := l.opt.Last; last != nil && i < len(last.units) && last.units[i].src == sources[i] {
			l.units[i] = last.units[i]
		} else {
			others = append(others, i)
		}
	}
	l.opt.Cache.touch(l.units)
	each(len(others), func(i int) { l.units[others[i]] = l.opt.Cache.unit(sources[others[i]]) })
	for _, u := range l.units {
		l.diags = append(l.diags, u.diags...)
		broken = broken || u.broken
	}
	return broken
}

// build builds and checks the classes of the files that were read, and reports whether there is no error.
func (l *loader) build(broken bool) bool {
	specs := l.specs()
	var d []engine.Diagnostic
	l.built, d = engine.BuildClasses(specs, l.opt.Prev)
	l.diags = append(l.diags, l.sift(d, broken)...)
	if l.built == nil && !l.failed() {
		l.diags = append(l.diags, d...)
	}
	if l.built != nil && !broken {
		l.conditions()
		l.classLooks()
		l.classActions()
		l.layMoves()
		l.checkOnce()
	}
	return !l.failed()
}

// finish creates the program of classes that were built; key is their setKey.
func (l *loader) finish(key [32]byte) (*Program, []engine.Diagnostic) {
	p := l.compile()
	if l.failed() {
		return nil, l.sorted()
	}
	return l.opt.Cache.outcome(key, p), l.sorted()
}

// sift drops errors that only follow from a file that could not be read, whose class seems unknown then.
func (l *loader) sift(diags []engine.Diagnostic, broken bool) []engine.Diagnostic {
	if !broken {
		return diags
	}
	var out []engine.Diagnostic
	for _, d := range diags {
		switch d.Rule {
		case "unknown-parent", "unknown-class", "unknown-name", "unknown-state":
			continue
		}
		out = append(out, d)
	}
	return out
}

func (l *loader) errorf(pos engine.Pos, rule, format string, args ...any) {
	l.diags = append(l.diags, engine.Diagnostic{Pos: pos, Severity: engine.SevError, Rule: rule, Text: fmt.Sprintf(format, args...)})
}

func (l *loader) warnf(pos engine.Pos, rule, format string, args ...any) {
	l.diags = append(l.diags, engine.Diagnostic{Pos: pos, Severity: engine.SevWarning, Rule: rule, Text: fmt.Sprintf(format, args...)})
}

func (l *loader) failed() bool {
	for _, d := range l.diags {
		if d.Severity == engine.SevError {
			return true
		}
	}
	return false
}

// sorted sorts the diagnostics. Advice is omitted next to errors, because it would hide them.
func (l *loader) sorted() []engine.Diagnostic {
	if l.failed() {
		kept := l.diags[:0:0]
		for _, d := range l.diags {
			if !isAdvice[d.Rule] {
				kept = append(kept, d)
			}
		}
		l.diags = kept
	}
	sort.SliceStable(l.diags, func(i, j int) bool {
		a, b := l.diags[i].Pos, l.diags[j].Pos
		if a.File != b.File {
			return a.File < b.File
		}
		if a.Line != b.Line {
			return a.Line < b.Line
		}
		return a.Column < b.Column
	})
	return l.diags
}

// def returns the def of a body in this load.
func (l *loader) def(d *defDecl) *Def {
	if o := l.defs[d]; o != nil {
		return o
	}
	o := &Def{Class: d.class.name, State: d.state, Name: d.name, What: d.what, Pos: d.pos}
	if d.console != nil {
		console := *d.console // the unit is shared by all loads
		console.Optional = slices.Clone(console.Optional)
		o.Console = &console
	}
	l.defs[d] = o
	l.declOf[o] = d
	return o
}

// compile creates the program.
func (l *loader) compile() *Program {
	p := &Program{Classes: l.built, Libs: map[string]*File{}, HitBoxes: l.hitBoxes, Moves: l.moves, units: l.units, byPath: map[string]*File{}, libByPath: map[string]*File{}}
	order := map[string]int{}
	for i, c := range l.built.All() {
		order[c.Name] = i
	}
	out := make([]*compiled, len(l.units))
	each(len(l.units), func(i int) { out[i] = l.units[i].compile(l.layout(l.units[i])) })
	for i, u := range l.units {
		if f := l.file(u, out[i]); f != nil {
			if u.src.Lib != "" {
				p.Libs[u.src.Lib] = f
			} else {
				p.Files = append(p.Files, f)
			}
		}
	}
	// A file comes after those of its classes' parents; a file with several classes is ranked by its first.
	rank := func(f *File) int {
		best := len(order)
		for _, c := range f.Classes {
			best = min(best, order[c])
		}
		return best
	}
	sort.SliceStable(p.Files, func(i, j int) bool { return rank(p.Files[i]) < rank(p.Files[j]) })
	for _, u := range l.units {
		p.sources = append(p.sources, u.src)
	}
	for _, f := range p.Libs { // any order: from one map to another
		p.libByPath[f.Path] = f
	}
	for _, f := range p.Files {
		p.byPath[f.Path] = f
		for _, d := range f.Defs {
			d.Number, d.Program = len(p.Defs), p
			p.Defs = append(p.Defs, d)
		}
	}
	return p
}

// file converts a compiled unit to a file of this load.
func (l *loader) file(u *unit, out *compiled) *File {
	if out.err != nil {
		l.diags = append(l.diags, *out.err)
		return nil
	}
	f := &File{Path: u.src.Path, Hash: u.hash, Lib: u.src.Lib, Proto: out.proto, owners: out.owners, Trust: u.src.trust()}
	for _, c := range u.classes {
		f.Classes = append(f.Classes, c.name)
	}
	for i, d := range out.defs {
		o := l.def(u.body(d))
		o.File, o.Index, o.Proto = f, i+1, out.protos[i]
		f.Defs = append(f.Defs, o)
	}
	return f
}

// each calls f for 0…n−1, on as many goroutines as there are processors: because files are independent in both
// passes. It starts them and waits for all of them; a panic in one becomes the caller's.
func each(n int, f func(int)) {
	workers := min(runtime.GOMAXPROCS(0), n/8) // a few files are not worth a goroutine
	if workers < 2 {
		for i := range n {
			f(i)
		}
		return
	}
	var next atomic.Int64
	var failure atomic.Value
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			defer func() {
				if r := recover(); r != nil {
					failure.CompareAndSwap(nil, fmt.Sprint(r))
				}
			}()
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				f(i)
			}
		})
	}
	wg.Wait()
	if r := failure.Load(); r != nil {
		panic(r)
	}
}
