package syntax

import (
	"fmt"

	"github.com/yuin/gopher-lua/ast"
)

// Role is the role of an expression in its parent.
type Role uint8

// The roles. Every expression of a tree has exactly one.
const (
	RoleValue     Role = iota // operand, assigned value, table value, for bound, returned value
	RoleTarget                // left of '=', or the name of a function statement
	RoleObject                // a in a.b and a[b], also within the name of a function statement
	RoleKey                   // b in a.b and a[b], and the key of a table field
	RoleCallee                // f in f(…)
	RoleReceiver              // a in a:m(…), and a in 'function a:m()'
	RoleArgument              // x in f(x)
	RoleCondition             // of if, while, until
	RoleStatement             // the call that is a statement
)

// Path leads from a node up to the file. It is valid during the callback only.
type Path struct {
	Parent *Path              // nil at the top
	Node   ast.PositionHolder // the statement or expression this path ends at
	Role   Role               // of Node, if it is an expression
	Func   *Function          // the function that contains Node; nil inside functions created by Rewrite

	child *Path // reused for every child
}

// Visitor holds the functions that Walk calls before the children of a node, which it visits if the function
// returns true. Either may be nil.
type Visitor struct {
	Stmt func(s ast.Stmt, at *Path) bool
	Expr func(e ast.Expr, at *Path) bool
}

// Walk visits the tree in the order of the source.
func (c *Chunk) Walk(v Visitor) { c.WalkTop(c.Stmts, v) }

// WalkTop visits statements of the top level.
func (c *Chunk) WalkTop(list []ast.Stmt, v Visitor) {
	w := walker{chunk: c, visitor: v}
	w.stmts(list, nil, c.main)
}

// WalkFunction visits the body of a function other than the main chunk, inner functions included.
func (c *Chunk) WalkFunction(f *Function, v Visitor) {
	w := walker{chunk: c, visitor: v}
	w.stmts(f.Expr.Stmts, nil, f)
}

// Rewriter holds the functions that Rewrite calls, children before parents, so a parent sees its children
// rewritten. Each function returns the node itself or its replacement; give a new node the old one's position with
// Chunk.At. A statement can become several with a *ast.DoBlockStmt, if it declares nothing. The replacement of a
// call statement's call must be a call.
type Rewriter struct {
	Expr func(e ast.Expr, at *Path) ast.Expr
	Stmt func(s ast.Stmt, at *Path) ast.Stmt
}

// Rewrite changes the tree in place. It panics if a rewriter breaks its contract or the chunk has been
// compiled already (compiling leaves nodes of gopher-lua's own in the tree).
func (c *Chunk) Rewrite(r Rewriter) {
	if c.compiled {
		panic("syntax: Rewrite after Compile")
	}
	w := walker{chunk: c, rewriter: r}
	w.stmts(c.Stmts, nil, c.main)
}

type walker struct {
	chunk    *Chunk
	visitor  Visitor
	rewriter Rewriter
	top      *Path
}

// path returns the path of a node below another's.
func (w *walker) path(parent *Path, node ast.PositionHolder, role Role, fn *Function) *Path {
	at := &w.top
	if parent != nil {
		at = &parent.child
	}
	if *at == nil {
		*at = &Path{Parent: parent}
	}
	(*at).Node, (*at).Role, (*at).Func = node, role, fn
	return *at
}

func (w *walker) stmts(list []ast.Stmt, parent *Path, fn *Function) {
	for i, s := range list {
		at := w.path(parent, s, RoleValue, fn)
		if w.visitor.Stmt == nil || w.visitor.Stmt(s, at) {
			w.stmt(s, at)
		}
		if w.rewriter.Stmt != nil {
			list[i] = w.rewriter.Stmt(s, at)
		}
	}
}

func (w *walker) stmt(stmt ast.Stmt, at *Path) {
	switch s := stmt.(type) {
	case *ast.AssignStmt:
		w.list(s.Lhs, at, RoleTarget)
		w.list(s.Rhs, at, RoleValue)
	case *ast.LocalAssignStmt:
		w.list(s.Exprs, at, RoleValue)
	case *ast.FuncCallStmt:
		w.one(&s.Expr, at, RoleStatement)
		if _, ok := s.Expr.(*ast.FuncCallExpr); !ok {
			panic(fmt.Sprintf("syntax: a call statement rewritten to %T", s.Expr))
		}
	case *ast.DoBlockStmt:
		w.stmts(s.Stmts, at, at.Func)
	case *ast.WhileStmt:
		w.one(&s.Condition, at, RoleCondition)
		w.stmts(s.Stmts, at, at.Func)
	case *ast.RepeatStmt:
		w.stmts(s.Stmts, at, at.Func)
		w.one(&s.Condition, at, RoleCondition)
	case *ast.IfStmt:
		w.one(&s.Condition, at, RoleCondition)
		w.stmts(s.Then, at, at.Func)
		w.stmts(s.Else, at, at.Func)
	case *ast.NumberForStmt:
		w.one(&s.Init, at, RoleValue)
		w.one(&s.Limit, at, RoleValue)
		if s.Step != nil {
			w.one(&s.Step, at, RoleValue)
		}
		w.stmts(s.Stmts, at, at.Func)
	case *ast.GenericForStmt:
		w.list(s.Exprs, at, RoleValue)
		w.stmts(s.Stmts, at, at.Func)
	case *ast.FuncDefStmt:
		if s.Name.Func != nil {
			w.one(&s.Name.Func, at, RoleTarget)
		} else {
			w.one(&s.Name.Receiver, at, RoleReceiver)
		}
		// A function statement's function stays one; a rewriter sees its body and the statement.
		w.function(s.Func, w.path(at, s.Func, RoleValue, at.Func))
	case *ast.ReturnStmt:
		w.list(s.Exprs, at, RoleValue)
	}
}

func (w *walker) function(e *ast.FunctionExpr, at *Path) {
	if w.visitor.Expr == nil || w.visitor.Expr(e, at) {
		w.stmts(e.Stmts, at, w.chunk.byExpr[e])
	}
}

func (w *walker) list(exprs []ast.Expr, parent *Path, role Role) {
	for i := range exprs {
		w.one(&exprs[i], parent, role)
	}
}

func (w *walker) one(slot *ast.Expr, parent *Path, role Role) {
	expr := *slot
	at := w.path(parent, expr, role, parent.Func)
	if w.visitor.Expr == nil || w.visitor.Expr(expr, at) {
		w.children(expr, at)
	}
	if w.rewriter.Expr != nil {
		if fresh := w.rewriter.Expr(expr, at); fresh != expr {
			*slot = fresh
		}
	}
}

func (w *walker) children(expr ast.Expr, at *Path) {
	switch e := expr.(type) {
	case *ast.AttrGetExpr:
		w.one(&e.Object, at, RoleObject)
		w.one(&e.Key, at, RoleKey)
	case *ast.TableExpr:
		for _, field := range e.Fields {
			if field.Key != nil {
				w.one(&field.Key, at, RoleKey)
			}
			w.one(&field.Value, at, RoleValue)
		}
	case *ast.FuncCallExpr:
		if e.Func != nil {
			w.one(&e.Func, at, RoleCallee)
		} else {
			w.one(&e.Receiver, at, RoleReceiver)
		}
		w.list(e.Args, at, RoleArgument)
	case *ast.FunctionExpr:
		w.stmts(e.Stmts, at, w.chunk.byExpr[e])
	default:
		for _, operand := range Operands(e) {
			if operand != nil {
				w.one(operand, at, RoleValue)
			}
		}
	}
}

// Operands returns the left and right operand of an operation, the first nil for a prefix operator. Both are nil
// for other expressions.
func Operands(expr ast.Expr) [2]*ast.Expr {
	switch e := expr.(type) {
	case *ast.LogicalOpExpr:
		return [2]*ast.Expr{&e.Lhs, &e.Rhs}
	case *ast.RelationalOpExpr:
		return [2]*ast.Expr{&e.Lhs, &e.Rhs}
	case *ast.StringConcatOpExpr:
		return [2]*ast.Expr{&e.Lhs, &e.Rhs}
	case *ast.ArithmeticOpExpr:
		return [2]*ast.Expr{&e.Lhs, &e.Rhs}
	case *ast.UnaryMinusOpExpr:
		return [2]*ast.Expr{1: &e.Expr}
	case *ast.UnaryNotOpExpr:
		return [2]*ast.Expr{1: &e.Expr}
	case *ast.UnaryLenOpExpr:
		return [2]*ast.Expr{1: &e.Expr}
	}
	return [2]*ast.Expr{}
}
