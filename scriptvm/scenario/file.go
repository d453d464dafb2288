package scenario

import (
	"fmt"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm"
	"github.com/tidelock/tidelock/scriptvm/sandbox"
	"github.com/tidelock/tidelock/scriptvm/syntax"
)

// The defaults of a scenario's options.
const (
	DefaultBudget = 120 // seconds of simulated time
	// DefaultInstructions bounds the Lua of one scenario, without that of its peers: some seconds.
	DefaultInstructions = 200_000_000
	// maxBudget and maxSeeds bound what a file may request: a day, and more runs than anybody waits for.
	maxBudget = 86_400
	maxSeeds  = 10_000
)

// Limits prevents a scenario file from hanging its host. Zero fields mean the defaults.
type Limits struct {
	Instructions int64
	// Elapsed is a clock in nanoseconds, and Wall bounds one run by it; nil means no bound.
	Elapsed func() int64
	Wall    int64
}

// File is one scenario file, compiled.
type File struct {
	Path      string
	Scenarios []*Scenario

	proto  *lua.FunctionProto
	limits Limits
}

// Scenario is one scenario(…) of a file.
type Scenario struct {
	Name string
	Line int
	// Budget is in seconds of simulated time.
	Budget float64
	// Transport is "sim", "kcp" or "" for the run's default.
	Transport string
	// Seeds is the number of seeds to run with.
	Seeds int
	// Long marks a slow scenario, which a quick run may leave out.
	Long bool

	file  *File
	index int
}

// LoadError reports an unusable scenario file. Text begins with its position.
type LoadError struct{ Text string }

func (e *LoadError) Error() string { return e.Text }

// Load compiles a scenario file and finds its scenarios. The error is a *LoadError.
func Load(path, text string, limits Limits) (*File, error) {
	if limits.Instructions == 0 {
		limits.Instructions = DefaultInstructions
	}
	f := &File{Path: path, limits: limits}
	v, err := f.newVM(&generator{})
	if err != nil {
		return nil, err
	}
	defer v.sb.Close()
	chunk, err := syntax.Parse(path, text)
	if err == nil {
		err = syntax.Harden(chunk, v.sb.HardenOptions())
	}
	if err == nil {
		f.proto, err = syntax.Compile(chunk)
	}
	if err != nil {
		return nil, &LoadError{err.Error()}
	}
	if err := v.top(); err != nil {
		return nil, &LoadError{err.Error()}
	}
	for i, e := range v.entries {
		s := e.Scenario
		s.file, s.index = f, i
		f.Scenarios = append(f.Scenarios, &s)
	}
	return f, nil
}

// generator is math.random of scenario files: the engine's own, so that a seed gives the same everywhere.
type generator struct{ engine.Rand }

// fileVM is a VM in which a scenario file runs.
type fileVM struct {
	file    *File
	sb      *sandbox.VM
	rand    *generator
	entries []entry
	closed  bool // the top level has run; scenario(…) is no longer possible
	run     *run // the run in progress, nil while the file loads
}

type entry struct {
	Scenario
	fn *lua.LFunction
}

func (f *File) newVM(rand *generator) (*fileVM, error) {
	v := &fileVM{file: f, rand: rand}
	sb, err := sandbox.New(sandbox.Options{
		Rand: rand, Elapsed: f.limits.Elapsed,
		Limits: sandbox.Limits{
			Instructions: f.limits.Instructions,
			// The counter is the process's, worlds included: a long scenario allocates a lot in total.
			Allocation: 1 << 60,
			Elapsed:    f.limits.Wall,
		},
	})
	if err != nil {
		return nil, fmt.Errorf("scenario: %w", err)
	}
	v.sb = sb
	scriptvm.BindValues(sb, scriptvm.Guest{Index: v.index, NewIndex: v.newIndex, Len: v.length, String: v.text})
	sb.SetGlobal("scenario", sb.NewFunction("scenario", v.scenario))
	sb.SetGlobal("for_each", sb.NewFunction("for_each", v.forEach))
	sb.SetGlobal("log", sb.NewFunction("log", v.log))
	return v, nil
}

// top runs the file from its first line; entries receives the scenarios it declares.
func (v *fileVM) top() error {
	v.rand.Seed(0)
	_, err := v.sb.Call("", v.sb.Load(v.file.proto, v.sb.Globals()))
	v.closed = true
	return err
}

// scenario is scenario(name [, options], fn).
func (v *fileVM) scenario(L *lua.LState) int {
	if v.closed {
		L.RaiseError("scenario(…) stands at the top level of a file or in a for_each, not inside a scenario")
	}
	name, ok := L.Get(1).(lua.LString)
	if !ok || strings.TrimSpace(string(name)) == "" {
		L.RaiseError("scenario: expected a name and a function")
	}
	e := entry{Scenario: Scenario{Name: strings.Join(strings.Fields(string(name)), " "), Budget: DefaultBudget, Seeds: 1}}
	_, e.Line, _ = sandbox.SplitPlace(L.Where(1) + " ")
	i := 2
	if t, ok := L.Get(2).(*lua.LTable); ok {
		i = 3
		o := readOptions(L, "scenario", t)
		e.Budget = o.number("budget", DefaultBudget, 0.001, maxBudget)
		e.Seeds = int(o.whole("seeds", 1, 1, maxSeeds))
		e.Long = o.flag("long", false)
		e.Transport = o.oneOf("transport", "", "sim", "kcp")
		o.end()
	}
	if e.fn, ok = L.Get(i).(*lua.LFunction); !ok {
		L.RaiseError("scenario %q: expected a function, got a %s", e.Name, L.Get(i).Type())
	}
	v.entries = append(v.entries, e)
	return 0
}

// forEach is for_each(table, fn): fn(case, key) for every case, lists in order, other keys as they were
// written.
func (v *fileVM) forEach(L *lua.LState) int {
	t := L.CheckTable(1)
	fn := L.CheckFunction(2)
	for k, x := t.Next(lua.LNil); k != lua.LNil; k, x = t.Next(k) {
		L.Push(fn)
		L.Push(x)
		L.Push(k)
		L.Call(2, 0)
	}
	return 0
}

// log returns the global log(…): a line for users who run the scenario with -v.
func (v *fileVM) log(L *lua.LState) int {
	parts := make([]string, L.GetTop())
	for i := range parts {
		parts[i] = v.show(L.Get(i + 1))
		if s, ok := L.Get(i + 1).(lua.LString); ok {
			parts[i] = string(s)
		}
	}
	if r := v.run; r != nil {
		line := strings.Join(parts, " ")
		r.result.Log = append(r.result.Log, line)
		if r.log != nil {
			span := v.sb.Begin(1) // what the scenario ran so far is counted up to here
			r.log(line)
			_ = span.End()
		}
	}
	return 0
}
