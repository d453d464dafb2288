package syntax

import (
	"strconv"

	"github.com/tidelock/tidelock/engine"
	"github.com/yuin/gopher-lua/ast"
)

// Names of the natives that hardened code calls. No scanner produces such an identifier, so a script can neither
// use, shadow nor assign them; they are globals of the environment rather than upvalues because closures then
// capture nothing more, no local is used up and no line moves.
const (
	// ConcatNative takes the operands of a chain of '..' in order and returns the result.
	ConcatNative = ".."
	// LenNative is '#'. The operation scans the empty tail of an array, up to 400 µs per instruction.
	LenNative = "#"
)

// LibraryName returns the global for a library's function once Harden has resolved it: one lookup instead of three,
// because the libraries are frozen.
func LibraryName(library, field string) string { return library + "." + field }

// HardenOptions configures Harden.
type HardenOptions struct {
	// Library reports whether a global and a field of it are a frozen library and its member, which the environment
	// then also has under LibraryName. Nil means no such rewriting.
	Library func(library, field string) bool
	// Globals reports whether a file may read a name; with it, a misspelt global is an error here instead of at run
	// time. Nil means not checked.
	Globals func(name string) bool
	// Names lists the global names for "did you mean"; may be nil.
	Names []string
}

// Harden removes from a chunk what cannot be bounded while it runs:
//   - an assignment to a global is an error (the environment is shared and read-only);
//   - 'a .. b .. c' becomes one call of ConcatNative, constant strings are joined here;
//   - '#x' becomes a call of LenNative;
//   - 'math.floor' becomes one global (see HardenOptions.Library);
//   - an assignment that gopher-lua would compile into wrong code is spelt differently.
//
// Call it last, after all other rewriting. A second call does nothing.
func Harden(c *Chunk, options HardenOptions) error {
	if c.hardened {
		return nil
	}
	h := hardener{c: c, options: options}
	if c.Rewrite(Rewriter{Expr: h.expr, Stmt: h.stmt}); h.problem != nil {
		return h.problem
	}
	c.hardened = true
	return nil
}

// global rejects a name that is assigned to, or unknown.
func (h *hardener) global(name *ast.IdentExpr, at *Path) {
	c := h.c
	switch {
	case h.problem != nil || c.made(name) || c.Symbol(name) != nil:
	case at.Role == RoleTarget:
		h.problem = c.Errorf(c.Pos(name), "assignment to global '%s': globals are read-only, write 'local %s'%s",
			name.Value, name.Value, engine.Nearest(name.Value, c.localNames(at.Func)))
	case h.options.Globals != nil && !h.options.Globals(name.Value):
		candidates := append(c.localNames(at.Func), h.options.Names...)
		h.problem = c.Errorf(c.Pos(name), "unknown name '%s'%s", name.Value, engine.Nearest(name.Value, candidates))
	}
}

// localNames returns the names of the variables of a function and those around it, in order.
func (c *Chunk) localNames(f *Function) []string {
	var names []string
	seen := map[string]bool{}
	for _, s := range c.locals {
		for g := f; g != nil; g = g.Parent {
			if s.Func == g && !seen[s.Name] {
				seen[s.Name] = true
				names = append(names, s.Name)
			}
		}
	}
	return names
}

type hardener struct {
	c       *Chunk
	options HardenOptions
	problem *Error // the first
}

func (h *hardener) expr(expr ast.Expr, at *Path) ast.Expr {
	switch e := expr.(type) {
	case *ast.IdentExpr:
		h.global(e, at)
	case *ast.StringConcatOpExpr:
		// Only the outermost '..' of a chain becomes the call.
		if outer, ok := at.Parent.Node.(*ast.StringConcatOpExpr); ok && outer.Rhs == expr {
			return e
		}
		return h.concat(e)
	case *ast.UnaryLenOpExpr:
		return h.native(LenNative, e, []ast.Expr{e.Expr})
	case *ast.AttrGetExpr:
		library, ok := e.Object.(*ast.IdentExpr)
		if !ok || h.options.Library == nil || at.Role == RoleTarget || h.c.Symbol(library) != nil {
			return e
		}
		key, ok := e.Key.(*ast.StringExpr)
		if !ok || !h.options.Library(library.Value, key.Value) {
			return e
		}
		resolved := &ast.IdentExpr{Value: LibraryName(library.Value, key.Value)}
		h.c.At(resolved, e)
		return resolved
	}
	return expr
}

// concat replaces a chain by one call. '..' groups to the right, so constants are only joined at its end: in
// "a".."b"..x the object x may have a __concat that must see "b".
func (h *hardener) concat(e *ast.StringConcatOpExpr) ast.Expr {
	parts := ConcatParts(e)
	for len(parts) > 1 {
		last, ok1 := parts[len(parts)-1].(*ast.StringExpr)
		before, ok2 := parts[len(parts)-2].(*ast.StringExpr)
		if !ok1 || !ok2 || len(last.Value)+len(before.Value) > MaxLiteral {
			break
		}
		joined := &ast.StringExpr{Value: before.Value + last.Value}
		h.c.At(joined, before)
		parts = append(parts[:len(parts)-2], joined)
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return h.native(ConcatNative, e, parts)
}

// native returns the call of a native with one result.
func (h *hardener) native(name string, old ast.Expr, args []ast.Expr) ast.Expr {
	one(args[len(args)-1]) // an operand is one value
	callee := &ast.IdentExpr{Value: name}
	call := &ast.FuncCallExpr{Func: callee, Args: args, AdjustRet: true}
	h.c.At(callee, old)
	h.c.At(call, old)
	return call
}

// stmt rewrites assignments that gopher-lua compiles wrongly. It computes the value for a local variable directly
// in its register, so 'a, b = b, a' loses one of them; for the last parameter s, 's = (f(s))' loads f into the
// register of s before it passes s; and 'up, t.x = 1, 2' assigns the text "x" to an outer variable. So tables, keys
// and values are stored in new variables, and the targets are set one by one from the right, in the order of PUC
// Lua.
//
// 'x = f() and g()' with a local x leaves x unchanged when f() returns false or nil, so it uses a new variable too.
// And loops must not begin with a jump: see padded.
func (h *hardener) stmt(stmt ast.Stmt, _ *Path) ast.Stmt {
	switch s := stmt.(type) {
	case *ast.AssignStmt:
		if len(s.Lhs) == 1 && len(s.Rhs) == 1 {
			return h.single(s)
		}
		return h.multiple(s)
	case *ast.WhileStmt:
		s.Stmts = h.padded(s, s.Stmts)
	case *ast.RepeatStmt:
		s.Stmts = h.padded(s, s.Stmts)
	case *ast.GenericForStmt:
		s.Stmts = h.padded(s, s.Stmts)
	}
	return stmt
}

func (h *hardener) single(s *ast.AssignStmt) ast.Stmt {
	switch value := s.Rhs[0].(type) {
	case *ast.FuncCallExpr:
		// With one value on either side the parentheses have no effect, and without them the result is correct.
		value.AdjustRet = false
	case *ast.LogicalOpExpr:
		if _, ok := s.Lhs[0].(*ast.IdentExpr); !ok {
			return s
		}
		name := &ast.IdentExpr{Value: "=0"}
		compute := &ast.LocalAssignStmt{Names: []string{name.Value}, Exprs: s.Rhs}
		assign := &ast.AssignStmt{Lhs: s.Lhs, Rhs: []ast.Expr{name}}
		block := &ast.DoBlockStmt{Stmts: []ast.Stmt{compute, assign}}
		for _, fresh := range []ast.PositionHolder{name, compute, assign, block} {
			h.c.At(fresh, s)
		}
		return block
	}
	return s
}

// padded prevents the body of a loop from beginning with a jump. gopher-lua shortens jumps to jumps while it
// replaces labels by distances, and reads the distance in a jump that it has already processed as a label: 'for k
// in pairs(t) do break end' then jumps to an arbitrary instruction.
func (h *hardener) padded(loop ast.Stmt, body []ast.Stmt) []ast.Stmt {
	if !mayBeginWithJump(body) {
		return body
	}
	nothing := &ast.LocalAssignStmt{Names: []string{"=0"}, Exprs: []ast.Expr{}}
	block := &ast.DoBlockStmt{Stmts: []ast.Stmt{nothing}}
	h.c.At(nothing, loop)
	h.c.At(block, loop)
	return append([]ast.Stmt{block}, body...)
}

// mayBeginWithJump reports whether the first instruction of a block may be a jump. It may return true if it is not.
func mayBeginWithJump(body []ast.Stmt) bool {
	for _, stmt := range body {
		switch s := stmt.(type) {
		case *ast.BreakStmt, *ast.RepeatStmt:
			return true
		case *ast.DoBlockStmt:
			if len(s.Stmts) == 0 {
				continue // no instruction at all
			}
			return mayBeginWithJump(s.Stmts)
		case *ast.WhileStmt:
			return beginsConstant(s.Condition)
		case *ast.IfStmt:
			return beginsConstant(s.Condition)
		case *ast.LocalAssignStmt:
			return anyLogical(s.Exprs)
		case *ast.AssignStmt:
			return anyLogical(s.Lhs) || anyLogical(s.Rhs)
		case *ast.FuncCallStmt:
			return anyLogical([]ast.Expr{s.Expr})
		case *ast.ReturnStmt:
			return anyLogical(s.Exprs)
		case *ast.NumberForStmt:
			return anyLogical([]ast.Expr{s.Init})
		case *ast.GenericForStmt:
			return anyLogical(s.Exprs)
		default: // a function statement
			return false
		}
	}
	return false
}

// beginsConstant reports whether a condition begins with a constant, for which no instruction or a jump is
// generated, or contains a logical operation that does.
func beginsConstant(e ast.Expr) bool {
	for {
		switch inner := e.(type) {
		case *ast.TrueExpr, *ast.FalseExpr, *ast.NilExpr, *ast.NumberExpr, *ast.StringExpr:
			return true
		case *ast.UnaryNotOpExpr:
			e = inner.Expr
		case *ast.LogicalOpExpr:
			e = inner.Lhs
		default:
			return anyLogical([]ast.Expr{e})
		}
	}
}

// anyLogical reports whether a logical operation among the expressions begins with a constant.
func anyLogical(exprs []ast.Expr) bool {
	for _, expr := range exprs {
		var found bool
		switch e := expr.(type) {
		case *ast.LogicalOpExpr:
			found = beginsConstant(e.Lhs) || anyLogical([]ast.Expr{e.Rhs})
		case *ast.AttrGetExpr:
			found = anyLogical([]ast.Expr{e.Object, e.Key})
		case *ast.FuncCallExpr:
			found = anyLogical(e.Args) || e.Func != nil && anyLogical([]ast.Expr{e.Func}) ||
				e.Receiver != nil && anyLogical([]ast.Expr{e.Receiver})
		case *ast.TableExpr:
			for _, field := range e.Fields {
				found = found || field.Key != nil && anyLogical([]ast.Expr{field.Key}) || anyLogical([]ast.Expr{field.Value})
			}
		default:
			for _, operand := range Operands(e) {
				found = found || operand != nil && anyLogical([]ast.Expr{*operand})
			}
		}
		if found {
			return true
		}
	}
	return false
}

// multiple rewrites an assignment of several values or to several targets.
func (h *hardener) multiple(s *ast.AssignStmt) ast.Stmt {
	names := 0
	for _, target := range s.Lhs {
		if _, ok := target.(*ast.IdentExpr); ok {
			names++
		}
	}
	if names == 0 || names == len(s.Lhs) && harmless(s.Rhs) {
		return s
	}
	fresh := 0
	variable := func(local *ast.LocalAssignStmt) ast.Expr {
		name := &ast.IdentExpr{Value: "=" + strconv.Itoa(fresh)} // not a valid identifier
		fresh++
		h.c.At(name, s)
		local.Names = append(local.Names, name.Value)
		return name
	}
	block := &ast.DoBlockStmt{}
	h.c.At(block, s)
	places, values := &ast.LocalAssignStmt{}, &ast.LocalAssignStmt{Exprs: s.Rhs}
	h.c.At(places, s)
	h.c.At(values, s)
	for _, target := range s.Lhs {
		access, ok := target.(*ast.AttrGetExpr)
		if !ok {
			continue
		}
		places.Exprs = append(places.Exprs, one(access.Object))
		access.Object = variable(places)
		if _, constant := access.Key.(*ast.StringExpr); !constant {
			places.Exprs = append(places.Exprs, one(access.Key))
			access.Key = variable(places)
		}
	}
	if len(places.Names) > 0 {
		block.Stmts = append(block.Stmts, places)
	}
	block.Stmts = append(block.Stmts, values)
	sources := make([]ast.Expr, len(s.Lhs))
	for i := range s.Lhs {
		sources[i] = variable(values)
	}
	for i := len(s.Lhs) - 1; i >= 0; i-- {
		assign := &ast.AssignStmt{Lhs: s.Lhs[i : i+1], Rhs: sources[i : i+1]}
		h.c.At(assign, s)
		block.Stmts = append(block.Stmts, assign)
	}
	return block
}

// one ensures that an expression yields one value.
func one(e ast.Expr) ast.Expr {
	switch e := e.(type) {
	case *ast.FuncCallExpr:
		e.AdjustRet = true
	case *ast.Comma3Expr:
		e.AdjustRet = true
	}
	return e
}

// harmless reports whether assigning the first value early cannot affect the others: all are literals, or all from
// one call or '...'.
func harmless(values []ast.Expr) bool {
	if len(values) == 1 {
		switch e := values[0].(type) {
		case *ast.FuncCallExpr:
			return !e.AdjustRet
		case *ast.Comma3Expr:
			return !e.AdjustRet
		}
	}
	for _, v := range values {
		switch v.(type) {
		case *ast.NumberExpr, *ast.StringExpr, *ast.TrueExpr, *ast.FalseExpr, *ast.NilExpr:
		default:
			return false
		}
	}
	return true
}

// ConcatParts returns the operands of a chain of '..' from left to right.
func ConcatParts(e *ast.StringConcatOpExpr) []ast.Expr {
	parts := []ast.Expr{e.Lhs}
	for {
		next, ok := e.Rhs.(*ast.StringConcatOpExpr)
		if !ok {
			return append(parts, e.Rhs)
		}
		e = next
		parts = append(parts, e.Lhs)
	}
}
