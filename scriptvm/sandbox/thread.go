package sandbox

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// ThreadStatus is the status of a thread.
type ThreadStatus uint8

// The statuses, named as coroutine.status names them.
const (
	ThreadSuspended ThreadStatus = iota // created or yielded, can be resumed
	ThreadRunning                       // the innermost one that runs
	ThreadNormal                        // has resumed another, which runs
	ThreadDead                          // ended, failed or killed
)

// String returns Lua's name of the status.
func (s ThreadStatus) String() string {
	switch s {
	case ThreadSuspended:
		return "suspended"
	case ThreadRunning:
		return "running"
	case ThreadNormal:
		return "normal"
	case ThreadDead:
		return "dead"
	}
	return "unknown"
}

// Thread is code that suspends in the middle and continues later: state code, resumed by the engine, or a
// coroutine, resumed by scripts.
type Thread struct {
	vm      *VM
	state   *lua.LState
	body    *lua.LFunction
	owner   string
	number  uint64 // of all that were created
	latent  bool   // state code
	status  ThreadStatus
	booted  bool
	yielded bool // suspended in a yield
	doomed  bool
	base    int      // states in use below it while it runs
	outer   *Thread  // the one that resumed it, while it runs
	stack   []string // of the error it failed with
}

// Status reports whether the thread can be resumed.
func (t *Thread) Status() ThreadStatus { return t.status }

// Owner returns the owner given when it was created.
func (t *Thread) Owner() string { return t.owner }

// ErrTooManyThreads: the number of live threads is at Limits.Threads.
var ErrTooManyThreads = errors.New("too many threads of state code")

// errDead: a dead thread was resumed.
var errDead = errors.New("cannot resume dead coroutine")

// NewThread creates a thread of state code. It runs when it is resumed. The error is ErrTooManyThreads.
func (vm *VM) NewThread(owner string, body *lua.LFunction) (*Thread, error) {
	if vm.latent >= vm.limits.Threads {
		return nil, fmt.Errorf("%w: %d are alive", ErrTooManyThreads, vm.latent)
	}
	if n := vm.latents[owner]; n >= vm.limits.ThreadsPerOwner {
		return nil, fmt.Errorf("%w of %s: %d are alive, at most %d may be", ErrTooManyThreads, owner, n, vm.limits.ThreadsPerOwner)
	}
	vm.latent++
	vm.latents[owner]++
	return vm.newThread(owner, body, true), nil
}

func (vm *VM) newThread(owner string, body *lua.LFunction, latent bool) *Thread {
	L := vm.newState(lua.Options{
		CallStackSize: coroutineDepth, MinimizeStackMemory: true,
		RegistrySize: coroutineRegistry, RegistryMaxSize: registryMax, RegistryGrowStep: registryGrow,
	})
	vm.made++
	t := &Thread{vm: vm, state: L, body: body, owner: owner, latent: latent, number: vm.made}
	vm.threads[L] = t
	return t
}

// Resume runs a thread of state code until it yields, ends or fails, with a budget like Call. The arguments are
// those of the body at first, later the results of the yield. Afterwards Status returns the thread's state; values
// are what it yielded or returned. A failure is an *Error and leaves it dead. A thread that was killed while it ran
// returns neither values nor an error.
func (vm *VM) Resume(t *Thread, args ...lua.LValue) ([]lua.LValue, error) {
	if t.status != ThreadSuspended {
		return nil, &Error{Kind: KindScript, Message: "cannot resume a thread that is " + t.status.String(), cause: errDead}
	}
	L, err := vm.enter(stateCodeName)
	if err != nil {
		return nil, err
	}
	outerOwner := vm.owner
	vm.owner = t.owner
	around := vm.budget.probing.begin()
	spent := vm.budget.push(vm.limits.Instructions)
	body := t.body // bury forgets it
	values, failure := vm.run(L, t, args)
	vm.budget.allocations.end(vm.budget, body)
	reason := vm.budget.pop(spent)
	vm.budget.probing.end(body, around)
	vm.owner = outerOwner
	vm.leave(nil)
	if failure != nil {
		return nil, vm.toError(failure, reason)
	}
	return values, nil
}

// Kill ends a thread. A suspended one is dead at once. A running one continues until its body itself would
// continue, or until it yields; functions it is in finish first, as in Unreal.
func (t *Thread) Kill() {
	switch t.status {
	case ThreadSuspended:
		t.vm.bury(t)
	case ThreadRunning, ThreadNormal:
		t.doomed = true
		t.vm.watchDoomed()
	case ThreadDead:
	}
}

// watchDoomed makes the budget check before each instruction whether the running thread must stop.
func (vm *VM) watchDoomed() {
	b := vm.budget
	b.join()
	b.rest, b.n = b.rest+b.n, 0
	b.watch = func() bool {
		t := vm.thread
		if t == nil || !t.doomed || vm.current != t.state {
			return false
		}
		_, deeper := t.state.GetStack(2) // below are boot and the body
		return !deeper
	}
}

// bury removes a thread from the tables.
func (vm *VM) bury(t *Thread) {
	if t.status == ThreadDead {
		return
	}
	t.status = ThreadDead
	t.state.Dead = true
	delete(vm.threads, t.state)
	t.body = nil
	if t.latent {
		vm.latent--
		if vm.latents[t.owner]--; vm.latents[t.owner] == 0 {
			delete(vm.latents, t.owner)
		}
		return
	}
	vm.coroutine--
	if vm.live[t.owner]--; vm.live[t.owner] == 0 {
		delete(vm.live, t.owner)
	}
}

// Suspended returns the suspended threads, in the order of creation.
func (vm *VM) Suspended() []*Thread {
	var out []*Thread
	for _, t := range vm.threads { // any order: sorted below
		if t.status == ThreadSuspended {
			out = append(out, t)
		}
	}
	slices.SortFunc(out, func(a, b *Thread) int { return cmp.Compare(a.number, b.number) })
	return out
}

// KillCoroutines kills the suspended coroutines of an owner's scripts, when the owner is destroyed.
func (vm *VM) KillCoroutines(owner string) {
	for _, t := range vm.threads { // any order: nothing runs when one dies
		if t.owner == owner && !t.latent && t.status == ThreadSuspended {
			vm.bury(t)
		}
	}
}

// run resumes a suspended thread from a state.
func (vm *VM) run(from *lua.LState, t *Thread, args []lua.LValue) (values []lua.LValue, failure error) {
	previous, current := vm.thread, vm.current
	if previous != nil {
		previous.status = ThreadNormal
	}
	t.status, t.base, t.outer = ThreadRunning, vm.inUse, previous
	vm.thread, vm.current = t, t.state
	vm.nesting++
	defer func() {
		vm.nesting--
		vm.thread, vm.current, t.outer = previous, current, nil
		vm.root.G.CurrentThread = current
		vm.budget.watch = nil
		if previous != nil {
			previous.status = ThreadRunning
			if previous.doomed {
				vm.watchDoomed()
			}
		}
	}()

	state := lua.ResumeYield
	if !t.booted {
		t.booted = true
		state, _, failure = vm.resume(from, t, []lua.LValue{vm.bootYield, t.body})
		t.state.Panic = t.panic
	}
	if state == lua.ResumeYield && failure == nil {
		state, values, failure = vm.resume(from, t, args)
	}
	if failure == nil && state == lua.ResumeYield && !t.doomed {
		t.status = ThreadSuspended
		return values, nil
	}
	vm.bury(t)
	if t.doomed && failure == nil {
		return nil, nil
	}
	if vm.budget.reason == errStopped {
		vm.budget.reason = nil
		return nil, nil
	}
	var api *lua.ApiError
	if errors.As(failure, &api) && api.StackTrace == "" {
		api.StackTrace = strings.Join(t.stack, "\n")
	}
	return values, failure
}

// resume calls gopher-lua's Resume, which may panic in its own error handling.
func (vm *VM) resume(from *lua.LState, t *Thread, args []lua.LValue) (state lua.ResumeState, values []lua.LValue, failure error) {
	top := from.GetTop()
	defer func() {
		if r := recover(); r != nil {
			from.SetTop(top)
			state, values = lua.ResumeError, nil
			if api, ok := r.(*lua.ApiError); ok {
				failure = api
				return
			}
			failure = &lua.ApiError{Type: lua.ApiErrorPanic, Object: lua.LString(fmt.Sprint(r))}
		}
	}()
	if t.yielded {
		args = vm.adjusted(t, args)
	}
	state, failure, values = from.Resume(t.state, vm.boot, args...)
	t.yielded = state == lua.ResumeYield
	if len(values) > 0 {
		values = values[1:] // see bootSource
	}
	return state, values, failure
}

// adjusted pads the results of a yield to the number that its call expects. gopher-lua leaves the call with what
// was passed, and a register without a value keeps its old one.
func (vm *VM) adjusted(t *Thread, args []lua.LValue) []lua.LValue {
	wanted := vm.layout.wanted(t.state)
	if wanted < 0 || wanted == len(args) {
		return args
	}
	if wanted < len(args) {
		return args[:wanted]
	}
	padded := make([]lua.LValue, wanted)
	n := copy(padded, args)
	for ; n < wanted; n++ {
		padded[n] = lua.LNil
	}
	return padded
}

// panic is called for an error in the thread: it keeps the stack, which is gone when Resume returns.
func (t *Thread) panic(L *lua.LState) {
	t.stack = stackOf(L)
	value := t.vm.explained(L, L.Get(-1), 0)
	t.vm.capture(L, 0, value)
	panic(&lua.ApiError{Type: lua.ApiErrorRun, Object: value})
}

// Yield ends a native by yielding from the thread of state code that called it; the native returns what Yield
// returns. What the engine then passes to Resume becomes the native's results. what is the native's name: anywhere
// except directly in state code it is an error that names it and what is in between (pcall, an iterator, a
// comparator, a metamethod, a coroutine, an event).
func (vm *VM) Yield(L *lua.LState, what string, values ...lua.LValue) int {
	vm.mayYield(L, what, true)
	L.SetTop(0)
	L.Push(lua.LTrue)
	pushAll(L, values)
	return -1
}

// mayYield raises an error if the state cannot yield to its resumer.
func (vm *VM) mayYield(L *lua.LState, what string, latent bool) {
	t := vm.threads[L]
	if t == nil {
		between := ""
		if vm.inUse > 0 {
			between = vm.names[vm.inUse-1]
		}
		switch {
		case between != "" && (vm.thread != nil || !latent):
			L.RaiseError("%s cannot be used inside %s", what, between)
		case latent:
			L.RaiseError("%s can only be used in state code", what)
		default:
			L.RaiseError("%s can only be used in a coroutine", what)
		}
	}
	if between := vm.layout.boundary(L); between != "" {
		L.RaiseError("%s cannot be used inside %s", what, between)
	}
	if latent && !t.latent {
		L.RaiseError("%s cannot be used inside a coroutine, only in state code itself", what)
	}
	if !latent && t.latent {
		L.RaiseError("%s can only be used in a coroutine; state code waits with Sleep", what)
	}
}

// The coroutine library, over threads.

func (vm *VM) coroutineCreate(L *lua.LState, what string) *Thread {
	body := L.CheckFunction(1)
	if n := vm.live[vm.owner]; n >= vm.limits.CoroutinesPerOwner {
		L.RaiseError("%s: %d coroutines of %s have not ended; at most %d may wait at once", what, n, ownerName(vm.owner), vm.limits.CoroutinesPerOwner)
	}
	if vm.coroutine >= vm.limits.Coroutines {
		L.RaiseError("%s: %d coroutines have not ended; at most %d may wait at once", what, vm.coroutine, vm.limits.Coroutines)
	}
	vm.Charge(L, 100) // a state takes 7 KB
	vm.coroutine++
	vm.live[vm.owner]++
	return vm.newThread(vm.owner, body, false)
}

func ownerName(owner string) string {
	if owner == "" {
		return "this script"
	}
	return owner
}

// toThread returns the thread of an argument; nil if it is dead.
func (vm *VM) toThread(L *lua.LState, n int) *Thread {
	return vm.threads[L.CheckThread(n)]
}

// resumeFrom resumes for a script and leaves the result as values or a failure. A spent budget is raised again: a
// script cannot catch it.
func (vm *VM) resumeFrom(L *lua.LState, t *Thread, args []lua.LValue) ([]lua.LValue, lua.LValue, bool) {
	switch {
	case t == nil || t.status == ThreadDead:
		return nil, lua.LString(errDead.Error()), false
	case t.status != ThreadSuspended:
		return nil, lua.LString("cannot resume a coroutine that is " + t.status.String()), false
	case t.latent:
		return nil, lua.LString("cannot resume state code"), false
	case vm.nesting >= maxNesting:
		return nil, lua.LString(errNesting.Error()), false
	}
	values, failure := vm.run(L, t, args)
	if failure == nil {
		return values, nil, true
	}
	if vm.budget.reason != nil {
		vm.raiseSpent(L)
	}
	vm.Charge(L, caughtError)
	return nil, vm.errorValue(failure), false
}

func (vm *VM) openCoroutine() map[string]lua.LGFunction {
	return map[string]lua.LGFunction{
		"create": func(L *lua.LState) int {
			L.Push(vm.coroutineCreate(L, "coroutine.create").state)
			return 1
		},
		"wrap": func(L *lua.LState) int {
			t := vm.coroutineCreate(L, "coroutine.wrap")
			L.Push(vm.NewFunction("coroutine.wrap", func(L *lua.LState) int {
				values, problem, ok := vm.resumeFrom(L, t, arguments(L, 1))
				if !ok {
					L.Error(problem, 0)
				}
				return pushAll(L, values)
			}))
			return 1
		},
		"resume": func(L *lua.LState) int {
			t := vm.toThread(L, 1)
			values, problem, ok := vm.resumeFrom(L, t, arguments(L, 2))
			if !ok {
				vm.takeTrace() // caught
				L.Push(lua.LFalse)
				L.Push(problem)
				return 2
			}
			L.Push(lua.LTrue)
			return 1 + pushAll(L, values)
		},
		"yield": func(L *lua.LState) int {
			vm.mayYield(L, "coroutine.yield", false)
			L.Insert(lua.LTrue, 1)
			return -1
		},
		"status": func(L *lua.LState) int {
			status := ThreadDead
			if t := vm.toThread(L, 1); t != nil {
				status = t.status
			}
			L.Push(lua.LString(status.String()))
			return 1
		},
		"running": func(L *lua.LState) int {
			if vm.thread == nil || vm.thread.latent {
				L.Push(lua.LNil)
			} else {
				L.Push(vm.thread.state)
			}
			return 1
		},
	}
}

// arguments returns the arguments of a native from the nth on.
func arguments(L *lua.LState, from int) []lua.LValue {
	n := L.GetTop()
	if n < from {
		return nil
	}
	args := make([]lua.LValue, 0, n-from+1)
	for i := from; i <= n; i++ {
		args = append(args, L.Get(i))
	}
	return args
}

func pushAll(L *lua.LState, values []lua.LValue) int {
	for _, v := range values {
		L.Push(v)
	}
	return len(values)
}
