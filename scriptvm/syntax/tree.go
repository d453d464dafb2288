package syntax

import (
	"github.com/yuin/gopher-lua/ast"
	"github.com/yuin/gopher-lua/parse"
)

// parser builds gopher-lua's tree from the tokens, by recursive descent, so that every node has its own word from
// the start: Line is the number of that word, from 1, and LastLine that of the word at the end of a block. Compile
// converts both to lines.
//
// gopher-lua's own parser scans the text a second time and only has lines. TestAgreesWithGopherLua compares the
// two.
type parser struct {
	*Chunk
	open      []opener // for messages
	next      int      // the current token
	depth     int      // of expressions
	ambiguous int      // the first '(' on a line of its own that would be a call, 0 for none
}

// fail ends parsing at the next token. alone says that it follows an expression that cannot be a statement.
func (p *parser) fail(alone bool) { panic(p.stumble(p.open, p.next, alone)) }

// peek returns the type of the next token.
func (p *parser) peek() int {
	if p.next < len(p.tokens) {
		return p.tokens[p.next].Type
	}
	return parse.EOF
}

// accept skips the next token if it has this type.
func (p *parser) accept(typ int) bool {
	if p.peek() != typ {
		return false
	}
	p.next++
	return true
}

// take skips the next token, which must have this type, and returns its index.
func (p *parser) take(typ int) int {
	if !p.accept(typ) {
		p.fail(false)
	}
	return p.next - 1
}

// name returns the text of the next token, which must be a name.
func (p *parser) name() string { return p.tokens[p.take(parse.TIdent)].Text }

// mark sets the word of a node. In bytecode it has the line of another node, with which its text begins.
func (p *parser) mark(node ast.PositionHolder, token int, first ast.PositionHolder) {
	node.SetLine(token + 1)
	p.lines[token] = p.lines[first.Line()-1]
}

// at sets the word of a node.
func at[N ast.PositionHolder](node N, token int) N {
	node.SetLine(token + 1)
	return node
}

// until accepts the word that ends a block.
func until[N ast.PositionHolder](p *parser, node N, typ int) N {
	node.SetLastLine(p.take(typ) + 1)
	return node
}

func (p *parser) block() []ast.Stmt {
	list := []ast.Stmt{}
	for {
		first := p.next
		switch p.peek() {
		case parse.EOF, parse.TEnd, parse.TElse, parse.TElseIf, parse.TUntil:
			return list
		case ';':
			p.next++
		case parse.TReturn:
			p.next++
			s := at(&ast.ReturnStmt{}, first)
			switch p.peek() {
			case ';', parse.EOF, parse.TEnd, parse.TElse, parse.TElseIf, parse.TUntil:
			default:
				s.Exprs = p.exprs()
			}
			p.accept(';')
			return append(list, s)
		case parse.TBreak:
			p.next++
			p.accept(';')
			return append(list, at(&ast.BreakStmt{}, first))
		default:
			list = append(list, p.stmt())
		}
	}
}

func (p *parser) stmt() ast.Stmt {
	first := p.next
	switch p.peek() {
	case parse.TDo:
		p.next++
		return until(p, at(&ast.DoBlockStmt{Stmts: p.block()}, first), parse.TEnd)
	case parse.TWhile:
		p.next++
		s := at(&ast.WhileStmt{Condition: p.expr(0)}, first)
		p.take(parse.TDo)
		s.Stmts = p.block()
		return until(p, s, parse.TEnd)
	case parse.TRepeat:
		p.next++
		s := at(&ast.RepeatStmt{Stmts: p.block()}, first)
		p.take(parse.TUntil)
		s.Condition = p.expr(0)
		s.SetLastLine(s.Condition.Line())
		return s
	case parse.TIf:
		return until(p, p.branch(), parse.TEnd)
	case parse.TFor:
		return p.loop()
	case parse.TFunction:
		p.next++
		return p.define(first)
	case parse.TLocal:
		p.next++
		if p.accept(parse.TFunction) {
			s := at(&ast.LocalAssignStmt{Names: []string{p.name()}}, first)
			f := p.body(first + 1)
			s.Exprs = []ast.Expr{f}
			s.SetLastLine(f.LastLine())
			return s
		}
		s := at(&ast.LocalAssignStmt{Names: p.names(p.name()), Exprs: []ast.Expr{}}, first)
		if p.accept('=') {
			s.Exprs = p.exprs()
		}
		return s
	}
	e, variable := p.suffixed()
	if !variable {
		if _, call := e.(*ast.FuncCallExpr); !call {
			p.fail(true)
		}
		return at(&ast.FuncCallStmt{Expr: e}, e.Line()-1)
	}
	s := &ast.AssignStmt{Lhs: []ast.Expr{e}}
	for p.accept(',') {
		if e, variable = p.suffixed(); !variable {
			p.fail(false)
		}
		s.Lhs = append(s.Lhs, e)
	}
	if p.peek() != '=' {
		p.fail(len(s.Lhs) == 1)
	}
	p.mark(s, p.take('='), s.Lhs[0])
	s.Rhs = p.exprs()
	return s
}

// branch parses an if or elseif up to its 'end'. An elseif is an if statement alone in Else.
func (p *parser) branch() *ast.IfStmt {
	first := p.next
	p.next++
	s := at(&ast.IfStmt{Condition: p.expr(0)}, first)
	p.take(parse.TThen)
	s.Then = p.block()
	if p.peek() == parse.TElseIf {
		s.Else = []ast.Stmt{p.branch()}
	} else if p.accept(parse.TElse) {
		s.Else = p.block()
	}
	return s
}

func (p *parser) loop() ast.Stmt {
	first := p.next
	p.next++
	name := p.name()
	if p.accept('=') {
		s := at(&ast.NumberForStmt{Name: name, Init: p.expr(0)}, first)
		p.take(',')
		s.Limit = p.expr(0)
		if p.accept(',') {
			s.Step = p.expr(0)
		}
		p.take(parse.TDo)
		s.Stmts = p.block()
		return until(p, s, parse.TEnd)
	}
	s := at(&ast.GenericForStmt{Names: p.names(name)}, first)
	p.take(parse.TIn)
	s.Exprs = p.exprs()
	p.take(parse.TDo)
	s.Stmts = p.block()
	return until(p, s, parse.TEnd)
}

// names continues a list of names.
func (p *parser) names(first string) []string {
	list := []string{first}
	for p.accept(',') {
		list = append(list, p.name())
	}
	return list
}

// define parses a function statement after its keyword.
func (p *parser) define(keyword int) ast.Stmt {
	target := ast.Expr(p.word())
	for p.accept('.') {
		key := p.key()
		target = at(&ast.AttrGetExpr{Object: target, Key: key}, key.Line()-1)
	}
	s := at(&ast.FuncDefStmt{Name: &ast.FuncName{Func: target}}, keyword)
	if p.accept(':') {
		s.Name = &ast.FuncName{Receiver: target, Method: p.name()}
	}
	s.Func = p.body(keyword)
	s.SetLastLine(s.Func.LastLine())
	return s
}

// body parses a function from its parameters on.
func (p *parser) body(keyword int) *ast.FunctionExpr {
	list := &ast.ParList{Names: []string{}}
	p.take('(')
	for more := p.peek() != ')'; more; more = p.accept(',') {
		if list.HasVargs = p.accept(parse.T3Comma); list.HasVargs {
			break
		}
		list.Names = append(list.Names, p.name())
	}
	p.take(')')
	return until(p, at(&ast.FunctionExpr{ParList: list, Stmts: p.block()}, keyword), parse.TEnd)
}

func (p *parser) word() *ast.IdentExpr {
	first := p.next
	return at(&ast.IdentExpr{Value: p.name()}, first)
}

// key parses a name that means a string.
func (p *parser) key() *ast.StringExpr {
	first := p.next
	return at(&ast.StringExpr{Value: p.name()}, first)
}

// suffixed parses a name or a parenthesised expression with all its calls and accesses, and returns whether it can
// be assigned to.
func (p *parser) suffixed() (e ast.Expr, variable bool) {
	first := p.next
	switch p.peek() {
	case parse.TIdent:
		e, variable = p.word(), true
	case '(':
		p.next++
		e = one(p.expr(0))
		p.take(')')
		if _, call := e.(*ast.FuncCallExpr); !call {
			p.lines[e.Line()-1] = p.lines[first]
		}
	default:
		p.fail(false)
	}
	for {
		first = p.next
		switch p.peek() {
		case '.':
			p.next++
			a := &ast.AttrGetExpr{Object: e, Key: p.key()}
			p.mark(a, first+1, e)
			e, variable = a, true
		case '[':
			p.next++
			a := &ast.AttrGetExpr{Object: e, Key: p.expr(0)}
			p.take(']')
			p.mark(a, first, e)
			e, variable = a, true
		case ':':
			p.next++
			c := &ast.FuncCallExpr{Receiver: e, Method: p.name()}
			p.mark(c, first+1, e)
			c.Args = p.args()
			e, variable = c, false
		case '(', '{', parse.TString:
			e, variable = at(&ast.FuncCallExpr{Func: e, Args: p.args()}, e.Line()-1), false
		default:
			return e, variable
		}
	}
}

// args parses the arguments of a call.
func (p *parser) args() []ast.Expr {
	switch first := p.next; p.peek() {
	case '{', parse.TString:
		return []ast.Expr{p.simple()}
	case '(':
		// Lua 5.1 rejects it; gopher-lua intends to but mostly does not.
		if p.ambiguous == 0 && p.tokens[first].Line != p.tokens[first-1].Line {
			p.ambiguous = first
		}
		p.next++
		if p.accept(')') {
			return []ast.Expr{}
		}
		list := p.exprs()
		p.take(')')
		return list
	}
	p.fail(false)
	return nil
}

func (p *parser) exprs() []ast.Expr {
	list := []ast.Expr{p.expr(0)}
	for p.accept(',') {
		list = append(list, p.expr(0))
	}
	return list
}

// ofUnary is the precedence of '-', '#' and 'not'.
const ofUnary = 7

// binding returns the precedence of an operator on its left and right; 0 for other tokens.
func binding(typ int) (left, right int) {
	switch typ {
	case parse.TOr:
		return 1, 1
	case parse.TAnd:
		return 2, 2
	case '<', '>', parse.TLte, parse.TGte, parse.TEqeq, parse.TNeq:
		return 3, 3
	case parse.T2Comma:
		return 4, 3
	case '+', '-':
		return 5, 5
	case '*', '/', '%':
		return 6, 6
	case '^':
		return 9, 8
	}
	return 0, 0
}

// expr parses an expression of operators with a precedence above a bound.
func (p *parser) expr(bound int) ast.Expr {
	// Parentheses leave no level in the tree, and there are at most as many.
	if p.depth++; p.depth > 2*MaxDepth {
		panic(p.Errorf(p.tokens[min(p.next, len(p.tokens)-1)].Pos(), tooDeep, MaxDepth))
	}
	var e ast.Expr
	switch first := p.next; p.peek() {
	case '-':
		p.next++
		o := &ast.UnaryMinusOpExpr{Expr: p.expr(ofUnary)}
		p.mark(o, first, o.Expr)
		e = o
	case '#':
		p.next++
		o := &ast.UnaryLenOpExpr{Expr: p.expr(ofUnary)}
		p.mark(o, first, o.Expr)
		e = o
	case parse.TNot:
		p.next++
		o := &ast.UnaryNotOpExpr{Expr: p.expr(ofUnary)}
		p.mark(o, first, o.Expr)
		e = o
	default:
		e = p.simple()
	}
	for {
		operator := p.next
		left, right := binding(p.peek())
		if left <= bound {
			p.depth--
			return e
		}
		p.next++
		lhs, rhs, text := e, p.expr(right), p.tokens[operator].Text
		switch left {
		case 1, 2:
			e = &ast.LogicalOpExpr{Operator: text, Lhs: lhs, Rhs: rhs}
		case 3:
			e = &ast.RelationalOpExpr{Operator: text, Lhs: lhs, Rhs: rhs}
		case 4:
			e = &ast.StringConcatOpExpr{Lhs: lhs, Rhs: rhs}
		default:
			e = &ast.ArithmeticOpExpr{Operator: text, Lhs: lhs, Rhs: rhs}
		}
		p.mark(e, operator, lhs)
	}
}

// simple parses an operand.
func (p *parser) simple() ast.Expr {
	first := p.next
	var e ast.Expr
	switch p.peek() {
	case parse.TNil:
		e = &ast.NilExpr{}
	case parse.TTrue:
		e = &ast.TrueExpr{}
	case parse.TFalse:
		e = &ast.FalseExpr{}
	case parse.TNumber:
		e = &ast.NumberExpr{Value: p.tokens[first].Text}
	case parse.TString:
		e = &ast.StringExpr{Value: p.tokens[first].Text}
	case parse.T3Comma:
		e = &ast.Comma3Expr{}
	case parse.TFunction:
		p.next++
		return p.body(first)
	case '{':
		return p.table()
	default:
		e, _ = p.suffixed()
		return e
	}
	p.next++
	return at(e, first)
}

func (p *parser) table() ast.Expr {
	t := at(&ast.TableExpr{Fields: []*ast.Field{}}, p.take('{'))
	for p.peek() != '}' {
		f := &ast.Field{}
		switch {
		case p.peek() == parse.TIdent && p.next+1 < len(p.tokens) && p.tokens[p.next+1].Type == '=':
			f.Key = p.key()
			p.next++
		case p.accept('['):
			f.Key = p.expr(0)
			p.take(']')
			p.take('=')
		}
		f.Value = p.expr(0)
		t.Fields = append(t.Fields, f)
		first := p.next
		for p.accept(',') || p.accept(';') {
		}
		if p.next == first {
			break
		}
	}
	p.take('}')
	return t
}
