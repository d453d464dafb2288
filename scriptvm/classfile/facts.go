package classfile

import (
	"slices"
	"sync"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/scriptvm/api"
	"github.com/tidelock/tidelock/scriptvm/condition"
	"github.com/tidelock/tidelock/scriptvm/syntax"
	"github.com/yuin/gopher-lua/ast"
)

// facts records what the functions of a file do with names, for the second pass to check against the classes.
type facts struct {
	reads  []nameFact // self.X read
	writes []nameFact // self.X = …
	calls  []nameFact // self:X(…)
	supers []nameFact // C.super.X
	lits   []litFact  // quoted names that a native accepts

	// parts holds the components that AddComponent creates under a literal name; def is nil if that is not on a
	// self.
	parts []nameFact

	// loose holds the names assigned on a self whose class is not known.
	loose map[string]bool
	// called holds all names that are called on anything, and all strings: what may be called by name.
	called map[string]bool
}

// nameFact is one use of a name on the self of a def.
type nameFact struct {
	def  *defDecl
	name string
	pos  engine.Pos
	// constant is set for a write of a literal, plain for one that always happens when the def is called.
	constant, plain bool
	value           engine.Value // of a constant
}

// nameKind is what a string literal refers to.
type nameKind uint8

const (
	namesClass nameKind = 1 + iota
	namesState
	namesFunction
	namesVariable
	namesContent
	namesModule
	namesAction
)

// litFact is a quoted name.
type litFact struct {
	kind nameKind
	text string
	pos  engine.Pos
	by   string   // the native that accepts it
	def  *defDecl // whose self it is about; nil for another object
}

// kindsOfNames maps the types of the registry whose strings refer to something.
var kindsOfNames = map[string]nameKind{
	api.ClassName: namesClass, api.StateName: namesState, api.FunctionName: namesFunction, api.VariableName: namesVariable,
	api.SoundName: namesContent, api.AnimationName: namesContent, api.ActionName: namesAction,
}

// namedArg is the argument of a method that is a name of a kind.
type namedArg struct {
	arg  int
	kind nameKind
}

// selfDef returns the def whose self a variable is: the parameter itself if it is never assigned, or a local that
// was set to it once.
func (u *unit) selfDef(s *syntax.Symbol) *defDecl {
	for n := 0; s != nil && !s.Assigned && n < 10; n++ {
		if d := u.defOf[s.Func]; d != nil && isSelfOf(s, d) {
			return d
		}
		id := ident(s.Init)
		if id == nil {
			return nil
		}
		s = u.chunk.Symbol(id)
	}
	return nil
}

func isSelfOf(s *syntax.Symbol, d *defDecl) bool {
	if d.what == DefCondition {
		return len(d.fn.Params) == 1 && d.fn.Params[0] == s
	}
	return d.fn.Self == s
}

// selfOf returns the def whose self an expression is, or nil.
func (u *unit) selfOf(e ast.Expr) *defDecl {
	id := ident(e)
	if id == nil {
		return nil
	}
	return u.selfDef(u.chunk.Symbol(id))
}

// defAround returns the def that contains or is a function, or nil.
func (u *unit) defAround(f *syntax.Function) *defDecl {
	for ; f != nil; f = f.Parent {
		if d := u.defOf[f]; d != nil {
			return d
		}
	}
	return nil
}

// index records which functions are bodies.
func (u *unit) index() {
	u.defOf = map[*syntax.Function]*defDecl{}
	for _, d := range u.defs {
		u.defOf[d.fn] = d
	}
	for _, c := range u.classes {
		for _, r := range c.rules {
			if r.cond != nil && r.cond.def != nil {
				u.defOf[r.cond.fn] = r.cond.def
				u.conds = append(u.conds, r.cond)
			}
		}
	}
}

// readFacts walks the whole file once.
func (u *unit) readFacts() {
	u.facts = facts{loose: map[string]bool{}, called: map[string]bool{}}
	w := factWalker{unit: u}
	u.chunk.Walk(syntax.Visitor{Stmt: w.stmt, Expr: w.node})
	for i, d := range u.bodies() {
		if d.what == DefFunction || d.what == DefCondition {
			d.asCondition = sync.OnceValues(func() (purity, *condition.Function) { return u.asCondition(i) })
		}
	}
}

// asCondition reads a body as a condition, or as a function that a condition calls. Most functions are neither, so
// it is done on demand.
func (u *unit) asCondition(i int) (purity, *condition.Function) {
	if e := u.entry; e != nil { // it may be compiled meanwhile
		e.mu.Lock()
		defer e.mu.Unlock()
	}
	if u.rewritten || u.chunk == nil {
		u = readTree(u.src, u.natives)
	}
	fn := u.body(i).fn
	self := fn.Self
	if u.body(i).what == DefCondition {
		self = fn.Params[0]
	}
	return u.purityOf(fn), u.scope().Read(fn, self)
}

// bodies returns all functions that may become defs, in the order of body.
func (u *unit) bodies() []*defDecl {
	out := append([]*defDecl(nil), u.defs...)
	for _, c := range u.conds {
		out = append(out, c.def)
	}
	return out
}

type factWalker struct {
	*unit
	locals []string // names of all locals, made when first needed
}

func (w *factWalker) stmt(s ast.Stmt, at *syntax.Path) bool {
	if w.src.Lib == "" {
		if at.Parent == nil {
			if kind := w.kindOf(s); kind != declNothing && kind != declFunction {
				// The first pass checks declarations; only conditions contain code.
				w.chunk.WalkTop([]ast.Stmt{s}, syntax.Visitor{
					Stmt: func(s ast.Stmt, at *syntax.Path) bool { w.nested(s, at); return true },
					Expr: func(e ast.Expr, at *syntax.Path) bool { w.nested(e, at); return true },
				})
				if kind == declBlock {
					w.conditionsOf(s)
				}
				return false
			}
		}
		w.nested(s, at)
	}
	return w.inner(s, at)
}

func (w *factWalker) node(e ast.Expr, at *syntax.Path) bool {
	if w.src.Lib == "" {
		w.nested(e, at)
	}
	return w.expr(e, at)
}

// conditionsOf walks the condition functions of a .replication block.
func (w *factWalker) conditionsOf(s ast.Stmt) {
	for _, c := range w.classes {
		for _, r := range c.rules {
			if r.cond != nil && withinTable(s, r.cond.expr) {
				w.chunk.WalkFunction(r.cond.fn, syntax.Visitor{Stmt: w.inner, Expr: w.expr})
			}
		}
	}
}

// inner is stmt for statements below the top level.
func (w *factWalker) inner(s ast.Stmt, at *syntax.Path) bool {
	switch s := s.(type) {
	case *ast.AssignStmt:
		for i, l := range s.Lhs {
			var rhs ast.Expr
			if len(s.Lhs) == len(s.Rhs) {
				rhs = s.Rhs[i]
			}
			w.target(l, rhs, at)
		}
	case *ast.FuncDefStmt:
		if s.Name.Func != nil {
			w.target(s.Name.Func, nil, at)
		} else if d := w.selfOf(s.Name.Receiver); d != nil {
			w.facts.writes = append(w.facts.writes, nameFact{def: d, name: s.Name.Method, pos: w.pos(w.chunk.NamePos(s, 1))})
		}
	}
	return true
}

// target records an assignment to a member.
func (w *factWalker) target(l, rhs ast.Expr, at *syntax.Path) {
	obj, name, ok := attr(l)
	if !ok {
		return
	}
	id := ident(obj)
	if id == nil {
		return
	}
	if d := w.selfOf(id); d != nil {
		f := nameFact{def: d, name: name, pos: w.at(l)}
		if rhs != nil {
			f.value, f.constant = constantOf(rhs)
		}
		f.plain = at.Func == d.fn && (at.Parent == nil || isFunction(at.Parent.Node))
		w.facts.writes = append(w.facts.writes, f)
		return
	}
	if id.Value == "self" {
		w.facts.loose[name] = true
	}
	if w.chunk.Symbol(id) == nil && words.libraries[id.Value] != nil {
		w.errorf(w.at(l), "global-write", "%s.%s: the libraries are frozen; use a local", id.Value, name)
	}
}

func isFunction(n ast.PositionHolder) bool {
	switch n.(type) {
	case *ast.FunctionExpr, *ast.FuncDefStmt:
		return true
	}
	return false
}

// constantOf returns the value of a literal that could also be in .defaults.
func constantOf(e ast.Expr) (engine.Value, bool) {
	switch e := e.(type) {
	case *ast.NilExpr:
		return engine.Value{}, true
	case *ast.TrueExpr, *ast.FalseExpr:
		_, yes := e.(*ast.TrueExpr)
		return engine.Bool(yes), true
	case *ast.StringExpr:
		return engine.String(e.Value), true
	case *ast.IdentExpr:
		n, ok := words.constants[e.Value]
		return engine.Float(n), ok
	case *ast.FuncCallExpr:
		id := ident(e.Func)
		if id == nil || id.Value != "vector" && id.Value != "rotator" || len(e.Args) > 3 {
			return engine.Value{}, false
		}
		var n [3]float64
		for i, a := range e.Args {
			v, ok := constNumber(a)
			if !ok {
				return engine.Value{}, false
			}
			n[i] = v
		}
		if id.Value == "vector" {
			return engine.Vec(geom.V(n[0], n[1], n[2])), true
		}
		return engine.Value{Kind: engine.KindRotator}, true
	}
	n, ok := constNumber(e)
	return engine.Float(n), ok
}

func (w *factWalker) expr(e ast.Expr, at *syntax.Path) bool {
	switch e := e.(type) {
	case *ast.IdentExpr:
		w.global(e, at)
	case *ast.StringExpr:
		if at.Role != syntax.RoleKey {
			w.facts.called[e.Value] = true
		}
	case *ast.AttrGetExpr:
		w.member(e, at)
	case *ast.FuncCallExpr:
		w.call(e)
	}
	return true
}

// global checks a name that is not a local.
func (w *factWalker) global(e *ast.IdentExpr, at *syntax.Path) {
	if w.chunk.Symbol(e) != nil {
		return
	}
	name, pos := e.Value, w.at(e)
	if at.Role == syntax.RoleTarget {
		if at.Parent != nil && at.Parent.Parent == nil && w.src.Lib == "" && w.isClassAssign(at.Parent.Node) {
			return // the first pass reported it
		}
		hint := "; write local " + name
		if near := engine.NearestName(name, w.localNames()); near != "" {
			hint = `; did you mean "` + near + `"?`
		}
		if d := w.defAround(at.Func); d != nil && w.declares(d.class, name) {
			hint = "; did you mean self." + name + "?"
		}
		w.errorf(pos, "global-write", "assignment to the global %s: globals are read-only, values are kept in self or in locals%s", name, hint)
		return
	}
	d := w.defAround(at.Func)
	switch {
	case w.natives.latent[name]:
		if d != nil && d.what != DefCode {
			w.errorf(pos, "latent-call", "%s waits, and only the code of a state can wait: expected it inside function %s.state.Name:Code(), found in %s", name, d.class.name, label(d))
		}
		return
	case w.natives.define[name] && at.Role == syntax.RoleCallee && !w.natives.globals[name]:
		if w.inDeclaration(at) {
			return // the wrong declaration is reported
		}
		w.errorf(pos, "nested-declaration", "%s(…) is a type and stands in declarations only: in .properties, .params, at the top level of a class file", name)
		return
	case name == "class" && w.src.Lib != "":
		w.errorf(pos, "nested-declaration", "class(…) stands in class files only, not in a module of scripts/lib")
		return
	case w.natives.globals[name]:
		return
	}
	if d != nil && w.declares(d.class, name) {
		w.errorf(pos, "unknown-global", "unknown name %s; did you mean self.%s?", name, name)
		return
	}
	if d != nil {
		switch m := w.natives.methods[name]; {
		case len(m) > 0 && at.Role == syntax.RoleCallee && (m[0].Space == api.Actor || m[0].Space == api.Component):
			w.errorf(pos, "unknown-global", "unknown name %s; did you mean self:%s(…)?", name, name)
			return
		case isNative(name):
			w.errorf(pos, "unknown-global", "unknown name %s; did you mean self.%s?", name, name)
			return
		}
	}
	candidates := append(append([]string(nil), w.natives.globalNames...), w.localNames()...)
	if engine.NearestName(name, candidates) == "" {
		if hint := syntax.ForeignName(name); hint != "" {
			w.errorf(pos, "unknown-global", "unknown name %s; %s", name, hint)
			return
		}
	}
	w.errorf(pos, "unknown-global", "unknown name %s%s; nothing but locals and what docs/lua-api.md lists can be used", name, engine.Nearest(name, candidates))
}

// inDeclaration reports whether a node is among the arguments of C.something(…).
func (w *factWalker) inDeclaration(at *syntax.Path) bool {
	for ; at != nil; at = at.Parent {
		if c, ok := at.Node.(*ast.FuncCallExpr); ok && c.Func != nil {
			if obj, _, ok := attr(c.Func); ok && w.classNamed(obj) != nil {
				return true
			}
		}
	}
	return false
}

func (w *factWalker) isClassAssign(n ast.PositionHolder) bool {
	a, ok := n.(*ast.AssignStmt)
	if !ok {
		return false
	}
	for _, e := range a.Rhs {
		if _, ok := w.isClassCall(e); ok {
			return true
		}
	}
	return false
}

// declares reports whether the class's own file declares a variable or a function with that name.
func (u *unit) declares(c *classDecl, name string) bool {
	for _, p := range c.properties {
		if p.name == name {
			return true
		}
	}
	return false
}

func (w *factWalker) localNames() []string {
	if w.locals == nil {
		w.locals = []string{}
		for _, s := range w.chunk.Locals() {
			if s.Kind == syntax.SymbolLocal || s.Kind == syntax.SymbolParam {
				w.locals = append(w.locals, s.Name)
			}
		}
		slices.Sort(w.locals)
		w.locals = slices.Compact(w.locals)
	}
	return w.locals
}

// member checks a.b: reads of self, members of libraries, C.super.
func (w *factWalker) member(e *ast.AttrGetExpr, at *syntax.Path) {
	obj, name, ok := attr(e)
	if !ok {
		return
	}
	if o, super, ok := attr(obj); ok && super == "super" && w.classNamed(o) != nil {
		if d := w.defAround(at.Func); d != nil {
			w.facts.supers = append(w.facts.supers, nameFact{def: d, name: name, pos: w.at(e)})
		}
		w.facts.called[name] = true
		return
	}
	id := ident(obj)
	if id == nil {
		return
	}
	if w.chunk.Symbol(id) == nil {
		if members := words.libraries[id.Value]; members != nil && !contains(members, name) && at.Role != syntax.RoleTarget {
			w.errorf(w.at(e), "unknown-global", "unknown function %s.%s%s", id.Value, name, engine.Nearest(name, members))
		}
		return
	}
	if at.Role == syntax.RoleTarget {
		return // the statement recorded it
	}
	if d := w.selfOf(id); d != nil {
		w.facts.reads = append(w.facts.reads, nameFact{def: d, name: name, pos: w.at(e)})
		if at.Role == syntax.RoleCallee {
			w.facts.called[name] = true
		}
	} else {
		w.facts.called[name] = true // other.Name may fetch a function
	}
}

// call records calls and the names that natives accept.
func (w *factWalker) call(e *ast.FuncCallExpr) {
	if e.Func != nil {
		if id := ident(e.Func); id != nil && id.Value == "require" && w.chunk.Symbol(id) == nil {
			if len(e.Args) == 1 {
				if s, ok := e.Args[0].(*ast.StringExpr); ok {
					w.facts.lits = append(w.facts.lits, litFact{kind: namesModule, text: s.Value, pos: w.at(s), by: "require"})
				}
			}
		}
		return
	}
	w.facts.called[e.Method] = true
	self := w.selfOf(e.Receiver)
	if self != nil {
		w.facts.calls = append(w.facts.calls, nameFact{def: self, name: e.Method, pos: w.at(e)})
	}
	if e.Method == "AddComponent" && len(e.Args) > 1 {
		if s, ok := e.Args[1].(*ast.StringExpr); ok {
			w.facts.parts = append(w.facts.parts, nameFact{def: self, name: s.Value, pos: w.at(s)})
		}
	}
	if la, ok := w.natives.named[e.Method]; ok && la.arg < len(e.Args) {
		if s, ok := e.Args[la.arg].(*ast.StringExpr); ok {
			w.facts.lits = append(w.facts.lits, litFact{kind: la.kind, text: s.Value, pos: w.at(s), by: e.Method, def: self})
		}
	}
}
