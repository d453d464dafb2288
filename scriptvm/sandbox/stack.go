package sandbox

import lua "github.com/yuin/gopher-lua"

// Frame is one function of a script that was on the stack when an error occurred.
type Frame struct {
	Proto *lua.FunctionProto
	// PC is the index of its present instruction in the code.
	PC int
	// Line is that instruction's line, 0 if the code has none.
	Line int
	// Outer frames belong to a call around the failed one: a script spawned an actor, and an event of the new actor
	// failed.
	Outer bool
}

// maxFrames bounds the frames that an error keeps: those within maxFrames/2 of either end. The culprit may be at
// any depth, but the middle of an endless recursion contains nothing new.
const maxFrames = 128

// trace is the stack of the error that was raised last, until it is taken.
type trace struct {
	frames []Frame
	// value is what was raised; an error of a coroutine that coroutine.wrap raises again is the same value and
	// keeps its frames.
	value lua.LValue
	// spent: the call's budget is spent, so that every instruction from here to the engine raises it again.
	spent bool
}

// capture stores the frames of the error that a running state raises. skip is the number of levels above it that
// belong to the host. An error inside pcall is caught, so its frames are not needed.
func (vm *VM) capture(L *lua.LState, skip int, value lua.LValue) {
	spent := vm.budget.reason != nil
	if vm.trace.frames != nil && (vm.trace.value == value && vm.threads[L] == nil || spent && vm.trace.spent) {
		return // raised again by coroutine.wrap, or by everything
	}
	for i := vm.inUse - 1; i >= 0; i-- {
		if vm.names[i] == "" {
			break
		}
		if vm.names[i] == pcallName && !spent {
			vm.trace = trace{}
			return
		}
	}
	var frames []Frame
	inside := true // of the call that fails
	vm.eachState(func(state *lua.LState, name string) {
		frames = vm.appendFrames(frames, state, skip, !inside)
		skip = 0
		if name == "" || name == stateCodeName {
			inside = false
		}
	})
	if n := len(frames) - maxFrames; n > 0 {
		frames = append(frames[:maxFrames/2], frames[maxFrames/2+n:]...)
	}
	vm.trace = trace{frames, value, spent}
}

// takeTrace returns the frames of the error that ended a call, and forgets them.
func (vm *VM) takeTrace() []Frame {
	frames := vm.trace.frames
	vm.trace = trace{}
	return frames
}

// eachState visits the states with active calls, innermost first, with their purpose: "" for the engine, "thread"
// for a coroutine or state code.
func (vm *VM) eachState(visit func(state *lua.LState, name string)) {
	t := vm.thread
	for i := vm.inUse - 1; i >= 0 || t != nil; {
		if t != nil && t.base > i {
			visit(t.state, threadName)
			t = t.outer
			continue
		}
		visit(vm.states[i], vm.names[i])
		i--
	}
}

const (
	pcallName     = "pcall"
	stateCodeName = "state code"
	threadName    = "thread"
)

func (vm *VM) appendFrames(frames []Frame, L *lua.LState, skip int, outer bool) []Frame {
	for level := skip; level < callDepth+2; level++ {
		debug, ok := L.GetStack(level)
		if !ok {
			break
		}
		value, err := L.GetInfo("f", debug, lua.LNil)
		fn, ok := value.(*lua.LFunction)
		if err != nil || !ok || fn.IsG || fn.Proto.SourceName == bootName {
			continue
		}
		f := Frame{Proto: fn.Proto, PC: vm.layout.place(debug), Outer: outer}
		if f.PC >= 0 && f.PC < len(fn.Proto.DbgSourcePositions) {
			f.Line = fn.Proto.DbgSourcePositions[f.PC]
		}
		frames = append(frames, f)
	}
	return frames
}
