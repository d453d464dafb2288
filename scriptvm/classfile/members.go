package classfile

import (
	"fmt"
	"slices"
	"sort"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm/api"
	"github.com/tidelock/tidelock/scriptvm/syntax"
	"github.com/yuin/gopher-lua/ast"
)

// spaces maps values to the namespace of the registry that has their members.
var spaces = map[kinds]api.Namespace{isVector: api.Vector, isRotator: api.Rotator, isWorld: api.World, isStore: api.Store, isCluster: api.Cluster, isProfile: api.Profile, isFast: api.FastArray, isCanvas: api.Canvas}

// read checks a member of a value whose members are known.
func (f *flow) read(e *ast.AttrGetExpr, at *syntax.Path) {
	if at.Role == syntax.RoleTarget {
		return
	}
	o := f.of(e.Object)
	_, name, ok := attr(e)
	if !ok {
		f.index(e, o)
		return
	}
	switch kind := o.kinds &^ isNil; kind {
	case isVector, isRotator, isWorld, isStore, isCluster, isProfile, isFast, isCanvas:
		names := f.natives.Members(spaces[kind])
		if !contains(names, name) {
			o.kinds = kind
			f.c.error(f.at(e), "unknown-name", "%s%s has no member %s%s", f.where(), o.describe(), name, engine.Nearest(name, names))
		}
	case isPart:
		f.partMember(e, o, name)
	case isTable:
		if o.rec != nil && o.rec.Field(name) == nil && !f.c.fields.assigned[name] {
			f.c.error(f.at(e), "unknown-name", "%s%s has no member %s%s", f.where(), o.rec.Name, name, engine.Nearest(name, o.rec.Names()))
		}
		if o.elem != nil && !f.assignsMember(e.Object, name) {
			f.c.error(f.at(e), "unknown-name", "%s%s is a list and has no member %s; expected an index, or a loop over ipairs(…)", f.where(), shown(e.Object), name)
		}
	case isActor:
		if f.selfOf(e.Object) == nil && !f.mayHave(o, name) && !f.c.fields.assigned[name] && !f.c.fields.asked[name] {
			f.unknownMember(e, o, name)
		}
	case isNumber, isBool, isFunc:
		o.kinds = kind
		f.c.error(f.at(e), "operation", "%s%s is %s and has no members", f.where(), shown(e.Object), o.describe())
	default: // the type does not determine its members
	}
}

// assignsMember reports whether the file assigns a member of that name to a local.
func (f *flow) assignsMember(e ast.Expr, name string) bool {
	s := f.symbol(e)
	return s != nil && slices.ContainsFunc(f.members[s], func(m entry) bool { return m.name == name || m.name == "" })
}

// shown returns an expression for a message: its name, or that it is a value.
func shown(e ast.Expr) string {
	if d := dotted(e); d != "" {
		return d
	}
	return "the value"
}

// index checks a[b] if b is not a name.
func (f *flow) index(e *ast.AttrGetExpr, o known) {
	k := f.of(e.Key)
	switch {
	case o.kinds == isPart && o.typ.Kind == engine.KindArray:
		n := k.value.Num
		if k.kinds == isNumber && k.text != "" && (n != float64(int(n)) || n < 1 || int(n) > o.typ.Len) {
			f.c.error(f.at(e), "operation", "%s%s: index %v is outside 1…%d", f.where(), shown(e.Object), n, o.typ.Len)
		}
	case o.kinds == isFast:
		f.c.error(f.at(e), "operation", "%s%s is a fastarray; expected %s:Get(key) for one item, or %s:Pairs() for all", f.where(), shown(e.Object), shown(e.Object), shown(e.Object))
	case o.kinds&^isNil == isVector || o.kinds&^isNil == isRotator:
		if k.kinds == isNumber {
			o.kinds &^= isNil
			f.c.error(f.at(e), "operation", "%s%s: %s has no elements; expected one of %v", f.where(), shown(e.Object), o.describe(), f.natives.Members(spaces[o.kinds])[:3])
		}
	}
}

// partMember checks a.name if a is an array or a struct of an actor.
func (f *flow) partMember(e ast.Expr, o known, name string) {
	switch {
	case o.typ.Kind == engine.KindArray:
		f.c.error(f.at(e), "unknown-name", "%san array has no member %s; expected an index from 1 to %d", f.where(), name, o.typ.Len)
	case o.typ.Kind == engine.KindStruct && o.typ.FieldNamed(name) == nil:
		names := make([]string, len(o.typ.Fields))
		for i := range o.typ.Fields {
			names[i] = o.typ.Fields[i].Name
		}
		f.c.error(f.at(e), "unknown-name", "%sthe struct has no member %s%s", f.where(), name, engine.Nearest(name, names))
	}
}

// mayHave reports whether an actor can have a member: declared, a function, a component, or assigned by its own functions.
func (f *flow) mayHave(o known, name string) bool {
	if o.class == nil || f.c.parts[""][name] {
		return true
	}
	return f.c.candidates(o, func(d *engine.Class) bool {
		return d.Property(name) != nil || f.natives.hasFunction(d, name) || f.c.hasPart(d, name) || f.c.assigns(d, name)
	})
}

// unknownMember reports a member that no actor of a class has.
func (f *flow) unknownMember(e ast.Expr, o known, name string) {
	f.c.error(f.at(e), "unknown-name", "%s%s no variable %s%s", f.where(), o.has(), name, engine.Nearest(name, f.variablesOf(o)))
}

// has returns the beginning of a message about what actors of a class lack: "Rifle has", or for one that may have a
// child class "Pawn and its children have".
func (k known) has() string {
	if k.exact {
		return k.class.Name + " has"
	}
	return k.class.Name + " and its children have"
}

// variablesOf returns the names of all variables that an actor may have by its declarations, sorted.
func (f *flow) variablesOf(o known) []string {
	names := map[string]bool{}
	f.c.candidates(o, func(d *engine.Class) bool {
		for _, n := range d.PropertyNames() {
			names[n] = true
		}
		for i := range d.Components {
			names[d.Components[i].Name] = true
		}
		return false
	})
	list := make([]string, 0, len(names))
	for n := range names { // any order: they are sorted below
		list = append(list, n)
	}
	sort.Strings(list)
	return list
}

// assign checks an assignment to a member.
func (f *flow) assign(target, value ast.Expr) {
	obj, name, ok := attr(target)
	if !ok {
		a, isIndex := target.(*ast.AttrGetExpr)
		if !isIndex {
			return
		}
		o := f.of(a.Object)
		f.index(a, o)
		if o.kinds == isPart && o.typ.Kind == engine.KindArray {
			f.value(value, dotted(a.Object)+"[…]", "type-error", f.of(value), o.typ.Elem)
		}
		return
	}
	o := f.of(obj)
	label := name
	if d := dotted(target); d != "" {
		label = d
	}
	switch kind := o.kinds &^ isNil; kind {
	case isVector, isRotator:
		if o.kinds&isNil == 0 {
			f.report(target, "read-only", "%s: %s cannot be changed in place; assign a new one: … = %s:With{ %s = … }", label, o.describe(), dotted(obj), name)
		}
	case isWorld, isStore, isCluster, isProfile, isCanvas:
		f.report(target, "read-only", "%s cannot be assigned", label)
	case isFast:
		f.report(target, "read-only", "%s: a fastarray cannot be assigned to; expected Add, Set and Remove", label)
	case isPart:
		if m := o.typ.FieldNamed(name); o.typ.Kind == engine.KindStruct && m != nil {
			f.value(value, label, "type-error", f.of(value), m.Type)
		} else {
			f.partMember(target, o, name)
		}
	case isActor:
		if o.class != nil {
			f.assignActor(target, obj, value, o, name, label)
		}
	case isNumber, isString, isBool, isFunc:
		o.kinds = kind
		f.report(target, "operation", "%s: %s has no members", label, o.describe())
	default: // the type does not determine its members
	}
}

// assignActor checks an assignment to a member of an actor of a class.
func (f *flow) assignActor(target, obj, value ast.Expr, o known, name, label string) {
	own := f.selfOf(obj) != nil
	p := o.class.Property(name)
	if p == nil {
		if own {
			f.assignSlip(target, o, name)
		} else {
			f.assignUnknown(target, o, name)
		}
		return
	}
	if p.Native != nil && p.Native.ReadOnly() && !own {
		f.report(target, "read-only", "%s is set by the engine and cannot be assigned", label)
		return
	}
	if _, ok := constantOf(value); ok && own && p.Type.Kind != engine.KindClass {
		return // checked by name, at every load
	}
	f.value(value, label, "type-error", f.of(value), p.Type)
}

// assignUnknown checks an assignment to an undeclared member of an actor other than self. Scripts may store private
// values there: it reports what looks like a misspelt declared name, or is never read.
func (f *flow) assignUnknown(target ast.Expr, o known, name string) {
	if f.mayHave(o, name) {
		return
	}
	near := engine.Nearest(name, f.variablesOf(o))
	if near == "" && f.c.fields.read[name] {
		return
	}
	if near == "" {
		near = fmt.Sprintf(", and nothing reads %s", name)
	}
	f.c.error(f.at(target), "unknown-name", "%s%s no variable %s%s", f.where(), o.has(), name, near)
}

// assignSlip checks an assignment to an undeclared member of self, where scripts may store private values: it
// reports what looks like a misspelt declared name and is never read.
func (f *flow) assignSlip(target ast.Expr, o known, name string) {
	if f.c.fields.read[name] || f.natives.hasFunction(o.class, name) || f.c.hasPart(o.class, name) || words.connection[name] {
		return
	}
	if near := engine.Nearest(name, o.class.PropertyNames()); near != "" {
		f.c.error(f.at(target), "unknown-name", "%s%s has no variable %s, and nothing reads it%s", f.where(), o.class.Name, name, near)
	}
}
