package scriptvm

import (
	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm/api"
	"github.com/tidelock/tidelock/scriptvm/classfile"
)

// bodyOf is this VM's function for a def of the loader, with its class. It stays the same across reloads as long as
// its file does.
type bodyOf struct {
	fn    *lua.LFunction
	class *class
	def   *classfile.Def // of the present program, updated on first use, see VM.defOf
	duty  duty           // see quarantine.go
	// called is the world time of the engine's last call, if wasCalled.
	called    float64
	wasCalled bool
	strikes   []float64 // world times of the latest faults
	// mirrored: disabled because the server has disabled it (mirror.go).
	mirrored bool
	// rested is how many seconds a function of core rested last, and until when.
	rested, until float64
}

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

// adopt puts a program into use whose files were run. Values of existing classes stay the same tables, and so do
// the function tables of untouched classes: actors hold them, and a reload does not touch most classes of a game.
func (v *VM) adopt(s *staged, touched map[string]bool) {
	before, tables := v.program, v.tables
	v.program, v.fns = s.program, s.fns
	cs := v.program.Classes
	for _, ec := range cs.All() {
		c := v.classes[ec.Name]
		if c == nil {
			c = &class{}
			v.classes[ec.Name] = c
			v.makeClassTable(c)
		}
		c.data, c.bySlot, c.choosy = ec, ec.BySlot(), choosy(ec)
		c.defaults, c.stateSupers = nil, nil
	}
	for name := range v.classes { // any order: removed ones are dropped
		if cs.Find(name) == nil {
			delete(v.classes, name)
		}
	}
	v.keepAccounts(before)
	v.keepMemory()
	v.rebindRouters()
	v.tables = make([]*lua.LTable, cs.Dispatches())
	if before == nil {
		return
	}
	for _, ec := range cs.All() {
		old := before.Classes.Find(ec.Name)
		if old == nil || touched[ec.Name] {
			continue
		}
		v.tables[ec.Dispatch.Index] = tables[old.Dispatch.Index]
		for name, state := range ec.States { // any order: each has a place of its own
			if was := old.States[name]; was != nil {
				v.tables[state.Dispatch.Index] = tables[was.Dispatch.Index]
			}
		}
	}
}

// makeClassTable creates the class value of scripts: a frozen table with its functions and C.super. Both are empty,
// and indexed through metatables: a client's world has more classes than actors, so the size of each matters.
func (v *VM) makeClassTable(c *class) {
	c.table, c.super = newTable(0, 0), newTable(0, 0)
	c.table.Metatable, c.super.Metatable = v.classMeta, v.superMeta
	v.classByTable[c.table], v.classByTable[c.super] = c, c
}

// classOf returns the class of a script's class value, or nil.
func (v *VM) classOf(t *lua.LTable) *class {
	if c := v.classByTable[t]; c != nil && c.table == t {
		return c
	}
	return nil
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

// stateSuper is (ssuper)(C, state): the value of C.super inside a function of a state.
func (v *VM) stateSuper(L *lua.LState) int {
	t, _ := L.Get(1).(*lua.LTable)
	var c *class
	if t != nil {
		c = v.classOf(t)
	}
	if c == nil {
		L.RaiseError("super: expected a class, got a %s", typeName(L.Get(1)))
	}
	state := checkString(L, 2)
	s := c.stateSupers[state]
	if s == nil {
		s = newTable(0, 0)
		meta := newTable(0, 2)
		meta.RawSetString("__index", v.native(func(L *lua.LState) int {
			L.Push(v.superFunction(L, c, state, L.Get(2)))
			return 1
		}))
		meta.RawSetString("__metatable", lua.LString("locked"))
		s.Metatable = meta
		if c.stateSupers == nil {
			c.stateSupers = map[string]*lua.LTable{}
		}
		c.stateSupers[state] = s
	}
	L.Push(s)
	return 1
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

// hasFunction reports whether an actor's class has a function with that name, in its state or outside.
func (v *VM) hasFunction(o *object, name string) bool {
	if o.actor.Dispatch.Functions[name] != nil || o.class.data.Functions[name] != nil {
		return true
	}
	return o.dispatch().RawGetString(name) != lua.LNil
}

// Attach creates the table of a new actor.
func (v *VM) Attach(a *engine.Actor) {
	c := v.classes[a.Class.Name]
	o := &object{actor: a, class: c, vm: v}
	// With the first name, gopher-lua makes room for 32, which takes 3 KB; with the number given in advance, the
	// table takes only what it needs.
	o.table = newTable(len(c.bySlot)+slotOffset-1, c.own)
	o.table.RawSetInt(slotObject, o)
	o.table.RawSetInt(slotDispatch, v.dispatch(a.Class, a.Dispatch))
	for i := 1; i < len(c.bySlot); i++ {
		if p := c.bySlot[i]; p != nil {
			o.table.RawSetInt(i+slotOffset, v.defaultOf(o, p))
		} else {
			o.table.RawSetInt(i+slotOffset, lua.LNil)
		}
	}
	o.table.Metatable = v.actorMeta
	a.Script = o
	v.notePast(a)
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

// Detach empties a destroyed actor's table: reading a variable then finds nothing and reaches the metatable, which
// reports that the actor is destroyed.
func (v *VM) Detach(a *engine.Actor) {
	delete(v.past.refused, a.ID())
	delete(v.moveBooks, a.ID())
	o, _ := a.Script.(*object)
	if o == nil {
		return
	}
	v.stopLatent(o)
	o.stack = nil
	o.gone = true
	for i := slotDispatch; i <= len(o.class.bySlot)+slotOffset-1; i++ {
		o.table.RawSetInt(i, lua.LNil)
	}
}

// Changed refreshes the script's read copy of a variable that the engine set.
func (v *VM) Changed(a *engine.Actor, p *engine.Property) {
	if o, _ := a.Script.(*object); o != nil && !o.gone {
		v.refresh(o, p)
	}
}

// StateChanged switches the functions that an actor's scripts see, and its latent code.
func (v *VM) StateChanged(a *engine.Actor, old *engine.State, how engine.StateChange) {
	o := a.Script.(*object)
	o.table.RawSetInt(slotDispatch, v.dispatch(a.Class, a.Dispatch))
	switch how {
	case engine.StateEntered:
		v.stopLatent(o)
		v.startLatent(o)
	case engine.StatePushed:
		v.parkLatent(o)
		v.startLatent(o)
	case engine.StatePopped:
		v.stopLatent(o)
		v.unparkLatent(o)
	}
}
