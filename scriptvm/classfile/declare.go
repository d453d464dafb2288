package classfile

import (
	"fmt"
	"hash/fnv"
	"path"
	"strings"
	"sync"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm/fuse"
	"github.com/tidelock/tidelock/scriptvm/syntax"
	"github.com/yuin/gopher-lua/ast"
)

// unit is one file after the first pass: declarations and facts, which need no other file.
//
// Invariant: nothing in it changes after readUnit but chunk, which is taken by the first compilation.
type unit struct {
	src       Source
	hash      uint64
	diags     []engine.Diagnostic
	chunk     *syntax.Chunk // nil where the text does not parse
	broken    bool          // does not parse, or a declaration cannot be read
	entry     *cached       // of the cache it belongs to
	rewritten bool          // chunk is used up

	classes []*classDecl
	classOf map[*syntax.Symbol]*classDecl
	defs    []*defDecl  // functions, validators, code
	conds   []*condDecl // conditions that are functions

	facts facts
	defOf map[*syntax.Function]*defDecl

	declared map[ast.PositionHolder][]*syntax.Symbol // by the statement that declares them
}

// classDecl is a class as declared.
type classDecl struct {
	name, parent string
	pos          engine.Pos
	parentPos    engine.Pos
	sym          *syntax.Symbol

	properties []litField
	defaults   []litField
	components []litField
	hitBoxes   []*lit // nil where there is no block
	params     []paramDecl
	rules      []*ruleDecl
	states     []*stateDecl
	autoState  string
	autoPos    engine.Pos

	seen map[string]engine.Pos // blocks, to refuse a second one
	defs []*defDecl
}

type stateDecl struct {
	name      string
	pos       engine.Pos
	declared  bool // by C.state("…"), not merely by a function
	simulated bool
	extends   string
	ignores   []string
}

type ruleDecl struct {
	names  []litField // name, pos; no value
	pos    engine.Pos
	named  string // COND_…
	group  string
	notify engine.Notify
	cond   *condDecl
}

// condDecl is the function of a rule's when.
type condDecl struct {
	pos  engine.Pos
	fn   *syntax.Function
	expr *ast.FunctionExpr // belongs to the chunk
	def  *defDecl
}

type paramDecl struct {
	name  string
	pos   engine.Pos
	types []*lit
}

// defDecl is one function body of the file.
type defDecl struct {
	class *classDecl
	state string
	name  string
	what  DefKind
	pos   engine.Pos
	stmt  *ast.FuncDefStmt // belongs to the chunk; nil for conditions
	fn    *syntax.Function
	rule  *ruleDecl

	simulated, reliable, stated bool
	kind                        engine.CallKind

	params []string // without self
	vararg bool

	near func() string // the event it may have been meant to be; found once, as loads repeat
	pure purity
	body *engine.ExprFunc // for conditions; made for every function, small where it has no translation

	fuse *fuse.Func    // nil where it has to run in the VM
	slow *fuse.Refusal // and why
}

// readUnit is the first pass over one file.
func readUnit(src Source) *unit {
	u := &unit{src: src, classOf: map[*syntax.Symbol]*classDecl{}}
	h := fnv.New64a()
	h.Write([]byte(src.Text))
	u.hash = h.Sum64()
	chunk, err := syntax.Parse(src.Path, src.Text)
	if err != nil {
		u.broken = true
		e, ok := err.(*syntax.Error)
		if !ok {
			e = &syntax.Error{File: src.Path, Line: 1, Msg: err.Error()}
		}
		u.errorf(u.pos(syntax.Position{Line: e.Line, Column: e.Column}), "syntax", "%s", e.Msg)
		return u
	}
	u.chunk = chunk
	if src.Lib == "" {
		u.declarations()
	}
	u.readFacts()
	for _, d := range u.diags {
		u.broken = u.broken || d.Severity == engine.SevError
	}
	u.readFused()
	return u
}

// readFused takes the functions that may be fused out of the tree before it is rewritten.
func (u *unit) readFused() {
	if u.broken {
		return
	}
	constant := func(name string) (float64, bool) { n, ok := words.constants[name]; return n, ok }
	for _, d := range u.defs {
		if d.what == DefFunction {
			d.fuse, d.slow = fuse.Read(u.chunk, d.fn, fuse.Words{Constant: constant})
		}
	}
}

func (u *unit) pos(p syntax.Position) engine.Pos {
	line := p.Line
	if line > 0 {
		line += u.src.LineOffset
	}
	return engine.Pos{File: u.src.Path, Line: line, Column: p.Column}
}

// at is the place of a node's own word, start where its text begins.
func (u *unit) at(n ast.PositionHolder) engine.Pos { return u.pos(u.chunk.Pos(n)) }
func (u *unit) start(e ast.Expr) engine.Pos        { return u.pos(u.chunk.Start(e)) }

func (u *unit) errorf(pos engine.Pos, rule, format string, args ...any) {
	u.diags = append(u.diags, engine.Diagnostic{Pos: pos, Severity: engine.SevError, Rule: rule, Text: fmt.Sprintf(format, args...)})
}

// dotted writes names and dots as they stand in the source, "" for anything else.
func dotted(e ast.Expr) string {
	if e == nil {
		return ""
	}
	return syntax.DottedName(e)
}

// ident is the identifier's symbol and name, or nil.
func ident(e ast.Expr) *ast.IdentExpr {
	id, _ := e.(*ast.IdentExpr)
	return id
}

// attr takes a.b apart.
func attr(e ast.Expr) (object ast.Expr, name string, ok bool) {
	a, isAttr := e.(*ast.AttrGetExpr)
	if !isAttr {
		return nil, "", false
	}
	k, isString := a.Key.(*ast.StringExpr)
	if !isString {
		return nil, "", false
	}
	return a.Object, k.Value, true
}

// isClassCall recognises class(…).
func (u *unit) isClassCall(e ast.Expr) (*ast.FuncCallExpr, bool) {
	c, ok := e.(*ast.FuncCallExpr)
	if !ok || c.Func == nil {
		return nil, false
	}
	id := ident(c.Func)
	return c, id != nil && id.Value == "class" && u.chunk.Symbol(id) == nil
}

// classNamed is the class that an expression names by its local variable, or nil.
func (u *unit) classNamed(e ast.Expr) *classDecl {
	id := ident(e)
	if id == nil {
		return nil
	}
	return u.classOf[u.chunk.Symbol(id)]
}

// blocks are the declarations that are called on a class.
var blocks = []string{"properties", "defaults", "replication", "params", "components", "hitboxes", "state"}

// declared is what a statement of the top level declares.
type declared uint8

const (
	declNothing declared = iota
	declClass
	declBlock
	declAuto
	declFunction
)

// declarations reads the top level of a class file.
func (u *unit) declarations() {
	// The classes first, so that a declaration may name a class that the file makes further down.
	for _, s := range u.chunk.Stmts {
		u.classStatement(s)
	}
	for _, s := range u.chunk.Stmts {
		switch u.kindOf(s) {
		case declBlock:
			u.block(s.(*ast.FuncCallStmt).Expr.(*ast.FuncCallExpr))
		case declAuto:
			u.autoState(s.(*ast.AssignStmt))
		case declFunction:
			u.function(s.(*ast.FuncDefStmt))
		case declNothing, declClass:
			u.otherStatement(s)
		}
	}
	if !u.src.Multi {
		u.fileName()
	}
	u.nested()
}

// kindOf tells what a statement of the top level declares, by its form alone.
func (u *unit) kindOf(s ast.Stmt) declared {
	switch s := s.(type) {
	case *ast.LocalAssignStmt:
		for _, e := range s.Exprs {
			if _, ok := u.isClassCall(e); ok {
				return declClass
			}
		}
	case *ast.FuncCallStmt:
		if _, ok := u.isClassCall(s.Expr); ok {
			return declClass
		}
		if c, ok := s.Expr.(*ast.FuncCallExpr); ok && c.Func != nil {
			if obj, name, ok := attr(c.Func); ok && contains(blocks, name) && u.classNamed(obj) != nil {
				return declBlock
			}
		}
	case *ast.AssignStmt:
		for _, l := range s.Lhs {
			if obj, name, ok := attr(l); ok && name == "auto_state" && u.classNamed(obj) != nil {
				return declAuto
			}
		}
	case *ast.FuncDefStmt:
		if u.rootClass(s) != nil {
			return declFunction
		}
	}
	return declNothing
}

// rootClass is the class at the head of a function statement's name, or nil.
func (u *unit) rootClass(s *ast.FuncDefStmt) *classDecl {
	e := s.Name.Receiver
	if s.Name.Func != nil {
		e = s.Name.Func
	}
	for {
		if obj, _, ok := attr(e); ok {
			e = obj
			continue
		}
		return u.classNamed(e)
	}
}

func (u *unit) classStatement(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.LocalAssignStmt:
		for _, e := range s.Exprs {
			call, ok := u.isClassCall(e)
			if !ok {
				continue
			}
			if len(s.Names) != 1 || len(s.Exprs) != 1 {
				u.errorf(u.at(call), "not-literal", `class(…) stands alone in its statement: expected local Name = class("Name", "Parent")`)
				return
			}
			u.class(call, s)
		}
	case *ast.FuncCallStmt:
		if call, ok := u.isClassCall(s.Expr); ok {
			u.class(call, nil)
		}
	case *ast.AssignStmt:
		for i, e := range s.Rhs {
			call, ok := u.isClassCall(e)
			if !ok || i >= len(s.Lhs) {
				continue
			}
			name := "Name"
			if id := ident(s.Lhs[i]); id != nil {
				name = id.Value
			}
			u.errorf(u.start(s.Lhs[i]), "not-literal", "a class is held by a local of its own: expected local %s = class(…)", name)
			_ = call
		}
	}
}

func (u *unit) class(call *ast.FuncCallExpr, local *ast.LocalAssignStmt) {
	pos := u.at(call)
	var args []*lit
	for _, a := range call.Args {
		args = append(args, u.literal(a, "class"))
	}
	for _, a := range args {
		if a.kind == litBad {
			return
		}
	}
	name := func(i int) (string, bool) {
		switch a := args[i]; {
		case a.kind == litString && validName(a.text):
			return a.text, true
		case a.kind == litClass && i == 1:
			return a.text, true
		case a.kind == litString:
			u.errorf(a.pos, "bad-class", "class: expected a name of letters, digits and _, got %q", clip(a.text))
		default:
			u.errorf(a.pos, "bad-class", "class: expected a name in quotes, got %s", a.describe())
		}
		return "", false
	}
	if len(args) == 0 || len(args) > 2 {
		u.errorf(pos, "bad-class", `class: expected class("Name") or class("Name", "Parent"), got %d arguments`, len(args))
		return
	}
	n, ok := name(0)
	if !ok {
		return
	}
	c := &classDecl{name: n, parent: "Actor", pos: pos, parentPos: pos, seen: map[string]engine.Pos{}}
	if len(args) == 2 {
		p, ok := name(1)
		if !ok {
			return
		}
		c.parent, c.parentPos = p, args[1].pos
	} else if rootOf(n) != engine.NativeNone {
		c.parent = ""
	}
	if len(args) == 2 && rootOf(n) != engine.NativeNone {
		u.errorf(args[1].pos, "bad-class", "class %s is a root and has no parent", n)
		return
	}
	u.classes = append(u.classes, c)
	if local != nil {
		for _, s := range u.mainLocals(local) {
			c.sym = s
			u.classOf[s] = c
			if s.Assigned {
				u.errorf(pos, "not-literal", "class %s: the local %s that holds it is assigned again; keep it for the class alone", n, s.Name)
			}
		}
	}
}

// mainLocals are the symbols that a local statement declares and something uses.
func (u *unit) mainLocals(s *ast.LocalAssignStmt) []*syntax.Symbol {
	if u.declared == nil {
		u.declared = map[ast.PositionHolder][]*syntax.Symbol{}
		seen := map[*syntax.Symbol]bool{}
		u.chunk.Walk(syntax.Visitor{Expr: func(e ast.Expr, _ *syntax.Path) bool {
			if id := ident(e); id != nil {
				if sym := u.chunk.Symbol(id); sym != nil && !seen[sym] {
					seen[sym] = true
					u.declared[sym.Decl] = append(u.declared[sym.Decl], sym)
				}
			}
			return true
		}})
	}
	return u.declared[s]
}

// rootOf tells which of the engine's own variables a class of that name has by itself.
func rootOf(name string) engine.NativeRoot {
	switch name {
	case "Actor":
		return engine.NativeActor
	case "ActorComponent":
		return engine.NativeComponent
	}
	return engine.NativeNone
}

func validName(s string) bool {
	if s == "" || len(s) > 64 {
		return false
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		if !(c == '_' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || i > 0 && c >= '0' && c <= '9') {
			return false
		}
	}
	return true
}

// fileName holds a class file to its one class.
func (u *unit) fileName() {
	base := strings.TrimSuffix(path.Base(strings.ReplaceAll(u.src.Path, `\`, "/")), ".lua")
	switch {
	case len(u.classes) == 0:
		if !u.hasErrors() {
			u.errorf(engine.Pos{File: u.src.Path, Line: 1 + u.src.LineOffset, Column: 1}, "no-class",
				`the file declares no class: expected local %s = class("%s", "Parent"); plain modules belong into scripts/lib`, base, base)
		}
	default:
		for _, c := range u.classes[1:] {
			u.errorf(c.pos, "file-name", "class %s: a file holds one class and already holds %s at %s; move it to %s.lua", c.name, u.classes[0].name, u.classes[0].pos, c.name)
		}
		if c := u.classes[0]; c.name != base {
			u.errorf(c.pos, "file-name", "class %s stands in %s.lua: the file bears the class's name; rename one of them", c.name, base)
		}
	}
}

func (u *unit) hasErrors() bool {
	for _, d := range u.diags {
		if d.Severity == engine.SevError {
			return true
		}
	}
	return false
}

// once refuses a second block of a kind.
func (u *unit) once(c *classDecl, what string, pos engine.Pos) bool {
	if o, ok := c.seen[what]; ok {
		u.errorf(pos, "repeated", "class %s: .%s stands here again; it is already at %s, put both into one", c.name, what, o)
		return false
	}
	c.seen[what] = pos
	return true
}

// block reads C.properties{…} and its kin.
func (u *unit) block(call *ast.FuncCallExpr) {
	obj, what, _ := attr(call.Func)
	c := u.classNamed(obj)
	pos := u.at(call.Func)
	label := "class " + c.name + ": ." + what
	if what == "state" {
		u.state(c, call, pos)
		return
	}
	if !u.once(c, what, pos) {
		return
	}
	if len(call.Args) != 1 {
		u.errorf(pos, "not-literal", "%s: expected one table, got %d arguments", label, len(call.Args))
		return
	}
	table, ok := call.Args[0].(*ast.TableExpr)
	if !ok {
		u.errorf(u.start(call.Args[0]), "not-literal", "%s: expected a table written here, got %s", label, exprWords(call.Args[0]))
		return
	}
	switch what {
	case "replication":
		u.replication(c, table)
		return
	case "hitboxes":
		u.hitBoxes(c, table)
		return
	}
	body := u.literal(table, label)
	for _, f := range body.fields {
		if f.name == "" {
			if f.value.kind != litBad {
				u.errorf(f.pos, "bad-type", "%s: expected Name = …, got %s", label, f.value.describe())
			}
			continue
		}
		if o, ok := c.seen[what+"."+f.name]; ok {
			u.errorf(f.pos, "repeated", "%s: %s stands twice, first at %s", label, f.name, o)
			continue
		}
		c.seen[what+"."+f.name] = f.pos
		switch what {
		case "properties":
			c.properties = append(c.properties, f)
		case "defaults":
			c.defaults = append(c.defaults, f)
		case "components":
			if f.value.kind != litString && f.value.kind != litClass {
				if f.value.kind != litBad {
					u.errorf(f.value.pos, "bad-component", "%s: %s: expected a class's name, got %s", label, f.name, f.value.describe())
				}
				continue
			}
			c.components = append(c.components, f)
		case "params":
			if f.value.kind == litBad {
				continue
			}
			if f.value.kind != litTable || len(f.value.list()) != len(f.value.fields) {
				u.errorf(f.value.pos, "bad-params", "%s: %s: expected a list of types, { float(0), bool… }, got %s", label, f.name, f.value.describe())
				continue
			}
			c.params = append(c.params, paramDecl{f.name, f.pos, f.value.list()})
		}
	}
}

// state reads C.state("Name", {…}).
func (u *unit) state(c *classDecl, call *ast.FuncCallExpr, pos engine.Pos) {
	label := "class " + c.name + ": .state"
	if len(call.Args) == 0 || len(call.Args) > 2 {
		u.errorf(pos, "not-literal", `%s: expected C.state("Name", { simulated =, extends =, ignores = }), got %d arguments`, label, len(call.Args))
		return
	}
	n := u.literal(call.Args[0], label)
	if n.kind != litString || !validName(n.text) {
		if n.kind != litBad {
			u.errorf(n.pos, "not-literal", "%s: expected a name in quotes, got %s", label, n.describe())
		}
		return
	}
	s := u.stateNamed(c, n.text, n.pos)
	if s.declared {
		u.errorf(n.pos, "repeated", "class %s: state %s is declared again; it is already at %s", c.name, s.name, s.pos)
		return
	}
	s.declared, s.pos = true, n.pos
	if len(call.Args) == 1 {
		return
	}
	o := u.literal(call.Args[1], label)
	if o.kind != litTable {
		if o.kind != litBad {
			u.errorf(o.pos, "not-literal", "%s: expected a table of options, got %s", label, o.describe())
		}
		return
	}
	known := []string{"simulated", "extends", "ignores"}
	for _, f := range o.fields {
		v := f.value
		want := ""
		switch f.name {
		case "simulated":
			if want = "true or false"; v.kind == litBool {
				s.simulated, want = v.num != 0, ""
			}
		case "extends":
			if want = "a state's name"; v.kind == litString {
				s.extends, want = v.text, ""
			}
		case "ignores":
			if want = `a list of names, { "Bump" }`; v.kind == litTable && len(v.list()) == len(v.fields) {
				want = ""
				for _, e := range v.list() {
					if e.kind != litString {
						want = "names in quotes"
						v = e
						break
					}
					s.ignores = append(s.ignores, e.text)
				}
			}
		default:
			u.errorf(f.pos, "unknown-key", "class %s: state %s: unknown option %q%s; it takes %s", c.name, s.name, f.name,
				engine.Nearest(f.name, known), strings.Join(known, ", "))
			continue
		}
		if want != "" && v.kind != litBad {
			u.errorf(v.pos, "bad-type", "class %s: state %s: %s: expected %s, got %s", c.name, s.name, f.name, want, v.describe())
		}
	}
}

func (u *unit) stateNamed(c *classDecl, name string, pos engine.Pos) *stateDecl {
	for _, s := range c.states {
		if s.name == name {
			return s
		}
	}
	s := &stateDecl{name: name, pos: pos}
	c.states = append(c.states, s)
	return s
}

// autoState reads C.auto_state = "Name".
func (u *unit) autoState(s *ast.AssignStmt) {
	if len(s.Lhs) != 1 || len(s.Rhs) != 1 {
		u.errorf(u.at(s), "not-literal", `auto_state stands alone in its statement: expected C.auto_state = "Name"`)
		return
	}
	obj, _, _ := attr(s.Lhs[0])
	c := u.classNamed(obj)
	pos := u.at(s.Lhs[0])
	if !u.once(c, "auto_state", pos) {
		return
	}
	v := u.literal(s.Rhs[0], "class "+c.name+": .auto_state")
	if v.kind != litString {
		if v.kind != litBad {
			u.errorf(v.pos, "not-literal", "class %s: .auto_state: expected a state's name in quotes, got %s", c.name, v.describe())
		}
		return
	}
	c.autoState, c.autoPos = v.text, v.pos
}

// specifiers of functions, in the order they are best written.
var specifiers = []string{"simulated", "server", "client", "multicast", "remote", "reliable", "unreliable", "validate", "state"}

// function reads function C…:Name(…).
func (u *unit) function(s *ast.FuncDefStmt) {
	c := u.rootClass(s)
	fn := u.chunk.Function(s.Func)
	if s.Name.Func != nil {
		name := "Name"
		if _, n, ok := attr(s.Name.Func); ok {
			name = n
		}
		u.errorf(u.at(s.Name.Func), "bad-function", "class %s: a function of a class takes self: expected function %s:%s(…); a helper is a local function", c.name, c.name, name)
		return
	}
	d := &defDecl{class: c, name: s.Name.Method, stmt: s, fn: fn, vararg: fn.Vararg}
	for _, p := range fn.Params {
		d.params = append(d.params, p.Name)
	}
	var chain []string
	for e := s.Name.Receiver; ; {
		obj, n, ok := attr(e)
		if !ok {
			break
		}
		chain = append([]string{n}, chain...)
		e = obj
	}
	d.pos = u.pos(u.chunk.NamePos(s, len(chain)+1))
	at := func(i int) engine.Pos { return u.pos(u.chunk.NamePos(s, i+1)) }
	reliability := ""
	for i := 0; i < len(chain); i++ {
		word := chain[i]
		clash := func(with string) {
			u.errorf(at(i), "bad-function", "class %s: function %s: .%s does not go with .%s", c.name, d.name, word, with)
		}
		switch word {
		case "simulated":
			d.simulated = true
		case "server", "client", "multicast", "remote":
			if d.stated {
				clash(d.kind.String())
				return
			}
			d.stated = true
			d.kind = map[string]engine.CallKind{
				"server": engine.CallServer, "client": engine.CallClient, "multicast": engine.CallMulticast, "remote": engine.CallRemote,
			}[word]
		case "reliable", "unreliable":
			if reliability != "" {
				clash(reliability)
				return
			}
			reliability = word
			d.reliable = word == "reliable"
		case "validate":
			if i != 0 || len(chain) != 1 {
				u.errorf(at(i), "bad-function", "class %s: a validator is written function %s.validate:%s(…)", c.name, c.name, d.name)
				return
			}
			d.what = DefValidator
		case "state":
			if i != 0 || len(chain) < 2 {
				u.errorf(at(i), "bad-function", "class %s: a function of a state is written function %s.state.Name:%s(…)", c.name, c.name, d.name)
				return
			}
			i++
			d.state = chain[i]
			u.stateNamed(c, d.state, at(i))
			if d.name == "Code" {
				d.what = DefCode
			}
		default:
			u.errorf(at(i), "bad-function", "class %s: function %s: unknown specifier .%s%s; a function has %s", c.name, d.name, word,
				engine.Nearest(word, specifiers), strings.Join(specifiers[:7], ", "))
			return
		}
	}
	if reliability != "" && !d.stated {
		u.errorf(d.pos, "bad-function", "class %s: function %s: .%s says how a call crosses; expected .server, .client, .multicast or .remote before it", c.name, d.name, reliability)
		return
	}
	if d.what == DefCode && len(chain) > 2 {
		u.errorf(d.pos, "bad-function", "class %s: the code of state %s takes no specifier; write simulated = true in .state", c.name, d.state)
		return
	}
	for _, o := range c.defs {
		if o.name == d.name && o.state == d.state && o.what == d.what {
			u.errorf(d.pos, "duplicate-function", "class %s: %s is already defined at %s", c.name, label(d), o.pos)
			return
		}
	}
	d.near = sync.OnceValue(func() string { return nearEvent(d.name) })
	c.defs = append(c.defs, d)
	u.defs = append(u.defs, d)
}

// label names a def inside its class.
func label(d *defDecl) string {
	switch {
	case d.what == DefValidator:
		return "the validator of " + d.name
	case d.what == DefCode:
		return "the code of state " + d.state
	case d.what == DefCondition:
		return "the condition of " + d.name
	case d.state != "":
		return "function " + d.name + " of state " + d.state
	}
	return "function " + d.name
}

// replication reads the rules of C.replication{…}.
func (u *unit) replication(c *classDecl, table *ast.TableExpr) {
	what := "class " + c.name + ": .replication"
	known := []string{"when", "notify", "group"}
	for _, field := range table.Fields {
		rt, ok := field.Value.(*ast.TableExpr)
		if field.Key != nil || !ok {
			u.errorf(u.start(field.Value), "not-literal", `%s: expected rules like { "Name", when = … }, got %s`, what, exprWords(field.Value))
			continue
		}
		r := &ruleDecl{pos: u.at(rt)}
		bad := false
		seen := map[string]engine.Pos{}
		for _, f := range rt.Fields {
			key := ""
			if f.Key != nil {
				k, ok := f.Key.(*ast.StringExpr)
				if !ok {
					u.errorf(u.start(f.Key), "not-literal", "%s: expected when, notify or group as key, got an expression", what)
					bad = true
					continue
				}
				key = k.Value
				if o, dup := seen[key]; dup {
					u.errorf(u.at(f.Key), "repeated", "%s: %s stands twice in one rule, first at %s", what, key, o)
				}
				seen[key] = u.at(f.Key)
			}
			switch key {
			case "":
				n := u.literal(f.Value, what)
				if n.kind != litString {
					if n.kind != litBad {
						u.errorf(n.pos, "not-literal", "%s: expected a variable's name in quotes, got %s", what, n.describe())
					}
					bad = true
					continue
				}
				r.names = append(r.names, litField{name: n.text, pos: n.pos})
			case "when":
				bad = !u.when(c, r, f.Value, what) || bad
			case "notify":
				n := u.literal(f.Value, what)
				switch {
				case n.kind == litBool && n.num != 0:
					r.notify = engine.NotifyChanged
				case n.kind == litBool:
				case n.kind == litString && n.text == "always":
					r.notify = engine.NotifyAlways
				case n.kind != litBad:
					u.errorf(n.pos, "bad-rule", `%s: notify: expected true or "always", got %s`, what, n.describe())
				}
			case "group":
				n := u.literal(f.Value, what)
				if n.kind != litString || n.text == "" {
					if n.kind != litBad {
						u.errorf(n.pos, "bad-rule", "%s: group: expected a name in quotes, got %s", what, n.describe())
					}
					bad = true
					continue
				}
				r.group = n.text
			default:
				u.errorf(u.at(f.Key), "unknown-key", "%s: unknown key %q%s; a rule has names, when, notify and group", what, key, engine.Nearest(key, known))
			}
		}
		if len(r.names) == 0 && !bad {
			u.errorf(r.pos, "bad-rule", "%s: the rule names no variable", what)
			bad = true
		}
		switch {
		case bad:
			continue
		case r.named == "COND_NetGroup" && r.group == "":
			u.errorf(r.pos, "bad-rule", `%s: COND_NetGroup needs its group: expected group = "name"`, what)
		case r.named != "COND_NetGroup" && r.group != "":
			u.errorf(r.pos, "bad-rule", "%s: group goes with when = COND_NetGroup only", what)
		}
		if r.cond != nil {
			r.cond.def = &defDecl{class: c, name: r.names[0].name, what: DefCondition, pos: r.cond.pos, fn: r.cond.fn, rule: r}
			for _, p := range r.cond.fn.Params {
				r.cond.def.params = append(r.cond.def.params, p.Name)
			}
		}
		c.rules = append(c.rules, r)
	}
}

// when reads the condition of a rule.
func (u *unit) when(c *classDecl, r *ruleDecl, e ast.Expr, what string) bool {
	switch v := e.(type) {
	case *ast.IdentExpr:
		if u.chunk.Symbol(v) == nil {
			if strings.HasPrefix(v.Value, "COND_") {
				if _, ok := words.constants[v.Value]; ok {
					r.named = v.Value
					return true
				}
			}
			u.errorf(u.at(v), "unknown-condition", "%s: unknown condition %s%s; expected COND_… or function(self) return … end", what, v.Value,
				engine.Nearest(v.Value, engine.NetConditionNames()))
			return false
		}
	case *ast.FunctionExpr:
		fn := u.chunk.Function(v)
		if len(fn.Params) != 1 || fn.Vararg {
			u.errorf(u.at(v), "bad-condition", "%s: a condition takes self alone: expected function(self) return … end", what)
			return false
		}
		r.cond = &condDecl{pos: u.at(v), fn: fn, expr: v}
		return true
	}
	u.errorf(u.start(e), "not-literal", "%s: expected when = COND_… or when = function(self) return … end, got %s", what, exprWords(e))
	return false
}

// otherStatement looks at what is no declaration for what was meant as one.
func (u *unit) otherStatement(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.FuncCallStmt:
		c, ok := s.Expr.(*ast.FuncCallExpr)
		if !ok || c.Func == nil {
			return
		}
		if obj, name, ok := attr(c.Func); ok {
			if k := u.classNamed(obj); k != nil && !contains(blocks, name) {
				u.errorf(u.at(c.Func), "unknown-block", "class %s: unknown declaration .%s%s; a class has %s", k.name, name,
					engine.Nearest(name, blocks), strings.Join(blocks, ", "))
			}
		}
	case *ast.AssignStmt:
		for _, l := range s.Lhs {
			if obj, name, ok := attr(l); ok {
				if k := u.classNamed(obj); k != nil {
					u.errorf(u.at(l), "class-field", "class %s: a class holds no values of its own, got .%s = …%s; declare a variable in .properties or use a local", k.name, name,
						engine.Nearest(name, []string{"auto_state"}))
				}
			}
		}
	}
}

// nested refuses declarations that do not stand at the top level.
func (u *unit) nested() {
	top := map[ast.PositionHolder]bool{}
	for _, s := range u.chunk.Stmts {
		switch s := s.(type) {
		case *ast.FuncCallStmt:
			top[s.Expr] = true
		case *ast.LocalAssignStmt:
			for _, e := range s.Exprs {
				top[e] = true
			}
		case *ast.AssignStmt: // said in classStatement
			for _, e := range s.Rhs {
				top[e] = true
			}
		}
		top[s] = true
	}
	u.chunk.Walk(syntax.Visitor{
		Expr: func(e ast.Expr, _ *syntax.Path) bool {
			c, ok := e.(*ast.FuncCallExpr)
			if !ok || top[c] || c.Func == nil {
				return true
			}
			if _, ok := u.isClassCall(c); ok {
				u.errorf(u.at(c), "nested-declaration", "class(…) stands at the top level of its file: the loader reads it before anything runs")
			} else if obj, name, ok := attr(c.Func); ok && contains(blocks, name) {
				if k := u.classNamed(obj); k != nil {
					u.errorf(u.at(c.Func), "nested-declaration", "class %s: .%s stands at the top level of its file: the loader reads it before anything runs", k.name, name)
				}
			}
			return true
		},
		Stmt: func(s ast.Stmt, _ *syntax.Path) bool {
			switch s := s.(type) {
			case *ast.FuncDefStmt:
				if k := u.rootClass(s); k != nil && !top[s] {
					u.errorf(u.at(s), "nested-declaration", "class %s: functions of a class stand at the top level of its file", k.name)
				}
			case *ast.AssignStmt:
				for _, l := range s.Lhs {
					if obj, name, ok := attr(l); ok && !top[s] {
						if k := u.classNamed(obj); k != nil {
							rule := "class-field"
							if name == "auto_state" {
								rule = "nested-declaration"
							}
							u.errorf(u.at(l), rule, "class %s: .%s cannot be assigned while the game runs", k.name, name)
						}
					}
				}
			}
			return true
		},
	})
}
