package scriptvm

import "github.com/yuin/gopher-lua"

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
