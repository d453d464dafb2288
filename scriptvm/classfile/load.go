package classfile

import (
	"fmt"
	"sort"

	"github.com/tidelock/tidelock/engine"
)

// loader is one call of Load.
type loader struct {
	opt   Options
	diags []engine.Diagnostic
	units []*unit

	classes  map[string]*classInfo
	declSpec map[*classDecl]*engine.ClassSpec
	defs     map[*defDecl]*Def
	declOf   map[*Def]*defDecl
	built    *engine.Classes
	slow     map[*condDecl]bool // conditions the VM has to evaluate
}

// Load reads, checks and compiles a set of files. The program is nil if any diagnostic is an error.
// Diagnostics come sorted by file and place.
func Load(sources []Source, opt Options) (*Program, []engine.Diagnostic) {
	if opt.Cache == nil {
		opt.Cache = NewCache()
	}
	l := &loader{
		opt: opt, classes: map[string]*classInfo{}, declSpec: map[*classDecl]*engine.ClassSpec{},
		defs: map[*defDecl]*Def{}, declOf: map[*Def]*defDecl{}, slow: map[*condDecl]bool{},
	}
	broken := false
	for _, s := range sources {
		u := opt.Cache.unit(s)
		l.units = append(l.units, u)
		l.diags = append(l.diags, u.diags...)
		broken = broken || u.broken
	}
	specs := l.specs()
	var d []engine.Diagnostic
	l.built, d = engine.BuildClasses(specs, opt.Prev)
	l.diags = append(l.diags, l.sift(d, broken)...)
	if l.built == nil && !l.failed() {
		l.diags = append(l.diags, d...)
	}
	if l.built != nil && !broken {
		l.conditions()
		l.check()
	}
	if l.failed() {
		return nil, l.sorted()
	}
	p := l.compile()
	if l.failed() {
		return nil, l.sorted()
	}
	return p, l.sorted()
}

// sift drops what only follows from a file that could not be read: its class seems unknown then.
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

func (l *loader) sorted() []engine.Diagnostic {
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

// def is the def of a body in this load.
func (l *loader) def(d *defDecl) *Def {
	if o := l.defs[d]; o != nil {
		return o
	}
	o := &Def{Class: d.class.name, State: d.state, Name: d.name, What: d.what, Pos: d.pos}
	l.defs[d] = o
	l.declOf[o] = d
	return o
}

// compile makes the program.
func (l *loader) compile() *Program {
	p := &Program{Classes: l.built, Libs: map[string]*File{}}
	order := map[string]int{}
	for i, c := range l.built.All() {
		order[c.Name] = i
	}
	for _, u := range l.units {
		if f := l.file(u); f != nil {
			if u.src.Lib != "" {
				p.Libs[u.src.Lib] = f
			} else {
				p.Files = append(p.Files, f)
			}
		}
	}
	// A file comes after those of its classes' parents; a file of several classes counts by its first.
	rank := func(f *File) int {
		best := len(order)
		for _, c := range f.Classes {
			best = min(best, order[c])
		}
		return best
	}
	sort.SliceStable(p.Files, func(i, j int) bool { return rank(p.Files[i]) < rank(p.Files[j]) })
	n := 0
	for _, f := range p.Files {
		for _, d := range f.Defs {
			d.Number = n
			n++
		}
	}
	return p
}

// file compiles one unit for the classes of this load.
func (l *loader) file(u *unit) *File {
	out := u.compile(l.layout(u))
	if out.err != nil {
		l.diags = append(l.diags, *out.err)
		return nil
	}
	f := &File{Path: u.src.Path, Hash: u.hash, Lib: u.src.Lib, Proto: out.proto, owners: out.owners}
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
