package classfile

import "github.com/tidelock/tidelock/engine"

// Loading does the work of Load in small steps, for a caller that has to run ticks in between: a client that
// compiles a host's scripts (W5). The results are in the cache, where Load finds them, except errors.
type Loading struct {
	sources []Source
	l       *loader
	next    func() bool // one step; false after the last
	i       int
}

// Begin prepares to load; nothing is read yet.
func Begin(sources []Source, opt Options) *Loading {
	g := &Loading{sources: sources, l: newLoader(opt)}
	g.next = g.read
	return g
}

// Step does one step: one file of one pass, or the work for all files together. It returns false once there is
// nothing left to do.
func (g *Loading) Step() bool { return g.next() }

// read returns the first pass.
func (g *Loading) read() bool {
	if g.i < len(g.sources) {
		g.l.opt.Cache.unit(g.sources[g.i])
		g.i++
		return true
	}
	g.i = 0
	g.next = g.build
	return true
}

// build makes and checks the classes.
func (g *Loading) build() bool {
	l := g.l
	if l.read(g.sources) || l.opt.Cache.has(cacheKey(l.setKey(), l.opt.Prev)) || !l.build(false) {
		return g.end()
	}
	g.next = g.compile
	return true
}

// compile returns the second pass.
func (g *Loading) compile() bool {
	l := g.l
	if g.i < len(l.units) {
		u := l.units[g.i]
		u.compile(l.layout(u))
		g.i++
		return true
	}
	key := l.setKey()
	l.opt.Cache.program(cacheKey(key, l.opt.Prev), func() (*Program, []engine.Diagnostic) { return l.finish(key) })
	return g.end()
}

func (g *Loading) end() bool {
	g.next = func() bool { return false }
	return false
}
