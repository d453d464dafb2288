package classfile

import (
	"strconv"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm/syntax"
	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/ast"
)

// WorldClock is the global that holds world.TimeSeconds, the variable that scripts read most: it does not change
// while they run.
const WorldClock = "world.TimeSeconds"

// rewriter converts a file's tree to the form that is compiled (see natives.go). It proceeds from parents to
// children, so that self.Location.X is seen as a whole.
type rewriter struct {
	*unit
	lay *layout
	def *defDecl // whose body is being rewritten, nil outside
	out *compiled
	// guarded: assignments to tables that may be actors use (store), because the file is not core's.
	guarded bool
	exprs   []*ast.FunctionExpr // of out.defs
}

// rewrite compiles the unit for a layout, by syntax.Compile or a similar function. It uses up the tree.
func (u *unit) rewrite(l *layout, compile func(*syntax.Chunk) (*lua.FunctionProto, error)) *compiled {
	r := &rewriter{unit: u, lay: l, out: &compiled{owners: map[*lua.FunctionProto]int{}}}
	r.guarded = u.src.trust().Layer != LayerCore
	switch {
	case u.src.Lib == "":
		r.top()
	case r.guarded:
		r.chunk.Stmts = append([]ast.Stmt{r.bind()}, r.block(r.chunk.Stmts)...)
	}
	fail := func(err error) *compiled {
		e, ok := err.(*syntax.Error)
		if !ok {
			e = &syntax.Error{File: u.src.Path, Line: 1, Msg: err.Error()}
		}
		r.out.err = &engine.Diagnostic{
			Pos:      u.pos(syntax.Position{Line: e.Line, Column: e.Column}),
			Severity: engine.SevError, Rule: "syntax", Text: e.Msg,
		}
		return r.out
	}
	library := func(library, field string) bool {
		return contains(words.libraries[library], field) || syntax.LibraryName(library, field) == WorldClock
	}
	if err := syntax.Harden(u.chunk, syntax.HardenOptions{Library: library}); err != nil {
		return fail(err)
	}
	functions := r.outermost()
	proto, err := compile(u.chunk)
	if err != nil {
		return fail(err)
	}
	r.out.proto = proto
	if u.src.LineOffset != 0 {
		shiftLines(proto, u.src.LineOffset)
	}
	r.adopt(proto, functions)
	return r.out
}

// outermost lists the functions of the main chunk in the order in which they are compiled.
func (r *rewriter) outermost() []*ast.FunctionExpr {
	var out []*ast.FunctionExpr
	r.chunk.Walk(syntax.Visitor{Expr: func(e ast.Expr, _ *syntax.Path) bool {
		if f, ok := e.(*ast.FunctionExpr); ok {
			out = append(out, f)
			return false
		}
		return true
	}})
	return out
}

// adopt finds the bytecode of every def.
func (r *rewriter) adopt(proto *lua.FunctionProto, functions []*ast.FunctionExpr) {
	r.out.protos = make([]*lua.FunctionProto, len(r.out.defs))
	if len(functions) != len(proto.FunctionPrototypes) {
		return // stack traces then only name the file and line
	}
	at := make(map[*ast.FunctionExpr]*lua.FunctionProto, len(functions))
	for i, f := range functions {
		at[f] = proto.FunctionPrototypes[i]
	}
	for i, f := range r.exprs {
		p := at[f]
		r.out.protos[i] = p
		var own func(p *lua.FunctionProto)
		own = func(p *lua.FunctionProto) {
			if p == nil {
				return
			}
			r.out.owners[p] = i
			for _, inner := range p.FunctionPrototypes {
				own(inner)
			}
		}
		own(p)
	}
}

// shiftLines moves all lines of a proto that has just been compiled.
func shiftLines(p *lua.FunctionProto, by int) {
	p.LineDefined += by
	p.LastLineDefined += by
	for i := range p.DbgSourcePositions {
		p.DbgSourcePositions[i] += by
	}
	for _, inner := range p.FunctionPrototypes {
		shiftLines(inner, by)
	}
}

// top rewrites the top level of a class file.
func (r *rewriter) top() {
	out := []ast.Stmt{r.bind()}
	slow := 0
	for i := range r.conds {
		if r.lay.slow[i] {
			slow++
		}
	}
	var late []*condDecl // VM conditions, in the order of the file
	next := len(r.defs)
	for _, s := range r.chunk.Stmts {
		switch r.kindOf(s) {
		case declClass:
			r.classOut(s)
			out = append(out, s)
		case declBlock:
			for i, c := range r.conds {
				if r.lay.slow[i] && withinTable(s, c.expr) {
					late = append(late, c)
					next++
					r.def = c.def
					c.expr.Stmts = r.block(c.expr.Stmts)
					r.def = nil
					out = append(out, r.defStmt(next, c.expr, c.expr))
				}
			}
		case declAuto:
		case declFunction:
			f := s.(*ast.FuncDefStmt)
			k := 0
			for i, d := range r.defs {
				if d.stmt == f {
					k = i + 1
				}
			}
			if k == 0 {
				continue
			}
			r.def = r.defs[k-1]
			f.Func.Stmts = r.block(f.Func.Stmts)
			r.def = nil
			fe := f.Func
			fe.ParList = &ast.ParList{HasVargs: fe.ParList.HasVargs, Names: append([]string{"self"}, fe.ParList.Names...)}
			out = append(out, r.defStmt(k, fe, f))
		case declNothing:
			out = append(out, r.stmt(s))
		}
	}
	r.chunk.Stmts = out
	for i, d := range r.defs {
		r.out.defs = append(r.out.defs, i)
		r.exprs = append(r.exprs, d.stmt.Func)
	}
	for _, c := range late {
		for i, k := range r.conds {
			if k == c {
				r.out.defs = append(r.out.defs, len(r.defs)+i)
			}
		}
		r.exprs = append(r.exprs, c.expr)
	}
}

// bind declares the natives that the main chunk gets as its arguments.
func (r *rewriter) bind() ast.Stmt {
	names := make([]string, len(NativeNames))
	for i, n := range NativeNames {
		names[i] = hidden(n)
	}
	line := 1
	if len(r.chunk.Stmts) > 0 {
		line = r.chunk.Stmts[0].Line()
	}
	args := &ast.Comma3Expr{}
	args.SetLine(line)
	bind := &ast.LocalAssignStmt{Names: names, Exprs: []ast.Expr{args}}
	bind.SetLine(line)
	return bind
}

// bodies are all functions that may become defs: those of classes, then conditions.
func (u *unit) body(i int) *defDecl {
	if i < len(u.defs) {
		return u.defs[i]
	}
	return u.conds[i-len(u.defs)].def
}

// classOut replaces class("X", "P") by (class)("X").
func (r *rewriter) classOut(s ast.Stmt) {
	change := func(e ast.Expr) {
		call, ok := r.isClassCall(e)
		if !ok {
			return
		}
		call.Func = r.native("class", call)
		call.Args = call.Args[:1]
	}
	switch s := s.(type) {
	case *ast.LocalAssignStmt:
		for _, e := range s.Exprs {
			change(e)
		}
	case *ast.FuncCallStmt:
		change(s.Expr)
	}
}

// defStmt is (def)(k, function).
func (r *rewriter) defStmt(k int, f *ast.FunctionExpr, old ast.PositionHolder) ast.Stmt {
	return r.callStmt(old, "def", r.number(k, old), f)
}

// native returns the local that holds a native.
func (r *rewriter) native(name string, old ast.PositionHolder) ast.Expr {
	id := &ast.IdentExpr{Value: hidden(name)}
	id.SetLine(old.Line())
	id.SetLastLine(old.LastLine())
	return id
}

func (r *rewriter) number(n int, old ast.PositionHolder) ast.Expr {
	e := &ast.NumberExpr{Value: strconv.Itoa(n)}
	r.chunk.At(e, old)
	return e
}

func (r *rewriter) text(s string, old ast.PositionHolder) ast.Expr {
	e := &ast.StringExpr{Value: s}
	r.chunk.At(e, old)
	return e
}

// single makes an expression yield one value instead of many.
func single(e ast.Expr) ast.Expr {
	switch e := e.(type) {
	case *ast.FuncCallExpr:
		e.AdjustRet = true
	case *ast.Comma3Expr:
		e.AdjustRet = true
	}
	return e
}

// call returns a call of a native with one result or none.
func (r *rewriter) call(old ast.PositionHolder, name string, args ...ast.Expr) *ast.FuncCallExpr {
	single(args[len(args)-1])
	c := &ast.FuncCallExpr{Func: r.native(name, old), Args: args, AdjustRet: true}
	r.chunk.At(c, old)
	return c
}

func (r *rewriter) callStmt(old ast.PositionHolder, name string, args ...ast.Expr) ast.Stmt {
	c := r.call(old, name, args...)
	c.AdjustRet = false
	s := &ast.FuncCallStmt{Expr: c}
	r.chunk.At(s, old)
	return s
}

func (r *rewriter) block(list []ast.Stmt) []ast.Stmt {
	for i, s := range list {
		list[i] = r.stmt(s)
	}
	return list
}

func (r *rewriter) stmt(s ast.Stmt) ast.Stmt {
	switch s := s.(type) {
	case *ast.AssignStmt:
		return r.assign(s)
	case *ast.LocalAssignStmt:
		r.list(s.Exprs)
	case *ast.FuncCallStmt:
		s.Expr = r.expr(s.Expr)
	case *ast.DoBlockStmt:
		r.block(s.Stmts)
	case *ast.WhileStmt:
		s.Condition = r.expr(s.Condition)
		r.block(s.Stmts)
	case *ast.RepeatStmt:
		r.block(s.Stmts)
		s.Condition = r.expr(s.Condition)
	case *ast.IfStmt:
		s.Condition = r.expr(s.Condition)
		r.block(s.Then)
		r.block(s.Else)
	case *ast.NumberForStmt:
		s.Init = r.expr(s.Init)
		s.Limit = r.expr(s.Limit)
		if s.Step != nil {
			s.Step = r.expr(s.Step)
		}
		r.block(s.Stmts)
	case *ast.GenericForStmt:
		r.list(s.Exprs)
		r.block(s.Stmts)
	case *ast.FuncDefStmt:
		if a, ok := s.Name.Func.(*ast.AttrGetExpr); ok {
			a.Object = r.expr(a.Object)
		} else if s.Name.Func == nil && s.Name.Receiver != nil {
			s.Name.Receiver = r.expr(s.Name.Receiver)
		}
		r.block(s.Func.Stmts)
	case *ast.ReturnStmt:
		r.list(s.Exprs)
	}
	return s
}

func (r *rewriter) list(exprs []ast.Expr) {
	for i := range exprs {
		exprs[i] = r.expr(exprs[i])
	}
}

// target is the left side of an assignment that a native makes.
type target struct {
	native string
	self   ast.Expr
	key    ast.Expr // slot, id, or the key itself
	fixed  bool     // key is a literal
	object bool     // self is any expression, evaluated with the others
}

// targetOf reports whether a native has to make the assignment to a left side.
func (r *rewriter) targetOf(e ast.Expr) (target, bool) {
	a, ok := e.(*ast.AttrGetExpr)
	if !ok {
		return target{}, false
	}
	d := r.selfOf(a.Object)
	if d == nil {
		if !r.guarded || r.plain(a.Object) {
			return target{}, false
		}
		return target{native: "store", self: a.Object, key: a.Key, object: true}, true
	}
	k, ok := a.Key.(*ast.StringExpr)
	if !ok {
		return target{native: "newindex", self: a.Object, key: a.Key}, true
	}
	switch p := r.lay.place(d, k.Value); p.what {
	case placeSlot:
		return target{native: "set", self: a.Object, key: r.number(p.slot+SlotOffset, a), fixed: true}, true
	case placeNative:
		return target{native: "put", self: a.Object, key: r.number(p.slot, a), fixed: true}, true
	case placeOther, placeFunction:
	}
	if r.guarded { // self may be an actor of another class: C.Function(other)
		return target{native: "store", self: a.Object, key: a.Key, object: true}, true
	}
	return target{}, false
}

// plain reports whether an expression is certainly a table from a constructor: a local variable that is not
// assigned again.
func (r *rewriter) plain(e ast.Expr) bool {
	id := ident(e)
	if id == nil {
		return false
	}
	s := r.chunk.Symbol(id)
	if s == nil || s.Assigned {
		return false
	}
	_, table := s.Init.(*ast.TableExpr)
	return table
}

func (r *rewriter) assign(s *ast.AssignStmt) ast.Stmt {
	targets := make([]target, len(s.Lhs))
	any := false
	for i, l := range s.Lhs {
		if t, ok := r.targetOf(l); ok {
			targets[i], any = t, true
		} else if a, ok := l.(*ast.AttrGetExpr); ok {
			a.Object = r.expr(a.Object)
			a.Key = r.expr(a.Key)
		}
	}
	if !any {
		r.list(s.Rhs)
		return s
	}
	if len(s.Lhs) == 1 && len(s.Rhs) == 1 {
		t := targets[0]
		if t.object {
			t.self = single(r.expr(t.self))
		}
		if !t.fixed {
			t.key = single(r.expr(t.key))
		}
		at := ast.PositionHolder(s)
		if t.object {
			at = s.Lhs[0] // as the instruction would have it
		}
		return r.callStmt(at, t.native, t.self, t.key, r.expr(s.Rhs[0]))
	}
	// Several: the left sides are evaluated first, then the right ones, then all are assigned from the last to the
	// first, as in gopher-lua.
	block := &ast.DoBlockStmt{}
	r.chunk.At(block, s)
	local := func(names []string, exprs ...ast.Expr) {
		l := &ast.LocalAssignStmt{Names: names, Exprs: exprs}
		r.chunk.At(l, s)
		block.Stmts = append(block.Stmts, l)
	}
	use := func(name string) ast.Expr {
		id := &ast.IdentExpr{Value: name}
		id.SetLine(s.Line())
		return id
	}
	finals := make([]ast.Stmt, len(s.Lhs))
	for i, l := range s.Lhs {
		n := strconv.Itoa(i)
		v := use("(v" + n + ")")
		t := targets[i]
		switch {
		case t.native != "" && t.fixed:
			finals[i] = r.callStmt(s, t.native, t.self, t.key, v)
		case t.object:
			local([]string{"(o" + n + ")"}, single(r.expr(t.self)))
			local([]string{"(k" + n + ")"}, single(r.expr(t.key)))
			finals[i] = r.callStmt(s, t.native, use("(o"+n+")"), use("(k"+n+")"), v)
		case t.native != "":
			local([]string{"(k" + n + ")"}, single(r.expr(t.key)))
			finals[i] = r.callStmt(s, t.native, t.self, use("(k"+n+")"), v)
		default:
			if a, ok := l.(*ast.AttrGetExpr); ok {
				local([]string{"(o" + n + ")"}, single(a.Object))
				a.Object = use("(o" + n + ")")
				if _, literal := a.Key.(*ast.StringExpr); !literal {
					local([]string{"(k" + n + ")"}, single(a.Key))
					a.Key = use("(k" + n + ")")
				}
			}
			as := &ast.AssignStmt{Lhs: []ast.Expr{l}, Rhs: []ast.Expr{v}}
			r.chunk.At(as, s)
			finals[i] = as
		}
	}
	names := make([]string, len(s.Lhs))
	for i := range names {
		names[i] = "(v" + strconv.Itoa(i) + ")"
	}
	r.list(s.Rhs)
	local(names, s.Rhs...)
	for i := len(finals) - 1; i >= 0; i-- {
		block.Stmts = append(block.Stmts, finals[i])
	}
	return block
}

func (r *rewriter) expr(e ast.Expr) ast.Expr {
	switch e := e.(type) {
	case *ast.AttrGetExpr:
		return r.index(e)
	case *ast.TableExpr:
		for _, f := range e.Fields {
			if f.Key != nil {
				f.Key = r.expr(f.Key)
			}
			f.Value = r.expr(f.Value)
		}
	case *ast.FuncCallExpr:
		return r.invoke(e)
	case *ast.LogicalOpExpr:
		e.Lhs, e.Rhs = r.expr(e.Lhs), r.expr(e.Rhs)
	case *ast.RelationalOpExpr:
		e.Lhs, e.Rhs = r.expr(e.Lhs), r.expr(e.Rhs)
	case *ast.StringConcatOpExpr:
		e.Lhs, e.Rhs = r.expr(e.Lhs), r.expr(e.Rhs)
	case *ast.ArithmeticOpExpr:
		e.Lhs, e.Rhs = r.expr(e.Lhs), r.expr(e.Rhs)
	case *ast.UnaryMinusOpExpr:
		e.Expr = r.expr(e.Expr)
	case *ast.UnaryNotOpExpr:
		e.Expr = r.expr(e.Expr)
	case *ast.UnaryLenOpExpr:
		e.Expr = r.expr(e.Expr)
	case *ast.FunctionExpr:
		r.block(e.Stmts)
	}
	return e
}

// index rewrites a.b and a[b].
func (r *rewriter) index(e *ast.AttrGetExpr) ast.Expr {
	if d := r.selfOf(e.Object); d != nil {
		k, ok := e.Key.(*ast.StringExpr)
		if !ok {
			return r.call(e, "index", e.Object, r.expr(e.Key))
		}
		switch p := r.lay.place(d, k.Value); p.what {
		case placeSlot:
			e.Key = r.number(p.slot+SlotOffset, e.Key)
			return e
		case placeNative:
			return r.call(e, "get", e.Object, r.number(p.slot, e))
		case placeOther, placeFunction:
		}
		return e
	}
	obj, name, ok := attr(e)
	if ok {
		if inner, prop, ok := attr(obj); ok {
			if d := r.selfOf(inner); d != nil {
				if p := r.lay.place(d, prop); p.hasPart(name) {
					axis := r.number(words.axes[name], e)
					if p.what == placeNative {
						return r.call(e, "npart", inner, r.number(p.slot, e), axis)
					}
					return r.call(e, "part", inner, r.number(p.slot+SlotOffset, e), axis)
				}
			}
			if c := r.classNamed(inner); prop == "super" && c != nil && r.def != nil && r.def.class == c && r.def.state != "" {
				e.Object = r.call(obj, "ssuper", inner, r.text(r.def.state, obj))
				return e
			}
		}
	}
	e.Object, e.Key = r.expr(e.Object), r.expr(e.Key)
	return e
}

// invoke rewrites a call. self:Name(…) uses the actor's function table if Name is known to be a function, which
// saves the lookup by metatable.
func (r *rewriter) invoke(e *ast.FuncCallExpr) ast.Expr {
	r.list(e.Args)
	if e.Func != nil {
		e.Func = r.expr(e.Func)
		return e
	}
	d := r.selfOf(e.Receiver)
	if d == nil || r.lay.place(d, e.Method).what != placeFunction {
		e.Receiver = r.expr(e.Receiver)
		return e
	}
	table := &ast.AttrGetExpr{Object: e.Receiver, Key: r.number(dispatchIndex, e)}
	r.chunk.At(table, e)
	f := &ast.AttrGetExpr{Object: table, Key: r.text(e.Method, e)}
	r.chunk.At(f, e)
	e.Func = f
	e.Args = append([]ast.Expr{e.Receiver}, e.Args...)
	e.Receiver, e.Method = nil, ""
	return e
}

// withinTable reports whether a declaration block contains a condition's function.
func withinTable(s ast.Stmt, f *ast.FunctionExpr) bool {
	call, ok := s.(*ast.FuncCallStmt).Expr.(*ast.FuncCallExpr)
	if !ok || len(call.Args) != 1 {
		return false
	}
	t, ok := call.Args[0].(*ast.TableExpr)
	if !ok {
		return false
	}
	for _, field := range t.Fields {
		if rt, ok := field.Value.(*ast.TableExpr); ok {
			for _, rf := range rt.Fields {
				if rf.Value == ast.Expr(f) {
					return true
				}
			}
		}
	}
	return false
}
