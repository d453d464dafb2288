package fuse

import (
	"fmt"
	"math"
	"strings"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/ast"

	"github.com/tidelock/tidelock/scriptvm/syntax"
)

// Func is a function that may be fused, as it stands in its file: names resolved as far as the file alone
// can, constants folded. It knows no class, so one serves every class set the file is loaded into. It never
// changes and may be shared among goroutines.
type Func struct {
	params []string
	used   []bool // by parameter: read anywhere
	locals int    // numbers of local variables, parameters first
	body   []*stmt
}

// Words is what Read asks about names.
type Words struct {
	// Constant is the value of a global that is a number (ROLE_Authority).
	Constant func(name string) (float64, bool)
}

// Refusal says why a function runs in the VM. It is no error: it is what a script author may want to know.
type Refusal struct {
	Line int
	What string
}

func (r *Refusal) Error() string { return fmt.Sprintf("line %d: %s", r.Line, r.What) }

type stmtOp uint8

const (
	stmtAssign stmtOp = iota // targets = exprs, as many of both
	stmtIf
	stmtBlock
	stmtReturn
)

type stmt struct {
	op      stmtOp
	line    int
	targets []target
	exprs   []*node
	cond    *node
	body    []*stmt
	other   []*stmt
}

// target is a local variable, or a variable of self where name is set.
type target struct {
	name    string
	local   int
	declare bool // the local begins here
}

type nodeOp uint8

// ORDER: nodes.
const (
	nodeNumber nodeOp = iota // num
	nodeBool                 // num 0 or 1
	nodeNil
	nodeString // str
	nodeLocal  // n
	nodeSelf   // self.str
	nodePart   // args[0].str
	nodeWorld  // world.str
	nodeAdd
	nodeSub
	nodeMul
	nodeDiv
	nodeMod
	nodePow
	nodeNeg
	nodeNot
	nodeAnd
	nodeOr
	nodeEq
	nodeNe
	nodeLt
	nodeLe
	nodeMath    // math.str(args…)
	nodeVector  // vector(args…)
	nodeRotator // rotator(args…)
	nodeMethod  // args[0]:str(args[1:]…)
	nodeWith    // args[0]:With{ names = args[1:] }
)

type node struct {
	op    nodeOp
	line  int
	num   float64
	str   string
	n     int
	args  []*node
	names []string
}

const (
	// maxNodes bounds a fused function, statements and expressions together. A larger one would gain as much,
	// but it would have to be compiled again on every reload, and 256 registers bound it soon anyway.
	maxNodes = 1500
	// maxDepth bounds nesting.
	maxDepth = 60
)

type reader struct {
	chunk  *syntax.Chunk
	fn     *syntax.Function
	words  Words
	out    *Func
	locals map[*syntax.Symbol]int
	bySyms []*syntax.Symbol
	nodes  int
	depth  int
}

// Read takes a class function out of a parsed file, before anything rewrites the tree. It gives nil and the
// reason where the function can never be fused.
func Read(chunk *syntax.Chunk, fn *syntax.Function, words Words) (f *Func, why *Refusal) {
	r := &reader{chunk: chunk, fn: fn, words: words, locals: map[*syntax.Symbol]int{}, out: &Func{}}
	defer func() {
		switch p := recover().(type) {
		case nil:
		case *Refusal:
			f, why = nil, p
		default:
			panic(p)
		}
	}()
	if fn.Self == nil || fn.Expr == nil {
		return nil, &Refusal{0, "it has no self"}
	}
	line := fn.Expr.Line()
	if fn.Self.Assigned {
		r.refuse(line, "it assigns self")
	}
	if fn.Vararg {
		r.refuse(line, "it takes '...'")
	}
	for i, p := range fn.Params {
		r.locals[p] = i
		r.out.params = append(r.out.params, p.Name)
	}
	r.out.used = make([]bool, len(fn.Params))
	r.out.locals = len(fn.Params)
	r.out.body = r.block(fn.Expr.Stmts)
	for _, s := range r.out.body {
		if s.op != stmtReturn {
			return r.out, nil
		}
	}
	return nil, &Refusal{line, "it does nothing"}
}

func (r *reader) refuse(line int, format string, args ...any) {
	panic(&Refusal{line, fmt.Sprintf(format, args...)})
}

func (r *reader) count(line int) {
	if r.nodes++; r.nodes > maxNodes {
		r.refuse(line, "it is larger than %d operations", maxNodes)
	}
}

func (r *reader) enter(line int) {
	if r.depth++; r.depth > maxDepth {
		r.refuse(line, "it is nested more than %d deep", maxDepth)
	}
}

func (r *reader) block(list []ast.Stmt) []*stmt {
	out := make([]*stmt, 0, len(list))
	for _, s := range list {
		r.enter(s.Line())
		if t := r.stmt(s); t != nil {
			out = append(out, t)
		}
		r.depth--
	}
	return out
}

func (r *reader) stmt(s ast.Stmt) *stmt {
	line := s.Line()
	r.count(line)
	switch s := s.(type) {
	case *ast.AssignStmt:
		if len(s.Lhs) != len(s.Rhs) {
			r.refuse(line, "it assigns %d values to %d variables", len(s.Rhs), len(s.Lhs))
		}
		t := &stmt{op: stmtAssign, line: line, exprs: r.exprs(s.Rhs)}
		for _, l := range s.Lhs {
			t.targets = append(t.targets, r.target(l))
		}
		return t
	case *ast.LocalAssignStmt:
		return r.local(s)
	case *ast.DoBlockStmt:
		return &stmt{op: stmtBlock, line: line, body: r.block(s.Stmts)}
	case *ast.IfStmt:
		return &stmt{op: stmtIf, line: line, cond: r.expr(s.Condition), body: r.block(s.Then), other: r.block(s.Else)}
	case *ast.ReturnStmt:
		if len(s.Exprs) > 0 {
			r.refuse(line, "it returns a value")
		}
		return &stmt{op: stmtReturn, line: line}
	case *ast.FuncCallStmt:
		r.refuse(line, "it calls %s", calleeName(s.Expr))
	case *ast.WhileStmt, *ast.RepeatStmt, *ast.NumberForStmt, *ast.GenericForStmt, *ast.BreakStmt:
		r.refuse(line, "it has a loop")
	case *ast.FuncDefStmt:
		r.refuse(line, "it defines a function")
	default:
		r.refuse(line, "a statement that is not fused")
	}
	return nil
}

func (r *reader) local(s *ast.LocalAssignStmt) *stmt {
	line := s.Line()
	if len(s.Names) != len(s.Exprs) {
		r.refuse(line, "a local without a value of its own")
	}
	symbols := r.declared(s)
	if len(s.Names) == 1 {
		if _, ok := s.Exprs[0].(*ast.FunctionExpr); ok {
			r.refuse(line, "it defines a function")
		}
		if symbols[0] != nil && r.isSelf(s.Exprs[0]) && !symbols[0].Assigned {
			return nil // another name for self
		}
	}
	t := &stmt{op: stmtAssign, line: line, exprs: r.exprs(s.Exprs)}
	for i := range s.Names {
		n := r.out.locals
		r.out.locals++
		if symbols[i] != nil {
			r.locals[symbols[i]] = n
		}
		t.targets = append(t.targets, target{local: n, declare: true})
	}
	return t
}

// declared are the symbols of a local statement by place; nil for one that is never used.
func (r *reader) declared(s *ast.LocalAssignStmt) []*syntax.Symbol {
	if r.bySyms == nil {
		seen := map[*syntax.Symbol]bool{}
		r.chunk.WalkFunction(r.fn, syntax.Visitor{Expr: func(e ast.Expr, _ *syntax.Path) bool {
			if id, ok := e.(*ast.IdentExpr); ok {
				if sym := r.chunk.Symbol(id); sym != nil && !seen[sym] {
					seen[sym] = true
					r.bySyms = append(r.bySyms, sym)
				}
			}
			return true
		}})
		if r.bySyms == nil {
			r.bySyms = []*syntax.Symbol{}
		}
	}
	out := make([]*syntax.Symbol, len(s.Names))
	for _, sym := range r.bySyms {
		if sym.Decl == ast.PositionHolder(s) && sym.Index >= 0 && sym.Index < len(out) {
			out[sym.Index] = sym
		}
	}
	return out
}

func calleeName(e ast.Expr) string {
	c, ok := e.(*ast.FuncCallExpr)
	if !ok {
		return "something"
	}
	if c.Func == nil {
		if n := syntax.DottedName(c.Receiver); n != "" {
			return n + ":" + c.Method
		}
		return "a method " + c.Method
	}
	if n := syntax.DottedName(c.Func); n != "" {
		return n
	}
	return "a function"
}

// isSelf reports whether an expression is self, by that name or by a local that was set to it once.
func (r *reader) isSelf(e ast.Expr) bool {
	for n := 0; n < 10; n++ {
		id, ok := e.(*ast.IdentExpr)
		if !ok {
			return false
		}
		s := r.chunk.Symbol(id)
		switch {
		case s == nil || s.Assigned:
			return false
		case s == r.fn.Self:
			return true
		}
		e = s.Init
	}
	return false
}

func (r *reader) target(e ast.Expr) target {
	r.count(e.Line())
	switch e := e.(type) {
	case *ast.IdentExpr:
		s := r.chunk.Symbol(e)
		if n, ok := r.locals[s]; ok && s != nil {
			return target{local: n}
		}
		r.refuse(e.Line(), "it assigns %s, which is no local of it", e.Value)
	case *ast.AttrGetExpr:
		if k, ok := e.Key.(*ast.StringExpr); ok && r.isSelf(e.Object) {
			return target{name: k.Value}
		}
	}
	r.refuse(e.Line(), "it assigns something that is not a variable of self or a local")
	return target{}
}

func (r *reader) exprs(list []ast.Expr) []*node {
	out := make([]*node, len(list))
	for i, e := range list {
		out[i] = r.expr(e)
	}
	return out
}

var arithmetic = map[string]nodeOp{"+": nodeAdd, "-": nodeSub, "*": nodeMul, "/": nodeDiv, "%": nodeMod, "^": nodePow}

func (r *reader) expr(e ast.Expr) *node {
	line := e.Line()
	r.count(line)
	r.enter(line)
	defer func() { r.depth-- }()
	switch e := e.(type) {
	case *ast.TrueExpr:
		return &node{op: nodeBool, num: 1, line: line}
	case *ast.FalseExpr:
		return &node{op: nodeBool, line: line}
	case *ast.NilExpr:
		return &node{op: nodeNil, line: line}
	case *ast.NumberExpr:
		n := parseNumber(e.Value)
		if n == 0 && strings.ContainsAny(e.Value, "123456789") {
			r.refuse(line, "it has a number that is out of range")
		}
		return r.number(n, line)
	case *ast.StringExpr:
		return &node{op: nodeString, str: e.Value, line: line}
	case *ast.IdentExpr:
		return r.name(e)
	case *ast.AttrGetExpr:
		return r.index(e)
	case *ast.FuncCallExpr:
		return r.call(e)
	case *ast.LogicalOpExpr:
		op := nodeAnd
		if e.Operator == "or" {
			op = nodeOr
		}
		return &node{op: op, line: line, args: []*node{r.expr(e.Lhs), r.expr(e.Rhs)}}
	case *ast.RelationalOpExpr:
		x, y := r.expr(e.Lhs), r.expr(e.Rhs)
		switch e.Operator {
		case "==":
			return &node{op: nodeEq, line: line, args: []*node{x, y}}
		case "~=":
			return &node{op: nodeNe, line: line, args: []*node{x, y}}
		case "<":
			return &node{op: nodeLt, line: line, args: []*node{x, y}}
		case "<=":
			return &node{op: nodeLe, line: line, args: []*node{x, y}}
		case ">":
			return &node{op: nodeLt, line: line, args: []*node{y, x}}
		case ">=":
			return &node{op: nodeLe, line: line, args: []*node{y, x}}
		}
	case *ast.ArithmeticOpExpr:
		x, y := r.expr(e.Lhs), r.expr(e.Rhs)
		op, ok := arithmetic[e.Operator]
		if !ok {
			break
		}
		if x.op == nodeNumber && y.op == nodeNumber {
			return r.number(fold(op, x.num, y.num), line)
		}
		return &node{op: op, line: line, args: []*node{x, y}}
	case *ast.UnaryMinusOpExpr:
		x := r.expr(e.Expr)
		if x.op == nodeNumber {
			return r.number(-x.num, line)
		}
		return &node{op: nodeNeg, line: line, args: []*node{x}}
	case *ast.UnaryNotOpExpr:
		return &node{op: nodeNot, line: line, args: []*node{r.expr(e.Expr)}}
	case *ast.TableExpr:
		r.refuse(line, "it makes a table")
	case *ast.FunctionExpr:
		r.refuse(line, "it makes a function")
	case *ast.StringConcatOpExpr:
		r.refuse(line, "it joins strings")
	case *ast.UnaryLenOpExpr:
		r.refuse(line, "it takes a length")
	}
	r.refuse(line, "an expression that is not fused")
	return nil
}

// number is a constant. gopher-lua keeps one constant for 0 and −0, whichever came first; rather than know
// which, a function with a −0 among its constants is left alone.
func (r *reader) number(n float64, line int) *node {
	if n == 0 && math.Signbit(n) {
		r.refuse(line, "it has the constant -0")
	}
	return &node{op: nodeNumber, num: n, line: line}
}

// parseNumber reads a literal as gopher-lua's compiler does (010 is 8 there).
func parseNumber(text string) float64 { return float64(lua.LVAsNumber(lua.LString(text))) }

// fold computes as gopher-lua does, compiling or running.
func fold(op nodeOp, x, y float64) float64 {
	switch op {
	case nodeAdd:
		return x + y
	case nodeSub:
		return x - y
	case nodeMul:
		return x * y
	case nodeDiv:
		return x / y
	case nodeMod:
		return modulo(x, y)
	default:
		return math.Pow(x, y)
	}
}

// modulo is gopher-lua's %.
func modulo(x, y float64) float64 {
	v := math.Mod(x, y)
	if y > 0 && v < 0 || y < 0 && v > 0 {
		v += y
	}
	return v
}

func (r *reader) name(e *ast.IdentExpr) *node {
	line := e.Line()
	s := r.chunk.Symbol(e)
	if s == nil {
		if n, ok := r.words.Constant(e.Value); ok {
			return r.number(n, line)
		}
		r.refuse(line, "it uses %s as a value", e.Value)
	}
	if n, ok := r.locals[s]; ok {
		if n < len(r.out.used) {
			r.out.used[n] = true
		}
		return &node{op: nodeLocal, n: n, line: line}
	}
	if s.Func == r.fn {
		r.refuse(line, "it uses %s as a value", e.Value)
	}
	// A local of the file around it: fine where it is a constant.
	if s.Assigned || s.Init == nil || s.Kind != syntax.SymbolLocal || !constant(s.Init) {
		r.refuse(line, "it uses %s of the file around it, which is not a constant", e.Value)
	}
	return r.expr(s.Init)
}

// constant tells an expression that a local of the file may stand for wherever it is used.
func constant(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.TrueExpr, *ast.FalseExpr, *ast.StringExpr, *ast.NumberExpr:
		return true
	case *ast.IdentExpr:
		return true // r.name judges it
	case *ast.AttrGetExpr:
		o, ok := e.Object.(*ast.IdentExpr)
		k, isName := e.Key.(*ast.StringExpr)
		return ok && isName && o.Value == "math" && (k.Value == "pi" || k.Value == "huge")
	case *ast.UnaryMinusOpExpr:
		return constant(e.Expr)
	case *ast.ArithmeticOpExpr:
		return constant(e.Lhs) && constant(e.Rhs)
	}
	return false
}

// global reports whether an expression is a global of that name.
func (r *reader) global(e ast.Expr, name string) bool {
	id, ok := e.(*ast.IdentExpr)
	return ok && id.Value == name && r.chunk.Symbol(id) == nil
}

func (r *reader) index(e *ast.AttrGetExpr) *node {
	line := e.Line()
	k, ok := e.Key.(*ast.StringExpr)
	if !ok {
		r.refuse(line, "it indexes by an expression")
	}
	switch {
	case r.isSelf(e.Object):
		return &node{op: nodeSelf, str: k.Value, line: line}
	case r.global(e.Object, "world"):
		switch k.Value {
		case "TimeSeconds", "DeltaSeconds", "Gravity", "NetMode":
			return &node{op: nodeWorld, str: k.Value, line: line}
		}
		r.refuse(line, "it uses world.%s", k.Value)
	case r.global(e.Object, "math"):
		switch k.Value {
		case "pi":
			return r.number(math.Pi, line)
		case "huge":
			return r.number(math.Inf(1), line)
		}
		r.refuse(line, "it uses math.%s as a value", k.Value)
	}
	switch k.Value {
	case "X", "Y", "Z", "Pitch", "Yaw", "Roll":
		return &node{op: nodePart, str: k.Value, line: line, args: []*node{r.expr(e.Object)}}
	}
	r.refuse(line, "it takes .%s of something", k.Value)
	return nil
}

func (r *reader) call(e *ast.FuncCallExpr) *node {
	line := e.Line()
	if e.Func == nil {
		if r.isSelf(e.Receiver) {
			r.refuse(line, "it calls self:%s", e.Method)
		}
		if e.Method == "With" {
			return r.with(e)
		}
		m, ok := methods[e.Method]
		if !ok || len(e.Args) != m.args {
			r.refuse(line, "it calls %s", calleeName(e))
		}
		return &node{op: nodeMethod, str: e.Method, line: line, args: append([]*node{r.expr(e.Receiver)}, r.exprs(e.Args)...)}
	}
	switch {
	case r.global(e.Func, "vector") && len(e.Args) <= 3:
		return &node{op: nodeVector, line: line, args: r.exprs(e.Args)}
	case r.global(e.Func, "rotator") && len(e.Args) <= 3:
		return &node{op: nodeRotator, line: line, args: r.exprs(e.Args)}
	}
	if a, ok := e.Func.(*ast.AttrGetExpr); ok && r.global(a.Object, "math") {
		if k, ok := a.Key.(*ast.StringExpr); ok {
			if m, ok := mathFunctions[k.Value]; ok && (len(e.Args) == m.args || m.args < 0 && len(e.Args) > 0) {
				return &node{op: nodeMath, str: k.Value, line: line, args: r.exprs(e.Args)}
			}
		}
	}
	r.refuse(line, "it calls %s", calleeName(e))
	return nil
}

// with is v:With{ Z = 0 } on a vector.
func (r *reader) with(e *ast.FuncCallExpr) *node {
	line := e.Line()
	if len(e.Args) == 1 {
		if t, ok := e.Args[0].(*ast.TableExpr); ok {
			n := &node{op: nodeWith, line: line, args: []*node{r.expr(e.Receiver)}}
			for _, f := range t.Fields {
				k, ok := f.Key.(*ast.StringExpr)
				if !ok {
					r.refuse(line, "it calls With without names")
				}
				for _, other := range n.names {
					if other == k.Value {
						r.refuse(line, "it calls With with %s twice", k.Value)
					}
				}
				n.names = append(n.names, k.Value)
				n.args = append(n.args, r.expr(f.Value))
			}
			return n
		}
	}
	r.refuse(line, "it calls With with something else than a table")
	return nil
}
