package sandbox

import (
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"sync"
	"sync/atomic"

	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/scriptvm/syntax"
)

// Rand is the world's generator. It is the only source of math.random, so the same seed and the same calls give the
// same numbers.
type Rand interface {
	Uint64() uint64
}

// Options configure a VM. The zero value is usable except for Rand.
type Options struct {
	// Rand is required: there is no other source of randomness.
	Rand Rand
	// Limits; zero fields are defaults.
	Limits Limits
	// Elapsed returns the time in any unit that Limits.Elapsed shares (the default is nanoseconds), from any
	// origin; nil means no bound on time. The clock stays with the host.
	Elapsed func() int64
	// Require implements require(name); nil means that nothing can be required. An error becomes the script's error
	// at the line of the call.
	Require func(name string) (lua.LValue, error)
	// OnPanic is called for panics in natives, with the Go stack; may be nil. The script gets an error.
	OnPanic func(native string, value any, stack []byte)
	// Explain describes an error of an operation, or of an argument, with the names of the script's variables; ""
	// leaves it unchanged. It is called while the frames exist, and only for errors. May be nil.
	Explain func(f *Fault) string
	// Enter is called before each outermost call: a host updates what is constant while scripts run. May be nil.
	Enter func()
	// Sample receives the cost of scripts, SampleUnits and more at a time, while the function that spent it runs
	// (EachRunning). May be nil.
	Sample func(units int64)
	// Allocated receives what was allocated while MeasureAllocations is on, with the function that the engine
	// called if its frames are gone, nil while they exist (EachRunning). May be nil.
	Allocated func(bytes uint64, fn *lua.LFunction)
}

// VM runs one world's scripts. It belongs to one goroutine.
type VM struct {
	options Options
	limits  Limits
	layout  layout
	budget  *budget
	ids     identities

	root      *lua.LState // owns what all states share; does not run code
	states    []*lua.LState
	names     []string // the purpose of each state in use ("pcall", or "" for the engine)
	inUse     int
	current   *lua.LState // the running state, nil between calls
	nesting   int
	owner     string
	boot      *lua.LFunction
	bootYield *lua.LFunction
	thread    *Thread // the running thread, nil outside of threads
	threads   map[*lua.LState]*Thread
	live      map[string]int // coroutines by owner
	coroutine int            // live coroutines
	made      uint64         // threads
	latent    int            // live threads of state code
	latents   map[string]int // the same by owner

	globals  *lua.LTable
	known    []string // names of the globals, in order
	isKnown  map[string]bool
	library  map[string]map[string]bool
	views    map[*lua.LTable]*view // of modules' tables, by the table
	late     lateViews
	envs     *lua.LTable // metatable of environments
	scratch  []byte
	small    [256]lua.LValue // whole numbers, boxed once
	internal string          // the last panic in a native, for the error's kind
	handler  *lua.LFunction  // raised
	panicked bool            // the handler was called for a Go panic
	spoilt   bool            // the state that was left last cannot be reused
	trace    trace           // see stack.go
	native   atomic.Pointer[string]
}

// seal marks the tables with one metatable as not changeable by scripts.
type seal struct {
	name   string
	target *lua.LTable // the table that a frozen library or module shows, nil for others
	view   *view       // of a module, nil for others
}

// A seal is stored in its metatable, which scripts cannot reach, so that both are freed together.
func (*seal) String() string       { return "seal" }
func (*seal) Type() lua.LValueType { return lua.LTUserData }

func seals(metatable *lua.LTable, s *seal) { metatable.RawSetInt(1, s) }

func sealIn(metatable *lua.LTable) *seal {
	s, _ := metatable.RawGetInt(1).(*seal)
	return s
}

// boundArray sets gopher-lua's bound on array parts. It is a variable of that package, the same for
// all VMs; once is enough and a second write would race with VMs that run.
var boundArray = sync.OnceFunc(func() { lua.MaxArrayIndex = maxArray })

// bootSource begins every thread: it yields once, so that resume can install what must be installed on a started
// thread, and lets a Go function be a thread's body, which gopher-lua cannot. The values that a thread yields or
// returns follow a true, because gopher-lua turns no values into a nil.
const (
	bootName   = "[thread]"
	bootSource = "local yield, body = ... return true, body(yield())"
)

// New creates a VM. It fails without Rand, or with a gopher-lua other than the one it was written for.
func New(options Options) (*VM, error) {
	if options.Rand == nil {
		return nil, errors.New("sandbox: Options.Rand is required")
	}
	boundArray()
	where, err := findLayout()
	if err != nil {
		return nil, err
	}
	vm := &VM{
		options: options,
		limits:  options.Limits.withDefaults(),
		layout:  where,
		threads: make(map[*lua.LState]*Thread),
		live:    make(map[string]int),
		latents: make(map[string]int),
		isKnown: make(map[string]bool),
		library: make(map[string]map[string]bool),
		views:   make(map[*lua.LTable]*view),
	}
	vm.budget = newBudget(vm.limits, options.Elapsed)
	vm.budget.meter.sample = options.Sample
	vm.budget.allocations.report = options.Allocated
	vm.root = lua.NewState(lua.Options{
		SkipOpenLibs: true, CallStackSize: 8, RegistrySize: 128, RegistryMaxSize: registryMax, RegistryGrowStep: registryGrow,
	})
	for i := range vm.small {
		vm.small[i] = lua.LNumber(i)
	}
	vm.root.G.MainThread = vm.root // otherwise the first state to run would become it
	vm.handler = vm.root.NewFunction(vm.raised)
	vm.openLibraries()
	if err := vm.prepareBoot(); err != nil {
		return nil, err
	}
	return vm, nil
}

func (vm *VM) prepareBoot() error {
	chunk, err := syntax.Parse(bootName, bootSource)
	if err == nil {
		err = syntax.Harden(chunk, vm.HardenOptions())
	}
	if err != nil {
		return err
	}
	proto, err := syntax.Compile(chunk)
	if err != nil {
		return err
	}
	vm.boot = vm.Load(proto, vm.globals)
	vm.bootYield = vm.root.NewFunction(func(L *lua.LState) int { return L.Yield() })
	return nil
}

// Close releases everything. The VM must not be used afterwards.
func (vm *VM) Close() {
	for _, t := range vm.threads { // any order: each is marked, and nothing runs
		t.status = ThreadDead
	}
	vm.threads, vm.states = nil, nil
	vm.root.Close()
}

// HardenOptions returns what syntax.Harden needs to know of this VM: the names of its globals and the members of
// its libraries, including those of SetGlobal.
func (vm *VM) HardenOptions() syntax.HardenOptions {
	return syntax.HardenOptions{
		Library: func(library, field string) bool { return vm.library[library][field] },
		Globals: func(name string) bool { return vm.isKnown[name] },
		Names:   vm.known,
	}
}

// Load creates a function from a compiled chunk, in an environment (Globals or one of NewEnv).
func (vm *VM) Load(proto *lua.FunctionProto, env *lua.LTable) *lua.LFunction {
	fn := vm.root.NewFunctionFromProto(proto)
	fn.Env = env
	return fn
}

// NewFunction creates a native. A panic in it becomes the script's error and is reported to OnPanic. Natives get
// the calling state; they may call back with L.Call, or VM.Call for a call by the engine itself, and charge their
// work with Charge. They must not keep the state.
func (vm *VM) NewFunction(name string, fn lua.LGFunction) *lua.LFunction {
	do := counted(fn)
	return vm.root.NewFunction(func(L *lua.LState) int {
		defer vm.guard(L, vm.native.Swap(&name), name)
		return do(L)
	})
}

// NewTagged is NewFunction for a native with a value of the host's, which Tag returns while it runs.
func (vm *VM) NewTagged(name string, tag lua.LValue, fn lua.LGFunction) *lua.LFunction {
	do := counted(fn)
	return vm.root.NewClosure(func(L *lua.LState) int {
		defer vm.guard(L, vm.native.Swap(&name), name)
		return do(L)
	}, tag)
}

// Tag returns the tag of the native that a state runs; nil for one of NewFunction.
func Tag(L *lua.LState) lua.LValue { return L.Get(lua.UpvalueIndex(1)) }

// Native returns the name of the running native, "" for none. Any goroutine may call it: a watchdog does while the
// VM hangs. It does not know natives of NewPlainFunction.
func (vm *VM) Native() string {
	if name := vm.native.Load(); name != nil {
		return *name
	}
	return ""
}

// guard ends a native: the enclosing one runs again, and a Go panic becomes an error of the script.
func (vm *VM) guard(L *lua.LState, outer *string, name string) {
	vm.native.Store(outer)
	switch r := recover().(type) {
	case nil:
	case *lua.ApiError:
		panic(r) // an error of the script being raised
	default:
		if vm.options.OnPanic != nil {
			vm.options.OnPanic(name, r, debug.Stack())
		}
		vm.internal = fmt.Sprintf("internal error in %s: %v", name, r)
		L.RaiseError("%s", vm.internal)
	}
}

// Charge counts the work of a native in instructions (about 20 ns each), and raises an error in the script when
// nothing is left. Call it before the work if the amount is known.
func (vm *VM) Charge(L *lua.LState, instructions int64) {
	if !vm.budget.charge(instructions) {
		vm.raiseSpent(L)
	}
}

// Uncounted runs work of the host that happens during a script's call but is not caused by it, such as reading a
// level: neither its time nor its allocations count against the call.
func (vm *VM) Uncounted(work func()) {
	b := vm.budget
	var before int64
	if b.elapsed != nil {
		before = b.elapsed()
	}
	work()
	if b.elapsed != nil {
		took := b.elapsed() - before
		b.started += took
		b.meter.timed += took
	}
	b.measuring = false
}

// Spend counts work that is already done, and never raises: if nothing is left, the next instruction does.
func (vm *VM) Spend(instructions int64) { vm.budget.charge(instructions) }

func (vm *VM) raiseSpent(L *lua.LState) {
	L.RaiseError("%s", vm.budget.Err().Error())
}

// Left returns how many instructions the current call still has.
func (vm *VM) Left() int64 { return vm.budget.left() }

// pushWhole pushes a whole number, without an allocation if it is small.
func (vm *VM) pushWhole(L *lua.LState, n int) {
	if n >= 0 && n < len(vm.small) {
		L.Push(vm.small[n])
		return
	}
	L.Push(lua.LNumber(n))
}

// pushNumber pushes a number, without an allocation if it is a small whole one.
func (vm *VM) pushNumber(L *lua.LState, n float64) {
	if n >= 0 && n < float64(len(vm.small)) && n == float64(int(n)) && !(n == 0 && math.Signbit(n)) {
		L.Push(vm.small[int(n)])
		return
	}
	L.Push(lua.LNumber(n))
}

// Owner returns the owner of the innermost call that runs, "" between calls.
func (vm *VM) Owner() string { return vm.owner }

// Begin opens one budget for several calls; each Begin needs an End. Within a call it gets at most what that call
// has left. instructions 0 means the VM's limit.
func (vm *VM) Begin(instructions int64) Span {
	if instructions <= 0 {
		instructions = vm.limits.Instructions
	}
	return Span{vm: vm, outer: vm.budget.push(instructions)}
}

// Span is one open budget.
type Span struct {
	vm    *VM
	outer outer
}

// End closes the budget and returns ErrInstructions, ErrMemory or ErrTime if it was spent.
func (s Span) End() error { return s.vm.budget.pop(s.outer) }

// Call runs a function for the engine, with its own budget or, within another call, what that call has left. It
// returns the first result. The error is an *Error. owner is charged for coroutines created meanwhile; it is
// usually the class.
func (vm *VM) Call(owner string, fn *lua.LFunction, args ...lua.LValue) (lua.LValue, error) {
	L, err := vm.enter("")
	if err != nil {
		return lua.LNil, err
	}
	outerOwner := vm.owner
	vm.owner = owner
	around := vm.budget.probing.begin()
	spent := vm.budget.push(vm.limits.Instructions)
	L.Push(fn)
	for _, a := range args {
		L.Push(a)
	}
	result := lua.LNil
	failure := vm.protected(L, len(args), 1)
	if failure == nil {
		result = L.Get(-1)
		L.SetTop(0)
	}
	vm.budget.allocations.end(vm.budget, fn)
	reason := vm.budget.pop(spent)
	vm.budget.probing.end(fn, around)
	vm.owner = outerOwner
	vm.leave(failure)
	if failure != nil {
		return lua.LNil, vm.toError(failure, reason)
	}
	return result, nil
}

// CallMulti is Call for all results.
func (vm *VM) CallMulti(owner string, fn *lua.LFunction, args ...lua.LValue) ([]lua.LValue, error) {
	L, err := vm.enter("")
	if err != nil {
		return nil, err
	}
	outerOwner := vm.owner
	vm.owner = owner
	around := vm.budget.probing.begin()
	spent := vm.budget.push(vm.limits.Instructions)
	L.Push(fn)
	for _, a := range args {
		L.Push(a)
	}
	var results []lua.LValue
	failure := vm.protected(L, len(args), lua.MultRet)
	if failure == nil {
		for i := 1; i <= L.GetTop(); i++ {
			results = append(results, L.Get(i))
		}
		L.SetTop(0)
	}
	vm.budget.allocations.end(vm.budget, fn)
	reason := vm.budget.pop(spent)
	vm.budget.probing.end(fn, around)
	vm.owner = outerOwner
	vm.leave(failure)
	if failure != nil {
		return nil, vm.toError(failure, reason)
	}
	return results, nil
}
