package engine

import (
	"math"

	"github.com/tidelock/tidelock/engine/geom"
)

// arithmetic is Lua's on two numbers, as gopher-lua does it: adding 0 makes 0 of −0, as it does when it
// puts a result into a register.
func arithmetic(op ExprOp, x, y float64) float64 { return arithmeticOf(op, x, y) + 0 }

func arithmeticOf(op ExprOp, x, y float64) float64 {
	switch op {
	case ExprAdd:
		return x + y
	case ExprSub:
		return x - y
	case ExprMul:
		return x * y
	case ExprDiv:
		return x / y
	case ExprMod:
		m := math.Mod(x, y)
		if y > 0 && m < 0 || y < 0 && m > 0 {
			m += y
		}
		return m
	default:
		return math.Pow(x, y)
	}
}

// arithTypes gives the type of a result for each pair of operand types, 0 for an error.
func arithTypes(op ExprOp, x, y types) types {
	switch {
	case x == typeNumber && y == typeNumber:
		return typeNumber
	case x == typeVector && y == typeVector && (op == ExprAdd || op == ExprSub || op == ExprMul):
		return typeVector
	case x == typeVector && y == typeNumber && (op == ExprMul || op == ExprDiv):
		return typeVector
	case x == typeNumber && y == typeVector && op == ExprMul:
		return typeVector
	case x == typeRotator && y == typeRotator && (op == ExprAdd || op == ExprSub):
		return typeRotator
	case x == typeRotator && y == typeNumber && (op == ExprMul || op == ExprDiv):
		return typeRotator
	case x == typeNumber && y == typeRotator && op == ExprMul:
		return typeRotator
	}
	return 0
}

func eachType(t types, f func(types)) {
	for b := typeNil; b < typeError; b <<= 1 {
		if t&b != 0 {
			f(b)
		}
	}
}

func (c *condCompiler) arith(e *Expr, l, r *condNode) *condNode {
	if (l.types|r.types)&typeString != 0 {
		return c.slow(e, "it calculates with a string")
	}
	var out types
	fails := l.fails || r.fails
	eachType(l.types, func(x types) {
		eachType(r.types, func(y types) {
			t := arithTypes(e.Op, x, y)
			out |= t
			fails = fails || t == 0 || t == typeRotator && e.Op == ExprDiv
		})
	})
	if out == 0 {
		return c.wrong(e, "attempt to perform arithmetic (%s) on %s and %s", e.Op, l.types.word(), r.types.word())
	}
	bitsOnly := l.bitsOnly && r.bitsOnly
	op := e.Op
	if !fails && l.types == typeNumber && r.types == typeNumber {
		if l.isLit && r.isLit {
			return literalNode(condValue{kind: typeNumber, num: arithmetic(op, l.lit.num, r.lit.num)})
		}
		return numberNode(arithNum(op, l.number(), r.number()), bitsOnly)
	}
	if l.types == typeNumber && r.types == typeNumber {
		lt, rt := l.tryNumber(), r.tryNumber()
		return tryNumberNode(func(a *Actor, in CondInput) (float64, string) {
			x, bad := lt(a, in)
			if bad != "" {
				return 0, bad
			}
			y, bad := rt(a, in)
			return arithmetic(op, x, y), bad
		}, bitsOnly)
	}
	if !fails && l.types == typeVector && r.types == typeVector && op != ExprMul {
		lv, rv := l.vector(), r.vector()
		if op == ExprAdd {
			return vectorNode(func(a *Actor, in CondInput) geom.Vector { return lv(a, in).Add(rv(a, in)) }, bitsOnly)
		}
		return vectorNode(func(a *Actor, in CondInput) geom.Vector { return lv(a, in).Sub(rv(a, in)) }, bitsOnly)
	}
	la, ra := l.any, r.any
	return anyNode(out, fails, bitsOnly, func(a *Actor, in CondInput) condValue {
		x := la(a, in)
		if x.kind == typeError {
			return x
		}
		y := ra(a, in)
		if y.kind == typeError {
			return y
		}
		return arithAny(op, x, y)
	})
}

func arithNum(op ExprOp, l, r func(*Actor, CondInput) float64) func(*Actor, CondInput) float64 {
	switch op {
	case ExprAdd:
		return func(a *Actor, in CondInput) float64 { return l(a, in) + r(a, in) + 0 }
	case ExprSub:
		return func(a *Actor, in CondInput) float64 { return l(a, in) - r(a, in) + 0 }
	case ExprMul:
		return func(a *Actor, in CondInput) float64 { return l(a, in)*r(a, in) + 0 }
	case ExprDiv:
		return func(a *Actor, in CondInput) float64 { return l(a, in)/r(a, in) + 0 }
	default:
	}
	return func(a *Actor, in CondInput) float64 { return arithmetic(op, l(a, in), r(a, in)) }
}

func arithAny(op ExprOp, x, y condValue) condValue {
	swapped := x.kind == typeNumber && y.kind != typeNumber
	switch arithTypes(op, x.kind, y.kind) {
	case typeNumber:
		return condValue{kind: typeNumber, num: arithmetic(op, x.num, y.num)}
	case typeVector:
		if swapped {
			x, y = y, x
		}
		v := condValue{kind: typeVector}
		switch {
		case op == ExprAdd:
			v.vec = x.vec.Add(y.vec)
		case op == ExprSub:
			v.vec = x.vec.Sub(y.vec)
		case op == ExprDiv:
			v.vec = geom.Vector{X: x.vec.X / y.num, Y: x.vec.Y / y.num, Z: x.vec.Z / y.num}
		case y.kind == typeVector:
			v.vec = geom.Vector{X: x.vec.X * y.vec.X, Y: x.vec.Y * y.vec.Y, Z: x.vec.Z * y.vec.Z}
		default:
			v.vec = x.vec.Mul(y.num)
		}
		return v
	case typeRotator:
		if swapped {
			x, y = y, x
		}
		p, q := geom.UnpackRotator(x.bits), geom.UnpackRotator(y.bits)
		switch {
		case op == ExprAdd:
			p = p.Add(q)
		case op == ExprSub:
			p = p.Sub(q)
		case op == ExprDiv && y.num == 0:
			return errorValue("attempt to divide a rotator by 0")
		case op == ExprDiv:
			p = p.Mul(1 / y.num)
		default:
			p = p.Mul(y.num)
		}
		return condValue{kind: typeRotator, bits: p.Pack()}
	default:
	}
	return errorValue("attempt to perform arithmetic on a value that is no number")
}

func (c *condCompiler) negate(e *Expr, x *condNode) *condNode {
	const good = typeNumber | typeVector | typeRotator
	switch {
	case x.types&typeString != 0:
		return c.slow(e, "it calculates with a string")
	case x.types&good == 0:
		return c.wrong(e, "attempt to negate %s", x.types.word())
	case x.isLit && x.types == typeNumber:
		return literalNode(condValue{kind: typeNumber, num: -x.lit.num})
	case !x.fails && x.types == typeNumber:
		num := x.number()
		return numberNode(func(a *Actor, in CondInput) float64 { return -num(a, in) }, x.bitsOnly)
	}
	any := x.any
	return anyNode(x.types&good, x.fails || x.types&^good != 0, x.bitsOnly, func(a *Actor, in CondInput) condValue {
		v := any(a, in)
		switch v.kind {
		case typeNumber:
			v.num = -v.num
		case typeVector:
			v.vec = v.vec.Neg()
		case typeRotator:
			v.bits = geom.UnpackRotator(v.bits).Neg().Pack()
		case typeError:
		default:
			return errorValue("attempt to negate a value that is no number")
		}
		return v
	})
}

func (c *condCompiler) length(e *Expr, x *condNode) *condNode {
	if x.place != nil && x.types == typePlace {
		switch x.place.typ.Kind {
		case KindArray:
			return sequence([]*condNode{x}, literalNode(condValue{kind: typeNumber, num: float64(x.place.typ.Len)}))
		case KindFastArray:
			if x.place.obj != nil {
				return c.slow(e, "it counts another actor's fast array")
			}
			p := x.place.prop
			return numberNode(func(a *Actor, _ CondInput) float64 { return float64(a.fasts[p.fast].Len()) }, false)
		default:
		}
		return c.wrong(e, "attempt to get the length of a %s", x.place.typ.Kind)
	}
	if x.types&typeString == 0 {
		return c.wrong(e, "attempt to get the length of %s", x.types.word())
	}
	any := x.any
	return anyNode(typeNumber, x.fails || x.types != typeString, x.bitsOnly, func(a *Actor, in CondInput) condValue {
		v := any(a, in)
		switch v.kind {
		case typeString:
			return condValue{kind: typeNumber, num: float64(len(v.str))}
		case typeError:
			return v
		default:
		}
		return errorValue("attempt to get the length of a value that is no string")
	})
}
