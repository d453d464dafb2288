package syntax

import (
	"strconv"

	"github.com/yuin/gopher-lua/ast"
)

// Names of the natives that hardened code calls. No scanner produces an identifier spelt like these,
// so a script can neither name, shadow nor assign them; they are globals of the environment rather
// than upvalues because closures then capture nothing more, no local is used up and no line moves.
const (
	// ConcatNative takes what stood around a chain of '..' in order and gives the one result.
	ConcatNative = ".."
	// LenNative is '#'. The operation scans the empty tail of an array, up to 400 µs an instruction.
	LenNative = "#"
)

// LibraryName is the global that a library's function is reached by once Harden has resolved it:
// one look-up instead of three, the libraries being frozen.
func LibraryName(library, field string) string { return library + "." + field }

// HardenOptions says what Harden may assume.
type HardenOptions struct {
	// Library reports whether a global and a field of it are a frozen library and its member, which
	// the environment then also holds under LibraryName. Nil: no such rewriting.
	Library func(library, field string) bool
	// Globals are the names that a file may read; with them, a misspelt global is an error here
	// instead of when it runs. Nil: not checked.
	Globals func(name string) bool
	// Names lists the global names for "did you mean"; may be nil.
	Names []string
}

// Harden takes out of a chunk what cannot be bounded while it runs:
//   - an assignment to a global is an error (the environment is shared and read-only);
//   - 'a .. b .. c' becomes one call of ConcatNative, constant strings are joined here;
//   - '#x' becomes a call of LenNative;
//   - 'math.floor' becomes one global (see HardenOptions.Library);
//   - an assignment that gopher-lua would compile into wrong code is spelt differently.
//
// Do it last, after all other rewriting. A second time does nothing.
func Harden(c *Chunk, options HardenOptions) error {
	if c.hardened {
		return nil
	}
	if err := c.checkGlobals(options); err != nil {
		return err
	}
	h := hardener{c: c, options: options}
	c.Rewrite(Rewriter{Expr: h.expr, Stmt: h.stmt})
	c.hardened = true
	return nil
}

// checkGlobals refuses what is assigned to, and what is unknown.
func (c *Chunk) checkGlobals(options HardenOptions) error {
	var problem *Error
	c.Walk(Visitor{Expr: func(e ast.Expr, at *Path) bool {
		name, ok := e.(*ast.IdentExpr)
		if !ok || problem != nil || c.symbols[name] != nil {
			return problem == nil
		}
		if _, known := c.at[name]; !known {
			return true // made by a rewriter, which may name what it likes
		}
		if at.Role == RoleTarget {
			problem = c.Errorf(c.Pos(name), "assignment to global '%s': globals are read-only, write 'local %s'%s",
				name.Value, name.Value, didYouMean(name.Value, c.localNames(at.Func)))
			return false
		}
		if options.Globals != nil && !options.Globals(name.Value) {
			candidates := append(c.localNames(at.Func), options.Names...)
			problem = c.Errorf(c.Pos(name), "unknown name '%s'%s", name.Value, didYouMean(name.Value, candidates))
			return false
		}
		return true
	}})
	if problem != nil {
		return problem
	}
	return nil
}

func didYouMean(name string, candidates []string) string {
	if near := Nearest(name, candidates); near != "" {
		return "; did you mean '" + near + "'?"
	}
	return ""
}

// localNames are the names of the variables of a function and those around it, in order.
func (c *Chunk) localNames(f *Function) []string {
	var names []string
	seen := map[string]bool{}
	for _, s := range c.locals {
		for g := f; g != nil; g = g.Parent {
			if s.Func == g && s.Kind != symbolHidden && !seen[s.Name] {
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
}

func (h *hardener) expr(expr ast.Expr, at *Path) ast.Expr {
	switch e := expr.(type) {
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
		if !ok || h.options.Library == nil || at.Role == RoleTarget || h.c.symbols[library] != nil {
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

// concat makes one call of a chain. '..' groups to the right, so constants join only at its end: in
// "a".."b"..x the object x may have a __concat that must see "b".
func (h *hardener) concat(e *ast.StringConcatOpExpr) ast.Expr {
	parts := concatParts(e)
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

// native makes the call of a native that gives one value.
func (h *hardener) native(name string, old ast.Expr, args []ast.Expr) ast.Expr {
	switch last := args[len(args)-1].(type) { // an operand is one value
	case *ast.FuncCallExpr:
		last.AdjustRet = true
	case *ast.Comma3Expr:
		last.AdjustRet = true
	}
	callee := &ast.IdentExpr{Value: name}
	call := &ast.FuncCallExpr{Func: callee, Args: args, AdjustRet: true}
	h.c.At(callee, old)
	h.c.At(call, old)
	return call
}

// stmt spells an assignment differently that gopher-lua gets wrong. It computes the value for a local
// variable right into its register, so 'a, b = b, a' loses one of them; and for the last parameter s,
// 's = (f(s))' loads f into the register of s before it passes s. Values go through new variables then.
func (h *hardener) stmt(stmt ast.Stmt, at *Path) ast.Stmt {
	s, ok := stmt.(*ast.AssignStmt)
	if !ok {
		return stmt
	}
	if len(s.Lhs) == 1 && len(s.Rhs) == 1 {
		// With one value on either side the parentheses say nothing, and without them it is right.
		if call, ok := s.Rhs[0].(*ast.FuncCallExpr); ok {
			call.AdjustRet = false
		}
		return s
	}
	local := false
	for _, target := range s.Lhs {
		name, ok := target.(*ast.IdentExpr)
		local = local || ok && h.c.symbols[name] != nil
	}
	if !local || harmless(s.Rhs) {
		return s
	}
	names := make([]string, len(s.Lhs))
	values := make([]ast.Expr, len(s.Lhs))
	for i := range s.Lhs {
		names[i] = "=" + strconv.Itoa(i) // no identifier is spelt so
		value := &ast.IdentExpr{Value: names[i]}
		h.c.At(value, s)
		values[i] = value
	}
	compute := &ast.LocalAssignStmt{Names: names, Exprs: s.Rhs}
	assign := &ast.AssignStmt{Lhs: s.Lhs, Rhs: values}
	block := &ast.DoBlockStmt{Stmts: []ast.Stmt{compute, assign}}
	h.c.At(compute, s)
	h.c.At(assign, s)
	h.c.At(block, s)
	return block
}

// harmless reports whether the values cannot be affected by assigning the first of them early: all
// literals, or all from one call or '...'.
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

// concatParts gives the operands of a chain of '..' from left to right.
func concatParts(e *ast.StringConcatOpExpr) []ast.Expr {
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
