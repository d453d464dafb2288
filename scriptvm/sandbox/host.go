package sandbox

import (
	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/engine/count"
)

// SetTypeMetatable sets one metatable for all values of a type without individual ones (not a table, not a
// *lua.LUserData), given by an example: a host adds kinds of values of its own to Lua with it.
func (vm *VM) SetTypeMetatable(example lua.LValue, meta *lua.LTable) {
	vm.root.SetMetatable(example, meta)
}

// NewPlainFunction is NewFunction without the guard: for natives of the hot path. A panic in one is not reported to
// OnPanic; its call fails with KindPanic.
func (vm *VM) NewPlainFunction(fn lua.LGFunction) *lua.LFunction {
	return vm.root.NewFunction(counted(fn))
}

// counted returns a native that is counted, in a build that counts.
func counted(fn lua.LGFunction) lua.LGFunction {
	if !count.On {
		return fn
	}
	return func(L *lua.LState) int {
		count.Add(count.Natives, 1)
		return fn(L)
	}
}

// Line returns the line of the script at which a suspended thread is, 0 if it is not in one: together with the
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
