package classfile

import (
	"strconv"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm/api"
	"github.com/tidelock/tidelock/scriptvm/syntax"
	"github.com/yuin/gopher-lua/ast"
)

// flow infers the types of a file's expressions, without regard to the order in which statements run: a local has
// the union of all values assigned to it. Anything uncertain has any type.
type flow struct {
	*unit
	c       *checker
	locals  map[*syntax.Symbol]*known // nil while one is being inferred
	assigns map[*syntax.Symbol][]ast.Expr
	unsure  map[*syntax.Symbol]bool    // assigned from something with several values
	members map[*syntax.Symbol][]entry // assigned to members of a local; the name is "" for a computed key
}

func newFlow(u *unit, c *checker) *flow {
	f := &flow{unit: u, c: c, locals: map[*syntax.Symbol]*known{}, assigns: map[*syntax.Symbol][]ast.Expr{}, unsure: map[*syntax.Symbol]bool{}, members: map[*syntax.Symbol][]entry{}}
	u.chunk.Walk(syntax.Visitor{Expr: c.fields.note, Stmt: func(s ast.Stmt, _ *syntax.Path) bool {
		switch s := s.(type) {
		case *ast.AssignStmt:
			for i, l := range s.Lhs {
				sym := u.symbol(l)
				if sym == nil {
					f.noteMember(s, l, i)
					continue
				}
				if len(s.Lhs) == len(s.Rhs) {
					f.assigns[sym] = append(f.assigns[sym], s.Rhs[i])
				} else {
					f.unsure[sym] = true
				}
			}
		case *ast.FuncDefStmt:
			if sym := u.symbol(s.Name.Func); sym != nil {
				f.unsure[sym] = true
			}
			if s.Name.Func == nil && u.rootClass(s) == nil {
				c.fields.assigned[s.Name.Method] = true
			}
		}
		return true
	}})
	return f
}

// noteMember records an assignment to a member of a local.
func (f *flow) noteMember(s *ast.AssignStmt, target ast.Expr, i int) {
	a, ok := target.(*ast.AttrGetExpr)
	if !ok {
		return
	}
	if sym := f.symbol(a.Object); sym != nil {
		_, name, _ := attr(target)
		m := entry{name: name, key: target}
		if len(s.Lhs) == len(s.Rhs) {
			m.value = s.Rhs[i]
		}
		f.members[sym] = append(f.members[sym], m)
	}
}

// symbol returns the local that an expression names, or nil.
func (u *unit) symbol(e ast.Expr) *syntax.Symbol {
	if id := ident(e); id != nil {
		return u.chunk.Symbol(id)
	}
	return nil
}

func constant(text string, k kinds, v engine.Value) known {
	return known{kinds: k, text: text, value: v}
}

// of returns the inferred type of an expression; of several values the first.
func (f *flow) of(e ast.Expr) known {
	switch e := e.(type) {
	case *ast.NilExpr:
		return constant("nil", isNil, engine.Value{})
	case *ast.TrueExpr:
		return constant("true", isBool, engine.Bool(true))
	case *ast.FalseExpr:
		return constant("false", isBool, engine.Bool(false))
	case *ast.StringExpr:
		return constant("the string "+strconv.Quote(clip(e.Value)), isString, engine.String(e.Value))
	case *ast.NumberExpr:
		if n, ok := constNumber(e); ok {
			return constant(numberText(n), isNumber, engine.Float(n))
		}
		return known{kinds: isNumber}
	case *ast.TableExpr:
		return known{kinds: isTable}
	case *ast.FunctionExpr:
		return known{kinds: isFunc}
	case *ast.RelationalOpExpr, *ast.UnaryNotOpExpr:
		return known{kinds: isBool}
	case *ast.UnaryLenOpExpr:
		return known{kinds: isNumber}
	case *ast.StringConcatOpExpr:
		if a, b := f.of(e.Lhs), f.of(e.Rhs); (a.kinds|b.kinds)&^(isString|isNumber) == 0 {
			return known{kinds: isString}
		}
	case *ast.UnaryMinusOpExpr:
		if n, ok := constNumber(e); ok {
			return constant(numberText(n), isNumber, engine.Float(n))
		}
		if k := f.of(e.Expr); k.kinds&^(isNumber|isVector|isRotator) == 0 && k.kinds != 0 {
			return known{kinds: k.kinds}
		}
	case *ast.ArithmeticOpExpr:
		return f.arithmetic(e)
	case *ast.LogicalOpExpr:
		return f.logical(e)
	case *ast.IdentExpr:
		return f.name(e)
	case *ast.AttrGetExpr:
		return f.member(e)
	case *ast.FuncCallExpr:
		return f.result(e, 0)
	}
	return anything
}

func (f *flow) arithmetic(e *ast.ArithmeticOpExpr) known {
	if n, ok := constNumber(e); ok {
		return constant(numberText(n), isNumber, engine.Float(n))
	}
	if out := arithmeticOf(e.Operator, f.of(e.Lhs), f.of(e.Rhs)); out != 0 {
		return known{kinds: out}
	}
	return anything // an error of its own
}

func (f *flow) logical(e *ast.LogicalOpExpr) known {
	a, b := f.of(e.Lhs), f.of(e.Rhs)
	if a.unknown() || b.unknown() {
		return anything
	}
	left := a
	left.text, left.value = "", engine.Value{}
	if e.Operator == "and" {
		left.kinds &= isNil | isBool
	} else {
		left.kinds &^= isNil
	}
	return join(left, b)
}

// name returns what a local or a global is.
func (f *flow) name(e *ast.IdentExpr) known {
	s := f.chunk.Symbol(e)
	if s == nil {
		if n, ok := words.constants[e.Value]; ok {
			return constant(e.Value, isNumber, engine.Float(n))
		}
		switch e.Value {
		case "world":
			return known{kinds: isWorld}
		case "store":
			return known{kinds: isStore}
		case "cluster":
			return known{kinds: isCluster}
		case "Profile":
			return known{kinds: isProfile}
		}
		if f.natives.globals[e.Value] && words.libraries[e.Value] == nil {
			return known{kinds: isFunc}
		}
		return anything
	}
	if c := f.classOf[s]; c != nil {
		return known{kinds: isClass, class: f.c.built.Find(c.name), exact: true}
	}
	if d := f.selfDef(s); d != nil {
		return known{kinds: isActor, class: f.c.built.Find(d.class.name)}
	}
	return f.local(s)
}

func (f *flow) local(s *syntax.Symbol) known {
	if k, ok := f.locals[s]; ok {
		if k == nil {
			return anything // it depends on itself
		}
		return *k
	}
	f.locals[s] = nil
	k := f.declared(s)
	for _, e := range f.assigns[s] {
		if k.unknown() {
			break
		}
		k = join(k, f.of(e))
	}
	if f.unsure[s] || s.Assigned && len(f.assigns[s]) == 0 {
		k = anything
	}
	f.locals[s] = &k
	return k
}

// declared returns what a local is from its declaration.
func (f *flow) declared(s *syntax.Symbol) known {
	switch d := s.Decl.(type) {
	case *ast.LocalAssignStmt:
		last := len(d.Exprs) - 1
		switch {
		case last < 0:
			return known{kinds: isNil}
		case s.Index < last || s.Index == last && len(d.Names) == len(d.Exprs):
			return f.of(d.Exprs[s.Index])
		}
		if call, ok := d.Exprs[last].(*ast.FuncCallExpr); ok {
			return f.result(call, s.Index-last)
		}
	case *ast.NumberForStmt:
		return known{kinds: isNumber}
	case *ast.GenericForStmt:
		if len(d.Exprs) != 1 {
			return anything
		}
		call, ok := d.Exprs[0].(*ast.FuncCallExpr)
		if !ok || len(call.Args) != 1 || call.Func == nil || dotted(call.Func) != "ipairs" || f.symbol(call.Func) != nil {
			return anything
		}
		if list := f.of(call.Args[0]); s.Index == 1 && list.kinds&^isNil == isTable && list.elem != nil {
			return *list.elem
		}
	case *ast.FunctionExpr:
		return f.parameter(s)
	}
	return anything
}

// parameter returns what an argument of an event or of a replicated function is.
func (f *flow) parameter(s *syntax.Symbol) known {
	d := f.defOf[s.Func]
	if d == nil || d.what != DefFunction || s.Kind != syntax.SymbolParam {
		return anything
	}
	k := f.c.built.Find(d.class.name)
	if fn := k.Functions[d.name]; fn != nil && d.state == "" && s.Index < len(fn.Params) {
		return join(f.c.ofType(fn.Params[s.Index].Type), known{kinds: isNil})
	}
	for _, e := range api.Events() {
		if e.Name == d.name && s.Index < len(e.Params) {
			return join(f.c.ofName(e.Params[s.Index].Type), known{kinds: isNil})
		}
	}
	return anything
}

// member returns what a.b and a[b] are.
func (f *flow) member(e *ast.AttrGetExpr) known {
	o := f.of(e.Object)
	_, name, ok := attr(e)
	if !ok {
		if o.kinds == isPart && o.typ.Kind == engine.KindArray {
			return f.c.ofType(o.typ.Elem)
		}
		if o.kinds&^isNil == isTable && o.elem != nil {
			return join(*o.elem, known{kinds: isNil})
		}
		return anything
	}
	switch o.kinds &^ isNil {
	case isVector, isRotator, isWorld, isStore, isCluster, isProfile, isCanvas:
		for _, v := range api.Variables() {
			if v.Name == name && v.Space == spaces[o.kinds&^isNil] {
				return f.c.ofName(v.Type)
			}
		}
		if f.natives.Find(spaces[o.kinds&^isNil], name) != nil {
			return known{kinds: isFunc}
		}
	case isActor:
		if o.class == nil {
			return anything
		}
		if p := o.class.Property(name); p != nil {
			return f.c.ofType(p.Type)
		}
		return f.otherMember(o, name)
	case isPart:
		if m := o.typ.FieldNamed(name); o.typ.Kind == engine.KindStruct && m != nil {
			return f.c.ofType(m.Type)
		}
	case isTable:
		if o.rec != nil {
			if m := o.rec.Field(name); m != nil {
				return join(f.c.ofName(m.Type), known{kinds: isNil})
			}
		}
	default:
	}
	return anything
}

// otherMember returns what a member of an actor is other than a variable: a component, or a function.
func (f *flow) otherMember(o known, name string) known {
	for i := range o.class.Components {
		if p := &o.class.Components[i]; p.Name == name {
			return known{kinds: isActor | isNil, class: f.c.built.Find(p.Class)}
		}
	}
	if !f.c.fields.assigned[name] && f.natives.hasFunction(o.class, name) {
		return known{kinds: isFunc}
	}
	return anything
}

// nativeOf returns the native that a call reaches for certain, or nil.
func (f *flow) nativeOf(call *ast.FuncCallExpr) *api.Function {
	if call.Func == nil {
		return f.native(f.of(call.Receiver), call.Method)
	}
	id := ident(call.Func)
	if id == nil || f.chunk.Symbol(id) != nil {
		return nil
	}
	return f.natives.Find(api.Global, id.Value)
}

// result returns the n-th value of a call, from 0.
func (f *flow) result(call *ast.FuncCallExpr, n int) known {
	entry := f.nativeOf(call)
	if entry == nil || n >= len(entry.Returns) {
		return anything
	}
	k := f.c.ofName(entry.Returns[n].Type)
	if entry.Returns[n].Optional {
		k.kinds |= isNil
	}
	// Spawn("Rifle") gives a Rifle, ActorsOf("Pawn") pawns.
	if n == 0 && len(entry.Params) > 0 && entry.Params[0].Type == api.ClassName && len(call.Args) > 0 {
		class, exact := f.classArgument(call.Args[0])
		switch {
		case class == nil:
		case k.elem != nil:
			k.elem = &known{kinds: isActor, class: class}
		case k.kinds&isActor != 0:
			k.class, k.exact = class, exact
		}
	}
	return k
}

// classArgument returns the class that an argument names, and whether it is exactly that one.
func (f *flow) classArgument(e ast.Expr) (class *engine.Class, exact bool) {
	k := f.of(e)
	if k.kinds == isString && k.text != "" {
		return f.c.built.Find(k.value.Str), true
	}
	if k.kinds&^isNil == isClass {
		return k.class, k.exact
	}
	return nil, false
}

// native returns the native that a call of a method reaches for certain, or nil.
func (f *flow) native(receiver known, name string) *api.Function {
	switch receiver.kinds &^ isNil {
	case isVector:
		return f.natives.Find(api.Vector, name)
	case isRotator:
		return f.natives.Find(api.Rotator, name)
	case isWorld:
		return f.natives.Find(api.World, name)
	case isStore:
		return f.natives.Find(api.Store, name)
	case isCluster:
		return f.natives.Find(api.Cluster, name)
	case isProfile:
		return f.natives.Find(api.Profile, name)
	case isFast:
		return f.natives.Find(api.FastArray, name)
	case isCanvas:
		return f.natives.Find(api.Canvas, name)
	case isActor:
		if receiver.class != nil && !f.c.scripted(receiver, name) {
			return f.natives.methodOf(receiver.class, name)
		}
	default:
	}
	return nil
}
