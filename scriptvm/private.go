package scriptvm

import (
	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/scriptvm/classfile"
)

// An actor's private fields, those that its class does not declare, belong to its class: only functions of that
// class and of its parents write them (G8), because what is stored in them is charged to the class. Core is
// trusted, and a module counts like the classes of its layer. Files of other layers assign through store wherever
// the table may be an actor, because a Lua table accepts a key that it already has without calling a metamethod.

// storeNative is (store)(table, key, value): an assignment as the script wrote it, except for actors, whose
// declared variables are checked and whose slots cannot be reached by number.
func (v *VM) storeNative(L *lua.LState) int {
	t, ok := L.Get(1).(*lua.LTable)
	if !ok {
		L.SetTable(L.Get(1), L.Get(2), L.Get(3)) // a value of ours, or an error
		return 0
	}
	if t.Metatable == v.actorMeta {
		if o := objectOf(t); o != nil {
			v.assignActor(L, o, L.Get(2), L.Get(3))
			return 0
		}
	}
	if t.Metatable == lua.LNil {
		L.RawSet(t, L.Get(2), L.Get(3))
		return 0
	}
	L.SetTable(t, L.Get(2), L.Get(3))
	return 0
}

// mayOwn raises an error if the running function may not write a private field of an actor.
func (v *VM) mayOwn(L *lua.LState, o *object, name string) {
	if v.program == nil || v.staging != nil {
		return
	}
	fn, _ := v.vm.Frame(L, 1)
	if fn == nil {
		return // the host's own
	}
	file, def := v.program.CodeOf(fn.Proto)
	if file == nil || file.Trust.Layer == classfile.LayerCore {
		return
	}
	class := o.class.data
	if owner := v.trustOfClass(class); owner == file.Trust && owner.Layer == classfile.LayerGame || owner.Layer == classfile.LayerCore && file.Trust.Layer == classfile.LayerGame {
		return // the operator's own scripts, like the game's, trust each other
	}
	if def != nil {
		if c := v.program.Classes.Find(def.Class); c != nil && class.Descends(c) {
			return
		}
	} else {
		for up := class; up != nil; up = up.Parent {
			if f := v.program.File(up.Spec.Pos.File); f == file || f != nil && file.Lib != "" && f.Trust == file.Trust {
				return
			}
		}
	}
	L.RaiseError("%s.%s: only functions of class %s and its parents write its private fields; declare %s in %s.properties, or call a function of %s that sets it",
		class.Name, name, class.Name, name, class.Name, class.Name)
}
