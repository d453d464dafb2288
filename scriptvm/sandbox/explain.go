package sandbox

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// gopher-lua reports which kinds of values a failed operation had, but not which of the script's variables held
// them. That is only known while the frames of the script exist, in the function that its PCall calls with the
// error (the message handler of Lua's xpcall). So every protected call has one: raised. It costs nothing until an
// error is raised.

// Fault is an error at the moment it is raised.
type Fault struct {
	// Fn is the running function of the script, and PC the index of the instruction in its code.
	Fn *lua.LFunction
	PC int
	// Native: a native that Fn called raised it, not the instruction itself.
	Native bool
	// Message is what was raised, without the position in front.
	Message string

	state         *lua.LState
	debug, native *lua.Debug
}

// Argument returns the i-th argument of the native that raised the error, from 1; nil if there is none, or Native
// is false.
func (f *Fault) Argument(i int) lua.LValue {
	if f.native == nil {
		return lua.LNil
	}
	_, value := f.state.GetLocal(f.native, i)
	return value
}

// Callee returns the native that raised the error, nil where Native is false.
func (f *Fault) Callee() lua.LValue {
	if f.native == nil {
		return nil
	}
	value, err := f.state.GetInfo("f", f.native, lua.LNil)
	if err != nil {
		return nil
	}
	return value
}

// Tag returns the tag of the native that raised the error, nil if it has none.
func (f *Fault) Tag() lua.LValue {
	if f.native == nil {
		return nil
	}
	value, err := f.state.GetInfo("f", f.native, lua.LNil)
	if fn, ok := value.(*lua.LFunction); ok && err == nil && fn.IsG && len(fn.Upvalues) > 0 {
		return fn.Upvalues[0].Value()
	}
	return nil
}

// Register returns the value in a register of Fn's frame, nil beyond its last.
func (f *Fault) Register(n int) lua.LValue {
	_, value := f.state.GetLocal(f.debug, n+1)
	return value
}

// Frame returns the function of the script at a level of a running state, from 0 for the native that runs, and the
// index of its present instruction; fn is nil if the level has none.
func (vm *VM) Frame(L *lua.LState, level int) (fn *lua.LFunction, pc int) {
	debug, ok := L.GetStack(level)
	if !ok {
		return nil, 0
	}
	value, err := L.GetInfo("f", debug, lua.LNil)
	fn, ok = value.(*lua.LFunction)
	if err != nil || !ok || fn.IsG {
		return nil, 0
	}
	return fn, vm.layout.place(debug)
}

// place returns the index of a frame's instruction, -1 for a native.
func (l *layout) place(debug *lua.Debug) int {
	frame := reflect.ValueOf(debug).Elem().Field(l.frame)
	if frame.IsNil() || frame.Elem().Field(l.fn).Elem().FieldByName("IsG").Bool() {
		return -1
	}
	return int(frame.Elem().Field(l.pc).Int()) - 1
}

// below returns the value that was on top of a state's stack before the running native, level 0, was called.
func (l *layout) below(L *lua.LState) lua.LValue {
	own, ok := L.GetStack(0)
	debug, ok2 := L.GetStack(1)
	if !ok || !ok2 {
		return nil
	}
	frame := reflect.ValueOf(own).Elem().Field(l.frame).Elem()
	outer := reflect.ValueOf(debug).Elem().Field(l.frame).Elem()
	name, value := L.GetLocal(debug, int(frame.Field(l.base).Int()-outer.Field(l.localBase).Int()))
	if name == "" {
		return nil
	}
	return value
}

// protected is gopher-lua's PCall with raised as the message handler.
func (vm *VM) protected(L *lua.LState, nargs, nret int) (failure error) {
	defer func() {
		// No room was left even to call the handler. The frames still exist: leave drops the state.
		if r := recover(); r != nil {
			api, ok := r.(*lua.ApiError)
			if !ok {
				api = &lua.ApiError{Type: lua.ApiErrorPanic, Object: lua.LString(fmt.Sprint(r))}
			}
			vm.spoilt, vm.panicked = true, false
			failure = api
		}
	}()
	failure = L.PCall(nargs, nret, vm.handler)
	if failure == nil {
		return nil
	}
	var api *lua.ApiError
	if errors.As(failure, &api) {
		api.StackTrace = withoutHandler(api.StackTrace)
		if vm.panicked {
			api.Type = lua.ApiErrorPanic
		}
	}
	vm.panicked = false
	return failure
}

// withoutHandler removes the handler's own line from a stack trace: the first after the heading.
func withoutHandler(trace string) string {
	heading, rest, _ := strings.Cut(trace, "\n")
	if line, after, found := strings.Cut(rest, "\n"); found && strings.HasPrefix(strings.TrimSpace(line), "[G]:") {
		return heading + "\n" + after
	}
	return trace
}

// raised receives each error that ends a protected call, while the frames exist, and raises it again in the
// script's terms. Raising also closes the captured variables, which gopher-lua leaves to the handler.
func (vm *VM) raised(L *lua.LState) int {
	value := L.Get(1)
	// An error of a script or a native is on the stack, or has a position in front; a Go panic has neither.
	if text, ok := value.(lua.LString); ok && !hasPlace(string(text)) {
		below := vm.layout.below(L)
		vm.panicked = below != nil && below != value
	}
	value = vm.explained(L, value, 1)
	vm.capture(L, 1, value)
	L.Error(value, 0)
	return 0
}

// explained returns an error as it is shown: with the names of the variables if Options.Explain knows them. level
// is that of the frame that raised it.
func (vm *VM) explained(L *lua.LState, value lua.LValue, level int) lua.LValue {
	text, ok := value.(lua.LString)
	if !ok || vm.options.Explain == nil {
		return value
	}
	file, line, message := SplitPlace(strings.TrimPrefix(string(text), " "))
	if file == "" {
		return value
	}
	f := Fault{Message: message, state: L}
	f.Fn, f.PC = vm.Frame(L, level)
	if f.Fn == nil {
		f.Native = true
		f.native, _ = L.GetStack(level)
		level++
		f.Fn, f.PC = vm.Frame(L, level)
	}
	if f.Fn == nil {
		return value
	}
	f.debug, _ = L.GetStack(level)
	if vm.budget.reason != nil {
		return value // the instruction is not wrong, it is one too many
	}
	if better := vm.options.Explain(&f); better != "" {
		return lua.LString(fmt.Sprintf("%s:%d: %s", file, line, better))
	}
	return value
}

func hasPlace(text string) bool {
	file, _, _ := SplitPlace(text)
	return file != ""
}
