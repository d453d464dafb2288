package condition

import (
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
)

// types is a set of types that a value may have. typeFalse and typeTrue are separate so that the result of `x and
// y` is known.
type types uint16

const (
	typeNil types = 1 << iota
	typeFalse
	typeTrue
	typeNumber
	typeString
	typeVector
	typeRotator
	typeRef
	typeClass
	typePlace // a struct, an array, a fast array: known by location, not by value
	typeWorld
	typeError
	typeBool  = typeFalse | typeTrue
	typeFalsy = typeNil | typeFalse
	typeAny   = typeError - 1
)

func (t types) one() bool { return t&(t-1) == 0 }

// typeWords holds Lua's names of the types, in the order of preference for a set.
var typeWords = []struct {
	types
	word string
}{
	{typeNil, "nil"},
	{typeBool, "boolean"},
	{typeNumber, "number"},
	{typeString, "string"},
	{typeVector, "vector"},
	{typeRotator, "rotator"},
	{typeRef, "actor"},
	{typeClass, "class"},
}

// word names the first type of a set as Lua does.
func (t types) word() string {
	for _, w := range typeWords {
		if t&w.types != 0 {
			return w.word
		}
	}
	return "table"
}

// value is the result of an expression.
type value struct {
	kind types         // one bit
	n    geom.Vector   // a vector, the angles of a rotator; only X: a number, a class's Index+1
	str  string        // a string; the text of an error
	ref  *engine.Actor // of a typeRef
}

func (v *value) truth() verdict {
	switch {
	case v.kind == typeError:
		return fault
	case v.kind&typeFalsy != 0:
		return no
	}
	return yes
}

func scalar(x float64) geom.Vector { return geom.Vector{X: x} }
func number(x float64) value       { return value{kind: typeNumber, n: scalar(x)} }
func text(s string) value          { return value{kind: typeString, str: s} }
func failure(s string) value       { return value{kind: typeError, str: s} }
func vector(v geom.Vector) value   { return value{kind: typeVector, n: v} }
func rotator(r geom.Rotator) value { return value{kind: typeRotator, n: angles(r)} }
func angles(r geom.Rotator) geom.Vector {
	return geom.V(float64(r.Pitch), float64(r.Yaw), float64(r.Roll))
}

func (v *value) rotator() geom.Rotator {
	return geom.Rotator{Pitch: uint16(v.n.X), Yaw: uint16(v.n.Y), Roll: uint16(v.n.Z)}
}

func boolean(b bool) value {
	if b {
		return value{kind: typeTrue}
	}
	return value{kind: typeFalse}
}

func actor(a *engine.Actor) value {
	if a == nil {
		return value{kind: typeNil}
	}
	return value{kind: typeRef, ref: a}
}

// same compares as Lua's == does.
func same(x, y value) bool { return x == y }

// verdict is whether an expression holds; fault means that it results in an error.
type verdict uint8

const (
	no verdict = iota
	yes
	fault
)

func verdictOf(b bool) verdict {
	if b {
		return yes
	}
	return no
}

// A node has closures for its value: any always, the others if they make it faster. They run in practice.
type (
	anyFunc  = func(*engine.Actor, engine.CondInput) value
	testFunc = func(*engine.Actor, engine.CondInput) verdict
	numFunc  = func(*engine.Actor, engine.CondInput) (x float64, ok bool) // ok is false for an error
	vecFunc  = func(*engine.Actor, engine.CondInput) (v geom.Vector, ok bool)
	refFunc  = func(*engine.Actor, engine.CondInput) *engine.Actor
)

// node is a compiled expression.
type node struct {
	types types
	fails bool   // may be an error
	bits  bool   // independent of the actor
	lit   *value // known at compile time
	guess guesses

	any  anyFunc
	test testFunc // whether it holds
	num  numFunc  // if it can only be a number or an error
	vec  vecFunc  // if it can only be a vector or an error
	ref  refFunc  // if it can only be an actor or nil, and no error

	table *table  // precomputed results of test, if it only reads the connection
	all   []*node // the operands, if the node is a conjunction

	self  bool          // it is the actor the condition is for
	class *engine.Class // of a typeRef: the minimum class of the actor
	place *place        // of a typePlace, and of a vector or rotator that was read from a variable
}

// literal returns a value known at compile time.
func literal(v value) *node {
	truth := v.truth()
	n := &node{types: v.kind, bits: true, lit: &v}
	n.guess = everySide(guess{known: n.lit, canTrue: truth == yes, canFalse: truth == no})
	n.any = func(*engine.Actor, engine.CondInput) value { return v }
	n.test = func(*engine.Actor, engine.CondInput) verdict { return truth }
	if x := v.n.X; v.kind == typeNumber {
		n.num = func(*engine.Actor, engine.CondInput) (float64, bool) { return x, true }
	}
	return n
}

func theSelf(class *engine.Class) *node {
	return &node{
		types: typeRef, class: class, self: true, guess: everySide(guess{canTrue: true}),
		any: func(a *engine.Actor, _ engine.CondInput) value { return actor(a) },
		ref: func(a *engine.Actor, _ engine.CondInput) *engine.Actor { return a },
	}
}

func theWorld() *node {
	return &node{
		types: typeWorld, guess: everySide(guess{canTrue: true}),
		any: func(*engine.Actor, engine.CondInput) value { return value{kind: typeWorld} },
	}
}

// truth returns the closure for whether the node holds.
func (n *node) truth() testFunc {
	any := n.any
	switch {
	case n.test != nil:
		return n.test
	case n.fails:
	case n.types&typeFalsy == 0:
		return func(*engine.Actor, engine.CondInput) verdict { return yes }
	case n.types&^typeFalsy == 0:
		return func(*engine.Actor, engine.CondInput) verdict { return no }
	case n.ref != nil:
		ref := n.ref
		return func(a *engine.Actor, in engine.CondInput) verdict { return verdictOf(ref(a, in) != nil) }
	}
	return func(a *engine.Actor, in engine.CondInput) verdict {
		v := any(a, in)
		return v.truth()
	}
}

// number returns the closure for the node's number; the node can only be a number or an error.
func (n *node) number() numFunc {
	if n.num != nil {
		return n.num
	}
	any := n.any
	return func(a *engine.Actor, in engine.CondInput) (float64, bool) {
		v := any(a, in)
		return v.n.X, v.kind == typeNumber
	}
}

// vector returns the closure for the node's vector; the node can only be a vector or an error.
func (n *node) vector() vecFunc {
	if n.vec != nil {
		return n.vec
	}
	any := n.any
	return func(a *engine.Actor, in engine.CondInput) (geom.Vector, bool) {
		v := any(a, in)
		return v.n, v.kind == typeVector
	}
}

// certain reports whether the node always has the same truth value, without an error.
func (n *node) certain() (holds, ok bool) {
	switch {
	case n.fails:
		return false, false
	case n.types&typeFalsy == 0:
		return true, true
	}
	return false, n.types&^typeFalsy == 0
}

// guessed returns the node with other guesses.
func (n *node) guessed(g guesses) *node {
	out := *n
	out.guess = g
	return &out
}

// testNode returns a node that is true or false and cannot fail.
func testNode(bits bool, test testFunc) *node {
	n := &node{types: typeBool, bits: bits, test: test, guess: everySide(anything)}
	n.tabulate()
	test = n.test
	n.any = func(a *engine.Actor, in engine.CondInput) value { return boolean(test(a, in) == yes) }
	return n
}

// numberNode returns a node that is a number and cannot fail.
func numberNode(bits bool, num numFunc) *node {
	return &node{
		types: typeNumber, bits: bits, num: num, guess: everySide(anything),
		any: func(a *engine.Actor, in engine.CondInput) value {
			x, _ := num(a, in)
			return number(x)
		},
	}
}

// unary returns an operation on one value that is not an error; f may result in one if fails is set.
func unary(x *node, t types, fails bool, f func(x value) value) *node {
	any := x.any
	n := &node{types: t, fails: x.fails || fails, bits: x.bits}
	n.any = func(a *engine.Actor, in engine.CondInput) value {
		v := any(a, in)
		if v.kind == typeError {
			return v
		}
		return f(v)
	}
	for i, g := range x.guess {
		n.guess[i] = guessOf(flags(g), g.known != nil, func() value { return f(*g.known) })
	}
	if x.lit != nil && !n.fails {
		return literal(f(*x.lit)).guessed(n.guess)
	}
	return n
}

// binary returns an operation on two values that are not errors; the left one is evaluated first.
func binary(x, y *node, t types, fails bool, f func(x, y value) value) *node {
	left, right := x.any, y.any
	n := &node{types: t, fails: x.fails || y.fails || fails, bits: x.bits && y.bits}
	n.any = func(a *engine.Actor, in engine.CondInput) value {
		l := left(a, in)
		if l.kind == typeError {
			return l
		}
		r := right(a, in)
		if r.kind == typeError {
			return r
		}
		return f(l, r)
	}
	for i, g := range x.guess {
		h := y.guess[i]
		n.guess[i] = guessOf(flags(g, h), g.known != nil && h.known != nil, func() value { return f(*g.known, *h.known) })
	}
	if x.lit != nil && y.lit != nil && !n.fails {
		return literal(f(*x.lit, *y.lit)).guessed(n.guess)
	}
	return n
}

// sequence evaluates nodes that may fail before another one.
func sequence(first []*node, then *node) *node {
	var can []anyFunc
	guess := then.guess
	for _, n := range first {
		if n.fails {
			can = append(can, n.any)
		}
		for i, g := range n.guess {
			guess[i] = guess[i].by(g)
		}
	}
	if len(can) == 0 {
		return then.guessed(guess)
	}
	any := then.any
	return &node{
		types: then.types, fails: true, bits: then.bits, guess: guess, class: then.class, place: then.place,
		any: func(a *engine.Actor, in engine.CondInput) value {
			for _, f := range can {
				if v := f(a, in); v.kind == typeError {
					return v
				}
			}
			return any(a, in)
		},
	}
}

// table is the result of a test of the connection for all 256 inputs.
type table [4]uint64

func (t *table) has(in engine.CondInput) bool { return t[in>>6]>>(in&63)&1 != 0 }

// tabulate evaluates a test of the connection for all inputs.
func (n *node) tabulate() {
	if !n.bits || n.fails || n.test == nil {
		return
	}
	t := new(table)
	for i := range 256 {
		if n.test(nil, engine.CondInput(i)) == yes {
			t[i>>6] |= 1 << (i & 63)
		}
	}
	n.table = t
	n.test = func(_ *engine.Actor, in engine.CondInput) verdict { return verdictOf(t.has(in)) }
}
