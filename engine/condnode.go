package engine

import "github.com/tidelock/tidelock/engine/geom"

// types is a set of types that a value may have. typeFalse and typeTrue are apart so that `x and y` knows
// what it gives.
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
	typePlace // a struct, an array, a fast array: known by place, not by value
	typeWorld
	typeError
	typeBool  = typeFalse | typeTrue
	typeFalsy = typeNil | typeFalse
)

func (t types) one() bool { return t&(t-1) == 0 }

// word names the first type of a set as Lua does.
func (t types) word() string {
	switch {
	case t&typeNil != 0:
		return "nil"
	case t&typeBool != 0:
		return "boolean"
	case t&typeNumber != 0:
		return "number"
	case t&typeString != 0:
		return "string"
	case t&typeVector != 0:
		return "vector"
	case t&typeRotator != 0:
		return "rotator"
	case t&typeRef != 0:
		return "actor"
	case t&typeClass != 0:
		return "class"
	}
	return "table"
}

// condValue is a value on its way. kind is one bit of types; ref is the actor or nil.
type condValue struct {
	kind types
	num  float64
	str  string // of an error: what it says
	vec  geom.Vector
	bits uint64 // a packed rotator, a class's Index+1
	ref  *Actor
}

func (v condValue) truth() bool { return v.kind&typeFalsy == 0 }

func boolValue(b bool) condValue {
	if b {
		return condValue{kind: typeTrue}
	}
	return condValue{kind: typeFalse}
}

func errorValue(text string) condValue { return condValue{kind: typeError, str: text} }

// condNode is a compiled expression.
type condNode struct {
	types types
	fails bool // may be an error
	isLit bool
	lit   condValue
	// pure bits: depends on nothing of the actor.
	bitsOnly bool

	test func(*Actor, CondInput) bool        // where !fails
	num  func(*Actor, CondInput) float64     // where !fails and types == typeNumber
	vec  func(*Actor, CondInput) geom.Vector // where !fails and types == typeVector
	ref  func(*Actor, CondInput) *Actor      // where !fails and nothing but a reference or nil
	any  func(*Actor, CondInput) condValue   // always

	// Where it fails, the same with the text of the error, "" where there is none.
	tryTest func(*Actor, CondInput) (bool, string)
	tryNum  func(*Actor, CondInput) (float64, string)

	// all are tests that all have to hold, where the node is a conjunction of such; table is what test looks
	// up, where it looks at the connection alone.
	all   []*condNode
	table *[4]uint64
	word  int // of a declared int: the place in the actor's words, from 1

	self  bool       // it is the actor the condition is for
	class *Class     // of a typeRef: what the actor is at least
	place *condPlace // of a typePlace, and of what was read from a variable
	enum  *Type      // of a string that is the name of an enum's value
	// index is an enum's value, where enum is set.
	index func(*Actor, CondInput) uint64
}

// condPlace is a variable of an actor, or a part of it.
type condPlace struct {
	prop *Property
	typ  *Type
	word int // from the start of an actor's words
	str  int
	obj  *condNode // nil for the actor itself
	dyn  []condDyn // indices that are not constant
}

type condDyn struct {
	index *condNode
	typ   *Type // the array
	name  string
}

// literalNode is a value known at compile time.
func literalNode(v condValue) *condNode {
	n := &condNode{types: v.kind, isLit: true, lit: v, bitsOnly: true}
	truth := v.truth()
	n.any = func(*Actor, CondInput) condValue { return v }
	n.test = func(*Actor, CondInput) bool { return truth }
	if v.kind == typeNumber {
		k := v.num
		n.num = func(*Actor, CondInput) float64 { return k }
	}
	return n
}

// truth is the closure for whether the node holds; the node cannot fail.
func (n *condNode) truth() func(*Actor, CondInput) bool {
	switch {
	case n.test != nil:
		return n.test
	case n.types&typeFalsy == 0:
		return func(*Actor, CondInput) bool { return true }
	case n.types&^typeFalsy == 0:
		return func(*Actor, CondInput) bool { return false }
	}
	any := n.any
	return func(a *Actor, in CondInput) bool { return any(a, in).truth() }
}

// number is the closure for the node's number; it cannot fail and is nothing else.
func (n *condNode) number() func(*Actor, CondInput) float64 {
	if n.num != nil {
		return n.num
	}
	any := n.any
	return func(a *Actor, in CondInput) float64 { return any(a, in).num }
}

// vector is the closure for the node's vector; it cannot fail and is nothing else.
func (n *condNode) vector() func(*Actor, CondInput) geom.Vector {
	if n.vec != nil {
		return n.vec
	}
	any := n.any
	return func(a *Actor, in CondInput) geom.Vector { return any(a, in).vec }
}

// trial is the closure for whether the node holds, with the error it may end in.
func (n *condNode) trial() func(*Actor, CondInput) (bool, string) {
	if !n.fails {
		test := n.truth()
		return func(a *Actor, in CondInput) (bool, string) { return test(a, in), "" }
	}
	if n.tryTest != nil {
		return n.tryTest
	}
	any := n.any
	return func(a *Actor, in CondInput) (bool, string) {
		v := any(a, in)
		if v.kind == typeError {
			return false, v.str
		}
		return v.truth(), ""
	}
}

// tryNumber is the closure for the node's number, with the error it may end in. It is nothing but a number.
func (n *condNode) tryNumber() func(*Actor, CondInput) (float64, string) {
	if !n.fails {
		num := n.number()
		return func(a *Actor, in CondInput) (float64, string) { return num(a, in), "" }
	}
	if n.tryNum != nil {
		return n.tryNum
	}
	any := n.any
	return func(a *Actor, in CondInput) (float64, string) {
		v := any(a, in)
		if v.kind == typeError {
			return 0, v.str
		}
		return v.num, ""
	}
}

// tryNode is a node that gives true or false and may fail.
func tryNode(try func(*Actor, CondInput) (bool, string), bitsOnly bool) *condNode {
	return &condNode{
		types: typeBool, fails: true, bitsOnly: bitsOnly, tryTest: try,
		any: func(a *Actor, in CondInput) condValue {
			b, bad := try(a, in)
			if bad != "" {
				return errorValue(bad)
			}
			return boolValue(b)
		},
	}
}

// tryNumberNode is a node that gives a number and may fail.
func tryNumberNode(try func(*Actor, CondInput) (float64, string), bitsOnly bool) *condNode {
	return &condNode{
		types: typeNumber, fails: true, bitsOnly: bitsOnly, tryNum: try,
		any: func(a *Actor, in CondInput) condValue {
			n, bad := try(a, in)
			if bad != "" {
				return errorValue(bad)
			}
			return condValue{kind: typeNumber, num: n}
		},
	}
}

// boolNode is a node that gives true or false and cannot fail.
func boolNode(test func(*Actor, CondInput) bool, bitsOnly bool) *condNode {
	n := &condNode{types: typeBool, bitsOnly: bitsOnly, test: test}
	if bitsOnly {
		n.tabulate()
		test = n.test
	}
	n.any = func(a *Actor, in CondInput) condValue { return boolValue(test(a, in)) }
	return n
}

// tabulate asks a test that looks at the connection alone for all inputs.
func (n *condNode) tabulate() {
	table := new([4]uint64)
	for i := 0; i < 256; i++ {
		if n.test(nil, CondInput(i)) {
			table[i>>6] |= 1 << (i & 63)
		}
	}
	n.table = table
	n.test = func(_ *Actor, in CondInput) bool { return table[in>>6]>>(in&63)&1 != 0 }
}

// conjoin makes the test of a conjunction: tables first, as they are cheapest and nothing has an effect.
func conjoin(all []*condNode) func(*Actor, CondInput) bool {
	var table *[4]uint64
	var tests []func(*Actor, CondInput) bool
	for _, n := range all {
		switch {
		case n.table == nil:
			tests = append(tests, n.truth())
		case table == nil:
			table = n.table
		default:
			both := *table
			for i := range both {
				both[i] &= n.table[i]
			}
			table = &both
		}
	}
	if table == nil {
		switch len(tests) {
		case 2:
			x, y := tests[0], tests[1]
			return func(a *Actor, in CondInput) bool { return x(a, in) && y(a, in) }
		case 3:
			x, y, z := tests[0], tests[1], tests[2]
			return func(a *Actor, in CondInput) bool { return x(a, in) && y(a, in) && z(a, in) }
		}
		x, rest := tests[0], conjoin(all[1:])
		return func(a *Actor, in CondInput) bool { return x(a, in) && rest(a, in) }
	}
	t := *table
	switch len(tests) {
	case 1:
		x := tests[0]
		return func(a *Actor, in CondInput) bool { return t[in>>6]>>(in&63)&1 != 0 && x(a, in) }
	case 2:
		x, y := tests[0], tests[1]
		return func(a *Actor, in CondInput) bool { return t[in>>6]>>(in&63)&1 != 0 && x(a, in) && y(a, in) }
	}
	return func(a *Actor, in CondInput) bool {
		if t[in>>6]>>(in&63)&1 == 0 {
			return false
		}
		for _, x := range tests {
			if !x(a, in) {
				return false
			}
		}
		return true
	}
}

// disjoin is or of two tests.
func disjoin(l, r *condNode) func(*Actor, CondInput) bool {
	if l.table == nil && r.table != nil {
		l, r = r, l
	}
	y := r.truth()
	if l.table != nil {
		t := *l.table
		return func(a *Actor, in CondInput) bool { return t[in>>6]>>(in&63)&1 != 0 || y(a, in) }
	}
	x := l.truth()
	return func(a *Actor, in CondInput) bool { return x(a, in) || y(a, in) }
}

func numberNode(num func(*Actor, CondInput) float64, bitsOnly bool) *condNode {
	return &condNode{
		types: typeNumber, bitsOnly: bitsOnly, num: num,
		test: func(*Actor, CondInput) bool { return true },
		any: func(a *Actor, in CondInput) condValue {
			return condValue{kind: typeNumber, num: num(a, in)}
		},
	}
}

func vectorNode(vec func(*Actor, CondInput) geom.Vector, bitsOnly bool) *condNode {
	return &condNode{
		types: typeVector, bitsOnly: bitsOnly, vec: vec,
		test: func(*Actor, CondInput) bool { return true },
		any: func(a *Actor, in CondInput) condValue {
			return condValue{kind: typeVector, vec: vec(a, in)}
		},
	}
}

// anyNode is a node of the general kind.
func anyNode(t types, fails, bitsOnly bool, any func(*Actor, CondInput) condValue) *condNode {
	n := &condNode{types: t, fails: fails, bitsOnly: bitsOnly, any: any}
	if !fails && t == typeNumber {
		n.num = func(a *Actor, in CondInput) float64 { return any(a, in).num }
	}
	return n
}
