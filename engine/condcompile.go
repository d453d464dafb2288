package engine

import (
	"fmt"
	"sort"
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
	for p := range c.props { // any order: sorted below
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
