package condition

import (
	"math"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
)

// arithmetic evaluates Lua's operator on two numbers as gopher-lua does: adding 0 turns −0 into 0, as storing a
// result in a register does.
func arithmetic(op byte, x, y float64) float64 {
	switch op {
	case '+':
		x += y
	case '-':
		x -= y
	case '*':
		x *= y
	case '/':
		x /= y
	case '%':
		x = math.Mod(x, y)
		if y > 0 && x < 0 || y < 0 && x > 0 {
			x += y
		}
	default:
		x = math.Pow(x, y)
	}
	return x + 0
}

// arithTypes returns the type of a result for a pair of operand types, 0 for an error.
func arithTypes(op byte, x, y types) types {
	if y == typeVector || y == typeRotator { // numbers scale from both sides
		if x == typeNumber && op == '*' {
			return y
		}
	}
	switch {
	case x == typeNumber && y == typeNumber,
		x == typeVector && y == typeVector && (op == '+' || op == '-' || op == '*'),
		x == typeRotator && y == typeRotator && (op == '+' || op == '-'),
		(x == typeVector || x == typeRotator) && y == typeNumber && (op == '*' || op == '/'):
		return x
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

func (c *compiler) arith(pos engine.Pos, op byte, l, r *node) *node {
	if (l.types|r.types)&typeString != 0 {
		return c.slow(pos, "it calculates with a string", l, r)
	}
	var out types
	fails := false
	eachType(l.types, func(x types) {
		eachType(r.types, func(y types) {
			t := arithTypes(op, x, y)
			out |= t
			fails = fails || t == 0 || t == typeRotator && op == '/'
		})
	})
	if out == 0 {
		return c.wrong(pos, "attempt to perform arithmetic ("+string(op)+") on "+l.types.word()+" and "+r.types.word(), l, r)
	}
	n := binary(l, r, out, fails, func(x, y value) value { return arithValue(op, x, y) })
	switch {
	case n.lit != nil:
	case l.types == typeNumber && r.types == typeNumber:
		n.num = arithNum(op, l.number(), r.number())
	case l.types == typeVector && r.types == typeVector && op != '*':
		x, y := l.vector(), r.vector()
		n.vec = func(a *engine.Actor, in engine.CondInput) (geom.Vector, bool) {
			p, ok := x(a, in)
			if !ok {
				return p, false
			}
			q, ok := y(a, in)
			if op == '-' {
				q = q.Neg()
			}
			return p.Add(q), ok
		}
	}
	return n
}

func arithNum(op byte, l, r numFunc) numFunc {
	sign := 1.0
	switch op {
	case '-':
		sign = -1
		fallthrough
	case '+':
		return func(a *engine.Actor, in engine.CondInput) (float64, bool) {
			x, ok := l(a, in)
			y, fine := r(a, in)
			return x + sign*y + 0, ok && fine
		}
	case '*':
		return func(a *engine.Actor, in engine.CondInput) (float64, bool) {
			x, ok := l(a, in)
			y, fine := r(a, in)
			return x*y + 0, ok && fine
		}
	}
	return func(a *engine.Actor, in engine.CondInput) (float64, bool) {
		x, ok := l(a, in)
		y, fine := r(a, in)
		return arithmetic(op, x, y), ok && fine
	}
}

func arithValue(op byte, x, y value) value {
	t := arithTypes(op, x.kind, y.kind)
	if x.kind == typeNumber && y.kind != typeNumber {
		x, y = y, x
	}
	k := y.n.X
	switch t {
	case typeNumber:
		return number(arithmetic(op, x.n.X, k))
	case typeVector:
		v, w := x.n, y.n
		switch {
		case op == '+':
			return vector(v.Add(w))
		case op == '-':
			return vector(v.Sub(w))
		case op == '/':
			return vector(geom.Vector{X: v.X / k, Y: v.Y / k, Z: v.Z / k})
		case y.kind == typeVector:
			return vector(geom.Vector{X: v.X * w.X, Y: v.Y * w.Y, Z: v.Z * w.Z})
		}
		return vector(v.Mul(k))
	case typeRotator:
		switch p := x.rotator(); {
		case op == '+':
			return rotator(p.Add(y.rotator()))
		case op == '-':
			return rotator(p.Sub(y.rotator()))
		case op == '*':
			return rotator(p.Mul(k))
		case k != 0:
			return rotator(p.Mul(1 / k))
		}
		return failure("attempt to divide a rotator by 0")
	default:
	}
	return failure("attempt to perform arithmetic on a value that is no number")
}

func (c *compiler) negate(pos engine.Pos, x *node) *node {
	const good = typeNumber | typeVector | typeRotator
	switch {
	case x.types&typeString != 0:
		return c.slow(pos, "it calculates with a string", x)
	case x.types&good == 0:
		return c.wrong(pos, "attempt to negate "+x.types.word(), x)
	}
	n := unary(x, x.types&good, x.types&^good != 0, func(v value) value {
		switch v.kind {
		case typeNumber:
			return number(-v.n.X)
		case typeVector:
			return vector(v.n.Neg())
		case typeRotator:
			return rotator(v.rotator().Neg())
		default:
		}
		return failure("attempt to negate a value that is no number")
	})
	if n.lit == nil && x.types == typeNumber {
		num := x.number()
		n.num = func(a *engine.Actor, in engine.CondInput) (float64, bool) {
			v, ok := num(a, in)
			return -v, ok
		}
	}
	return n
}

func (c *compiler) length(pos engine.Pos, x *node) *node {
	look := func(n *node) *node { return (&call{on: x}).looked(n.guessed(everySide(anything))) }
	if p := x.place; p != nil && x.types == typePlace {
		switch p.typ.Kind {
		case engine.KindArray:
			return look(sequence([]*node{x}, literal(number(float64(p.typ.Len)))))
		case engine.KindFastArray:
			if p.obj != nil {
				return c.slow(pos, "it counts another actor's fast array", x)
			}
			return look(numberNode(false, func(a *engine.Actor, _ engine.CondInput) (float64, bool) {
				return float64(a.Fast(p.prop).Len()), true
			}))
		default:
		}
		return c.wrong(pos, "attempt to get the length of a "+p.typ.Kind.String(), x)
	}
	if x.types&typeString == 0 {
		return c.wrong(pos, "attempt to get the length of "+x.types.word(), x)
	}
	return look(unary(x, typeNumber, x.types != typeString, func(v value) value {
		if v.kind != typeString {
			return failure("attempt to get the length of a value that is no string")
		}
		return number(float64(len(v.str)))
	}))
}

// compare compiles ==, ~=, <, <=, > and >=.
func (c *compiler) compare(pos engine.Pos, op string, l, r *node) *node {
	if op == "==" || op == "~=" {
		return c.equal(pos, op, l, r)
	}
	const good = typeNumber | typeString
	both := l.types & r.types & good
	if both == 0 {
		return c.wrong(pos, "attempt to compare "+l.types.word()+" with "+r.types.word(), l, r)
	}
	fails := l.types != both || r.types != both || !both.one()
	n := binary(l, r, typeBool, fails, func(x, y value) value {
		switch {
		case x.kind == typeNumber && y.kind == typeNumber:
			return boolean(ordered(op, x.n.X, y.n.X))
		case x.kind == typeString && y.kind == typeString:
			return boolean(ordered(op, x.str, y.str))
		}
		return failure("attempt to compare values of different or other types than numbers or strings")
	})
	if n.lit == nil && l.types == typeNumber && r.types == typeNumber {
		n.test = numberTest(op, l, r)
		n.tabulate()
	}
	return n
}

// equal compares values; those of different types differ, and nothing is an error.
func (c *compiler) equal(pos engine.Pos, op string, l, r *node) *node {
	if l.types&r.types&typePlace != 0 {
		return c.slow(pos, "it compares whole structs or arrays", l, r)
	}
	n := binary(l, r, typeBool, false, func(x, y value) value { return boolean(same(x, y) == (op == "==")) })
	if n.lit != nil {
		return n
	}
	if !n.fails && l.types&r.types == 0 {
		return literal(boolean(op == "~=")).guessed(n.guess)
	}
	if l.lit != nil {
		l, r = r, l
	}
	var test testFunc
	switch {
	case l.types == typeNumber && r.types == typeNumber:
		test = numberTest("==", l, r)
	case n.fails:
		return n
	case l.place != nil && l.place.typ.Kind == engine.KindEnum && r.types == typeString && r.lit != nil:
		test = l.place.enumTest(r.lit.str)
	case r.types == typeNil && l.types&typeFalse == 0: // nil is its only falsy value
		holds := l.truth()
		test = func(a *engine.Actor, in engine.CondInput) verdict { return holds(a, in) ^ 1 }
	case l.ref != nil && r.ref != nil:
		p, q := l.ref, r.ref
		test = func(a *engine.Actor, in engine.CondInput) verdict { return verdictOf(p(a, in) == q(a, in)) }
	case l.types&^typeBool == 0 && r.types&^typeBool == 0:
		p, q := l.truth(), r.truth()
		test = func(a *engine.Actor, in engine.CondInput) verdict { return verdictOf(p(a, in) == q(a, in)) }
	default:
		p, q := l.any, r.any
		test = func(a *engine.Actor, in engine.CondInput) verdict {
			x, y := p(a, in), q(a, in)
			return verdictOf(same(x, y))
		}
	}
	n.test = test
	if op == "~=" {
		n.test = func(a *engine.Actor, in engine.CondInput) verdict {
			v := test(a, in)
			if v == fault {
				return v
			}
			return v ^ 1
		}
	}
	n.tabulate()
	return n
}

func ordered[T float64 | string](op string, x, y T) bool {
	if op[0] == '>' {
		x, y = y, x
	}
	if len(op) == 2 {
		return x <= y
	}
	return x < y
}

// mirrored maps comparisons to those with swapped operands.
var mirrored = map[string]string{"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "=="}

// span returns the numbers for which a comparison with k holds: from lo to hi, both included.
func span(op string, k float64) (lo, hi float64) {
	lo, hi = math.Inf(-1), math.Inf(1)
	switch op {
	case "==":
		return k, k
	case ">=":
		return k, hi
	case "<=":
		return lo, k
	case ">":
		if k == hi {
			return math.NaN(), hi // no number
		}
		return math.Nextafter(k, hi), hi
	}
	if k == lo {
		return lo, math.NaN()
	}
	return lo, math.Nextafter(k, lo)
}

// numberTest compares two numbers; with a constant, it tests whether the other one is within a span.
func numberTest(op string, l, r *node) testFunc {
	if l.lit != nil {
		l, r, op = r, l, mirrored[op]
	}
	x := l.number()
	if r.lit != nil {
		lo, hi := span(op, r.lit.n.X)
		if p := l.place; p != nil && !l.fails { // the actor's own
			w := p.word
			return func(a *engine.Actor, _ engine.CondInput) verdict {
				v := float64(int64(a.WordAt(w)))
				return verdictOf(lo <= v && v <= hi)
			}
		}
		return func(a *engine.Actor, in engine.CondInput) verdict {
			v, ok := x(a, in)
			if !ok {
				return fault
			}
			return verdictOf(lo <= v && v <= hi)
		}
	}
	y := r.number()
	equal, swap, orEqual := op == "==", op[0] == '>', len(op) == 2
	return func(a *engine.Actor, in engine.CondInput) verdict {
		v, ok := x(a, in)
		if !ok {
			return fault
		}
		w, ok := y(a, in)
		switch {
		case !ok:
			return fault
		case equal:
			return verdictOf(v == w)
		case swap:
			v, w = w, v
		}
		return verdictOf(v < w || orEqual && v == w)
	}
}
