package engine

import (
	"fmt"
	"math"
	"sort"

	"github.com/tidelock/tidelock/engine/geom"
)

// A condition is compiled into closures. Every node knows which types its value can have; where only one
// is possible and nothing can go wrong, the node has a closure that gives just that (test for truth, num
// for a number), and these are what runs in practice. The general closure (any) gives a tagged value and
// carries errors, because `not (nil > 5)` is an error in Lua and not true.
//
// What depends on nothing but the connection is tabulated: there are only 256 inputs.
//
// Rejected: a bytecode interpreter. It was no faster for one or two comparisons, which is what conditions
// are, and each node needed the same cases again.

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

// condBail ends a compilation.
type condBail struct{ issue CondIssue }

// maxCondNodes bounds the expressions of a compiled condition, functions it calls counted each time; a
// larger one runs in the VM.
const maxCondNodes = 400

type condCompiler struct {
	src    CondSource
	nodes  int
	depth  int
	props  map[*Property]bool
	mask   CondMask
	others bool
}

// CompileCondition compiles the condition of a replication rule. The condition is nil where an issue is an
// error; where it cannot be evaluated natively it is there with what is known about it.
func CompileCondition(src CondSource, f *ExprFunc) (*Condition, []CondIssue) {
	cond := &Condition{mask: ^CondMask(0), others: true}
	sides, issues := src.judge(f)
	cond.Upstream, cond.outcome = sides.upstream, sides.outcome
	c := &condCompiler{src: src, props: map[*Property]bool{}}
	node, issue := c.run(f)
	if issue != nil {
		issues = append(issues, *issue)
	}
	for _, i := range issues {
		if i.Kind != IssueSlow && i.Kind != IssueConstant {
			return nil, issues
		}
	}
	if node == nil {
		return cond, issues
	}
	cond.mask, cond.others = c.mask, c.others
	for p := range c.props {
		cond.props = append(cond.props, p)
	}
	sort.Slice(cond.props, func(i, j int) bool { return cond.props[i].Name < cond.props[j].Name })
	if node.fails {
		cond.try = node.trial()
		cond.test = func(a *Actor, in CondInput) bool { return cond.EvalInput(a, in) }
		return cond, issues
	}
	cond.test = node.truth()
	return cond, issues
}

func (c *condCompiler) run(f *ExprFunc) (node *condNode, issue *CondIssue) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case condBail:
			node, issue = nil, &r.issue
		default:
			panic(r)
		}
	}()
	return c.function(f, nil), nil
}

func (c *condCompiler) slow(e *Expr, format string, args ...any) *condNode {
	panic(condBail{CondIssue{e.Pos, IssueSlow, fmt.Sprintf(format, args...)}})
}

func (c *condCompiler) wrong(e *Expr, format string, args ...any) *condNode {
	panic(condBail{CondIssue{e.Pos, IssueType, fmt.Sprintf(format, args...)}})
}

func (c *condCompiler) function(f *ExprFunc, args []*condNode) *condNode {
	env := make([]*condNode, f.Vars)
	for i := range env {
		if i < f.Params && i < len(args) {
			env[i] = args[i]
		} else {
			env[i] = literalNode(condValue{kind: typeNil})
		}
	}
	return c.expr(f.Body, env)
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

func (c *condCompiler) expr(e *Expr, env []*condNode) *condNode {
	if c.nodes++; c.nodes > maxCondNodes {
		return c.slow(e, "it is larger than %d operations", maxCondNodes)
	}
	switch e.Op {
	case ExprUnknown:
		return c.slow(e, "%s", e.Str)
	case ExprNil:
		return literalNode(condValue{kind: typeNil})
	case ExprTrue:
		return literalNode(condValue{kind: typeTrue})
	case ExprFalse:
		return literalNode(condValue{kind: typeFalse})
	case ExprNumber:
		return literalNode(condValue{kind: typeNumber, num: e.Num})
	case ExprString:
		return literalNode(condValue{kind: typeString, str: e.Str})
	case ExprClass:
		k := c.src.Classes.Find(e.Str)
		if k == nil {
			return c.slow(e, "class %s", e.Str)
		}
		return literalNode(condValue{kind: typeClass, bits: uint64(k.Index) + 1})
	case ExprSelf:
		return &condNode{
			types: typeRef, class: c.src.Class, self: true,
			test: func(*Actor, CondInput) bool { return true },
			ref:  func(a *Actor, _ CondInput) *Actor { return a },
			any:  func(a *Actor, _ CondInput) condValue { return condValue{kind: typeRef, ref: a} },
		}
	case ExprWorld:
		return anyNode(typeWorld, false, false, func(*Actor, CondInput) condValue { return condValue{kind: typeWorld} })
	case ExprVar:
		return env[int(e.Num)]
	case ExprLet:
		v := c.expr(e.Args[0], env)
		inner := append([]*condNode(nil), env...)
		inner[int(e.Num)] = v
		return sequence([]*condNode{v}, c.expr(e.Args[1], inner))
	case ExprIf:
		return c.branch(c.expr(e.Args[0], env), c.expr(e.Args[1], env), c.expr(e.Args[2], env))
	case ExprIndex:
		return c.index(e, env)
	case ExprElem:
		return c.elem(e, env)
	case ExprAnd:
		return c.and(c.expr(e.Args[0], env), c.expr(e.Args[1], env))
	case ExprOr:
		return c.or(c.expr(e.Args[0], env), c.expr(e.Args[1], env))
	case ExprNot:
		return c.not(c.expr(e.Args[0], env))
	case ExprEq, ExprNe:
		return c.equal(e, c.expr(e.Args[0], env), c.expr(e.Args[1], env))
	case ExprLt, ExprLe:
		return c.less(e, c.expr(e.Args[0], env), c.expr(e.Args[1], env), e.Op == ExprLe, false)
	case ExprGt, ExprGe:
		return c.less(e, c.expr(e.Args[0], env), c.expr(e.Args[1], env), e.Op == ExprGe, true)
	case ExprAdd, ExprSub, ExprMul, ExprDiv, ExprMod, ExprPow:
		return c.arith(e, c.expr(e.Args[0], env), c.expr(e.Args[1], env))
	case ExprNeg:
		return c.negate(e, c.expr(e.Args[0], env))
	case ExprLen:
		return c.length(e, c.expr(e.Args[0], env))
	case ExprConcat:
		return c.slow(e, "it joins strings (..)")
	case ExprMethod:
		return c.method(e, env)
	case ExprCall:
		return c.call(e, env)
	case numExprOps:
	}
	return c.slow(e, "%s", e.Op)
}

// sequence evaluates nodes that may fail before another.
func sequence(first []*condNode, then *condNode) *condNode {
	var can []func(*Actor, CondInput) condValue
	for _, n := range first {
		if n.fails {
			can = append(can, n.any)
		}
	}
	if len(can) == 0 {
		return then
	}
	out := *then
	any := then.any
	out.fails, out.isLit, out.test, out.num, out.vec, out.ref, out.index, out.self = true, false, nil, nil, nil, nil, nil, false
	out.tryTest, out.tryNum, out.all, out.table, out.word = nil, nil, nil, nil, 0
	out.any = func(a *Actor, in CondInput) condValue {
		for _, f := range can {
			if v := f(a, in); v.kind == typeError {
				return v
			}
		}
		return any(a, in)
	}
	return &out
}

func (c *condCompiler) not(x *condNode) *condNode {
	if x.isLit {
		return literalNode(boolValue(!x.lit.truth()))
	}
	if x.fails {
		try := x.trial()
		return tryNode(func(a *Actor, in CondInput) (bool, string) {
			b, bad := try(a, in)
			return !b, bad
		}, x.bitsOnly)
	}
	test := x.truth()
	return boolNode(func(a *Actor, in CondInput) bool { return !test(a, in) }, x.bitsOnly)
}

func (c *condCompiler) and(l, r *condNode) *condNode {
	if l.isLit || !l.fails && l.types&typeFalsy == 0 {
		if l.isLit && !l.lit.truth() {
			return l
		}
		return r
	}
	n := &condNode{
		types: l.types&typeFalsy | r.types, fails: l.fails || r.fails, bitsOnly: l.bitsOnly && r.bitsOnly,
		class: r.class,
	}
	la, ra := l.any, r.any
	n.any = func(a *Actor, in CondInput) condValue {
		v := la(a, in)
		if v.kind == typeError || !v.truth() {
			return v
		}
		return ra(a, in)
	}
	if !n.fails {
		if n.bitsOnly {
			lt, rt := l.truth(), r.truth()
			n.test = func(a *Actor, in CondInput) bool { return lt(a, in) && rt(a, in) }
			n.tabulate()
			return n
		}
		for _, x := range []*condNode{l, r} {
			if x.all != nil {
				n.all = append(n.all, x.all...)
			} else {
				n.all = append(n.all, x)
			}
		}
		n.test = conjoin(n.all)
		return n
	}
	rt := r.trial()
	if !l.fails {
		lt := l.truth()
		n.tryTest = func(a *Actor, in CondInput) (bool, string) {
			if !lt(a, in) {
				return false, ""
			}
			return rt(a, in)
		}
		return n
	}
	lt := l.trial()
	n.tryTest = func(a *Actor, in CondInput) (bool, string) {
		b, bad := lt(a, in)
		if bad != "" || !b {
			return false, bad
		}
		return rt(a, in)
	}
	return n
}

func (c *condCompiler) or(l, r *condNode) *condNode {
	if l.isLit || !l.fails && l.types&typeFalsy == 0 {
		if l.isLit && !l.lit.truth() {
			return r
		}
		return l
	}
	n := &condNode{
		types: l.types&^typeFalsy | r.types, fails: l.fails || r.fails, bitsOnly: l.bitsOnly && r.bitsOnly,
	}
	if l.class == r.class {
		n.class = l.class
	} else if n.types&typeRef != 0 {
		n.class = commonClass(l, r)
	}
	la, ra := l.any, r.any
	n.any = func(a *Actor, in CondInput) condValue {
		v := la(a, in)
		if v.kind == typeError || v.truth() {
			return v
		}
		return ra(a, in)
	}
	if !n.fails {
		n.test = disjoin(l, r)
		if n.bitsOnly {
			n.tabulate()
		}
		return n
	}
	rt := r.trial()
	if !l.fails {
		lt := l.truth()
		n.tryTest = func(a *Actor, in CondInput) (bool, string) {
			if lt(a, in) {
				return true, ""
			}
			return rt(a, in)
		}
		return n
	}
	lt := l.trial()
	n.tryTest = func(a *Actor, in CondInput) (bool, string) {
		b, bad := lt(a, in)
		if bad != "" || b {
			return b, bad
		}
		return rt(a, in)
	}
	return n
}

// commonClass is what an actor is that may come from either node, nil where nothing is certain.
func commonClass(l, r *condNode) *Class {
	switch {
	case l.types&typeRef == 0:
		return r.class
	case r.types&typeRef == 0:
		return l.class
	}
	for k := l.class; k != nil; k = k.Parent {
		if r.class != nil && r.class.Descends(k) {
			return k
		}
	}
	return nil
}

func (c *condCompiler) branch(cond, then, els *condNode) *condNode {
	n := &condNode{
		types: then.types | els.types, fails: cond.fails || then.fails || els.fails,
		bitsOnly: cond.bitsOnly && then.bitsOnly && els.bitsOnly, class: commonClass(then, els),
	}
	ca, ta, ea := cond.any, then.any, els.any
	n.any = func(a *Actor, in CondInput) condValue {
		v := ca(a, in)
		if v.kind == typeError {
			return v
		}
		if v.truth() {
			return ta(a, in)
		}
		return ea(a, in)
	}
	if !n.fails {
		ct, tt, et := cond.truth(), then.truth(), els.truth()
		n.test = func(a *Actor, in CondInput) bool {
			if ct(a, in) {
				return tt(a, in)
			}
			return et(a, in)
		}
		if n.bitsOnly {
			n.tabulate()
		}
	}
	return n
}

// equal compares as Lua's == does: values of different types differ, and nothing is an error.
func (c *condCompiler) equal(e *Expr, l, r *condNode) *condNode {
	ne := e.Op == ExprNe
	if (l.types|r.types)&typePlace != 0 && l.types&r.types&typePlace != 0 {
		return c.slow(e, "it compares whole structs or arrays")
	}
	bitsOnly := l.bitsOnly && r.bitsOnly
	if l.fails || r.fails {
		if l.types == typeNumber && r.types == typeNumber {
			lt, rt := l.tryNumber(), r.tryNumber()
			return tryNode(func(a *Actor, in CondInput) (bool, string) {
				x, bad := lt(a, in)
				if bad != "" {
					return false, bad
				}
				y, bad := rt(a, in)
				return (x == y) != ne, bad
			}, bitsOnly)
		}
		la, ra := l.any, r.any
		return anyNode(typeBool, true, bitsOnly, func(a *Actor, in CondInput) condValue {
			x := la(a, in)
			if x.kind == typeError {
				return x
			}
			y := ra(a, in)
			if y.kind == typeError {
				return y
			}
			return boolValue(sameCond(&x, &y) != ne)
		})
	}
	if l.isLit && r.isLit {
		return literalNode(boolValue(sameCond(&l.lit, &r.lit) != ne))
	}
	if l.types&r.types == 0 {
		return literalNode(boolValue(ne))
	}
	if l.isLit {
		l, r = r, l
	}
	la, ra := l.any, r.any
	var test func(*Actor, CondInput) bool
	switch {
	case l.types == typeNumber && r.types == typeNumber:
		ln, rn := l.number(), r.number()
		if r.isLit {
			k := r.lit.num
			test = func(a *Actor, in CondInput) bool { return ln(a, in) == k }
		} else {
			test = func(a *Actor, in CondInput) bool { return ln(a, in) == rn(a, in) }
		}
	case l.enum != nil && r.isLit && r.types == typeString:
		i := l.enum.EnumIndex(r.lit.str)
		if i < 0 {
			return literalNode(boolValue(ne))
		}
		k, index := uint64(i), l.index
		test = func(a *Actor, in CondInput) bool { return index(a, in) == k }
	case r.isLit && r.types == typeNil:
		if l.types&typeFalse == 0 { // nil is the only falsy value it has
			lt := l.truth()
			test = func(a *Actor, in CondInput) bool { return !lt(a, in) }
		} else {
			test = func(a *Actor, in CondInput) bool { return la(a, in).kind == typeNil }
		}
	case l.ref != nil && r.ref != nil:
		lr, rr := l.ref, r.ref
		test = func(a *Actor, in CondInput) bool { return lr(a, in) == rr(a, in) }
	case l.types == typeVector && r.types == typeVector:
		lv, rv := l.vector(), r.vector()
		test = func(a *Actor, in CondInput) bool { return lv(a, in) == rv(a, in) }
	case l.types&^typeBool == 0 && r.types&^typeBool == 0:
		lt, rt := l.truth(), r.truth()
		test = func(a *Actor, in CondInput) bool { return lt(a, in) == rt(a, in) }
	default:
		test = func(a *Actor, in CondInput) bool {
			x, y := la(a, in), ra(a, in)
			return sameCond(&x, &y)
		}
	}
	if ne {
		eq := test
		test = func(a *Actor, in CondInput) bool { return !eq(a, in) }
		if l.types == typeNumber && r.types == typeNumber && r.isLit {
			ln, k := l.number(), r.lit.num
			test = func(a *Actor, in CondInput) bool { return ln(a, in) != k }
		}
	}
	return boolNode(test, bitsOnly)
}

func sameCond(x, y *condValue) bool {
	if x.kind != y.kind {
		return false
	}
	switch x.kind {
	case typeNumber:
		return x.num == y.num
	case typeString:
		return x.str == y.str
	case typeVector:
		return x.vec == y.vec
	case typeRotator, typeClass:
		return x.bits == y.bits
	case typeRef:
		return x.ref == y.ref
	}
	return true
}

// less is <, <=, and with swap > and >=, of numbers or strings; anything else is an error.
func (c *condCompiler) less(e *Expr, l, r *condNode, orEqual, swap bool) *condNode {
	const good = typeNumber | typeString
	both := l.types & r.types & good
	if both == 0 {
		return c.wrong(e, "attempt to compare %s with %s", l.types.word(), r.types.word())
	}
	bitsOnly := l.bitsOnly && r.bitsOnly
	// The operands are evaluated in the order they are written; only the comparison is turned round.
	if !l.fails && !r.fails && l.types == typeNumber && r.types == typeNumber {
		if l.isLit && r.isLit {
			return literalNode(boolValue(compareNumbers(l.lit.num, r.lit.num, orEqual, swap)))
		}
		return boolNode(numberTest(l, r, orEqual, swap), bitsOnly)
	}
	if l.types == typeNumber && r.types == typeNumber {
		lt, rt := l.tryNumber(), r.tryNumber()
		return tryNode(func(a *Actor, in CondInput) (bool, string) {
			x, bad := lt(a, in)
			if bad != "" {
				return false, bad
			}
			y, bad := rt(a, in)
			return compareNumbers(x, y, orEqual, swap), bad
		}, bitsOnly)
	}
	fails := l.fails || r.fails || l.types != both || r.types != both || !both.one()
	la, ra := l.any, r.any
	any := func(a *Actor, in CondInput) condValue {
		x := la(a, in)
		if x.kind == typeError {
			return x
		}
		y := ra(a, in)
		switch {
		case y.kind == typeError:
			return y
		case x.kind == typeNumber && y.kind == typeNumber:
			return boolValue(compareNumbers(x.num, y.num, orEqual, swap))
		case x.kind == typeString && y.kind == typeString:
			p, q := x.str, y.str
			if swap {
				p, q = q, p
			}
			return boolValue(p < q || orEqual && p == q)
		}
		return errorValue("attempt to compare values of different or other types than numbers or strings")
	}
	return anyNode(typeBool, fails, bitsOnly, any)
}

func compareNumbers(x, y float64, orEqual, swap bool) bool {
	if swap {
		x, y = y, x
	}
	if orEqual {
		return x <= y
	}
	return x < y
}

// numberTest compares two numbers; the common case of a constant on the right has closures of its own.
func numberTest(l, r *condNode, orEqual, swap bool) func(*Actor, CondInput) bool {
	ln, rn := l.number(), r.number()
	if r.isLit {
		k := r.lit.num
		if w := l.word - 1; w >= 0 {
			switch {
			case swap && orEqual:
				return func(a *Actor, _ CondInput) bool { return float64(int64(a.words[w])) >= k }
			case swap:
				return func(a *Actor, _ CondInput) bool { return float64(int64(a.words[w])) > k }
			case orEqual:
				return func(a *Actor, _ CondInput) bool { return float64(int64(a.words[w])) <= k }
			}
			return func(a *Actor, _ CondInput) bool { return float64(int64(a.words[w])) < k }
		}
		switch {
		case swap && orEqual:
			return func(a *Actor, in CondInput) bool { return ln(a, in) >= k }
		case swap:
			return func(a *Actor, in CondInput) bool { return ln(a, in) > k }
		case orEqual:
			return func(a *Actor, in CondInput) bool { return ln(a, in) <= k }
		}
		return func(a *Actor, in CondInput) bool { return ln(a, in) < k }
	}
	switch {
	case swap && orEqual:
		return func(a *Actor, in CondInput) bool { return ln(a, in) >= rn(a, in) }
	case swap:
		return func(a *Actor, in CondInput) bool { return ln(a, in) > rn(a, in) }
	case orEqual:
		return func(a *Actor, in CondInput) bool { return ln(a, in) <= rn(a, in) }
	}
	return func(a *Actor, in CondInput) bool { return ln(a, in) < rn(a, in) }
}

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
		}
		return errorValue("attempt to get the length of a value that is no string")
	})
}
