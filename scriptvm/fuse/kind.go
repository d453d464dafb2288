package fuse

import (
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

// own is the type of a value in a register of its own.
func (c *compiler) own(t typ, e *node) typ {
	switch t.kind {
	case kindText, kindRef, kindNil:
		c.line = e.line
		c.refuse("it keeps %s in a local variable", t.kind)
	default:
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
