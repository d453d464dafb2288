package sandbox

import lua "github.com/yuin/gopher-lua"

// SetTypeMetatable gives all values of a type that has no metatable of its own (not a table, not a
// *lua.LUserData) one metatable, by an example of the type: how a host adds values of its own to Lua.
func (vm *VM) SetTypeMetatable(example lua.LValue, meta *lua.LTable) {
	vm.root.SetMetatable(example, meta)
}

// NewPlainFunction is NewFunction without the guard: for natives of the hot path. A panic in one is not
// told to OnPanic; the call that it was in fails with KindPanic.
func (vm *VM) NewPlainFunction(fn lua.LGFunction) *lua.LFunction { return vm.root.NewFunction(fn) }

// Line is the line of the script at which a suspended thread stands, 0 where it is not in one: with the
// number of its resumes, its position.
func (t *Thread) Line() int {
	for level := 0; level < coroutineDepth; level++ {
		d, ok := t.state.GetStack(level)
		if !ok {
			break
		}
		if _, err := t.state.GetInfo("Sl", d, lua.LNil); err == nil && d.CurrentLine > 0 && d.Source != "thread" {
			return d.CurrentLine
		}
	}
	return 0
}
