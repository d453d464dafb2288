package scriptvm

import (
	"fmt"

	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm/api"
	"github.com/tidelock/tidelock/scriptvm/classfile"
)

// body returns the function of a def, or nil if there is none. For a def from before a reload it returns the
// present function in its place.
func (v *VM) body(def any) *bodyOf {
	d, ok := def.(*classfile.Def)
	if !ok || d == nil {
		return nil
	}
	if d.Program == v.program {
		return v.fns[d.Number]
	}
	if in := v.staging; in != nil && d.Program == in.program {
		return in.fns[d.Number]
	}
	if v.program == nil {
		return nil
	}
	if d = v.program.Present(d); d != nil { // somebody kept a function across a reload
		return v.fns[d.Number]
	}
	return nil
}

// makeClassTable creates the class value of scripts: a frozen table with its functions and C.super. Both are empty,
// and indexed through metatables: a client's world has more classes than actors, so the size of each matters.
func (v *VM) makeClassTable(c *class) {
	c.table, c.super = newTable(0, 0), newTable(0, 0)
	c.table.Metatable, c.super.Metatable = v.classMeta, v.superMeta
	v.classByTable[c.table], v.classByTable[c.super] = c, c
}

// thisClass returns the class whose table, or C.super, is the first argument of a metamethod. Scripts can only
// reach metamethods through such a table.
func (v *VM) thisClass(L *lua.LState) *class {
	t, _ := L.Get(1).(*lua.LTable)
	c := v.classByTable[t]
	if c == nil {
		L.RaiseError("expected a class, got a %s", typeName(L.Get(1)))
	}
	return c
}

// classMetas creates the metatables of class values and of C.super.
func (v *VM) classMetas() {
	v.classByTable = map[*lua.LTable]*class{}
	v.classMeta = newTable(0, 4)
	v.classMeta.RawSetString("__index", v.native(func(L *lua.LState) int {
		c := v.thisClass(L)
		name, _ := L.Get(2).(lua.LString)
		if name == "super" {
			L.Push(c.super)
			return 1
		}
		if t := v.dispatch(c.data, c.data.Dispatch); t != nil {
			if f := t.RawGetString(string(name)); f != lua.LNil {
				L.Push(f)
				return 1
			}
		}
		L.RaiseError("class %s has no function %q%s", c.data.Name, string(name), engine.Nearest(string(name), v.functionNames(c)))
		return 0
	}))
	v.classMeta.RawSetString("__newindex", v.native(func(L *lua.LState) int {
		c := v.thisClass(L)
		L.RaiseError("class %s cannot be changed while it runs; write function %s:%s(…) at the top level of its file", c.data.Name, c.data.Name, L.Get(2).String())
		return 0
	}))
	v.classMeta.RawSetString("__tostring", v.native(func(L *lua.LState) int {
		L.Push(lua.LString("class " + v.thisClass(L).data.Name))
		return 1
	}))
	v.classMeta.RawSetString("__metatable", lua.LString("a class's metatable is locked"))
	v.superMeta = newTable(0, 3)
	v.superMeta.RawSetString("__index", v.native(func(L *lua.LState) int {
		L.Push(v.superFunction(L, v.thisClass(L), "", L.Get(2)))
		return 1
	}))
	v.superMeta.RawSetString("__newindex", v.native(func(L *lua.LState) int {
		L.RaiseError("%s.super cannot be changed", v.thisClass(L).data.Name)
		return 0
	}))
	v.superMeta.RawSetString("__metatable", lua.LString("locked"))
}

// superFunction returns C.super.Name, in a state or outside. Every event exists on Actor, so an event that no
// ancestor defines is a function that does nothing.
func (v *VM) superFunction(L *lua.LState, c *class, state string, key lua.LValue) lua.LValue {
	name, ok := key.(lua.LString)
	parent := c.data.Parent
	if !ok {
		L.RaiseError("%s.super: expected the name of a function, got a %s", c.data.Name, typeName(key))
	}
	if state != "" {
		if f := c.data.StateSuper(state, string(name)); f != nil {
			return v.callable(f)
		}
	}
	if parent != nil {
		if f := parent.Functions[string(name)]; f != nil {
			return v.callable(f) // the function itself, and no router: a replicated call has been sent by now
		}
		if t := v.dispatch(parent, parent.Dispatch); t != nil {
			if f := t.RawGetString(string(name)); f != lua.LNil {
				return f
			}
		}
	}
	if v.events[string(name)] {
		return v.noop
	}
	from := "its parents"
	if parent == nil {
		from = "it is a root and"
	}
	L.RaiseError("%s.super.%s: %s of %s have no such function%s", c.data.Name, name, from, c.data.Name, engine.Nearest(string(name), v.functionNames(c)))
	return lua.LNil
}

// dispatch returns the function table of a class, outside or inside one of its states; nil while the class is not
// in use. It is created on first use: most classes and states have no actors, and creating all tables would take
// half of a reload.
func (v *VM) dispatch(ec *engine.Class, d *engine.Dispatch) *lua.LTable {
	if v.program == nil || ec.Set() != v.program.Classes {
		return nil
	}
	t := v.tables[d.Index]
	if t == nil {
		t = v.dispatchTable(ec, d)
		v.tables[d.Index] = t
	}
	return t
}

func (v *VM) dispatchTable(ec *engine.Class, d *engine.Dispatch) *lua.LTable {
	spaces := spacesOf(ec)
	n := len(d.Functions)
	for _, s := range spaces {
		n += len(v.methodValues[s])
	}
	t := newTable(0, n)
	for _, s := range spaces {
		for name, f := range v.methodValues[s] { // any order: scripts cannot list the table
			t.RawSetString(name, f)
		}
	}
	for name, f := range d.Functions { // any order: scripts cannot list the table
		t.RawSetString(name, v.cued(ec, name, f))
	}
	for name := range d.Ignored { // any order: scripts cannot list the table
		t.RawSetString(name, v.noop)
	}
	c := v.classes[ec.Name]
	if c.meta == nil {
		c.meta = v.dispatchMeta(c)
	}
	t.Metatable = c.meta
	return t
}

// dispatchMeta turns a call of a missing function into an error that names it. Events that no class defines do
// nothing.
func (v *VM) dispatchMeta(c *class) *lua.LTable {
	m := newTable(0, 2)
	m.RawSetString("__index", v.native(func(L *lua.LState) int {
		name, _ := L.Get(2).(lua.LString)
		if v.events[string(name)] {
			L.Push(v.noop)
			return 1
		}
		L.RaiseError("%s has no function %q%s", c.data.Name, string(name), engine.Nearest(string(name), v.functionNames(c)))
		return 0
	}))
	m.RawSetString("__metatable", lua.LString("locked"))
	v.vm.Seal(m, "a class's functions")
	return m
}

func (v *VM) functionNames(c *class) []string {
	names := c.data.FunctionNames()
	for _, f := range v.registry.Functions() {
		switch f.Space {
		case api.Actor:
			if !c.data.IsComponent() {
				names = append(names, f.Name)
			}
		case api.Component:
			if c.data.IsComponent() {
				names = append(names, f.Name)
			}
		default:
		}
	}
	return names
}

// defaultOf returns the initial value of a variable. All actors of the class share boxed class defaults.
func (v *VM) defaultOf(o *object, p *engine.Property) lua.LValue {
	switch p.Type.Kind {
	case engine.KindStruct, engine.KindArray, engine.KindFastArray:
		return &part{o, p.Whole()}
	default:
	}
	c := o.class
	if c.defaults == nil {
		c.defaults = make([]lua.LValue, len(c.bySlot))
	}
	x := c.defaults[p.Slot]
	if x == nil {
		if x = lua.LNil; p.Type.Kind != engine.KindRef { // references start as nil
			x = v.toLua(c.data.Default(p))
		}
		c.defaults[p.Slot] = x
	}
	return x
}

// missingMethod returns which similar method a receiver has, for a missing one.
func (v *VM) missingMethod(receiver lua.LValue, name string) string {
	if o := objectOf(receiver); o != nil && !o.gone {
		c := o.class.data
		if p := c.Property(name); p != nil {
			return fmt.Sprintf("; %s is a variable of %s (%s)", name, c.Name, p.Type)
		}
		return fmt.Sprintf("; %s has no function %q%s", c.Name, name, engine.Nearest(name, v.functionNames(o.class)))
	}
	t, ok := receiver.(*lua.LTable)
	if !ok || v.classOf(t) != nil {
		return ""
	}
	var names []string
	each(t, func(k, x lua.LValue) {
		if name, ok := k.(lua.LString); ok && x.Type() == lua.LTFunction && len(names) < maxNames {
			names = append(names, string(name))
		}
	})
	return engine.Nearest(name, names)
}

// callable returns what scripts call for a function.
func (v *VM) callable(f *engine.Function) *lua.LFunction {
	if b := v.runnable(f); b != nil {
		return b.fn
	}
	for _, s := range spacesOf(f.Class) {
		if fn := v.methodValues[s][f.Name]; fn != nil {
			return fn // of the engine, which it overrode
		}
	}
	return v.noop
}

// spacesOf returns the natives of actors of a class, later namespaces first.
func spacesOf(ec *engine.Class) []api.Namespace {
	spaces := []api.Namespace{api.Actor}
	if ec.IsComponent() {
		spaces = []api.Namespace{api.Component}
	}
	if ec.IsController() {
		spaces = append(spaces, api.Controller)
	}
	if ec.IsPlayerController() {
		spaces = append(spaces, api.PlayerController)
	}
	return spaces
}
