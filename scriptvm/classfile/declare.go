package classfile

import (
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm/syntax"
	"github.com/yuin/gopher-lua/ast"
)

// classDecl is a class as declared.
type classDecl struct {
	name, parent string
	pos          engine.Pos
	parentPos    engine.Pos

	properties []litField // and those of .persistent
	persistent map[string]bool
	defaults   []litField
	components []litField
	hitBoxes   []*lit // nil if there is no block
	looks      *lit   // nil if there is no block
	actions    *lit   // nil if there is no block
	moves      *engine.MoveSpec
	params     []paramDecl
	roles      []litField // of commands
	rules      []*ruleDecl
	states     []*stateDecl
	autoState  string
	autoPos    engine.Pos

	seen map[string]engine.Pos // blocks, to reject a second one
	defs []*defDecl
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

// classNamed returns the class that an expression denotes by its local variable, or nil.
func (u *unit) classNamed(e ast.Expr) *classDecl {
	id := ident(e)
	if id == nil {
		return nil
	}
	return u.classOf[u.chunk.Symbol(id)]
}

// blocks are the declarations that are called on a class.
var blocks = []string{"properties", "persistent", "defaults", "replication", "params", "components", "hitboxes", "looks", "actions", "moves", "roles", "state"}

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
	// The classes come first, so that a declaration may refer to a class that the file declares further down.
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
}

// kindOf returns what a statement of the top level declares, by its form alone.
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

// rootClass returns the class at the head of a function statement's name, or nil.
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
		for _, s := range u.localsOf(local) {
			u.classOf[s] = c
			if s.Assigned {
				u.errorf(pos, "not-literal", "class %s: the local %s that holds it is assigned again; keep it for the class alone", n, s.Name)
			}
		}
	}
}

// localsOf returns the symbols that a local statement declares and something uses.
func (u *unit) localsOf(local *ast.LocalAssignStmt) []*syntax.Symbol {
	var out []*syntax.Symbol
	for _, s := range u.chunk.Locals() {
		if s.Used && s.Decl == ast.PositionHolder(local) {
			out = append(out, s)
		}
	}
	return out
}

// rootOf returns which of the engine's own variables a class with that name has itself.
func rootOf(name string) engine.NativeRoot {
	switch name {
	case "Actor":
		return engine.NativeActor
	case "ActorComponent":
		return engine.NativeComponent
	}
	return engine.NativeNone
}

// once rejects a second block of a kind.
func (u *unit) once(c *classDecl, what string, pos engine.Pos) bool {
	if o, ok := c.seen[what]; ok {
		u.errorf(pos, "repeated", "class %s: .%s stands here again; it is already at %s, put both into one", c.name, what, o)
		return false
	}
	c.seen[what] = pos
	return true
}

// block reads C.properties{…} and similar blocks.
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
	case "looks":
		u.looks(c, table)
		return
	case "actions":
		u.actions(c, table)
		return
	case "moves":
		u.moves(c, table, pos)
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
		name := what + "." + f.name
		if what == "persistent" {
			name = "properties." + f.name // a variable is one or the other
		}
		if o, ok := c.seen[name]; ok {
			u.errorf(f.pos, "repeated", "%s: %s stands twice, first at %s", label, f.name, o)
			continue
		}
		c.seen[name] = f.pos
		switch what {
		case "properties":
			c.properties = append(c.properties, f)
		case "persistent":
			c.properties = append(c.properties, f)
			if c.persistent == nil {
				c.persistent = map[string]bool{}
			}
			c.persistent[f.name] = true
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
		case "roles":
			u.role(c, f, label)
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
