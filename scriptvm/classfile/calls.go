package classfile

import (
	"fmt"
	"math"
	"sort"
	"strconv"
	"strings"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm/api"
	"github.com/tidelock/tidelock/scriptvm/syntax"
	"github.com/yuin/gopher-lua/ast"
)

// fieldNames holds the member names that any file assigns, those that it reads, and those that it tests in a
// condition: a private value may be a function, and a value that a script tests before using it may be missing.
type fieldNames struct{ assigned, read, asked map[string]bool }

// calls checks the calls and assignments of all files by the inferred types of their expressions.
func (c *checker) calls() {
	c.fields = fieldNames{map[string]bool{}, map[string]bool{}, map[string]bool{}}
	var list []*flow
	for _, u := range c.units {
		list = append(list, newFlow(u, c))
	}
	for _, f := range list {
		f.chunk.Walk(syntax.Visitor{Expr: f.expr, Stmt: f.stmt})
	}
}

// note records a member that is read or assigned.
func (n *fieldNames) note(e ast.Expr, at *syntax.Path) bool {
	_, name, ok := attr(e)
	if !ok {
		return true
	}
	if at.Role == syntax.RoleTarget {
		n.assigned[name] = true
	} else {
		n.read[name] = true
	}
	tested := at.Role == syntax.RoleCondition
	if at.Parent != nil {
		switch at.Parent.Node.(type) {
		case *ast.LogicalOpExpr, *ast.UnaryNotOpExpr, *ast.RelationalOpExpr:
			tested = true
		}
	}
	if tested {
		n.asked[name] = true
	}
	return true
}

// candidates calls f for every class that an actor may have.
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
		f.waits(e, at)
	case *ast.AttrGetExpr:
		f.read(e, at)
	default:
		f.operation(e)
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
	switch s := s.(type) {
	case *ast.AssignStmt:
		if len(s.Lhs) == len(s.Rhs) {
			for i, l := range s.Lhs {
				f.assign(l, s.Rhs[i])
			}
		}
	case *ast.NumberForStmt:
		f.numberFor(s)
	case *ast.GenericForStmt:
		f.genericFor(s)
	}
	return true
}

// where returns the beginning of a message.
func (f *flow) where() string {
	if len(f.classes) > 0 {
		return "class " + f.classes[0].name + ": "
	}
	return ""
}

func (f *flow) report(e ast.Expr, rule, format string, args ...any) {
	f.c.error(f.start(e), rule, "%s%s", f.where(), fmt.Sprintf(format, args...))
}

// call checks one call.
func (f *flow) call(e *ast.FuncCallExpr) {
	if e.Func != nil {
		f.plainCall(e)
		return
	}
	receiver := f.of(e.Receiver)
	if entry := f.native(receiver, e.Method); entry != nil {
		if entry.Space == api.Profile {
			f.c.error(f.at(e), "extra-argument", "%s%s has no self; write a dot: Profile.%s(…)", f.where(), e.Method, e.Method)
			return
		}
		f.arguments(e, e.Args, receiver, entry)
		return
	}
	f.scriptedCall(e, receiver)
}

// plainCall checks a call without a colon.
func (f *flow) plainCall(e *ast.FuncCallExpr) {
	id := ident(e.Func)
	if id == nil || f.chunk.Symbol(id) != nil {
		if obj, name, ok := attr(e.Func); ok && ident(obj) != nil && f.symbol(obj) == nil {
			f.taken(e, ident(obj).Value+"."+name)
		}
		if !f.dotCall(e) {
			f.callee(e)
		}
		return
	}
	entry := f.natives.Find(api.Global, id.Value)
	if entry == nil {
		entry = f.natives.Find(api.Latent, id.Value)
	}
	if entry != nil && id.Value != "class" {
		f.arguments(e, e.Args, known{}, entry)
		return
	}
	f.taken(e, id.Value)
}

// dotCall checks self.SetLocation(place), which omits the self that a colon passes; it reports whether that was
// certainly a call of a function.
func (f *flow) dotCall(e *ast.FuncCallExpr) bool {
	obj, name, ok := attr(e.Func)
	if !ok {
		return false
	}
	o := f.of(obj)
	o.kinds &^= isNil
	entry := f.native(o, name)
	switch o.kinds {
	case isProfile:
		if entry == nil {
			return false
		}
		f.arguments(e, e.Args, o, entry)
		return true
	case isVector, isRotator, isWorld, isStore, isCluster, isFast, isCanvas:
		if entry == nil {
			return false
		}
	case isActor:
		if o.class == nil || o.class.Property(name) != nil || f.c.fields.assigned[name] ||
			!f.c.candidates(o, func(d *engine.Class) bool { return f.natives.hasFunction(d, name) }) {
			return false
		}
	case isClass:
		if o.class == nil || !o.exact || name == "super" {
			return false
		}
		if !f.natives.hasFunction(o.class, name) {
			f.c.error(f.at(e.Func), "unknown-name", "%s%s has no function %q%s", f.where(), o.class.Name, name, engine.Nearest(name, f.c.memberNames(o.class, false)))
			return true
		}
		o.kinds = isActor
	default:
		return false
	}
	if len(e.Args) > 0 {
		first := f.of(e.Args[0])
		if first.kinds&(o.kinds|isTable) != 0 || givesSeveral(e.Args[0]) && first.unknown() {
			if entry != nil {
				f.arguments(e, e.Args[1:], o, entry)
			}
			return true
		}
	}
	written := shown(obj)
	if f.of(obj).kinds == isClass {
		written = "self"
	}
	f.c.error(f.at(e.Func), "missing-argument", "%s%s: a dot passes no self; write a colon: %s:%s(…)", f.where(), name, written, name)
	return true
}

// scriptedCall checks a call of something other than a native: a function of a class file, or nothing at all.
func (f *flow) scriptedCall(e *ast.FuncCallExpr, receiver known) {
	kind := receiver.kinds &^ isNil
	switch kind {
	case isVector, isRotator, isWorld, isStore, isCluster, isProfile, isFast, isCanvas:
		space := spaces[kind]
		f.c.error(f.at(e), "unknown-name", "%s%s has no function %q%s", f.where(), space, e.Method, engine.Nearest(e.Method, f.natives.Members(space)))
	case isString:
		if names := words.libraries["string"]; !contains(names, e.Method) {
			f.c.error(f.at(e), "unknown-name", "%sa string has no function %q%s", f.where(), e.Method, engine.Nearest(e.Method, names))
		}
	case isTable:
		if receiver.rec != nil && receiver.rec.Field(e.Method) == nil && !f.c.fields.assigned[e.Method] {
			f.c.error(f.at(e), "unknown-name", "%s%s has no function %q", f.where(), receiver.rec.Name, e.Method)
		}
	case isNumber, isBool, isFunc, isPart:
		receiver.kinds = kind
		f.c.error(f.at(e), "unknown-name", "%s%s is %s and has no function %q", f.where(), shown(e.Receiver), receiver.describe(), e.Method)
	case isClass:
		if receiver.exact && receiver.class != nil {
			f.c.error(f.at(e), "unknown-name", "%s%s is a class; functions are called on an actor of it, as self:%s(…)", f.where(), receiver.class.Name, e.Method)
		}
	case isActor:
		f.actorCall(e, receiver)
	default: // the type does not determine its members
	}
}

// actorCall checks a call of a class file's function on an actor.
func (f *flow) actorCall(e *ast.FuncCallExpr, receiver known) {
	k := receiver.class
	if k == nil || f.selfOf(e.Receiver) != nil && !f.c.scripted(receiver, e.Method) {
		return // names on self are checked separately
	}
	if fn := k.Functions[e.Method]; fn != nil {
		if fn.Kind == engine.CallLocal {
			f.event(e)
		}
		f.replicated(e, fn)
		f.surplus(e, receiver)
		return
	}
	if words.events[e.Method] {
		f.event(e)
		return
	}
	if f.c.fields.assigned[e.Method] || f.c.fields.asked[e.Method] {
		return
	}
	found := f.c.candidates(receiver, func(d *engine.Class) bool { return f.natives.hasFunction(d, e.Method) || f.c.hasPart(d, e.Method) })
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
	f.c.error(f.at(e), "unknown-name", "%s%s no function %q%s", f.where(), receiver.has(), e.Method, engine.Nearest(e.Method, list))
}

// event compares the arguments of a call with the types that an event has.
func (f *flow) event(e *ast.FuncCallExpr) {
	for _, ev := range api.Events() {
		if ev.Name != e.Method {
			continue
		}
		for i, a := range e.Args {
			if i >= len(ev.Params) {
				return
			}
			want := f.c.ofName(ev.Params[i].Type)
			want.kinds |= isNil
			if why := f.of(a).fits(want); why != "" {
				want.kinds &^= isNil
				f.report(a, "argument-type", "%s: argument %d (%s): %s", e.Method, i+1, ev.Params[i].Name, f.of(a).fits(want))
			}
		}
	}
}

// surplus warns about arguments that no function accepts that the call may reach.
func (f *flow) surplus(e *ast.FuncCallExpr, receiver known) {
	if len(e.Args) == 0 || givesSeveral(e.Args[len(e.Args)-1]) {
		return
	}
	most := 0
	takes := func(fn *engine.Function) bool {
		if fn == nil {
			return false
		}
		if fn.Spec == nil || fn.Spec.Vararg || fn.Kind != engine.CallLocal {
			return true
		}
		most = max(most, len(fn.Spec.Args))
		return len(fn.Spec.Args) >= len(e.Args)
	}
	if f.c.candidates(receiver, func(d *engine.Class) bool {
		if takes(d.Functions[e.Method]) {
			return true
		}
		for _, s := range d.States { // any order: it asks whether any accepts them
			if takes(s.Dispatch.Functions[e.Method]) {
				return true
			}
		}
		return false
	}) {
		return
	}
	f.c.warnf(f.start(e.Args[most]), "extra-argument", "%s%s: takes %s, got %d", f.where(), e.Method, arguments(most), len(e.Args))
}

// replicated checks the arguments of a function with declared types.
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

// given is an argument of a call, the n-th value of its expression.
type given struct {
	expr ast.Expr
	k    known
}

// givenBy returns the arguments from a list of expressions; open is set if further unknown ones may follow.
func (f *flow) givenBy(args []ast.Expr) (list []given, open bool) {
	for i, a := range args {
		call, several := a.(*ast.FuncCallExpr)
		if i < len(args)-1 || !givesSeveral(a) {
			list = append(list, given{a, f.of(a)})
			continue
		}
		if several {
			if entry := f.nativeOf(call); entry != nil {
				for n := range entry.Returns {
					list = append(list, given{a, f.result(call, n)})
				}
				return list, false
			}
		}
		return list, true
	}
	return list, false
}

// arguments compares a call of a native with its entry in the registry.
func (f *flow) arguments(e *ast.FuncCallExpr, args []ast.Expr, receiver known, entry *api.Function) {
	name := entry.Name
	switch entry.Space {
	case api.World, api.Store, api.Cluster:
		name = string(entry.Space) + ":" + name
	case api.Profile:
		name = string(entry.Space) + "." + name
	default:
	}
	list, open := f.givenBy(args)
	for i, p := range entry.Params {
		if p.Name == "..." {
			return
		}
		if i >= len(list) {
			if !p.Optional && !open {
				f.c.error(f.at(e), "missing-argument", "%s%s: argument %d (%s) is missing: expected %s", f.where(), name, i+1, p.Name, f.c.ofName(p.Type).describe())
			}
			return
		}
		label := fmt.Sprintf("%s: argument %d (%s)", name, i+1, p.Name)
		f.argument(list, i, label, receiver, entry)
	}
	if len(args) > len(entry.Params) && !(open && len(args) == len(entry.Params)+1) {
		f.c.warnf(f.start(args[len(entry.Params)]), "extra-argument", "%s%s: takes %s, got %d", f.where(), name, arguments(len(entry.Params)), len(args))
	}
}

// arguments formats a number of arguments.
func arguments(n int) string {
	if n == 1 {
		return "1 argument"
	}
	return strconv.Itoa(n) + " arguments"
}

// givesSeveral reports whether an expression at the end of a list may yield any number of values.
func givesSeveral(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.FuncCallExpr:
		return !e.AdjustRet
	case *ast.Comma3Expr:
		return !e.AdjustRet
	}
	return false
}

func (f *flow) argument(args []given, i int, label string, receiver known, entry *api.Function) {
	arg, k, p := args[i].expr, args[i].k, &entry.Params[i]
	want := f.c.ofName(p.Type)
	if k.kinds == isNil {
		if !p.Optional && want.kinds&(isNil|isBool) == 0 {
			f.report(arg, "argument-type", "%s: expected %s, got nil", label, want.describe())
		}
		return
	}
	if want.kinds == isBool {
		want.kinds |= isActor | isTable | isPart | isClass // tests for existence
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
	if p.Type == api.ClassName {
		f.classKind(arg, label, entry.Name)
	}
	list, ok := f.table(arg)
	if !ok {
		return
	}
	switch {
	case p.Type == api.SpawnTable && i > 0:
		if class, exact := f.classArgument(args[0].expr); class != nil {
			f.spawnTable(list, label[:strings.Index(label, ": argument")], known{kinds: isActor, class: class, exact: exact})
		}
	case p.Type == api.ItemTable && receiver.typ != nil && receiver.typ.Elem != nil:
		f.structTable(list, label, receiver.typ.Elem)
	case want.rec != nil:
		f.record(list, label, want.rec)
	}
}

// classKind checks whether a native accepts an actor's class or a component's.
func (f *flow) classKind(arg ast.Expr, label, native string) {
	class, _ := f.classArgument(arg)
	if class == nil {
		return
	}
	switch native {
	case "AddComponent":
		if !class.IsComponent() {
			f.report(arg, "argument-type", "%s: expected a class of components, got %s", label, class.Name)
		}
	case "Spawn", "SpawnEffect":
		if class.IsComponent() {
			f.report(arg, "argument-type", "%s: expected a class of actors, got %s, which is a component; AddComponent adds one", label, class.Name)
		}
	}
}

// number checks a constant if one of a family, or a whole number, is expected.
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
