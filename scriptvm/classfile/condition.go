package classfile

import (
	"math"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm/syntax"
	"github.com/yuin/gopher-lua/ast"
)

// Conditions, and the functions that conditions may call, as expressions of the engine's (engine.Expr).
// Translation never fails: what has no translation becomes ExprUnknown with the reason, and the condition
// runs in the VM.

const (
	// maxExprs bounds the expressions made of one function; `if` without `else` repeats what follows it.
	maxExprs = 600
	// maxInline bounds how deep local helper functions are put in place.
	maxInline = 4
)

// translator turns one function into an expression.
type translator struct {
	*unit
	vars  map[*syntax.Symbol]*engine.Expr
	count int // variables so far
	made  int
	depth int
	role  bool // the function mentions Role somewhere
	// bare is set for conditions of looks: a name that is no local is a variable of self, and names collects them.
	bare  bool
	names []bareName
}

// bareName is a variable of self that a condition of looks names.
type bareName struct {
	name string
	pos  engine.Pos
}

// translate makes the expression of a function with its self and arguments.
func (u *unit) translate(f *syntax.Function, self *syntax.Symbol) *engine.ExprFunc {
	t := &translator{unit: u, vars: map[*syntax.Symbol]*engine.Expr{}, role: u.mentionsRole(f)}
	out := &engine.ExprFunc{}
	t.vars[self] = &engine.Expr{Op: engine.ExprSelf}
	for _, p := range f.Params {
		if p == self {
			continue
		}
		t.vars[p] = t.fresh()
		out.Params++
	}
	if f.Vararg {
		out.Body = t.unknown(f.Expr, "it takes ...")
	} else {
		out.Body = t.stmts(f.Expr.Stmts, f.Expr)
	}
	out.Vars = t.count
	return out
}

func (t *translator) fresh() *engine.Expr {
	e := &engine.Expr{Op: engine.ExprVar, Num: float64(t.count)}
	t.count++
	return e
}

func (t *translator) node(op engine.ExprOp, at ast.PositionHolder, args ...*engine.Expr) *engine.Expr {
	t.made++
	return &engine.Expr{Op: op, Args: args, Pos: t.at(at)}
}

func (t *translator) unknown(at ast.PositionHolder, why string) *engine.Expr {
	e := t.node(engine.ExprUnknown, at)
	e.Str = why
	if t.role {
		e.Num = 1
	}
	return e
}

// mentionsRole reports whether a function looks at Role.
func (u *unit) mentionsRole(f *syntax.Function) bool {
	found := false
	u.chunk.WalkFunction(f, syntax.Visitor{Expr: func(e ast.Expr, _ *syntax.Path) bool {
		if _, name, ok := attr(e); ok && name == "Role" {
			found = true
		}
		if c, ok := e.(*ast.FuncCallExpr); ok && c.Method == "HasAuthority" {
			found = true
		}
		return !found
	}})
	return found
}

// stmts translates statements up to the return that ends them.
func (t *translator) stmts(list []ast.Stmt, at ast.PositionHolder) *engine.Expr {
	if len(list) == 0 {
		return t.node(engine.ExprNil, at)
	}
	if t.made > maxExprs {
		return t.unknown(at, "it is too large")
	}
	rest := list[1:]
	switch s := list[0].(type) {
	case *ast.ReturnStmt:
		switch len(s.Exprs) {
		case 0:
			return t.node(engine.ExprNil, s)
		case 1:
			return t.expr(s.Exprs[0])
		}
		return t.unknown(s, "it returns several values")
	case *ast.DoBlockStmt:
		return t.stmts(append(append([]ast.Stmt(nil), s.Stmts...), rest...), s)
	case *ast.IfStmt:
		then := append(append([]ast.Stmt(nil), s.Then...), rest...)
		els := append(append([]ast.Stmt(nil), s.Else...), rest...)
		return t.node(engine.ExprIf, s, t.expr(s.Condition), t.stmts(then, s), t.stmts(els, s))
	case *ast.LocalAssignStmt:
		return t.locals(s, rest)
	}
	return t.unknown(list[0], "it is more than one expression")
}

// locals translates local a, b = x, y and what follows.
func (t *translator) locals(s *ast.LocalAssignStmt, rest []ast.Stmt) *engine.Expr {
	symbols := map[int]*syntax.Symbol{}
	for _, sym := range t.localsOf(s) {
		if sym.Assigned {
			return t.unknown(s, "it changes the local variable "+sym.Name)
		}
		symbols[sym.Index] = sym
	}
	if n := len(s.Exprs); n > 0 && n < len(s.Names) {
		switch s.Exprs[n-1].(type) {
		case *ast.FuncCallExpr, *ast.Comma3Expr:
			return t.unknown(s, "it takes several values of a call")
		}
	}
	type binding struct {
		v     float64
		value *engine.Expr
	}
	var bound []binding
	for i := range max(len(s.Names), len(s.Exprs)) {
		var value *engine.Expr
		if i < len(s.Exprs) {
			if _, ok := s.Exprs[i].(*ast.FunctionExpr); ok {
				return t.unknown(s, "it makes a function")
			}
			value = t.expr(s.Exprs[i])
		} else {
			value = t.node(engine.ExprNil, s)
		}
		sym := symbols[i]
		if sym != nil && value.Op == engine.ExprSelf {
			t.vars[sym] = value
			continue
		}
		v := t.fresh()
		if sym != nil {
			t.vars[sym] = v
		}
		bound = append(bound, binding{v.Num, value})
	}
	out := t.stmts(rest, s)
	for i := len(bound) - 1; i >= 0; i-- {
		out = t.node(engine.ExprLet, s, bound[i].value, out)
		out.Num = bound[i].v
	}
	return out
}

func (t *translator) expr(e ast.Expr) *engine.Expr {
	if t.made > maxExprs {
		return t.unknown(e, "it is too large")
	}
	two := func(op engine.ExprOp, l, r ast.Expr) *engine.Expr {
		x := t.expr(l)
		return t.node(op, e, x, t.expr(r))
	}
	switch e := e.(type) {
	case *ast.NilExpr:
		return t.node(engine.ExprNil, e)
	case *ast.TrueExpr:
		return t.node(engine.ExprTrue, e)
	case *ast.FalseExpr:
		return t.node(engine.ExprFalse, e)
	case *ast.StringExpr:
		n := t.node(engine.ExprString, e)
		n.Str = e.Value
		return n
	case *ast.NumberExpr:
		v, ok := parseNumber(e.Value)
		if !ok {
			return t.unknown(e, "the number "+e.Value)
		}
		return t.number(e, v)
	case *ast.IdentExpr:
		return t.name(e)
	case *ast.AttrGetExpr:
		return t.member(e)
	case *ast.FuncCallExpr:
		return t.call(e)
	case *ast.LogicalOpExpr:
		if e.Operator == "and" {
			return two(engine.ExprAnd, e.Lhs, e.Rhs)
		}
		return two(engine.ExprOr, e.Lhs, e.Rhs)
	case *ast.RelationalOpExpr:
		op := map[string]engine.ExprOp{
			"==": engine.ExprEq, "~=": engine.ExprNe, "<": engine.ExprLt, "<=": engine.ExprLe, ">": engine.ExprGt, ">=": engine.ExprGe,
		}[e.Operator]
		return two(op, e.Lhs, e.Rhs)
	case *ast.ArithmeticOpExpr:
		op := map[string]engine.ExprOp{
			"+": engine.ExprAdd, "-": engine.ExprSub, "*": engine.ExprMul, "/": engine.ExprDiv, "%": engine.ExprMod, "^": engine.ExprPow,
		}[e.Operator]
		return two(op, e.Lhs, e.Rhs)
	case *ast.StringConcatOpExpr:
		return two(engine.ExprConcat, e.Lhs, e.Rhs)
	case *ast.UnaryMinusOpExpr:
		return t.node(engine.ExprNeg, e, t.expr(e.Expr))
	case *ast.UnaryNotOpExpr:
		return t.node(engine.ExprNot, e, t.expr(e.Expr))
	case *ast.UnaryLenOpExpr:
		return t.node(engine.ExprLen, e, t.expr(e.Expr))
	}
	return t.unknown(e, "it has "+exprWords(e))
}

func (t *translator) number(at ast.PositionHolder, v float64) *engine.Expr {
	n := t.node(engine.ExprNumber, at)
	n.Num = v
	return n
}

// name is a variable or a global.
func (t *translator) name(e *ast.IdentExpr) *engine.Expr {
	s := t.chunk.Symbol(e)
	if s == nil {
		if v, ok := words.constants[e.Value]; ok {
			return t.number(e, v)
		}
		if e.Value == "world" {
			return t.node(engine.ExprWorld, e)
		}
		if t.bare {
			return t.bareName(e)
		}
		return t.unknown(e, "it takes "+e.Value+" as a value")
	}
	if v := t.vars[s]; v != nil {
		if s.Assigned {
			return t.unknown(e, "it changes the variable "+s.Name)
		}
		c := *v
		c.Pos = t.at(e)
		return &c
	}
	if c := t.classOf[s]; c != nil {
		n := t.node(engine.ExprClass, e)
		n.Str = c.name
		return n
	}
	if !s.Assigned && s.Init != nil && s.Func == t.chunk.Main() {
		switch init := s.Init.(type) {
		case *ast.TrueExpr, *ast.FalseExpr, *ast.NilExpr, *ast.StringExpr:
			return t.expr(init)
		case *ast.IdentExpr:
			if t.chunk.Symbol(init) == nil {
				return t.name(init)
			}
		default:
			if v, ok := constNumber(init); ok {
				return t.number(e, v)
			}
		}
	}
	return t.unknown(e, "it looks at the local variable "+s.Name)
}

// bareName is a name in a condition of looks.
func (t *translator) bareName(e *ast.IdentExpr) *engine.Expr {
	if e.Value == "self" {
		return &engine.Expr{Op: engine.ExprSelf, Pos: t.at(e)}
	}
	t.names = append(t.names, bareName{e.Value, t.at(e)})
	n := t.node(engine.ExprIndex, e, &engine.Expr{Op: engine.ExprSelf, Pos: t.at(e)})
	n.Str = e.Value
	return n
}

func (t *translator) member(e *ast.AttrGetExpr) *engine.Expr {
	obj, name, ok := attr(e)
	if !ok {
		x := t.expr(e.Object)
		return t.node(engine.ExprElem, e, x, t.expr(e.Key))
	}
	if id := ident(obj); id != nil && t.chunk.Symbol(id) == nil && words.libraries[id.Value] != nil {
		switch id.Value + "." + name {
		case "math.pi":
			return t.number(e, math.Pi)
		case "math.huge":
			return t.number(e, math.Inf(1))
		}
		return t.unknown(e, "it takes "+id.Value+"."+name+" as a value")
	}
	n := t.node(engine.ExprIndex, e, t.expr(obj))
	n.Str = name
	return n
}

func (t *translator) call(e *ast.FuncCallExpr) *engine.Expr {
	if e.Func != nil {
		if id := ident(e.Func); id != nil {
			if s := t.chunk.Symbol(id); s != nil {
				return t.helper(e, s)
			}
		}
	}
	var args []*engine.Expr
	if e.Func == nil {
		args = append(args, t.expr(e.Receiver))
	}
	for _, a := range e.Args {
		args = append(args, t.expr(a))
	}
	if e.Func == nil {
		n := t.node(engine.ExprMethod, e, args...)
		n.Str = e.Method
		return n
	}
	name := dotted(e.Func)
	if name == "" {
		return t.unknown(e, "it calls "+exprWords(e.Func))
	}
	if obj, _, ok := attr(e.Func); ok {
		if id := ident(obj); id == nil || t.chunk.Symbol(id) != nil {
			return t.unknown(e, "it calls "+name)
		}
	}
	n := t.node(engine.ExprCall, e, args...)
	n.Str = name
	return n
}

// helper puts a local function of the file in the place of its call.
func (t *translator) helper(e *ast.FuncCallExpr, s *syntax.Symbol) *engine.Expr {
	fe, ok := s.Init.(*ast.FunctionExpr)
	if !ok || s.Assigned {
		return t.unknown(e, "it calls "+s.Name)
	}
	f := t.chunk.Function(fe)
	if f == nil || f.Vararg || t.depth >= maxInline {
		return t.unknown(e, "it calls "+s.Name)
	}
	for _, a := range e.Args {
		if _, ok := a.(*ast.Comma3Expr); ok {
			return t.unknown(e, "it passes ... on")
		}
	}
	type binding struct {
		v     float64
		value *engine.Expr
	}
	var bound []binding
	outer := map[*syntax.Symbol]*engine.Expr{}
	for _, p := range f.Params {
		outer[p] = t.vars[p]
	}
	set := map[*syntax.Symbol]*engine.Expr{}
	for i := range max(len(f.Params), len(e.Args)) {
		value := t.node(engine.ExprNil, e)
		if i < len(e.Args) {
			value = t.expr(e.Args[i])
		}
		if i < len(f.Params) && value.Op == engine.ExprSelf {
			set[f.Params[i]] = value
			continue
		}
		v := t.fresh()
		if i < len(f.Params) {
			set[f.Params[i]] = v
		}
		bound = append(bound, binding{v.Num, value})
	}
	for p, v := range set { // any order: from one map to another
		t.vars[p] = v
	}
	t.depth++
	out := t.stmts(fe.Stmts, e)
	t.depth--
	for p, v := range outer { // any order: from one map to another
		if v == nil {
			delete(t.vars, p)
		} else {
			t.vars[p] = v
		}
	}
	for i := len(bound) - 1; i >= 0; i-- {
		out = t.node(engine.ExprLet, e, bound[i].value, out)
		out.Num = bound[i].v
	}
	return out
}
