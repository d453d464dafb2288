package syntax

import (
	"github.com/yuin/gopher-lua/ast"
)

// SymbolKind is how a local variable is declared.
type SymbolKind uint8

// The kinds of local variables.
const (
	SymbolLocal  SymbolKind = iota // local x, local function x
	SymbolParam                    // a named parameter
	SymbolSelf                     // the parameter that 'function C:Name' adds
	SymbolLoop                     // a variable of a for statement
	SymbolArg                      // the table 'arg' of a vararg function
	symbolHidden                   // a slot gopher-lua uses itself
)

// Symbol is one local variable. Two variables with one name are two symbols, so "self neither assigned nor
// shadowed" means: the identifier's symbol is the function's Self and not Assigned.
type Symbol struct {
	Name     string
	Kind     SymbolKind
	Func     *Function          // which declares it
	Decl     ast.PositionHolder // statement or function expression that declares it
	Index    int                // for NamePos(Decl, Index); -1 if it has no word of its own (self, arg)
	Init     ast.Expr           // the value assigned by a local statement with one name, if any
	Assigned bool               // set again after its declaration
	Captured bool               // used by an inner function
	Used     bool               // read or set anywhere
}

// Function is one function of the file; the main chunk is one too, with Expr nil.
type Function struct {
	Expr     *ast.FunctionExpr
	Def      *ast.FuncDefStmt // the statement, if it is 'function a.b:c() … end'
	Name     string           // as written ("Rocket.server:Fire", "local"'s name) or ""
	Parent   *Function
	Self     *Symbol // nil unless defined with ':'
	Params   []*Symbol
	Vararg   bool
	Upvalues []*Symbol // outer variables it or its inner functions use, in order of first use

	blocks    [][]*Symbol
	active    int
	registers int
	constants map[constant]int
}

// constant is a number or a string of a function.
type constant struct {
	kind byte // 'n' or 's'
	text string
}

// Main returns the file itself as a function.
func (c *Chunk) Main() *Function { return c.main }

// Functions returns all functions in the order of their text, the main chunk first.
func (c *Chunk) Functions() []*Function { return c.functions }

// Locals returns all local variables of the file, in order of their declaration.
func (c *Chunk) Locals() []*Symbol { return c.locals }

// Function returns the analysis of a function expression of the file; nil for one created by Rewrite.
func (c *Chunk) Function(e *ast.FunctionExpr) *Function { return c.byExpr[e] }

// Symbol returns the local variable that an identifier means, nil for a global.
func (c *Chunk) Symbol(e *ast.IdentExpr) *Symbol {
	if c.made(e) {
		return nil
	}
	return c.symbols[e.Line()-1]
}

// made reports whether an identifier was created by a rewriter, which may use any name: the source has no such word
// at its position.
func (c *Chunk) made(e *ast.IdentExpr) bool {
	t := c.token(e)
	return t == nil || t.Text != e.Value
}

// resolver resolves each name by gopher-lua's exact scoping rules (a local function literal sees its own name even
// when written "local f = function"), and adds up the cost of compiling by the rules of gopher-lua's compile.go:
// constants and names are looked up by linear search.
type resolver struct {
	c     *Chunk
	fn    *Function
	work  int
	depth int  // of the tree
	few   bool // too few words for their constants to matter
}

const tooDeep = "nested more than %d deep (blocks, brackets, operators and chains count one level each); use local variables in between"

// level counts a level of the tree. This is the first walk over a new tree; all later ones may recurse.
func (r *resolver) level(at Position) {
	if r.depth++; r.depth > MaxDepth {
		panic(r.c.Errorf(at, tooDeep, MaxDepth))
	}
}

func (c *Chunk) resolve() {
	c.byExpr = make(map[*ast.FunctionExpr]*Function)
	r := &resolver{c: c, few: len(c.tokens)*len(c.tokens) < MaxCompileWork/4}
	c.main = r.openFunction(nil)
	c.main.Vararg = true
	r.block(c.Stmts)
}

func (r *resolver) fail(at ast.PositionHolder, format string, args ...any) {
	panic(r.c.Errorf(r.c.Pos(at), format, args...))
}

func (r *resolver) openFunction(e *ast.FunctionExpr) *Function {
	f := &Function{Expr: e, Parent: r.fn, blocks: [][]*Symbol{nil}}
	r.fn = f
	r.c.functions = append(r.c.functions, f)
	if e == nil {
		return f
	}
	r.c.byExpr[e] = f
	if len(r.c.functions) > MaxFunctions {
		r.fail(e, "more than %d functions in one file", MaxFunctions)
	}
	depth := 0
	for p := f; p != nil; p = p.Parent {
		depth++
	}
	if depth > MaxFunctionDepth {
		r.fail(e, "functions nested more than %d deep", MaxFunctionDepth)
	}
	return f
}

func (r *resolver) declare(s *Symbol, at ast.PositionHolder) *Symbol {
	f := r.fn
	s.Func, s.Decl = f, at
	if s.Kind != symbolHidden {
		r.c.locals = append(r.c.locals, s)
	}
	last := len(f.blocks) - 1
	f.blocks[last] = append(f.blocks[last], s)
	if f.active++; f.active > MaxLocals {
		r.fail(at, "more than %d local variables at once in one function", MaxLocals)
	}
	return s
}

func (r *resolver) hidden(n int, at ast.PositionHolder) {
	for range n {
		r.declare(&Symbol{Kind: symbolHidden, Index: -1}, at)
	}
}

func (r *resolver) enter() { r.fn.blocks = append(r.fn.blocks, nil) }

func (r *resolver) leave() {
	last := len(r.fn.blocks) - 1
	r.fn.active -= len(r.fn.blocks[last])
	r.fn.blocks = r.fn.blocks[:last]
}

// spend adds to the cost of compiling.
func (r *resolver) spend(n int, at ast.PositionHolder) {
	if r.work += n; r.work > MaxCompileWork {
		r.fail(at, "too many different names and constants to compile; split the file, or a big table into several functions")
	}
}

// need records that the function uses this many registers above its local variables.
func (r *resolver) need(n int, at ast.PositionHolder) {
	if n += r.fn.active + 1; n > r.fn.registers {
		if r.fn.registers = n; n > MaxRegisters {
			r.fail(at, "this needs more than %d values at once (local variables, arguments, table items); split it", MaxRegisters)
		}
	}
}

// constant records the use of a constant in the current function.
func (r *resolver) constant(kind byte, text string, at ast.PositionHolder) {
	if r.few {
		return
	}
	f, key := r.fn, constant{kind, text}
	if f.constants == nil {
		f.constants = map[constant]int{}
	}
	index, ok := f.constants[key]
	if !ok {
		index = len(f.constants)
		f.constants[key] = index
	}
	r.spend(index+1, at)
}

// lookup finds the variable that a name means in the current function, nil for a global.
func (r *resolver) lookup(name string, at ast.PositionHolder) *Symbol {
	searched := 0
	for f := r.fn; f != nil; f = f.Parent {
		for b := len(f.blocks) - 1; b >= 0; b-- {
			searched += 1 + len(f.blocks[b])
			for i := len(f.blocks[b]) - 1; i >= 0; i-- {
				if s := f.blocks[b][i]; s.Name == name && s.Kind != symbolHidden {
					s.Used = true
					// gopher-lua searches twice, and the list of upvalues once.
					r.spend(2*searched+len(r.fn.Upvalues), at)
					r.capture(s, at)
					return s
				}
			}
		}
	}
	r.spend(searched, at)
	return nil
}

// capture adds an outer variable to the upvalues of every function in between.
func (r *resolver) capture(s *Symbol, at ast.PositionHolder) {
	for f := r.fn; f != s.Func; f = f.Parent {
		s.Captured = true
		known := false
		for _, u := range f.Upvalues {
			if known = u == s; known {
				break
			}
		}
		if known {
			return
		}
		f.Upvalues = append(f.Upvalues, s)
		if len(f.Upvalues) > MaxUpvalues {
			r.fail(at, "a function that uses more than %d variables of the functions around it", MaxUpvalues)
		}
	}
}

func (r *resolver) block(stmts []ast.Stmt) {
	for _, s := range stmts {
		r.stmt(s)
	}
}

func (r *resolver) scoped(stmts []ast.Stmt) {
	r.enter()
	r.block(stmts)
	r.leave()
}

// list visits values that are placed in consecutive registers and returns how many that takes.
func (r *resolver) list(exprs []ast.Expr) int {
	most := 0
	for i, e := range exprs {
		most = max(most, i+r.expr(e))
	}
	return max(most, len(exprs))
}

func (r *resolver) stmt(stmt ast.Stmt) {
	r.level(r.c.Pos(stmt))
	r.statement(stmt)
	r.depth--
}

func (r *resolver) statement(stmt ast.Stmt) {
	switch s := stmt.(type) {
	case *ast.AssignStmt:
		used := 0
		for _, target := range s.Lhs {
			switch t := target.(type) {
			case *ast.IdentExpr:
				r.target(t)
			case *ast.AttrGetExpr:
				r.need(used+max(r.expr(t.Object), 1+r.expr(t.Key)), s)
				used += 2
			default:
				r.fail(s, "this cannot be assigned to")
			}
		}
		// Harden may store tables, keys and values in variables of their own.
		r.need(used+r.list(s.Rhs)+len(s.Lhs)+3, s)
	case *ast.LocalAssignStmt:
		if len(s.Names) == 1 && len(s.Exprs) == 1 {
			if f, ok := s.Exprs[0].(*ast.FunctionExpr); ok {
				r.declare(&Symbol{Name: s.Names[0], Kind: SymbolLocal, Init: f}, s)
				r.function(f, nil, s.Names[0])
				return
			}
		}
		r.need(max(r.list(s.Exprs), len(s.Names)), s)
		for i, name := range s.Names {
			symbol := &Symbol{Name: name, Kind: SymbolLocal, Index: i}
			if len(s.Names) == len(s.Exprs) {
				symbol.Init = s.Exprs[i]
			}
			r.declare(symbol, s)
		}
	case *ast.FuncCallStmt:
		r.need(r.expr(s.Expr), s)
	case *ast.DoBlockStmt:
		r.scoped(s.Stmts)
	case *ast.WhileStmt:
		r.need(r.expr(s.Condition), s)
		r.scoped(s.Stmts)
	case *ast.RepeatStmt:
		r.enter()
		r.block(s.Stmts)
		r.need(r.expr(s.Condition), s)
		r.leave()
	case *ast.IfStmt:
		r.need(r.expr(s.Condition), s)
		r.scoped(s.Then)
		r.scoped(s.Else)
	case *ast.NumberForStmt:
		r.enter()
		exprs := []ast.Expr{s.Init, s.Limit}
		if s.Step != nil {
			exprs = append(exprs, s.Step)
		} else {
			r.constant('n', "1", s)
		}
		r.need(r.list(exprs)+4, s)
		r.hidden(3, s)
		r.declare(&Symbol{Name: s.Name, Kind: SymbolLoop}, s)
		r.block(s.Stmts)
		r.leave()
	case *ast.GenericForStmt:
		r.enter()
		// gopher-lua evaluates these with its three hidden variables already in scope.
		r.hidden(3, s)
		r.need(r.list(s.Exprs)+3+len(s.Names)+3, s)
		for i, name := range s.Names {
			r.declare(&Symbol{Name: name, Kind: SymbolLoop, Index: i}, s)
		}
		r.block(s.Stmts)
		r.leave()
	case *ast.FuncDefStmt:
		if s.Name.Func != nil {
			switch t := s.Name.Func.(type) {
			case *ast.IdentExpr:
				r.target(t)
			case *ast.AttrGetExpr:
				r.need(2+r.expr(t), s)
			}
			r.function(s.Func, s, DottedName(s.Name.Func))
			return
		}
		r.need(3+r.expr(s.Name.Receiver), s)
		r.constant('s', s.Name.Method, s)
		r.function(s.Func, s, DottedName(s.Name.Receiver)+":"+s.Name.Method)
	case *ast.ReturnStmt:
		r.need(r.list(s.Exprs), s)
	}
}

// target records an assignment to a name.
func (r *resolver) target(e *ast.IdentExpr) {
	if s := r.lookup(e.Value, e); s != nil {
		s.Assigned = true
		r.c.symbols[e.Line()-1] = s
		return
	}
	r.constant('s', e.Value, e)
}

func (r *resolver) function(e *ast.FunctionExpr, def *ast.FuncDefStmt, name string) {
	outer := r.fn
	f := r.openFunction(e)
	f.Def, f.Name, f.Vararg = def, name, e.ParList.HasVargs
	if def != nil && def.Name.Func == nil {
		f.Self = r.declare(&Symbol{Name: "self", Kind: SymbolSelf, Index: -1}, e)
	}
	for i, p := range e.ParList.Names {
		f.Params = append(f.Params, r.declare(&Symbol{Name: p, Kind: SymbolParam, Index: i}, e))
	}
	if f.Vararg {
		r.declare(&Symbol{Name: "arg", Kind: SymbolArg, Index: -1}, e)
	}
	r.block(e.Stmts)
	f.blocks, f.constants = nil, nil // only needed while inside
	r.fn = outer
	r.spend(len(f.Upvalues)*(1+outer.active), e)
	r.need(1, e)
}

// pair visits two operands; the first is kept while the second is evaluated.
func (r *resolver) pair(first, second ast.Expr) int {
	used := r.expr(first)
	return max(used, 1+r.expr(second))
}

// expr visits an expression and returns the maximum number of registers for evaluating it.
func (r *resolver) expr(expr ast.Expr) int {
	if r.depth >= MaxDepth {
		r.level(r.c.Start(expr))
	}
	r.depth++
	used := r.inner(expr)
	r.depth--
	return used
}

func (r *resolver) inner(expr ast.Expr) int {
	switch e := expr.(type) {
	case *ast.NumberExpr:
		r.constant('n', e.Value, e)
	case *ast.StringExpr:
		r.constant('s', e.Value, e)
	case *ast.Comma3Expr:
		if !r.fn.Vararg {
			r.fail(e, "'...' outside a function that takes '...'")
		}
	case *ast.IdentExpr:
		if s := r.lookup(e.Value, e); s != nil {
			r.c.symbols[e.Line()-1] = s
		} else {
			r.constant('s', e.Value, e)
		}
	case *ast.AttrGetExpr:
		return r.pair(e.Object, e.Key)
	case *ast.TableExpr:
		most, items := 1, 0
		for _, field := range e.Fields {
			used := 1 + items%50 // gopher-lua stores items into the table fifty at a time
			if field.Key == nil {
				most = max(most, used+r.expr(field.Value))
				if items++; items > MaxItems {
					r.fail(field.Value, "more than %d items in one table", MaxItems)
				}
				continue
			}
			most = max(most, used+r.pair(field.Key, field.Value))
		}
		return most
	case *ast.FuncCallExpr:
		most, used := 0, 1
		if e.Func != nil {
			most = r.expr(e.Func)
		} else {
			most = 1 + r.expr(e.Receiver)
			r.constant('s', e.Method, e)
			used = 3
		}
		return max(most, used+r.list(e.Args))
	case *ast.StringConcatOpExpr:
		// Harden replaces it by a call. Each '..' is a level of the tree.
		most, parts, depth := 0, ConcatParts(e), r.depth
		for i, part := range parts {
			most = max(most, i+r.expr(part))
			r.level(r.c.Pos(part))
		}
		r.depth = depth
		return 1 + max(most, len(parts))
	case *ast.UnaryLenOpExpr:
		return 1 + r.expr(e.Expr) // Harden replaces it by a call
	case *ast.FunctionExpr:
		r.function(e, nil, "")
	default:
		switch o := Operands(e); {
		case o[0] != nil:
			return r.pair(*o[0], *o[1])
		case o[1] != nil:
			return r.expr(*o[1])
		}
	}
	return 1
}

// DottedName returns an expression of names and dots as written in the source ("Rocket.server"), and "" for
// anything else.
func DottedName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.IdentExpr:
		return e.Value
	case *ast.AttrGetExpr:
		key, ok := e.Key.(*ast.StringExpr)
		object := DottedName(e.Object)
		if !ok || object == "" {
			return ""
		}
		return object + "." + key.Value
	}
	return ""
}
