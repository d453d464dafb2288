package fuse

import (
	"fmt"
	"math"
	"slices"

	"github.com/tidelock/tidelock/engine"
)

type compiler struct {
	f      *Func
	class  *engine.Class
	p      *Program
	vars   map[string]*variable
	order  []string // of vars, as they are first used
	locals []struct {
		typ
		reg   uint8
		known bool
	}
	uses   map[*stmt]map[string]bool
	consts map[uint64]uint8
	top    int // the next free register
	high   int
	first  int // of the constants
	line   int
}

// Compile fuses a function for the class whose function it is; params are the kinds of value that it will
// be called with (of another kind it will not run). It gives nil and the reason where it cannot.
func Compile(f *Func, class *engine.Class, params []engine.Kind) (p *Program, why *Refusal) {
	c := &compiler{
		f: f, class: class, p: &Program{class: class}, vars: map[string]*variable{}, uses: map[*stmt]map[string]bool{},
		consts: map[uint64]uint8{}, first: 256,
	}
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *Refusal:
			p, why = nil, r
		default:
			panic(r)
		}
	}()
	c.locals = make([]struct {
		typ
		reg   uint8
		known bool
	}, f.locals)
	for _, s := range f.body {
		c.survey(s)
	}
	for _, name := range c.order {
		v := c.vars[name]
		v.reg = c.temp(v.typ.kind)
		v.load.a = v.reg
		if v.write >= 0 {
			c.p.writes[v.write].reg = v.reg
		}
	}
	for i := range f.params {
		m := param{used: f.used[i]}
		if m.used {
			k := engine.KindFloat
			if i < len(params) {
				k = params[i]
			}
			switch k {
			case engine.KindFloat, engine.KindInt:
				m.kind = kindNumber
			case engine.KindBool:
				m.kind = kindBool
			case engine.KindVector:
				m.kind = kindVector
			case engine.KindRotator:
				m.kind = kindRotator
			default:
				c.refuse("its parameter %s is %s", f.params[i], k)
			}
		}
		m.reg = c.temp(m.kind)
		l := &c.locals[i]
		l.typ, l.reg, l.known = typ{kind: m.kind}, m.reg, true
		c.p.params = append(c.p.params, m)
	}
	c.block(f.body)
	c.emit(opReturn, 0, 0, 0, 0)
	c.p.consts = make([]float64, 256-c.first)
	for bits, r := range c.consts { // any order: each has a register of its own
		c.p.consts[int(r)-c.first] = math.Float64frombits(bits)
	}
	return c.p, nil
}

func (c *compiler) refuse(format string, args ...any) {
	panic(&Refusal{c.line, fmt.Sprintf(format, args...)})
}

// temp takes registers. They are given back by setting top.
func (c *compiler) temp(k kind) uint8 {
	r := c.top
	c.top++
	if k.wide() {
		c.top += 2
	}
	c.high = max(c.high, c.top)
	c.fits()
	return uint8(r)
}

func (c *compiler) fits() {
	if c.high > c.first {
		c.refuse("it needs more than 256 registers")
	}
}

func (c *compiler) constant(n float64) uint8 {
	b := math.Float64bits(n)
	r, ok := c.consts[b]
	if !ok {
		c.first--
		c.fits()
		r = uint8(c.first)
		c.consts[b] = r
	}
	return r
}

func (c *compiler) emit(op opcode, a, b, c2 uint8, t int) int {
	c.p.code = append(c.p.code, instruction{op, a, b, c2, int32(t)})
	return len(c.p.code) - 1
}

// block compiles statements. A variable is read before the first statement of the block that uses it,
// unless that is an if and only one of its branches does: then there, so that a function that returns early
// does not read what it does not need. All later uses come after the reading either way.
func (c *compiler) block(list []*stmt) {
	top := c.top
	for i, s := range list {
		for _, name := range c.order {
			v := c.vars[name]
			if !c.uses[s][name] || v.loaded || v.typ.kind == kindText {
				continue
			}
			again := slices.ContainsFunc(list[i+1:], func(o *stmt) bool { return c.uses[o][name] })
			if !again && c.inner(s, name) {
				continue
			}
			v.loaded = true
			c.p.code = append(c.p.code, v.load)
		}
		c.stmt(s)
	}
	c.top = top
}

// inner reports whether one block alone inside a statement uses a variable.
func (c *compiler) inner(s *stmt, name string) bool {
	in := func(list []*stmt) bool {
		return slices.ContainsFunc(list, func(o *stmt) bool { return c.uses[o][name] })
	}
	switch s.op {
	case stmtBlock:
		return true
	case stmtIf:
		cond := map[string]bool{}
		c.surveyExpr(s.cond, cond)
		return !cond[name] && in(s.body) != in(s.other)
	default:
	}
	return false
}

func (c *compiler) stmt(s *stmt) {
	c.line = s.line
	top := c.top
	switch s.op {
	case stmtReturn:
		c.emit(opReturn, 0, 0, 0, 0)
	case stmtBlock:
		c.block(s.body)
	case stmtIf:
		no := c.cond(s.cond, false)
		c.top = top
		c.block(s.body)
		if len(s.other) == 0 {
			c.land(no)
			return
		}
		end := c.emit(opJump, 0, 0, 0, 0)
		c.land(no)
		c.block(s.other)
		c.land([]int{end})
	case stmtAssign:
		c.assign(s)
		return // locals stay
	}
	c.top = top
}

func (c *compiler) assign(s *stmt) {
	if len(s.targets) == 1 {
		c.assignOne(&s.targets[0], s.exprs[0])
		return
	}
	// All values first, each in a register of its own, then the targets from the last to the first. New
	// locals take the registers of the values.
	types := make([]typ, len(s.exprs))
	regs := make([]uint8, len(s.exprs))
	for i, e := range s.exprs {
		types[i] = c.own(c.typeOf(e), e)
		regs[i] = c.temp(types[i].kind)
	}
	top := c.top
	for i, e := range s.exprs {
		c.into(e, types[i], regs[i])
		c.top = top
	}
	for i := len(s.targets) - 1; i >= 0; i-- {
		t := &s.targets[i]
		switch {
		case t.declare:
			l := &c.locals[t.local]
			l.typ, l.reg, l.known = types[i], regs[i], true
		case t.name == "":
			c.sameType(t, types[i])
			c.move(types[i].kind, c.locals[t.local].reg, regs[i])
		default:
			v := c.vars[t.name]
			if !v.typ.is(types[i]) {
				c.refuse("it assigns %s to %s", types[i].kind, t.name)
			}
			c.set(v, regs[i])
		}
	}
}

func (c *compiler) assignOne(t *target, e *node) {
	if t.name != "" {
		v := c.vars[t.name]
		top := c.top
		of := c.typeOf(e)
		if v.typ.kind == kindEnum && of.kind == kindText && e.op == nodeString {
			c.set(v, c.name(v.typ.enum, e))
			return
		}
		if !v.typ.is(of) {
			if of.kind == kindEnum && v.typ.kind == kindEnum {
				c.refuse("it assigns an enum of other names to %s", t.name)
			}
			c.refuse("it assigns %s to %s, %s", of.kind, t.name, v.typ.kind)
		}
		c.set(v, c.expr(e))
		c.top = top
		return
	}
	if t.declare {
		of := c.own(c.typeOf(e), e)
		r := c.temp(of.kind)
		top := c.top
		c.into(e, of, r)
		c.top = top
		l := &c.locals[t.local]
		l.typ, l.reg, l.known = of, r, true
		return
	}
	l := &c.locals[t.local]
	top := c.top
	of := c.typeOf(e)
	if l.known && l.kind == kindEnum && e.op == nodeString {
		c.move(kindEnum, l.reg, c.name(l.enum, e))
		return
	}
	c.sameType(t, of)
	c.into(e, of, l.reg)
	c.top = top
}

// name is the register that holds the index of an enum's name.
func (c *compiler) name(enum *engine.Type, e *node) uint8 {
	i := enum.EnumIndex(e.str)
	if i < 0 {
		c.refuse("%q is not one of %s", e.str, enum)
	}
	return c.constant(float64(i))
}

func (c *compiler) move(k kind, to, from uint8) {
	if to == from {
		return
	}
	op := opMove
	if k.wide() {
		op = opMove3
	}
	c.emit(op, to, from, 0, 0)
}
