package condition

import (
	"math"
	"slices"
	"strconv"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm/syntax"
	"github.com/yuin/gopher-lua/ast"
)

// Compiling has two stages, because the syntax tree of a file is used up when the file becomes bytecode, and a
// reload compiles the conditions of all files again. The first stage needs the tree: it converts every expression
// to a closure that builds a node. The second calls these closures with the classes known. Reading never fails: an
// expression without a translation becomes a closure that reports why, and the condition runs in the VM. Closures
// do not refer to the tree, which compiling changes.

// expr builds the node of an expression; env holds the values of the function's variables.
type expr func(c *compiler, env []*node) *node

// Function is a function in the form in which conditions call it. It is immutable and does not refer to the syntax
// tree.
type Function struct {
	params, vars int // the first variables are the parameters, self first
	body         expr
	role         bool // it reads Role
}

// Scope resolves names for a function from the file around it. It is used by one goroutine.
type Scope struct {
	Chunk *syntax.Chunk
	Pos   func(ast.PositionHolder) engine.Pos
	// Locals returns the variables that a statement declares, without unused ones.
	Locals func(*ast.LocalAssignStmt) []*syntax.Symbol
	// Class returns the name of the class that a local variable denotes, "" for none.
	Class func(*syntax.Symbol) string
	// Constant returns the value of a named constant; Number evaluates an expression of numbers.
	Constant func(name string) (float64, bool)
	Number   func(ast.Expr) (float64, bool)
	// Library reports whether a global name is a library. Words describes an expression in a word or two.
	Library func(name string) bool
	Words   func(ast.Expr) string
	// Bare, if not nil, is called with every name that is neither a local variable nor a constant: it is a variable
	// of self.
	Bare func(name string, pos engine.Pos)

	helpers map[*ast.FunctionExpr]*Function // local functions that were read
}

// reader reads one function.
type reader struct {
	*Scope
	slots map[*syntax.Symbol]int
	vars  int
}

// Read reads a function with self and other parameters.
func (s *Scope) Read(f *syntax.Function, self *syntax.Symbol) *Function {
	params := []*syntax.Symbol{self}
	for _, p := range f.Params {
		if p != self {
			params = append(params, p)
		}
	}
	out := s.read(f, params)
	out.role = s.mentionsRole(f)
	return out
}

// Expression reads an expression outside of any function, in which self is known.
func (s *Scope) Expression(e ast.Expr) *Function {
	r := &reader{Scope: s, vars: 1}
	body := r.expr(e)
	return &Function{params: 1, vars: r.vars, body: body}
}

func (s *Scope) read(f *syntax.Function, params []*syntax.Symbol) *Function {
	r := &reader{Scope: s, slots: map[*syntax.Symbol]int{}}
	for _, p := range params {
		r.declare(p)
	}
	var body expr
	if f.Vararg {
		body = r.unknown(f.Expr, "it takes ...")
	} else {
		body = r.stmts(f.Expr.Stmts, r.literal(f.Expr, value{kind: typeNil}))
	}
	return &Function{params: len(params), vars: r.vars, body: body}
}

// mentionsRole reports whether a function reads Role.
func (s *Scope) mentionsRole(f *syntax.Function) bool {
	found := false
	s.Chunk.WalkFunction(f, syntax.Visitor{Expr: func(e ast.Expr, _ *syntax.Path) bool {
		switch e := e.(type) {
		case *ast.AttrGetExpr:
			_, name := member(e)
			found = found || name == "Role"
		case *ast.FuncCallExpr:
			found = found || e.Method == "HasAuthority"
		}
		return !found
	}})
	return found
}

func (r *reader) declare(s *syntax.Symbol) int {
	r.slots[s] = r.vars
	r.vars++
	return r.vars - 1
}

// make returns an expression at a position, which counts for the size of the condition.
func (r *reader) make(at ast.PositionHolder, build func(c *compiler, env []*node, pos engine.Pos) *node) expr {
	pos := r.Pos(at)
	return func(c *compiler, env []*node) *node {
		if c.nodes++; c.nodes > maxNodes {
			c.slow(pos, "it is larger than "+strconv.Itoa(maxNodes)+" operations")
			if c.nodes > maxJudged {
				return c.opaque()
			}
		}
		return build(c, env, pos)
	}
}

func (r *reader) unknown(at ast.PositionHolder, why string) expr {
	return r.make(at, func(c *compiler, _ []*node, pos engine.Pos) *node {
		n := c.slow(pos, why)
		for i := range n.guess {
			n.guess[i].mentions = c.role
		}
		return n
	})
}

func (r *reader) literal(at ast.PositionHolder, v value) expr {
	return r.make(at, func(*compiler, []*node, engine.Pos) *node { return literal(v) })
}

func (r *reader) one(at, x ast.Expr, build func(c *compiler, pos engine.Pos, x *node) *node) expr {
	operand := r.expr(x)
	return r.make(at, func(c *compiler, env []*node, pos engine.Pos) *node { return build(c, pos, operand(c, env)) })
}

func (r *reader) two(at, x, y ast.Expr, build func(c *compiler, pos engine.Pos, x, y *node) *node) expr {
	left, right := r.expr(x), r.expr(y)
	return r.make(at, func(c *compiler, env []*node, pos engine.Pos) *node {
		l := left(c, env)
		return build(c, pos, l, right(c, env))
	})
}

func (r *reader) list(exprs []ast.Expr) []expr {
	out := make([]expr, len(exprs))
	for i, e := range exprs {
		out[i] = r.expr(e)
	}
	return out
}

func build(c *compiler, env []*node, list []expr) []*node {
	out := make([]*node, len(list))
	for i, e := range list {
		out[i] = e(c, env)
	}
	return out
}

// stmts reads statements up to the return that ends them; after is what follows if there is no return.
func (r *reader) stmts(list []ast.Stmt, after expr) expr {
	if len(list) == 0 {
		return after
	}
	switch s := list[0].(type) {
	case *ast.ReturnStmt:
		switch len(s.Exprs) {
		case 0:
			return r.literal(s, value{kind: typeNil})
		case 1:
			return r.expr(s.Exprs[0])
		}
		return r.unknown(s, "it returns several values")
	case *ast.DoBlockStmt:
		return r.stmts(s.Stmts, r.stmts(list[1:], after))
	case *ast.IfStmt:
		rest := r.stmts(list[1:], after)
		test, then, other := r.expr(s.Condition), r.stmts(s.Then, rest), r.stmts(s.Else, rest)
		return r.make(s, func(c *compiler, env []*node, _ engine.Pos) *node {
			t, x := test(c, env), then(c, env)
			return c.branch(t, x, other(c, env))
		})
	case *ast.LocalAssignStmt:
		return r.locals(s, list[1:], after)
	}
	return r.unknown(list[0], "it is more than one expression")
}

// locals reads local a, b = x, y and what follows.
func (r *reader) locals(s *ast.LocalAssignStmt, rest []ast.Stmt, after expr) expr {
	slots := slices.Repeat([]int{-1}, max(len(s.Names), len(s.Exprs)))
	symbols := r.Locals(s)
	for _, sym := range symbols {
		if sym.Assigned {
			return r.unknown(s, "it changes the local variable "+sym.Name)
		}
	}
	if n := len(s.Exprs); n > 0 && n < len(s.Names) {
		switch s.Exprs[n-1].(type) {
		case *ast.FuncCallExpr, *ast.Comma3Expr:
			return r.unknown(s, "it takes several values of a call")
		}
	}
	for _, e := range s.Exprs {
		if _, ok := e.(*ast.FunctionExpr); ok {
			return r.unknown(s, "it makes a function")
		}
	}
	values := r.list(s.Exprs)
	for len(values) < len(slots) {
		values = append(values, r.literal(s, value{kind: typeNil}))
	}
	for _, sym := range symbols {
		slots[sym.Index] = r.declare(sym)
	}
	then := r.stmts(rest, after)
	return r.make(s, func(c *compiler, env []*node, _ engine.Pos) *node {
		nodes := build(c, env, values)
		for i, slot := range slots {
			if slot >= 0 {
				env[slot] = nodes[i]
			}
		}
		return sequence(nodes, then(c, env))
	})
}

func (r *reader) expr(e ast.Expr) expr {
	switch e := e.(type) {
	case *ast.NilExpr:
		return r.literal(e, value{kind: typeNil})
	case *ast.TrueExpr:
		return r.literal(e, boolean(true))
	case *ast.FalseExpr:
		return r.literal(e, boolean(false))
	case *ast.StringExpr:
		return r.literal(e, text(e.Value))
	case *ast.NumberExpr:
		v, ok := r.Number(e)
		if !ok {
			return r.unknown(e, "the number "+e.Value)
		}
		return r.literal(e, number(v))
	case *ast.IdentExpr:
		return r.name(e)
	case *ast.AttrGetExpr:
		return r.member(e)
	case *ast.FuncCallExpr:
		return r.call(e)
	case *ast.LogicalOpExpr:
		if e.Operator == "and" {
			return r.two(e, e.Lhs, e.Rhs, (*compiler).and)
		}
		return r.two(e, e.Lhs, e.Rhs, (*compiler).or)
	case *ast.RelationalOpExpr:
		op := e.Operator
		return r.two(e, e.Lhs, e.Rhs, func(c *compiler, pos engine.Pos, x, y *node) *node { return c.compare(pos, op, x, y) })
	case *ast.ArithmeticOpExpr:
		op := e.Operator[0]
		return r.two(e, e.Lhs, e.Rhs, func(c *compiler, pos engine.Pos, x, y *node) *node { return c.arith(pos, op, x, y) })
	case *ast.StringConcatOpExpr:
		const why = "it joins strings (..)"
		operands := r.list([]ast.Expr{e.Lhs, e.Rhs})
		return r.make(e, func(c *compiler, env []*node, pos engine.Pos) *node {
			c.slow(pos, why) // before errors of the operands
			return c.slow(pos, why, build(c, env, operands)...)
		})
	case *ast.UnaryMinusOpExpr:
		return r.one(e, e.Expr, (*compiler).negate)
	case *ast.UnaryNotOpExpr:
		return r.one(e, e.Expr, (*compiler).not)
	case *ast.UnaryLenOpExpr:
		return r.one(e, e.Expr, (*compiler).length)
	}
	return r.unknown(e, "it has "+r.Words(e))
}

// name returns a variable or a global.
func (r *reader) name(e *ast.IdentExpr) expr {
	s := r.Chunk.Symbol(e)
	if s == nil {
		return r.global(e)
	}
	if slot, ok := r.slots[s]; ok {
		if s.Assigned {
			return r.unknown(e, "it changes the variable "+s.Name)
		}
		return r.make(e, func(_ *compiler, env []*node, _ engine.Pos) *node { return env[slot] })
	}
	if class := r.Class(s); class != "" {
		return r.make(e, func(c *compiler, _ []*node, pos engine.Pos) *node {
			k := c.Classes.Find(class)
			if k == nil {
				return c.slow(pos, "class "+class)
			}
			return literal(value{kind: typeClass, n: scalar(float64(k.Index) + 1)}).guessed(everySide(guess{canTrue: true}))
		})
	}
	if !s.Assigned && s.Init != nil && s.Func == r.Chunk.Main() {
		switch init := s.Init.(type) {
		case *ast.TrueExpr, *ast.FalseExpr, *ast.NilExpr, *ast.StringExpr:
			return r.expr(init)
		case *ast.IdentExpr:
			if r.Chunk.Symbol(init) == nil {
				return r.global(init)
			}
		default:
			if v, ok := r.Number(init); ok {
				return r.literal(e, number(v))
			}
		}
	}
	return r.unknown(e, "it looks at the local variable "+s.Name)
}

func (r *reader) global(e *ast.IdentExpr) expr {
	if v, ok := r.Constant(e.Value); ok {
		return r.literal(e, number(v))
	}
	switch {
	case e.Value == "world":
		return r.make(e, func(*compiler, []*node, engine.Pos) *node { return theWorld() })
	case r.Bare == nil:
		return r.unknown(e, "it takes "+e.Value+" as a value")
	case e.Value == "self":
		return r.self(e)
	}
	r.Bare(e.Value, r.Pos(e))
	self, name := r.self(e), e.Value
	return r.make(e, func(c *compiler, env []*node, pos engine.Pos) *node { return c.index(pos, self(c, env), name) })
}

// self returns the self of an expression outside of functions.
func (r *reader) self(at ast.PositionHolder) expr {
	return r.make(at, func(_ *compiler, env []*node, _ engine.Pos) *node { return env[0] })
}

// member splits a.b; name is "" for anything else.
func member(e ast.Expr) (object ast.Expr, name string) {
	if a, ok := e.(*ast.AttrGetExpr); ok {
		if k, ok := a.Key.(*ast.StringExpr); ok {
			return a.Object, k.Value
		}
	}
	return nil, ""
}

func (r *reader) member(e *ast.AttrGetExpr) expr {
	k, ok := e.Key.(*ast.StringExpr)
	if !ok {
		return r.two(e, e.Object, e.Key, (*compiler).elem)
	}
	if id, ok := e.Object.(*ast.IdentExpr); ok && r.Chunk.Symbol(id) == nil && r.Library(id.Value) {
		switch id.Value + "." + k.Value {
		case "math.pi":
			return r.literal(e, number(math.Pi))
		case "math.huge":
			return r.literal(e, number(math.Inf(1)))
		}
		return r.unknown(e, "it takes "+id.Value+"."+k.Value+" as a value")
	}
	name := k.Value
	return r.one(e, e.Object, func(c *compiler, pos engine.Pos, x *node) *node { return c.index(pos, x, name) })
}

func (r *reader) call(e *ast.FuncCallExpr) expr {
	if e.Func == nil {
		receiver, args, name := r.expr(e.Receiver), r.list(e.Args), e.Method
		return r.make(e, func(c *compiler, env []*node, pos engine.Pos) *node {
			x := receiver(c, env)
			if x.types&callable == 0 {
				c.wrong(pos, "attempt to call "+name+" of "+x.types.word()) // before errors of the arguments
			}
			return c.method(&call{pos, name, x, build(c, env, args)})
		})
	}
	if id, ok := e.Func.(*ast.IdentExpr); ok {
		if s := r.Chunk.Symbol(id); s != nil {
			return r.helper(e, s)
		}
	}
	name := syntax.DottedName(e.Func)
	if name == "" {
		return r.unknown(e, "it calls "+r.Words(e.Func))
	}
	if obj, field := member(e.Func); field != "" {
		if id, ok := obj.(*ast.IdentExpr); !ok || r.Chunk.Symbol(id) != nil {
			return r.unknown(e, "it calls "+name)
		}
	}
	args := r.list(e.Args)
	return r.make(e, func(c *compiler, env []*node, pos engine.Pos) *node {
		return c.global(&call{pos, name, nil, build(c, env, args)})
	})
}

// helper inlines a local function of the file at its call.
func (r *reader) helper(e *ast.FuncCallExpr, s *syntax.Symbol) expr {
	fe, ok := s.Init.(*ast.FunctionExpr)
	if !ok || s.Assigned {
		return r.unknown(e, "it calls "+s.Name)
	}
	f := r.Chunk.Function(fe)
	if f == nil || f.Vararg {
		return r.unknown(e, "it calls "+s.Name)
	}
	for _, a := range e.Args {
		if _, ok := a.(*ast.Comma3Expr); ok {
			return r.unknown(e, "it passes ... on")
		}
	}
	args := r.list(e.Args)
	fn := r.helpers[fe]
	if fn == nil {
		if r.helpers == nil {
			r.helpers = map[*ast.FunctionExpr]*Function{}
		}
		fn = &Function{} // a recursive one finds this
		r.helpers[fe] = fn
		*fn = *r.read(f, f.Params)
	}
	tooDeep := r.unknown(e, "it calls "+s.Name)
	return r.make(e, func(c *compiler, env []*node, _ engine.Pos) *node {
		if c.inlined >= maxInline {
			return tooDeep(c, env)
		}
		nodes := build(c, env, args)
		c.inlined++
		defer func() { c.inlined-- }()
		return sequence(nodes, c.function(fn, nodes))
	})
}
