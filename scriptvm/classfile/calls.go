package classfile

import (
	"fmt"
	"math"
	"sort"
	"strings"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm/api"
	"github.com/tidelock/tidelock/scriptvm/syntax"
	"github.com/yuin/gopher-lua/ast"
)

// fieldNames are the names that any file assigns to a member of anything, and those that it asks for in a condition: a value
// of the script's own may be a function, and what a script asks for before it uses it may be missing.
type fieldNames struct{ assigned, asked map[string]bool }

// calls judges the calls and assignments of all files by what their expressions are.
func (c *checker) calls() {
	c.fields = fieldNames{map[string]bool{}, map[string]bool{}}
	var list []*flow
	for _, u := range c.units {
		if u.chunk == nil {
			u = readUnit(u.src) // its tree was used up by another load
		}
		list = append(list, newFlow(u, c))
		u.fieldNames(&c.fields)
	}
	for _, f := range list {
		f.chunk.Walk(syntax.Visitor{Expr: f.expr, Stmt: f.stmt})
	}
}

func (u *unit) fieldNames(out *fieldNames) {
	u.chunk.Walk(syntax.Visitor{
		Expr: func(e ast.Expr, at *syntax.Path) bool {
			_, name, ok := attr(e)
			if !ok {
				return true
			}
			if at.Role == syntax.RoleTarget {
				out.assigned[name] = true
			}
			tested := at.Role == syntax.RoleCondition
			if at.Parent != nil {
				switch at.Parent.Node.(type) {
				case *ast.LogicalOpExpr, *ast.UnaryNotOpExpr, *ast.RelationalOpExpr:
					tested = true
				}
			}
			if tested {
				out.asked[name] = true
			}
			return true
		},
		Stmt: func(s ast.Stmt, at *syntax.Path) bool {
			if d, ok := s.(*ast.FuncDefStmt); ok && d.Name.Func == nil && u.rootClass(d) == nil {
				out.assigned[d.Name.Method] = true
			}
			return true
		},
	})
}

// candidates calls f for every class that an actor may be of.
func (c *checker) candidates(k known, f func(*engine.Class) bool) bool {
	if f(k.class) {
		return true
	}
	if k.exact {
		return false
	}
	for _, d := range c.built.All() {
		if d != k.class && d.Descends(k.class) && f(d) {
			return true
		}
	}
	return false
}

// scripted reports whether a call of a method may reach a function of a class file.
func (c *checker) scripted(k known, name string) bool {
	return c.candidates(k, func(d *engine.Class) bool {
		if d.Functions[name] != nil {
			return true
		}
		for _, s := range d.States { // any order: it asks whether any has one
			if s.Dispatch.Functions[name] != nil || s.Dispatch.Ignored[name] {
				return true
			}
		}
		return false
	})
}

func (f *flow) expr(e ast.Expr, at *syntax.Path) bool {
	switch e := e.(type) {
	case *ast.FunctionExpr:
		if at.Role == syntax.RoleArgument && at.Parent != nil {
			if call, ok := at.Parent.Node.(*ast.FuncCallExpr); ok && call.Func != nil && dotted(call.Func) == "pcall" {
				return false // its author expects that it may fail
			}
		}
	case *ast.FuncCallExpr:
		f.call(e)
	case *ast.AttrGetExpr:
		f.read(e, at)
	}
	return true
}

func (f *flow) stmt(s ast.Stmt, at *syntax.Path) bool {
	if at.Parent == nil && f.src.Lib == "" {
		switch f.kindOf(s) {
		case declBlock, declClass, declAuto:
			return false
		case declNothing, declFunction:
		}
	}
	if a, ok := s.(*ast.AssignStmt); ok && len(a.Lhs) == len(a.Rhs) {
		for i, l := range a.Lhs {
			f.assign(l, a.Rhs[i])
		}
	}
	return true
}

// where begins a message.
func (f *flow) where() string {
	if len(f.classes) > 0 {
		return "class " + f.classes[0].name + ": "
	}
	return ""
}

func (f *flow) report(e ast.Expr, rule, format string, args ...any) {
	f.c.error(f.start(e), rule, "%s%s", f.where(), fmt.Sprintf(format, args...))
}

// read judges a member of a value whose members are known.
func (f *flow) read(e *ast.AttrGetExpr, at *syntax.Path) {
	_, name, ok := attr(e)
	if !ok || at.Role == syntax.RoleTarget {
		return
	}
	o := f.of(e.Object)
	space := ""
	switch o.kinds {
	case isVector:
		space = "vector"
	case isRotator:
		space = "rotator"
	case isWorld:
		space = "world"
	default:
		return
	}
	names := memberNamesOf(space)
	if !contains(names, name) {
		f.c.error(f.at(e), "unknown-name", "%s%s has no member %s%s", f.where(), o.describe(), name, engine.Nearest(name, names))
	}
}

// memberNamesOf are the members and methods of a namespace.
func memberNamesOf(space string) []string {
	var out []string
	for _, v := range api.Variables() {
		if string(v.Space) == space {
			out = append(out, v.Name)
		}
	}
	for _, n := range api.Functions() {
		if string(n.Space) == space {
			out = append(out, n.Name)
		}
	}
	return out
}

// call judges one call.
func (f *flow) call(e *ast.FuncCallExpr) {
	if e.Func != nil {
		id := ident(e.Func)
		if id == nil || f.chunk.Symbol(id) != nil {
			return
		}
		entry := api.Find(api.Global, id.Value)
		if entry == nil {
			entry = api.Find(api.Latent, id.Value)
		}
		if entry != nil && id.Value != "class" {
			f.arguments(e, known{}, entry)
		}
		return
	}
	receiver := f.of(e.Receiver)
	if entry := f.native(receiver, e.Method); entry != nil {
		f.arguments(e, receiver, entry)
		return
	}
	f.scriptedCall(e, receiver)
}

// scriptedCall judges a call of what is no native: a function of a class file, or nothing at all.
func (f *flow) scriptedCall(e *ast.FuncCallExpr, receiver known) {
	switch receiver.kinds &^ isNil {
	case isVector, isRotator, isWorld, isFast:
		space := map[kinds]string{isVector: "vector", isRotator: "rotator", isWorld: "world", isFast: "fastarray"}[receiver.kinds&^isNil]
		f.c.error(f.at(e), "unknown-name", "%s%s has no function %q%s", f.where(), space, e.Method, engine.Nearest(e.Method, memberNamesOf(space)))
		return
	case isActor:
	default:
		return
	}
	k := receiver.class
	if k == nil || f.selfOf(e.Receiver) != nil && !f.c.scripted(receiver, e.Method) {
		return // self's names are judged by names
	}
	if fn := k.Functions[e.Method]; fn != nil {
		f.replicated(e, fn)
		return
	}
	if words.events[e.Method] || f.c.fields.assigned[e.Method] || f.c.fields.asked[e.Method] {
		return
	}
	found := f.c.candidates(receiver, func(d *engine.Class) bool { return hasFunction(d, e.Method) || f.c.hasPart(d, e.Method) })
	if found {
		return
	}
	if p := k.Property(e.Method); p != nil {
		f.c.error(f.at(e), "unknown-name", "%s%s is a variable of %s (%s); expected a function", f.where(), e.Method, k.Name, p.Type)
		return
	}
	names := map[string]bool{}
	f.c.candidates(receiver, func(d *engine.Class) bool {
		for _, n := range f.c.memberNames(d, false) {
			names[n] = true
		}
		return false
	})
	list := make([]string, 0, len(names))
	for n := range names { // any order: they are sorted below
		list = append(list, n)
	}
	sort.Strings(list)
	of := " and its children have"
	if receiver.exact {
		of = " has"
	}
	f.c.error(f.at(e), "unknown-name", "%s%s%s no function %q%s", f.where(), k.Name, of, e.Method, engine.Nearest(e.Method, list))
}

// replicated judges the arguments of a function with declared types.
func (f *flow) replicated(e *ast.FuncCallExpr, fn *engine.Function) {
	if fn.Undeclared() || fn.Kind == engine.CallLocal {
		return
	}
	for i, a := range e.Args {
		if i >= len(fn.Params) {
			if fn.Spec == nil || !fn.Spec.Vararg {
				f.report(a, "argument-type", "%s: expected at most %d arguments, got %d: further ones would not cross", e.Method, len(fn.Params), len(e.Args))
			}
			return
		}
		k := f.of(a)
		if k.kinds == isNil {
			continue // the declared default
		}
		if why := f.c.fitsType(k, fn.Params[i].Type); why != "" {
			f.report(a, "argument-type", "%s: argument %d (%s): %s", e.Method, i+1, fn.Params[i].Name, why)
		}
	}
}

// arguments holds a call of a native to its entry in the registry.
func (f *flow) arguments(e *ast.FuncCallExpr, receiver known, entry *api.Function) {
	name := entry.Name
	if entry.Space == api.World {
		name = "world:" + name
	}
	several := len(e.Args) > 0 && givesSeveral(e.Args[len(e.Args)-1])
	for i, p := range entry.Params {
		if p.Name == "..." {
			return
		}
		if i >= len(e.Args) {
			if !p.Optional && !several {
				f.c.error(f.at(e), "missing-argument", "%s%s: argument %d (%s) is missing: expected %s", f.where(), name, i+1, p.Name, f.c.ofName(p.Type).describe())
			}
			return
		}
		if several && i == len(e.Args)-1 {
			return
		}
		label := fmt.Sprintf("%s: argument %d (%s)", name, i+1, p.Name)
		f.argument(e, i, label, receiver, &p)
	}
	if extra := len(e.Args) - len(entry.Params); extra > 0 && !(several && extra == 1) {
		f.c.warnf(f.start(e.Args[len(entry.Params)]), "extra-argument", "%s%s: takes %d arguments, got %d", f.where(), name, len(entry.Params), len(e.Args))
	}
}

// givesSeveral reports whether an expression at the end of a list may give any number of values.
func givesSeveral(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.FuncCallExpr:
		return !e.AdjustRet
	case *ast.Comma3Expr:
		return !e.AdjustRet
	}
	return false
}

func (f *flow) argument(e *ast.FuncCallExpr, i int, label string, receiver known, p *api.Param) {
	arg := e.Args[i]
	k, want := f.of(arg), f.c.ofName(p.Type)
	if k.kinds == isNil {
		if !p.Optional && want.kinds&(isNil|isBool) == 0 {
			f.report(arg, "argument-type", "%s: expected %s, got nil", label, want.describe())
		}
		return
	}
	if want.kinds == isBool {
		want.kinds |= isActor | isTable | isPart | isClass // whether there is one
	}
	if why := k.fits(want); why != "" {
		if want.kinds&isBool != 0 {
			why = "expected a boolean, got " + k.describe()
		}
		f.report(arg, "argument-type", "%s: %s", label, why)
		return
	}
	if k.kinds == isNumber && k.text != "" {
		f.number(arg, label, p.Type, k)
	}
	table, ok := arg.(*ast.TableExpr)
	if !ok {
		return
	}
	switch {
	case p.Type == api.SpawnTable && i > 0:
		if class, exact := f.classArgument(e.Args[0]); class != nil {
			f.spawnTable(table, strings.TrimSuffix(label[:strings.Index(label, ":")], ":"), known{kinds: isActor, class: class, exact: exact})
		}
	case p.Type == api.ItemTable && receiver.typ != nil && receiver.typ.Elem != nil:
		f.structTable(table, label, receiver.typ.Elem)
	case want.rec != nil:
		f.record(table, label, want.rec)
	}
}

// number judges a constant where one of a family, or a whole number, is wanted.
func (f *flow) number(arg ast.Expr, label, typ string, k known) {
	if typ == "integer" && k.value.Num != math.Trunc(k.value.Num) {
		f.report(arg, "argument-type", "%s: expected a whole number, got %s", label, k.text)
		return
	}
	for _, a := range api.Aliases() {
		if a.Name != typ || a.Prefix == "" {
			continue
		}
		most := -1
		for _, n := range words.constantNames {
			if strings.HasPrefix(n, a.Prefix) {
				most = max(most, int(words.constants[n]))
			}
		}
		_, named := words.constants[k.text]
		if named && !strings.HasPrefix(k.text, a.Prefix) || k.value.Num < 0 || k.value.Num > float64(most) || k.value.Num != math.Trunc(k.value.Num) {
			f.report(arg, "argument-type", "%s: expected one of the %s constants, got %s", label, a.Prefix, k.text)
		}
	}
}

// keysOf calls f for the members of a table that is written out; positional ones have no name.
func keysOf(t *ast.TableExpr, f func(name string, key, value ast.Expr)) {
	for _, field := range t.Fields {
		if field.Key == nil {
			f("", field.Value, field.Value)
		} else if s, ok := field.Key.(*ast.StringExpr); ok {
			f(s.Value, field.Key, field.Value)
		}
	}
}

func (f *flow) spawnTable(t *ast.TableExpr, native string, of known) {
	keysOf(t, func(name string, key, value ast.Expr) {
		if name == "" {
			f.report(key, "unknown-key", "%s: expected variables of %s by name", native, of.class.Name)
			return
		}
		k := f.of(value)
		var want known
		switch name {
		case "Name":
			want = known{kinds: isString}
		case "Owner", "Instigator":
			want = known{kinds: isActor | isNil}
		}
		if want.kinds != 0 {
			if why := k.fits(want); why != "" {
				f.report(value, "argument-type", "%s: %s.%s: %s", native, of.class.Name, name, why)
			}
			return
		}
		var p *engine.Property
		f.c.candidates(of, func(d *engine.Class) bool { p = d.Property(name); return p != nil })
		if p == nil {
			f.c.error(f.at(key), "unknown-name", "%s%s: %s has no variable %s%s", f.where(), native, of.class.Name, name, engine.Nearest(name, of.class.PropertyNames()))
			return
		}
		if of.class.Property(name) == nil {
			return // a child's, of any type
		}
		f.value(value, fmt.Sprintf("%s: %s.%s", native, of.class.Name, name), "argument-type", k, p.Type)
	})
}

// value judges a value for a variable of a type.
func (f *flow) value(e ast.Expr, label, rule string, k known, t *engine.Type) {
	if why := f.c.fitsType(k, t); why != "" {
		f.report(e, rule, "%s: %s", label, why)
		return
	}
	if table, ok := e.(*ast.TableExpr); ok && t.Kind == engine.KindStruct {
		f.structTable(table, label, t)
	}
}

func (f *flow) structTable(t *ast.TableExpr, label string, of *engine.Type) {
	keysOf(t, func(name string, key, value ast.Expr) {
		m := of.FieldNamed(name)
		if m == nil {
			names := make([]string, len(of.Fields))
			for i := range of.Fields {
				names[i] = of.Fields[i].Name
			}
			f.report(key, "unknown-key", "%s: unknown member %s%s", label, name, engine.Nearest(name, names))
			return
		}
		f.value(value, label+": "+name, "argument-type", f.of(value), m.Type)
	})
}

func (f *flow) record(t *ast.TableExpr, label string, r *api.Record) {
	names := make([]string, len(r.Fields))
	for i := range r.Fields {
		names[i] = r.Fields[i].Name
	}
	keysOf(t, func(name string, key, value ast.Expr) {
		m := r.Field(name)
		if m == nil {
			f.report(key, "unknown-key", "%s: unknown member %s%s; it has %s", label, name, engine.Nearest(name, names), strings.Join(names, ", "))
			return
		}
		want := f.c.ofName(m.Type)
		if want.kinds&isTable != 0 && want.elem != nil || want.kinds == isBool {
			want.kinds |= isActor | isTable | isNil
		}
		if why := f.of(value).fits(want); why != "" && !m.Optional || why != "" && f.of(value).kinds != isNil {
			f.report(value, "argument-type", "%s: %s: %s", label, name, why)
		}
	})
}

// assign judges an assignment to a member.
func (f *flow) assign(target, value ast.Expr) {
	obj, name, ok := attr(target)
	if !ok {
		a, isIndex := target.(*ast.AttrGetExpr)
		if !isIndex {
			return
		}
		if o := f.of(a.Object); o.kinds == isPart && o.typ.Kind == engine.KindArray {
			f.value(value, dotted(a.Object)+"[…]", "type-error", f.of(value), o.typ.Elem)
		}
		return
	}
	o := f.of(obj)
	label := name
	if d := dotted(target); d != "" {
		label = d
	}
	switch o.kinds &^ isNil {
	case isVector, isRotator:
		if o.kinds&isNil == 0 {
			f.report(target, "read-only", "%s: %s cannot be changed in place; assign a new one: … = %s:With{ %s = … }", label, o.describe(), dotted(obj), name)
		}
	case isWorld:
		f.report(target, "read-only", "%s cannot be assigned", label)
	case isPart:
		if m := o.typ.FieldNamed(name); o.typ.Kind == engine.KindStruct && m != nil {
			f.value(value, label, "type-error", f.of(value), m.Type)
		}
	case isActor:
		if o.class == nil {
			return
		}
		if p := o.class.Property(name); p != nil {
			if p.Native != nil && p.Native.ReadOnly() && f.selfOf(obj) == nil {
				f.report(target, "read-only", "%s is set by the engine and cannot be assigned", label)
				return
			}
			if _, ok := constantOf(value); ok && f.selfOf(obj) != nil {
				return // judged by names, at every load
			}
			f.value(value, label, "type-error", f.of(value), p.Type)
		}
	default:
	}
}
