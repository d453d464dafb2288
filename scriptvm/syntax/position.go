package syntax

import (
	"github.com/yuin/gopher-lua/ast"
	"github.com/yuin/gopher-lua/parse"
)

// Pos is the place of the word that makes a node what it is: the name of an identifier, the literal,
// the operator of an operation, the key of an access (a.Key, a[k] at the '['), the method or function
// name of a call, the keyword 'function', the '{' of a table, the first keyword or name of a
// statement. Nodes made by Rewrite have the place given to them by At.
func (c *Chunk) Pos(node ast.PositionHolder) Position {
	if i, ok := c.at[node]; ok {
		return c.tokens[i].Pos()
	}
	if node == nil {
		return Position{}
	}
	return Position{Line: node.Line(), Column: c.firstOnLine(node.Line())}
}

// Start is where the text of an expression begins: the leftmost word of it (parentheses aside).
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
		case *ast.LogicalOpExpr:
			expr = e.Lhs
		case *ast.RelationalOpExpr:
			expr = e.Lhs
		case *ast.StringConcatOpExpr:
			expr = e.Lhs
		case *ast.ArithmeticOpExpr:
			expr = e.Lhs
		default:
			return c.Pos(expr)
		}
	}
}

// NamePos is the place of the nth name (from 0) that a node declares: a local statement, a for
// statement, a function expression (its parameters, '...' included) or a function statement (the
// parts of a.b.c:d in order).
func (c *Chunk) NamePos(node ast.PositionHolder, nth int) Position {
	if names := c.names[node]; nth >= 0 && nth < len(names) {
		return c.tokens[names[nth]].Pos()
	}
	return c.Pos(node)
}

// At gives a new node the place and the line of an old one. Rewriters call it for what they make, so
// that later errors about it point into the file.
func (c *Chunk) At(fresh, old ast.PositionHolder) {
	fresh.SetLine(old.Line())
	fresh.SetLastLine(old.LastLine())
	if i, ok := c.at[old]; ok {
		c.at[fresh] = i
	}
}

// aligner walks the tree in the order of the source and the tokens with it. Parentheses, commas and
// semicolons leave no trace in the tree, so they are stepped over; every other token is accounted for,
// which makes a mismatch certain to be noticed.
type aligner struct {
	c       *Chunk
	next    int
	depth   int
	closing map[int]int // index of a '(' → index of its ')'
}

// align finds the token of every node, and refuses trees deeper than MaxDepth. It is the first walk
// over a new tree; all others may recurse.
func (c *Chunk) align() (err error) {
	c.at = make(map[ast.PositionHolder]int32, len(c.tokens))
	c.names = make(map[ast.PositionHolder][]int32)
	a := &aligner{c: c, closing: make(map[int]int)}
	var open []int
	for i := range c.tokens {
		switch c.tokens[i].Type {
		case '(':
			open = append(open, i)
		case ')':
			if n := len(open); n > 0 {
				a.closing[open[n-1]] = i
				open = open[:n-1]
			}
		}
	}
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *Error:
			err = r
		default:
			panic(r)
		}
	}()
	a.block(c.Stmts)
	a.skip()
	if a.next != len(c.tokens) {
		a.lost()
	}
	return nil
}

// lost ends the walk: tree and tokens disagree, which is a bug here or in gopher-lua. It is an error
// about the file rather than a panic because a modder's file must not end the host.
func (a *aligner) lost() {
	at := Position{Line: 1, Column: 1}
	near := "end of file"
	if a.next < len(a.c.tokens) {
		at = a.c.tokens[a.next].Pos()
		near = a.c.tokens[a.next].describe()
	}
	panic(a.c.Errorf(at, "internal error: the parser's tree does not match the text near %s", near))
}

func (a *aligner) enter() {
	if a.depth++; a.depth > MaxDepth {
		at := Position{Line: 1, Column: 1}
		if n := min(a.next, len(a.c.tokens)-1); n >= 0 {
			at = a.c.tokens[n].Pos()
		}
		panic(a.c.Errorf(at, "nested more than %d deep (blocks, brackets, operators and chains count one level each); "+
			"use local variables in between", MaxDepth))
	}
}

func (a *aligner) skip() {
	for a.next < len(a.c.tokens) {
		switch a.c.tokens[a.next].Type {
		case '(', ')', ',', ';':
			a.next++
		default:
			return
		}
	}
}

// peek is the type of the next token that counts.
func (a *aligner) peek() int {
	a.skip()
	if a.next >= len(a.c.tokens) {
		return parse.EOF
	}
	return a.c.tokens[a.next].Type
}

// take steps over the next token, which must be of this type, and gives its index.
func (a *aligner) take(typ int) int32 {
	if a.peek() != typ {
		a.lost()
	}
	a.next++
	return int32(a.next - 1)
}

func (a *aligner) takeWord(typ int, text string) int32 {
	i := a.take(typ)
	if a.c.tokens[i].Text != text {
		a.next--
		a.lost()
	}
	return i
}

func (a *aligner) mark(node ast.PositionHolder, token int32) { a.c.at[node] = token }

func (a *aligner) block(stmts []ast.Stmt) {
	for _, s := range stmts {
		a.stmt(s)
	}
}

func (a *aligner) nameList(node ast.PositionHolder, names []string) {
	for _, name := range names {
		a.c.names[node] = append(a.c.names[node], a.takeWord(parse.TIdent, name))
	}
}

func (a *aligner) stmt(stmt ast.Stmt) {
	a.enter()
	defer func() { a.depth-- }()
	switch s := stmt.(type) {
	case *ast.AssignStmt:
		a.exprs(s.Lhs)
		a.mark(s, a.take('='))
		a.exprs(s.Rhs)
	case *ast.LocalAssignStmt:
		a.mark(s, a.take(parse.TLocal))
		if a.peek() == parse.TFunction {
			keyword := a.take(parse.TFunction)
			a.nameList(s, s.Names)
			a.mark(s.Exprs[0], keyword)
			a.funcBody(s.Exprs[0].(*ast.FunctionExpr))
			return
		}
		a.nameList(s, s.Names)
		if len(s.Exprs) > 0 {
			a.take('=')
			a.exprs(s.Exprs)
		}
	case *ast.FuncCallStmt:
		a.expr(s.Expr)
		a.mark(s, a.c.at[s.Expr])
	case *ast.DoBlockStmt:
		a.mark(s, a.take(parse.TDo))
		a.block(s.Stmts)
		a.take(parse.TEnd)
	case *ast.WhileStmt:
		a.mark(s, a.take(parse.TWhile))
		a.expr(s.Condition)
		a.take(parse.TDo)
		a.block(s.Stmts)
		a.take(parse.TEnd)
	case *ast.RepeatStmt:
		a.mark(s, a.take(parse.TRepeat))
		a.block(s.Stmts)
		a.take(parse.TUntil)
		a.expr(s.Condition)
	case *ast.IfStmt:
		a.mark(s, a.take(parse.TIf))
		a.ifTail(s)
		a.take(parse.TEnd)
	case *ast.NumberForStmt:
		a.mark(s, a.take(parse.TFor))
		a.nameList(s, []string{s.Name})
		a.take('=')
		a.expr(s.Init)
		a.expr(s.Limit)
		if s.Step != nil {
			a.expr(s.Step)
		}
		a.take(parse.TDo)
		a.block(s.Stmts)
		a.take(parse.TEnd)
	case *ast.GenericForStmt:
		a.mark(s, a.take(parse.TFor))
		a.nameList(s, s.Names)
		a.take(parse.TIn)
		a.exprs(s.Exprs)
		a.take(parse.TDo)
		a.block(s.Stmts)
		a.take(parse.TEnd)
	case *ast.FuncDefStmt:
		keyword := a.take(parse.TFunction)
		a.mark(s, keyword)
		a.mark(s.Func, keyword)
		if s.Name.Func != nil {
			a.funcName(s, s.Name.Func)
		} else {
			a.funcName(s, s.Name.Receiver)
			a.take(':')
			a.nameList(s, []string{s.Name.Method})
		}
		a.funcBody(s.Func)
	case *ast.ReturnStmt:
		a.mark(s, a.take(parse.TReturn))
		a.exprs(s.Exprs)
	case *ast.BreakStmt:
		a.mark(s, a.take(parse.TBreak))
	default:
		a.lost()
	}
}

// ifTail goes from the condition to before the 'end'. An elseif is an if statement alone in Else.
func (a *aligner) ifTail(s *ast.IfStmt) {
	a.expr(s.Condition)
	a.take(parse.TThen)
	a.block(s.Then)
	switch a.peek() {
	case parse.TElseIf:
		if len(s.Else) != 1 {
			a.lost()
		}
		inner, ok := s.Else[0].(*ast.IfStmt)
		if !ok {
			a.lost()
		}
		a.enter()
		a.mark(inner, a.take(parse.TElseIf))
		a.ifTail(inner)
		a.depth--
	case parse.TElse:
		a.take(parse.TElse)
		a.block(s.Else)
	default:
		if len(s.Else) != 0 {
			a.lost()
		}
	}
}

// openArguments steps into the parentheses of a call, if it has any, and gives the index of the closing
// one. It refuses parentheses that begin on another line than what is called ends, as Lua 5.1 does;
// gopher-lua means to and mostly does not.
func (a *aligner) openArguments() int {
	i := a.next
	for i < len(a.c.tokens) && a.c.tokens[i].Type == ')' {
		i++
	}
	if i == 0 || i >= len(a.c.tokens) || a.c.tokens[i].Type != '(' {
		return 0
	}
	if a.c.tokens[i].Line != a.c.tokens[i-1].Line {
		panic(a.c.Errorf(a.c.tokens[i].Pos(), "%s", ambiguous))
	}
	a.next = i + 1
	return a.closing[i]
}

// funcName goes over the a.b.c of a function statement.
func (a *aligner) funcName(s *ast.FuncDefStmt, name ast.Expr) {
	a.enter()
	defer func() { a.depth-- }()
	switch e := name.(type) {
	case *ast.IdentExpr:
		i := a.takeWord(parse.TIdent, e.Value)
		a.mark(e, i)
		a.c.names[s] = append(a.c.names[s], i)
	case *ast.AttrGetExpr:
		a.funcName(s, e.Object)
		a.take('.')
		i := a.takeWord(parse.TIdent, e.Key.(*ast.StringExpr).Value)
		a.mark(e, i)
		a.mark(e.Key, i)
		a.c.names[s] = append(a.c.names[s], i)
	default:
		a.lost()
	}
}

func (a *aligner) funcBody(f *ast.FunctionExpr) {
	a.nameList(f, f.ParList.Names)
	if f.ParList.HasVargs {
		a.c.names[f] = append(a.c.names[f], a.take(parse.T3Comma))
	}
	a.block(f.Stmts)
	a.take(parse.TEnd)
}

func (a *aligner) exprs(exprs []ast.Expr) {
	for _, e := range exprs {
		a.expr(e)
	}
}

func (a *aligner) binary(node ast.Expr, lhs, rhs ast.Expr, operator int) {
	a.expr(lhs)
	a.mark(node, a.take(operator))
	a.expr(rhs)
}

func (a *aligner) expr(expr ast.Expr) {
	a.enter()
	defer func() { a.depth-- }()
	switch e := expr.(type) {
	case *ast.TrueExpr:
		a.mark(e, a.take(parse.TTrue))
	case *ast.FalseExpr:
		a.mark(e, a.take(parse.TFalse))
	case *ast.NilExpr:
		a.mark(e, a.take(parse.TNil))
	case *ast.NumberExpr:
		a.mark(e, a.takeWord(parse.TNumber, e.Value))
	case *ast.StringExpr:
		a.mark(e, a.takeWord(parse.TString, e.Value))
	case *ast.Comma3Expr:
		a.mark(e, a.take(parse.T3Comma))
	case *ast.IdentExpr:
		a.mark(e, a.takeWord(parse.TIdent, e.Value))
	case *ast.AttrGetExpr:
		a.expr(e.Object)
		if a.peek() == '.' {
			a.take('.')
			i := a.takeWord(parse.TIdent, e.Key.(*ast.StringExpr).Value)
			a.mark(e, i)
			a.mark(e.Key, i)
			return
		}
		a.mark(e, a.take('['))
		a.expr(e.Key)
		a.take(']')
	case *ast.TableExpr:
		a.mark(e, a.take('{'))
		for _, field := range e.Fields {
			switch {
			case field.Key == nil:
			case a.peek() == '[':
				a.take('[')
				a.expr(field.Key)
				a.take(']')
				a.take('=')
			default:
				a.mark(field.Key, a.takeWord(parse.TIdent, field.Key.(*ast.StringExpr).Value))
				a.take('=')
			}
			a.expr(field.Value)
		}
		a.take('}')
	case *ast.FuncCallExpr:
		if e.Func != nil {
			a.expr(e.Func)
			a.mark(e, a.c.at[e.Func])
		} else {
			a.expr(e.Receiver)
			a.take(':')
			a.mark(e, a.takeWord(parse.TIdent, e.Method))
		}
		closing := a.openArguments()
		a.exprs(e.Args)
		if closing > 0 {
			a.next = closing + 1
		}
	case *ast.LogicalOpExpr:
		operator := parse.TOr
		if e.Operator == "and" {
			operator = parse.TAnd
		}
		a.binary(e, e.Lhs, e.Rhs, operator)
	case *ast.RelationalOpExpr:
		a.binary(e, e.Lhs, e.Rhs, relational(e.Operator))
	case *ast.StringConcatOpExpr:
		a.binary(e, e.Lhs, e.Rhs, parse.T2Comma)
	case *ast.ArithmeticOpExpr:
		a.binary(e, e.Lhs, e.Rhs, int(e.Operator[0]))
	case *ast.UnaryMinusOpExpr:
		a.mark(e, a.take('-'))
		a.expr(e.Expr)
	case *ast.UnaryNotOpExpr:
		a.mark(e, a.take(parse.TNot))
		a.expr(e.Expr)
	case *ast.UnaryLenOpExpr:
		a.mark(e, a.take('#'))
		a.expr(e.Expr)
	case *ast.FunctionExpr:
		a.mark(e, a.take(parse.TFunction))
		a.funcBody(e)
	default:
		a.lost()
	}
}

func relational(operator string) int {
	switch operator {
	case "==":
		return parse.TEqeq
	case "~=":
		return parse.TNeq
	case "<=":
		return parse.TLte
	case ">=":
		return parse.TGte
	}
	return int(operator[0])
}

// NumberLines gives every node the number of its word in Tokens, from 1, as its line. Bytecode compiled from the chunk then
// says which word each instruction comes from, and no longer which line.
func (c *Chunk) NumberLines() {
	for node, i := range c.at { // any order: each node by itself
		node.SetLine(int(i) + 1)
		node.SetLastLine(int(i) + 1)
	}
}

// NodesByToken lists the nodes whose own word is each of the Tokens, by its place there.
func (c *Chunk) NodesByToken() [][]ast.PositionHolder {
	out := make([][]ast.PositionHolder, len(c.tokens))
	for node, i := range c.at { // any order: a list is searched by kind
		out[i] = append(out[i], node)
	}
	return out
}
