package classfile

import "github.com/tidelock/tidelock/engine"

// Loading does what Load does in small pieces, for anyone who has ticks to keep in between: a client that compiles what a host
// sent (W5). What it made is in the cache, where Load finds it, errors excepted.
type Loading struct {
	sources []Source
	l       *loader
	next    func() bool // a piece; false after the last
	i       int
}

// Begin prepares to load; nothing is read yet.
func Begin(sources []Source, opt Options) *Loading {
	g := &Loading{sources: sources, l: newLoader(opt)}
	g.next = g.read
	return g
}

// Step does one piece: one file of one pass, or what concerns all files at once. It reports false once there is nothing more
// to do.
func (g *Loading) Step() bool { return g.next() }

// read is the first pass.
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
	if l.read(g.sources) || l.opt.Cache.has(behind(l.setKey(), l.opt.Prev)) || !l.build(false) {
		return g.end()
	}
	g.next = g.compile
	return true
}

// compile is the second pass.
func (g *Loading) compile() bool {
	l := g.l
	if g.i < len(l.units) {
		u := l.units[g.i]
		u.compile(l.layout(u))
		g.i++
		return true
	}
	key := l.setKey()
	l.opt.Cache.program(behind(key, l.opt.Prev), func() (*Program, []engine.Diagnostic) { return l.finish(key) })
	return g.end()
}

func (g *Loading) end() bool {
	g.next = func() bool { return false }
	return false
}
