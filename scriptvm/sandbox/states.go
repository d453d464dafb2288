package sandbox

import (
	"errors"

	lua "github.com/yuin/gopher-lua"
)

// Each call from Go, and each pcall, runs on a state of its own from a small pool. In gopher-lua an error closes
// all captured variables of its state, not only those of the frames it leaves:
//
//	local x = 0
//	local f = function() return x end
//	pcall(error, "e")
//	x = 5
//	return f() -- 0 in gopher-lua, 5 in Lua and here
//
// so an error must not share a state with frames that are still in use. It costs a few nanoseconds, because the
// states are reused (TestPcallKeepsClosures, BenchmarkPcall).

// errNesting: scripts and natives call each other too deeply.
var errNesting = errors.New("too many calls nested through natives, pcall and coroutines")

// enter takes the next state. name is its purpose, for errors about yields.
func (vm *VM) enter(name string) (*lua.LState, error) {
	if vm.nesting >= maxNesting {
		return nil, &Error{Kind: KindScript, Message: errNesting.Error(), cause: errNesting}
	}
	if vm.nesting++; vm.nesting == 1 && vm.options.Enter != nil {
		vm.options.Enter()
	}
	if vm.inUse == len(vm.states) {
		vm.states = append(vm.states, vm.newState(lua.Options{
			CallStackSize: callDepth, RegistrySize: registryStart,
			RegistryMaxSize: registryMax, RegistryGrowStep: registryGrow, IncludeGoStackTrace: false,
		}))
		vm.names = append(vm.names, "")
	}
	L := vm.states[vm.inUse]
	vm.names[vm.inUse] = name
	vm.inUse++
	vm.current, vm.root.G.CurrentThread = L, L
	return L, nil
}

// leave returns the state. One that ended in a panic of gopher-lua's own may still hold captured variables, so it
// is not reused.
func (vm *VM) leave(failure error) {
	vm.nesting--
	vm.inUse--
	if failure != nil {
		var api *lua.ApiError // in here, as it escapes
		if vm.spoilt || errors.As(failure, &api) && api.Type == lua.ApiErrorPanic {
			vm.spoilt = false
			vm.states = vm.states[:vm.inUse]
			vm.names = vm.names[:vm.inUse]
		}
	}
	vm.current = nil
	switch {
	case vm.thread != nil && vm.thread.base == vm.inUse:
		vm.current = vm.thread.state
	case vm.inUse > 0:
		vm.current = vm.states[vm.inUse-1]
	}
	vm.root.G.CurrentThread = vm.current
	if vm.current == nil {
		vm.root.G.CurrentThread = vm.root
	}
}

// newState creates a state that shares everything with the others and counts against the budget.
func (vm *VM) newState(options lua.Options) *lua.LState {
	vm.root.Options = options
	L, _ := vm.root.NewThread() // root has no context, so no context.WithCancel
	L.SetContext(vm.budget)
	return L
}
