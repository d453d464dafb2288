package syntax

import (
	"github.com/yuin/gopher-lua/ast"
	"github.com/yuin/gopher-lua/parse"
)

// Pos returns the position of a node's characteristic word: the name of an identifier, the literal, the operator of
// an operation, the key of an access (a.Key, a[k] at the '['), the method or function name of a call, the keyword
// 'function', the '{' of a table, the first keyword or name of a statement. Nodes created by Rewrite have the
// position given to them by At.
func (c *Chunk) Pos(node ast.PositionHolder) Position {
	if t := c.token(node); t != nil {
		return t.Pos()
	}
	return Position{}
}

// token returns a node's characteristic word, nil if it has none.
func (c *Chunk) token(node ast.PositionHolder) *Token {
	if node == nil || node.Line() < 1 || node.Line() > len(c.tokens) {
		return nil
	}
	return &c.tokens[node.Line()-1]
}

// Start returns the position where the text of an expression begins: its leftmost word (parentheses aside).
func (c *Chunk) Start(expr ast.Expr) Position {
	for {
		switch e := expr.(type) {
		case *ast.AttrGetExpr:
			expr = e.Object
		case *ast.FuncCallExpr:
			if e.Func != nil {
				expr = e.Func
			} else {
				expr = e.Receiver
			}
		default:
			left := Operands(expr)[0]
			if left == nil {
				return c.Pos(expr)
			}
			expr = *left
		}
	}
}

// NamePos returns the position of the nth name (from 0) that a node declares: a local statement, a for statement, a
// function expression (its parameters, '...' included) or a function statement (the parts of a.b.c:d in order). If
// there is no such name, it returns that of the node.
func (c *Chunk) NamePos(node ast.PositionHolder, nth int) Position {
	i := node.Line()
	if _, ok := node.(*ast.FunctionExpr); ok {
		for i < len(c.tokens) && c.tokens[i-1].Type != '(' {
			i++
		}
	}
	for ; nth >= 0 && i < len(c.tokens); i++ {
		switch c.tokens[i].Type {
		case parse.TIdent, parse.T3Comma:
			if nth--; nth < 0 {
				return c.tokens[i].Pos()
			}
		case ',', '.', ':', parse.TFunction:
		default:
			return c.Pos(node)
		}
	}
	return c.Pos(node)
}

// At gives a new node the position of an old one. Rewriters call it for new nodes, so that later errors about them
// point into the file.
func (c *Chunk) At(fresh, old ast.PositionHolder) {
	fresh.SetLine(old.Line())
	fresh.SetLastLine(old.LastLine())
}

// NodesByToken lists the nodes whose own word is each of the tokens, by its number from 0.
func (c *Chunk) NodesByToken() [][]ast.PositionHolder {
	out := make([][]ast.PositionHolder, len(c.tokens))
	note := func(n ast.PositionHolder) bool {
		if i := n.Line() - 1; i >= 0 {
			out[i] = append(out[i], n)
		}
		return true
	}
	c.Walk(Visitor{Stmt: func(s ast.Stmt, _ *Path) bool { return note(s) }, Expr: func(e ast.Expr, _ *Path) bool { return note(e) }})
	return out
}
