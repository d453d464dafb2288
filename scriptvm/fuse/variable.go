package fuse

import (
	"math"

	"github.com/tidelock/tidelock/engine"
)

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
			for name := range c.survey(inner) { // any order: a union of sets
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
	default:
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
