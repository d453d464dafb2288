package fuse

import (
	"fmt"
	"math"
	"slices"

	"github.com/tidelock/tidelock/engine"
)

// kind is the type of a value, known before anything runs.
type kind uint8

const (
	kindNumber kind = iota
	kindBool
	kindVector
	kindRotator
	kindEnum
	kindText // a string; only compared with a constant
	kindRef  // a reference; only asked whether it is nil
	kindNil
)

var kindNames = [...]string{"a number", "a boolean", "a vector", "a rotator", "an enum", "a string", "a reference", "nil"}

func (k kind) String() string { return kindNames[k] }

// wide tells a kind of three registers.
func (k kind) wide() bool { return k == kindVector || k == kindRotator }

// typ is a kind with the enum it is of.
type typ struct {
	kind kind
	enum *engine.Type
}

func (t typ) is(o typ) bool {
	return t.kind == o.kind && (t.kind != kindEnum || slices.Equal(t.enum.Enum, o.enum.Enum))
}

// method is a function of a vector or a rotator.
type method struct {
	args int
	on   kind
	op   opcode
	gets kind
}

var methods = map[string]method{
	"Size": {0, kindVector, opSize, kindNumber}, "Size2D": {0, kindVector, opSize2D, kindNumber},
	"Dot": {1, kindVector, opDot, kindNumber}, "Cross": {1, kindVector, opCross, kindVector},
	"Normal": {0, kindVector, opNormal, kindVector}, "Distance": {1, kindVector, opDistance, kindNumber},
	"Rotation": {0, kindVector, opToRotator, kindRotator}, "Vector": {0, kindRotator, opToVector, kindVector},
}

// mathFunction is a function of math; args −1 is any number above 0.
type mathFunction struct{ args, place int }

// ORDER: functions. The Go functions are those that the sandbox calls.
var (
	functions1 = [...]func(float64) float64{
		math.Abs, math.Acos, math.Asin, math.Atan, math.Ceil, math.Cos, math.Cosh, degrees, math.Exp, math.Floor,
		math.Log, math.Log10, radians, math.Sin, math.Sinh, math.Sqrt, math.Tan, math.Tanh,
	}
	functions2 = [...]func(a, b float64) float64{math.Atan2, math.Mod, math.Pow}

	mathFunctions = map[string]mathFunction{
		"abs": {1, 0}, "acos": {1, 1}, "asin": {1, 2}, "atan": {1, 3}, "ceil": {1, 4}, "cos": {1, 5}, "cosh": {1, 6},
		"deg": {1, 7}, "exp": {1, 8}, "floor": {1, 9}, "log": {1, 10}, "log10": {1, 11}, "rad": {1, 12}, "sin": {1, 13},
		"sinh": {1, 14}, "sqrt": {1, 15}, "tan": {1, 16}, "tanh": {1, 17},
		"atan2": {2, 0}, "fmod": {2, 1}, "pow": {2, 2},
		"min": {-1, 0}, "max": {-1, 0},
	}
)

func degrees(x float64) float64 { return x * 180 / math.Pi }
func radians(x float64) float64 { return x * math.Pi / 180 }

// axes are the registers of parts, from the first.
var axes = map[string]struct {
	on kind
	at uint8
}{
	"X": {kindVector, 0}, "Y": {kindVector, 1}, "Z": {kindVector, 2},
	"Pitch": {kindRotator, 0}, "Yaw": {kindRotator, 1}, "Roll": {kindRotator, 2},
}

// maxWrites is how many variables a program can assign: a bit each.
const maxWrites = 64

// variable is what a program reads or assigns of self, or of the world.
type variable struct {
	typ    typ
	reg    uint8
	load   instruction
	loaded bool
	prop   *engine.Property
	write  int // place among writes, −1 if it is never assigned
	plain  bool
}

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
	for bits, r := range c.consts {
		c.p.consts[int(r)-c.first] = math.Float64frombits(bits)
	}
	return c.p, nil
}

func (c *compiler) refuse(format string, args ...any) {
	panic(&Refusal{c.line, fmt.Sprintf(format, args...)})
}

// survey notes what a statement uses of self and the world, and which variables it assigns.
func (c *compiler) survey(s *stmt) map[string]bool {
	uses := map[string]bool{}
	c.line = s.line
	for i := range s.targets {
		if t := &s.targets[i]; t.name != "" {
			v := c.variable(t.name)
			uses[t.name] = true
			if v.write < 0 {
				c.writable(t.name, v)
			}
		}
	}
	for _, e := range s.exprs {
		c.surveyExpr(e, uses)
	}
	if s.cond != nil {
		c.surveyExpr(s.cond, uses)
	}
	for _, list := range [][]*stmt{s.body, s.other} {
		for _, inner := range list {
			for name := range c.survey(inner) {
				uses[name] = true
			}
		}
	}
	c.uses[s] = uses
	return uses
}

func (c *compiler) surveyExpr(e *node, uses map[string]bool) {
	c.line = e.line
	switch e.op {
	case nodeSelf:
		c.variable(e.str)
		uses[e.str] = true
	case nodeWorld:
		name := "world." + e.str
		c.world(name, e.str)
		uses[name] = true
	}
	for _, x := range e.args {
		c.surveyExpr(x, uses)
	}
}

func (c *compiler) add(name string, v *variable) *variable {
	v.write = -1
	c.vars[name] = v
	c.order = append(c.order, name)
	return v
}

func (c *compiler) world(name, member string) {
	if c.vars[name] != nil {
		return
	}
	op := map[string]opcode{"TimeSeconds": opTime, "DeltaSeconds": opDelta, "Gravity": opGravity, "NetMode": opNetMode}[member]
	c.add(name, &variable{typ: typ{kind: kindNumber}, load: instruction{op: op}})
}

// variable is a variable of self by name.
func (c *compiler) variable(name string) *variable {
	if v := c.vars[name]; v != nil {
		return v
	}
	p := c.class.Property(name)
	if p == nil {
		c.refuse("%s is no declared variable", name)
	}
	if p.Native != nil {
		return c.native(name, p)
	}
	v := &variable{prop: p, plain: true}
	at := int32(p.Word())
	switch p.Type.Kind {
	case engine.KindFloat:
		v.typ.kind, v.load = kindNumber, instruction{op: opLoadFloat, t: at}
	case engine.KindInt:
		v.typ.kind, v.load = kindNumber, instruction{op: opLoadInt, t: at}
	case engine.KindBool:
		v.typ.kind, v.load = kindBool, instruction{op: opLoadWord, t: at}
	case engine.KindEnum:
		v.typ, v.load = typ{kindEnum, p.Type}, instruction{op: opLoadWord, t: at}
	case engine.KindVector:
		v.typ.kind, v.load = kindVector, instruction{op: opLoadVector, t: at}
	case engine.KindRotator:
		v.typ.kind, v.load = kindRotator, instruction{op: opLoadRotator, t: at}
	case engine.KindRef:
		v.typ.kind, v.load = kindRef, instruction{op: opLoadRef, t: int32(p.Slot)}
	case engine.KindString:
		v.typ.kind = kindText
	default:
		c.refuse("%s is %s", name, p.Type)
	}
	return c.add(name, v)
}

// native is one of the engine's own variables.
func (c *compiler) native(name string, p *engine.Property) *variable {
	n := p.Native
	v := &variable{prop: p, plain: n.Plain()}
	at := int32(len(c.p.natives))
	var r nativeRead
	switch n.Type.Kind {
	case engine.KindFloat, engine.KindInt:
		r.num = n.Number()
		v.typ.kind, v.load = kindNumber, instruction{op: opLoadNative, t: at}
	case engine.KindBool:
		r.num = n.Number()
		v.typ.kind, v.load = kindBool, instruction{op: opLoadNative, t: at}
	case engine.KindVector:
		r.vec = n.Vector()
		v.typ.kind, v.load = kindVector, instruction{op: opLoadNativeVector, t: at}
	case engine.KindRotator:
		r.rot = n.Rotator()
		v.typ.kind, v.load = kindRotator, instruction{op: opLoadNativeRotator, t: at}
	case engine.KindString:
		v.typ.kind = kindText
		return c.add(name, v)
	default:
		c.refuse("%s is %s", name, n.Type)
	}
	c.p.natives = append(c.p.natives, r)
	return c.add(name, v)
}

// writable makes a variable one that the program assigns.
func (c *compiler) writable(name string, v *variable) {
	p := v.prop
	if !v.plain {
		c.refuse("assigning %s does more than to set it", name)
	}
	w := write{prop: p, min: -math.MaxFloat32, max: math.MaxFloat32}
	if p.Type.Ranged {
		w.min, w.max = p.Type.Min, p.Type.Max
	}
	native := p.Native != nil
	switch p.Type.Kind {
	case engine.KindFloat:
		w.kind = writeFloat
		if native {
			w.kind = writeNativeFloat
		}
	case engine.KindInt:
		w.kind = writeInt
		w.min, w.max = max(w.min, math.MinInt32), min(w.max, math.MaxInt32)
		if native {
			c.refuse("it assigns %s", name)
		}
	case engine.KindBool:
		w.kind = writeBool
		if native {
			w.kind = writeNativeBool
		}
	case engine.KindEnum:
		w.kind = writeEnum
	case engine.KindVector:
		w.kind = writeVector
		if native {
			w.kind = writeNativeVector
		}
	case engine.KindRotator:
		w.kind = writeRotator
		if native {
			w.kind = writeNativeRotator
		}
	default:
		c.refuse("it assigns %s, %s", name, p.Type)
	}
	if len(c.p.writes) >= maxWrites {
		c.refuse("it assigns more than %d variables", maxWrites)
	}
	v.write = len(c.p.writes)
	c.p.writes = append(c.p.writes, w)
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

// land makes jumps go to the next instruction.
func (c *compiler) land(jumps []int) {
	for _, j := range jumps {
		c.p.code[j].t = int32(len(c.p.code) - 1) // the loop adds one
	}
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

// own is the type of a value in a register of its own.
func (c *compiler) own(t typ, e *node) typ {
	switch t.kind {
	case kindText, kindRef, kindNil:
		c.line = e.line
		c.refuse("it keeps %s in a local variable", t.kind)
	}
	return t
}

func (c *compiler) sameType(t *target, of typ) {
	l := &c.locals[t.local]
	if !l.known {
		c.refuse("a local is used before it is there")
	}
	if !l.is(of) {
		c.refuse("a local variable is %s and becomes %s", l.kind, of.kind)
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

func (c *compiler) set(v *variable, from uint8) {
	w := &c.p.writes[v.write]
	op := opSetSame
	switch w.kind {
	case writeFloat:
		op = opSetFloat
		if v.prop.Type.Ranged {
			op = opSetFloatRange
		}
	case writeInt:
		op = opSetInt
	case writeVector:
		op = opSetVector
	case writeRotator:
		op = opSetRotator
	case writeNativeFloat:
		op = opSetNativeFloat
	case writeNativeVector:
		op = opSetNativeVector
	case writeNativeRotator:
		op = opSetNativeRotator
	case writeBool, writeEnum, writeNativeBool:
	}
	c.emit(op, v.reg, from, uint8(v.write), 0)
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

// typeOf is the type of an expression. It refuses what is not certain.
func (c *compiler) typeOf(e *node) typ {
	c.line = e.line
	switch e.op {
	case nodeNumber, nodeWorld:
		return typ{kind: kindNumber}
	case nodeBool, nodeNot, nodeEq, nodeNe, nodeLt, nodeLe:
		return typ{kind: kindBool}
	case nodeNil:
		return typ{kind: kindNil}
	case nodeString:
		return typ{kind: kindText}
	case nodeLocal:
		l := &c.locals[e.n]
		if !l.known {
			c.refuse("a local is used before it is there")
		}
		return l.typ
	case nodeSelf:
		return c.vars[e.str].typ
	case nodePart:
		if k := c.typeOf(e.args[0]).kind; k != axes[e.str].on {
			c.refuse("it takes .%s of %s", e.str, k)
		}
		return typ{kind: kindNumber}
	case nodeMath:
		for _, x := range e.args {
			c.want(x, kindNumber)
		}
		return typ{kind: kindNumber}
	case nodeVector, nodeRotator:
		for _, x := range e.args {
			c.want(x, kindNumber)
		}
		if e.op == nodeVector {
			return typ{kind: kindVector}
		}
		return typ{kind: kindRotator}
	case nodeMethod:
		m := methods[e.str]
		c.want(e.args[0], m.on)
		for _, x := range e.args[1:] {
			c.want(x, kindVector)
		}
		return typ{kind: m.gets}
	case nodeWith:
		k := c.typeOf(e.args[0]).kind
		if !k.wide() {
			c.refuse("it calls With on %s", k)
		}
		for i, x := range e.args[1:] {
			c.want(x, kindNumber)
			if axes[e.names[i]].on != k {
				c.refuse("it calls With with %s", e.names[i])
			}
		}
		return typ{kind: k}
	case nodeNeg:
		k := c.typeOf(e.args[0]).kind
		if k != kindNumber && !k.wide() {
			c.refuse("it negates %s", k)
		}
		return typ{kind: k}
	case nodeAdd, nodeSub, nodeMul, nodeDiv, nodeMod, nodePow:
		return typ{kind: c.arithmetic(e)}
	case nodeAnd, nodeOr:
		return c.logical(e)
	}
	c.refuse("an expression that is not fused")
	return typ{}
}

func (c *compiler) want(e *node, k kind) {
	if got := c.typeOf(e).kind; got != k {
		c.line = e.line
		c.refuse("%s where %s is expected", got, k)
	}
}

// arithmetic is the kind of a sum, a product and so on.
func (c *compiler) arithmetic(e *node) kind {
	x, y := c.typeOf(e.args[0]).kind, c.typeOf(e.args[1]).kind
	c.line = e.line
	switch {
	case x == kindNumber && y == kindNumber:
		return kindNumber
	case e.op == nodeAdd || e.op == nodeSub:
		if x == y && x.wide() {
			return x
		}
	case e.op == nodeMul:
		switch {
		case x.wide() && y == kindNumber:
			return x
		case x == kindNumber && y.wide():
			return y
		case x == kindVector && y == kindVector:
			return kindVector
		}
	case e.op == nodeDiv:
		if x.wide() && y == kindNumber {
			return x
		}
	}
	c.refuse("arithmetic of %s and %s", x, y)
	return 0
}

// always tells a kind whose values are all true.
func (k kind) always() bool { return k != kindBool && k != kindRef && k != kindNil }

// logical is the type of `x and y` and `x or y` where it is certain: booleans, `test and a or b` with a and
// b of one type, and what comes of a first operand that is always true.
func (c *compiler) logical(e *node) typ {
	x, y := e.args[0], e.args[1]
	if e.op == nodeOr && x.op == nodeAnd {
		c.condType(x.args[0])
		a, b := c.typeOf(x.args[1]), c.typeOf(y)
		c.line = e.line
		if a.is(b) && c.storable(a) {
			return a
		}
		c.refuse("the type of 'and … or' is not certain")
	}
	a, b := c.typeOf(x), c.typeOf(y)
	c.line = e.line
	switch {
	case a.kind == kindBool && b.kind == kindBool:
		return a
	case a.kind.always() && c.storable(a) && c.storable(b):
		if e.op == nodeAnd {
			return b
		}
		return a
	}
	c.refuse("the type of 'and' or 'or' is not certain")
	return typ{}
}

func (c *compiler) storable(t typ) bool {
	return t.kind != kindText && t.kind != kindRef && t.kind != kindNil
}

// condType checks an expression that is only asked for its truth.
func (c *compiler) condType(e *node) {
	switch e.op {
	case nodeAnd, nodeOr:
		c.condType(e.args[0])
		c.condType(e.args[1])
	case nodeNot:
		c.condType(e.args[0])
	default:
		c.typeOf(e)
	}
}

// expr compiles an expression and gives the register of its value: its own, or one of a variable, a local or
// a constant, which must not be written to.
func (c *compiler) expr(e *node) uint8 {
	switch e.op {
	case nodeNumber, nodeBool:
		return c.constant(e.num)
	case nodeLocal:
		return c.locals[e.n].reg
	case nodeSelf:
		return c.vars[e.str].reg
	case nodeWorld:
		return c.vars["world."+e.str].reg
	case nodePart:
		return c.expr(e.args[0]) + axes[e.str].at
	}
	t := c.typeOf(e)
	r := c.temp(t.kind)
	top := c.top
	c.into(e, t, r)
	c.top = top
	return r
}

// into compiles an expression with its value in a given register. Operands are all read before that is
// written, so it may be one of them.
func (c *compiler) into(e *node, t typ, to uint8) {
	c.line = e.line
	switch e.op {
	case nodeNumber, nodeBool, nodeLocal, nodeSelf, nodeWorld, nodePart:
		c.move(t.kind, to, c.expr(e))
	case nodeAdd, nodeSub, nodeMul, nodeDiv, nodeMod, nodePow:
		c.arithmeticInto(e, t.kind, to)
	case nodeNeg:
		op := opNeg
		switch t.kind {
		case kindVector:
			op = opNeg3
		case kindRotator:
			op = opNegR
		}
		c.emit(op, to, c.expr(e.args[0]), 0, 0)
	case nodeMath:
		c.mathInto(e, to)
	case nodeVector, nodeRotator:
		var r [3]uint8
		for i := range r {
			if i < len(e.args) {
				r[i] = c.expr(e.args[i])
			} else {
				r[i] = c.constant(0)
			}
		}
		op := opVector
		if e.op == nodeRotator {
			op = opRotator
		}
		c.emit(op, to, r[0], r[1], int(r[2]))
	case nodeMethod:
		x := c.expr(e.args[0])
		y := x
		if len(e.args) > 1 {
			y = c.expr(e.args[1])
		}
		c.emit(methods[e.str].op, to, x, y, 0)
	case nodeWith:
		x := c.expr(e.args[0])
		r := [3]uint8{x, x + 1, x + 2}
		op := opVector
		if t.kind == kindRotator {
			op = opRotator
		}
		for i, name := range e.names {
			r[axes[name].at] = c.expr(e.args[i+1])
		}
		c.emit(op, to, r[0], r[1], int(r[2]))
	default:
		c.logicalInto(e, t, to)
	}
}

func (c *compiler) arithmeticInto(e *node, k kind, to uint8) {
	x, y := e.args[0], e.args[1]
	kx, ky := c.typeOf(x).kind, c.typeOf(y).kind
	rx, ry := c.expr(x), c.expr(y)
	if e.op == nodeMul && kx == kindNumber && ky.wide() {
		rx, ry, kx, ky = ry, rx, ky, kx
	}
	var op opcode
	switch k {
	case kindVector:
		switch e.op {
		case nodeAdd:
			op = opAdd3
		case nodeSub:
			op = opSub3
		case nodeDiv:
			op = opDiv3
		default:
			op = opScale3
			if ky == kindVector {
				op = opMul3
			}
		}
	case kindRotator:
		op = map[nodeOp]opcode{nodeAdd: opAddR, nodeSub: opSubR, nodeMul: opScaleR, nodeDiv: opDivR}[e.op]
	default:
		op = map[nodeOp]opcode{nodeAdd: opAdd, nodeSub: opSub, nodeMul: opMul, nodeDiv: opDiv, nodeMod: opMod, nodePow: opPow}[e.op]
	}
	c.emit(op, to, rx, ry, 0)
}

func (c *compiler) mathInto(e *node, to uint8) {
	m := mathFunctions[e.str]
	switch m.args {
	case 1:
		c.emit(opMath1, to, c.expr(e.args[0]), 0, m.place)
	case 2:
		x := c.expr(e.args[0])
		c.emit(opMath2, to, x, c.expr(e.args[1]), m.place)
	default:
		op := opMin
		if e.str == "max" {
			op = opMax
		}
		// The first steps go to a register of their own: to may be an operand still to come.
		r := c.expr(e.args[0])
		if len(e.args) == 1 {
			c.move(kindNumber, to, r)
			return
		}
		sum := c.temp(kindNumber)
		for i, x := range e.args[1:] {
			y := c.expr(x)
			if i == len(e.args)-2 {
				c.emit(op, to, r, y, 0)
				return
			}
			c.emit(op, sum, r, y, 0)
			r = sum
		}
	}
}

// logicalInto is the value of comparisons, and, or, not.
func (c *compiler) logicalInto(e *node, t typ, to uint8) {
	if e.op == nodeOr && e.args[0].op == nodeAnd && t.kind != kindBool {
		test, a, b := e.args[0].args[0], e.args[0].args[1], e.args[1]
		no := c.cond(test, false)
		c.into(a, t, to)
		end := c.emit(opJump, 0, 0, 0, 0)
		c.land(no)
		c.into(b, t, to)
		c.land([]int{end})
		return
	}
	if t.kind != kindBool || (e.op == nodeAnd || e.op == nodeOr) && c.typeOf(e.args[0]).kind != kindBool {
		// The first operand is always true.
		if e.op == nodeAnd {
			c.into(e.args[1], t, to)
		} else {
			c.into(e.args[0], t, to)
		}
		return
	}
	no := c.cond(e, false)
	c.emit(opMove, to, c.constant(1), 0, 0)
	end := c.emit(opJump, 0, 0, 0, 0)
	c.land(no)
	c.emit(opMove, to, c.constant(0), 0, 0)
	c.land([]int{end})
}

// cond compiles a test: it gives the jumps taken where the truth of e is want, and goes on where it is not.
func (c *compiler) cond(e *node, want bool) []int {
	c.line = e.line
	top := c.top
	defer func() { c.top = top }()
	switch e.op {
	case nodeNot:
		return c.cond(e.args[0], !want)
	case nodeAnd, nodeOr:
		if (e.op == nodeAnd) == want {
			// Both decide: where the first does not hold (for or: holds), the rest is skipped.
			skip := c.cond(e.args[0], !want)
			jumps := c.cond(e.args[1], want)
			c.land(skip)
			return jumps
		}
		return append(c.cond(e.args[0], want), c.cond(e.args[1], want)...)
	case nodeEq:
		return c.equal(e, want)
	case nodeNe:
		return c.equal(e, !want)
	case nodeLt, nodeLe:
		c.want(e.args[0], kindNumber)
		c.want(e.args[1], kindNumber)
		op := map[bool]opcode{true: opJumpLess, false: opJumpNotLess}[want]
		if e.op == nodeLe {
			op = map[bool]opcode{true: opJumpLessEq, false: opJumpNotLessEq}[want]
		}
		x := c.expr(e.args[0])
		return []int{c.emit(op, x, c.expr(e.args[1]), 0, 0)}
	case nodeBool:
		return c.certain(e.num != 0, want)
	}
	t := c.typeOf(e)
	switch {
	case t.kind == kindNil:
		return c.certain(false, want)
	case t.kind.always():
		if c.storable(t) {
			c.expr(e) // it may give up
		}
		return c.certain(true, want)
	}
	return c.jumpIf(c.expr(e), want)
}

func (c *compiler) jumpIf(r uint8, want bool) []int {
	op := opJumpFalse
	if want {
		op = opJumpTrue
	}
	return []int{c.emit(op, r, 0, 0, 0)}
}

func (c *compiler) certain(truth, want bool) []int {
	if truth == want {
		return []int{c.emit(opJump, 0, 0, 0, 0)}
	}
	return nil
}

// equal compiles x == y.
func (c *compiler) equal(e *node, want bool) []int {
	x, y := e.args[0], e.args[1]
	tx, ty := c.typeOf(x), c.typeOf(y)
	c.line = e.line
	if tx.kind == kindText || tx.kind == kindNil {
		x, y, tx, ty = y, x, ty, tx
	}
	switch {
	case tx.kind == kindText && ty.kind == kindText:
		return c.text(x, y, want)
	case tx.kind == kindEnum && ty.kind == kindText && y.op == nodeString:
		i := tx.enum.EnumIndex(y.str)
		if i < 0 {
			return c.certain(false, want)
		}
		return c.jumpEqual(kindEnum, c.expr(x), c.constant(float64(i)), want)
	case ty.kind == kindNil && tx.kind == kindRef:
		return c.jumpIf(c.expr(x), !want)
	case tx.kind == kindEnum && ty.kind == kindText, tx.kind == kindRef || ty.kind == kindRef:
		c.refuse("it compares %s with %s", tx.kind, ty.kind)
	case tx.kind != ty.kind:
		// Values of two types are never equal, but computing them may give up.
		for _, v := range []struct {
			*node
			typ
		}{{x, tx}, {y, ty}} {
			if c.storable(v.typ) {
				c.expr(v.node)
			}
		}
		return c.certain(false, want)
	case tx.kind == kindNil:
		return c.certain(true, want)
	case !tx.is(ty):
		c.refuse("it compares two different enums")
	}
	rx := c.expr(x)
	return c.jumpEqual(tx.kind, rx, c.expr(y), want)
}

func (c *compiler) jumpEqual(k kind, x, y uint8, want bool) []int {
	var op opcode
	switch {
	case k.wide() && want:
		op = opJumpEq3
	case k.wide():
		op = opJumpNotEq3
	case want:
		op = opJumpEq
	default:
		op = opJumpNotEq
	}
	return []int{c.emit(op, x, y, 0, 0)}
}

// text compares a string variable with a constant.
func (c *compiler) text(x, y *node, want bool) []int {
	if x.op == nodeString {
		x, y = y, x
	}
	if y.op != nodeString {
		c.refuse("it compares two string variables")
	}
	if x.op == nodeString {
		return c.certain(x.str == y.str, want)
	}
	if x.op != nodeSelf {
		c.refuse("it compares a string that is no variable of self")
	}
	t := textRead{prop: c.vars[x.str].prop, text: y.str}
	if n := t.prop.Native; n != nil {
		t.native = n.Text()
	}
	r := c.temp(kindBool)
	c.emit(opTextIs, r, 0, 0, len(c.p.texts))
	c.p.texts = append(c.p.texts, t)
	return c.jumpIf(r, want)
}
