package scriptvm

import (
	"fmt"

	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/engine"
)

// Plain values: those that can leave a VM.

// maxTableDepth bounds the nesting of a plain table that is copied from one VM to another.
const maxTableDepth = 16

// Export converts a value of this VM: plain values, vectors and rotators unchanged, actors through handle, classes
// to their name, arrays, structs and plain tables by value.
func (v *VM) Export(x lua.LValue, handle func(*engine.Actor) lua.LValue) (lua.LValue, error) {
	return v.export(x, handle, 0)
}

func (v *VM) export(x lua.LValue, handle func(*engine.Actor) lua.LValue, depth int) (lua.LValue, error) {
	if depth > maxTableDepth {
		return lua.LNil, fmt.Errorf("a table is nested more than %d deep, or holds itself", maxTableDepth)
	}
	switch x := x.(type) {
	case *lua.LNilType, lua.LBool, lua.LNumber, lua.LString, vec, rot:
		return x, nil
	case *part:
		return v.export(v.plainPart(x), handle, depth)
	case *lua.LTable:
		if o := objectOf(x); o != nil {
			return handle(o.actor), nil
		}
		if c := v.classOf(x); c != nil {
			return lua.LString(c.data.Name), nil
		}
		return copyTable(x, func(e lua.LValue) (lua.LValue, error) { return v.export(e, handle, depth+1) })
	}
	return lua.LNil, fmt.Errorf("a %s cannot leave its script", typeName(x))
}

// Import converts a value of a scenario to this VM. actor converts what represents an actor to the actor of this
// world; it returns false for every other value.
func (v *VM) Import(x lua.LValue, actor func(lua.LValue) (*engine.Actor, bool, error)) (lua.LValue, error) {
	return v.importValue(x, actor, 0)
}

func (v *VM) importValue(x lua.LValue, actor func(lua.LValue) (*engine.Actor, bool, error), depth int) (lua.LValue, error) {
	if depth > maxTableDepth {
		return lua.LNil, fmt.Errorf("a table is nested more than %d deep, or holds itself", maxTableDepth)
	}
	a, ok, err := actor(x)
	switch {
	case err != nil:
		return lua.LNil, err
	case ok && a == nil:
		return lua.LNil, nil
	case ok:
		return luaActor(a), nil
	}
	switch x := x.(type) {
	case *lua.LNilType, lua.LBool, lua.LNumber, lua.LString, vec, rot:
		return x, nil
	case *lua.LTable:
		return copyTable(x, func(e lua.LValue) (lua.LValue, error) { return v.importValue(e, actor, depth+1) })
	}
	return lua.LNil, fmt.Errorf("a %s cannot go into a peer's script", typeName(x))
}

// copyTable copies a table's pairs in their order, which pairs(…) depends on.
func copyTable(t *lua.LTable, f func(lua.LValue) (lua.LValue, error)) (lua.LValue, error) {
	out := newTable(t.Len(), 0)
	for k, x := t.Next(lua.LNil); k != lua.LNil; k, x = t.Next(k) {
		key, err := f(k)
		if err != nil {
			return lua.LNil, err
		}
		val, err := f(x)
		if err != nil {
			return lua.LNil, err
		}
		if key != lua.LNil { // an actor that the other side does not have
			out.RawSet(key, val)
		}
	}
	return out, nil
}

// plainPart returns an array or a struct as a plain table, a fast array as a table by key.
func (v *VM) plainPart(p *part) lua.LValue {
	if p.object.gone {
		return lua.LNil
	}
	if p.part.Type.Kind == engine.KindFastArray {
		out := newTable(0, 0)
		items := p.object.actor.Fast(p.part.Prop).Items()
		for i := range items {
			out.RawSetInt(int(items[i].Key), v.toLuaTyped(p.part.Type.Elem, p.object.actor.FastValue(p.part.Prop, &items[i])))
		}
		return out
	}
	return v.toLuaTyped(p.part.Type, p.object.actor.GetPart(p.part))
}
