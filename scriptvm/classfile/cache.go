package classfile

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"sync"
	"weak"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm/api"
	"github.com/tidelock/tidelock/scriptvm/syntax"
	lua "github.com/yuin/gopher-lua"
)

const (
	// maxUnits bounds the files in the cache; beyond it the least recently used one is dropped.
	maxUnits = 2048
	// maxLayouts bounds how many compilations of one file are kept: one for each layout of its class's variables,
	// so more than a few mean that a designer is at work and the old ones are useless.
	maxLayouts = 4
	// maxChecked bounds the sets of files that are remembered as checked; beyond it all are forgotten.
	maxChecked = 16
	// maxPrograms bounds the programs that are kept although no world runs them any more (about 2 MB each for the
	// sample game): the next world, or a designer who undoes a change, uses them again.
	maxPrograms = 3
	// minSweep is the number of program entries from which unused ones are searched for.
	minSweep = 256
)

// Cache remembers parsed and compiled files by content, so that all worlds of a process, and reloads that touch one
// file, do the work once. It is safe for use by many goroutines. Its content depends only on the natives and the
// sources, so sharing it never changes a result.
type Cache struct {
	natives *vocabulary

	mu    sync.Mutex
	units map[[32]byte]*cached
	clock uint64
	// checked holds the warnings of sets of files without errors: the next world of the process that runs the same
	// need not check again.
	checked map[[32]byte][]engine.Diagnostic
	// programs holds those that some world runs, and the recent ones, latest first.
	programs map[[32]byte]*cachedProgram
	recent   []*Program
	// outcomes holds the same programs by their content, whatever classes preceded them.
	outcomes map[[32]byte]weak.Pointer[Program]
	sweepAt  int // entries of both

	// trees holds the files whose calls were checked last, parsed once more, because compiling uses up the trees of
	// units. Calls are checked in all files whenever one changes, and parsing takes ten times as long as checking.
	// Guarded by judging, which is held while calls are checked.
	judging sync.Mutex
	trees   map[[32]byte]*unit
}

// cachedProgram is a program without errors, as long as anybody holds it.
type cachedProgram struct {
	mu      sync.Mutex // held while it is built: others wait for it
	waiting int        // callers that have or want mu; guarded by Cache.mu
	program weak.Pointer[Program]
	diags   []engine.Diagnostic
}

type cached struct {
	key  [32]byte
	once sync.Once
	unit *unit
	used uint64

	mu      sync.Mutex
	layouts []*compiled
}

// compiled is a file compiled for one layout.
type compiled struct {
	key    string
	proto  *lua.FunctionProto
	defs   []int                // indexes in unit.bodies, in the order of their numbers
	protos []*lua.FunctionProto // of defs
	owners map[*lua.FunctionProto]int
	err    *engine.Diagnostic
}

// NewCache returns an empty cache for files that are checked against some natives: those of the runtime that will
// run them.
func NewCache(natives *api.Registry) *Cache {
	return &Cache{natives: newVocabulary(natives), units: map[[32]byte]*cached{}, checked: map[[32]byte][]engine.Diagnostic{}, programs: map[[32]byte]*cachedProgram{}, outcomes: map[[32]byte]weak.Pointer[Program]{}}
}

// behind returns a key for everything that a program depends on: its files with their environment, which key
// represents, and the slots of the preceding classes, which may be nil.
func cacheKey(key [32]byte, prev *engine.Classes) [32]byte {
	if prev == nil {
		return key
	}
	slots := prev.SlotKey()
	return sha256.Sum256(append(key[:], slots[:]...))
}

// outcome returns p, or a program of the same files, which key represents, with the same slots although it
// succeeded other classes: players who joined before a reload and those who join after it share one.
func (c *Cache) outcome(key [32]byte, p *Program) *Program {
	slots := p.Classes.SlotKey()
	what := sha256.Sum256(append(key[:], slots[:]...))
	c.mu.Lock()
	defer c.mu.Unlock()
	if o := c.outcomes[what].Value(); o != nil {
		return o
	}
	c.outcomes[what] = weak.Make(p)
	return p
}

// sweep drops programs that nobody holds, if there may be many. Reading a weak pointer during a garbage collection
// keeps its program until the next one: if it were read at every load, and loads are quick, none would ever be
// dropped.
func (c *Cache) sweep() {
	if len(c.programs)+len(c.outcomes) < c.sweepAt {
		return
	}
	for k, o := range c.programs { // any order: unused ones are dropped
		if o.waiting == 0 && o.program.Value() == nil {
			delete(c.programs, k)
		}
	}
	for k, o := range c.outcomes { // any order: unused ones are dropped
		if o.Value() == nil {
			delete(c.outcomes, k)
		}
	}
	c.sweepAt = max(minSweep, 2*(len(c.programs)+len(c.outcomes)))
}

// has reports whether there is a program of a key.
func (c *Cache) has(key [32]byte) bool {
	c.mu.Lock()
	e := c.programs[key]
	c.mu.Unlock()
	if e == nil {
		return false
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.program.Value() != nil
}

// program returns the result of load, or one built for another world that still runs it or did recently. Errors are
// not kept.
func (c *Cache) program(key [32]byte, load func() (*Program, []engine.Diagnostic)) (*Program, []engine.Diagnostic) {
	c.mu.Lock()
	e := c.programs[key]
	if e == nil {
		e = &cachedProgram{}
		c.programs[key] = e
	}
	e.waiting++
	c.mu.Unlock()

	e.mu.Lock()
	p, diags := e.program.Value(), e.diags
	if p == nil {
		if p, diags = load(); p != nil {
			e.program, e.diags = weak.Make(p), diags
		}
	}
	e.mu.Unlock()

	c.mu.Lock()
	defer c.mu.Unlock()
	e.waiting--
	c.sweep()
	if p != nil {
		c.recent = slices.DeleteFunc(c.recent, func(o *Program) bool { return o == p })
		c.recent = slices.Insert(c.recent, 0, p)
		if len(c.recent) > maxPrograms {
			c.recent = slices.Delete(c.recent, maxPrograms, len(c.recent))
		}
	}
	return p, slices.Clone(diags)
}

// touch marks units as in use; nil ones are skipped.
func (c *Cache) touch(units []*unit) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.clock++
	for _, u := range units {
		if u != nil {
			u.entry.used = c.clock
		}
	}
}

// setKey returns a key for all files of a load, in their order, and their environment. It is computed once, after
// the first pass.
func (l *loader) setKey() [32]byte {
	if l.key == nil {
		key := l.hashSet()
		l.key = &key
	}
	return *l.key
}

func (l *loader) hashSet() (key [32]byte) {
	h := sha256.New()
	flag := func(b bool) {
		if b {
			h.Write([]byte{1})
		} else {
			h.Write([]byte{0})
		}
	}
	flag(l.opt.Check)
	flag(l.opt.Calls)
	flag(l.opt.Content != nil)
	for _, u := range l.units {
		h.Write(u.entry.key[:])
		for _, f := range u.facts.lits {
			if f.kind == namesContent && l.opt.Content != nil {
				flag(l.opt.Content(f.text))
			}
		}
	}
	for _, list := range [][]string{l.opt.Notifies, l.opt.Actions} {
		flag(list != nil)
		for _, n := range list {
			h.Write([]byte(n))
			h.Write([]byte{0})
		}
	}
	if l.opt.Content != nil {
		for _, u := range l.units {
			for _, c := range u.classes {
				c.looks.files(func(name string) { flag(l.opt.Content(name)) })
			}
		}
	}
	h.Sum(key[:0])
	return key
}

// checkOnce is check, unless the same files were found to be without errors before.
func (l *loader) checkOnce() {
	c, key := l.opt.Cache, l.setKey()
	c.mu.Lock()
	known, ok := c.checked[key]
	c.mu.Unlock()
	if ok {
		l.diags = append(l.diags, known...)
		return
	}
	before := len(l.diags)
	l.check()
	if l.failed() {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.checked) >= maxChecked {
		clear(c.checked)
	}
	c.checked[key] = slices.Clone(l.diags[before:])
}

func sourceKey(s Source) [32]byte {
	h := sha256.New()
	var n [8]byte
	write := func(t string) {
		binary.LittleEndian.PutUint64(n[:], uint64(len(t)))
		h.Write(n[:])
		h.Write([]byte(t))
	}
	write(s.Path)
	write(s.Lib)
	write(s.Place) // a file that moves to another layer is another file: the layer decides whom it is charged to
	write(s.Trust.String())
	write(s.Text)
	write(s.Trust.Layer.String())
	write(s.Trust.Mod)
	binary.LittleEndian.PutUint64(n[:], uint64(s.LineOffset)<<1)
	if s.Multi {
		n[0] |= 1
	}
	h.Write(n[:])
	var key [32]byte
	h.Sum(key[:0])
	return key
}

// unit returns the first pass over a file, made once.
func (c *Cache) unit(s Source) *unit {
	e := c.entry(sourceKey(s))
	e.once.Do(func() {
		e.unit = readUnit(s, c.natives)
		e.unit.entry = e
		if e.unit.broken {
			e.unit.release() // it will not be compiled
		}
	})
	return e.unit
}

func (c *Cache) entry(key [32]byte) *cached {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.clock++
	e := c.units[key]
	if e == nil {
		if len(c.units) >= maxUnits {
			var oldest [32]byte
			least := c.clock
			for k, o := range c.units { // any order: no two were used at the same time
				if o.used < least {
					oldest, least = k, o.used
				}
			}
			delete(c.units, oldest)
		}
		e = &cached{key: key}
		c.units[key] = e
	}
	e.used = c.clock
	return e
}

// compile returns the second pass over a file for a layout, made once for each.
func (u *unit) compile(l *layout) *compiled {
	e := u.entry
	e.mu.Lock()
	defer e.mu.Unlock()
	key := l.key()
	for i, c := range e.layouts {
		if c.key == key {
			copy(e.layouts[1:i+1], e.layouts[:i])
			e.layouts[0] = c
			return c
		}
	}
	// Rewriting uses up the tree. A second layout of the same text parses it again.
	src := u
	if u.rewritten {
		src = readTree(u.src, u.natives)
		l = l.of(src)
	}
	src.rewritten = true
	c := src.rewrite(l, syntax.Compile)
	src.release()
	c.key = key
	if len(e.layouts) >= maxLayouts {
		e.layouts = e.layouts[:maxLayouts-1]
	}
	e.layouts = append([]*compiled{c}, e.layouts...)
	return c
}

// withTrees calls f with units that have their trees. Only those of this call are kept for the next.
func (c *Cache) withTrees(units []*unit, f func(trees []*unit)) {
	c.judging.Lock()
	defer c.judging.Unlock()
	trees := make([]*unit, len(units))
	each(len(units), func(i int) {
		if trees[i] = c.trees[units[i].entry.key]; trees[i] == nil {
			trees[i] = readTree(units[i].src, c.natives)
		}
	})
	c.trees = make(map[[32]byte]*unit, len(units))
	for i, u := range units {
		c.trees[u.entry.key] = trees[i]
	}
	f(trees)
}

// release drops the tree, which is many times the size of everything else. Only the first pass and rewriting use
// it.
func (u *unit) release() {
	u.chunk, u.classOf, u.defOf = nil, nil, nil
	for _, d := range u.bodies() {
		d.stmt, d.fn = nil, nil
	}
	for _, c := range u.conds {
		c.fn, c.expr = nil, nil
	}
	for _, c := range u.classes {
		c.seen = nil
	}
}
