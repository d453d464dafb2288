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

// Options are those of a scenario file.
type Options struct {
	Limits Limits
	// Read returns the text of a module of the folder [SharedFolder]; nil means that there are none.
	Read func(path string) (string, error)
}

// File is one scenario file, compiled.
type File struct {
	Path      string
	Scenarios []*Scenario

	proto   *lua.FunctionProto
	protos  map[string]*lua.FunctionProto // of the modules that it requires, by name
	loaded  bool                          // protos is complete; runs on other goroutines read it
	options Options
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
func Load(path, text string, o Options) (*File, error) {
	if o.Limits.Instructions == 0 {
		o.Limits.Instructions = DefaultInstructions
	}
	f := &File{Path: path, options: o, protos: map[string]*lua.FunctionProto{}}
	v, err := f.newVM(&generator{})
	if err != nil {
		return nil, err
	}
	defer v.sb.Close()
	if f.proto, err = f.compile(v, path, text); err != nil {
		return nil, &LoadError{err.Error()}
	}
	if err := v.top(); err != nil {
		return nil, &LoadError{err.Error()}
	}
	f.loaded = true
	for i, e := range v.entries {
		s := e.Scenario
		s.file, s.index = f, i
		f.Scenarios = append(f.Scenarios, &s)
	}
	return f, nil
}

// compile returns the code of the scenario file or of a module.
func (f *File) compile(v *fileVM, path, text string) (*lua.FunctionProto, error) {
	chunk, err := syntax.Parse(path, text)
	if err != nil {
		return nil, err
	}
	if err := syntax.Harden(chunk, v.sb.HardenOptions()); err != nil {
		return nil, err
	}
	return syntax.Compile(chunk)
}

// generator is math.random of scenario files: the engine's own, so that a seed gives the same everywhere.
type generator struct{ engine.Rand }

// fileVM is a VM in which a scenario file runs.
type fileVM struct {
	file    *File
	sb      *sandbox.VM
	rand    *generator
	entries []entry
	modules map[string]lua.LValue // by name; nil while it is loading
	closed  bool                  // the top level has run; scenario(…) is no longer possible
	run     *run                  // the run in progress, nil while the file loads
}

type entry struct {
	Scenario
	fn *lua.LFunction
}

func (f *File) newVM(rand *generator) (*fileVM, error) {
	v := &fileVM{file: f, rand: rand, modules: map[string]lua.LValue{}}
	sb, err := sandbox.New(sandbox.Options{
		Rand: rand, Elapsed: f.options.Limits.Elapsed, Require: v.require,
		Limits: sandbox.Limits{
			Instructions: f.options.Limits.Instructions,
			// The counter is the process's, worlds included: a long scenario allocates a lot in total.
			Allocation: 1 << 60,
			Elapsed:    f.options.Limits.Wall,
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
	e.Line = v.declaredAt(L)
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

// declaredAt returns the line of the scenario file that led to the running native: a module may declare scenarios, too.
func (v *fileVM) declaredAt(L *lua.LState) int {
	for level := 1; ; level++ {
		if _, ok := L.GetStack(level); !ok {
			return 0
		}
		if file, line, _ := sandbox.SplitPlace(L.Where(level) + " "); file == v.file.Path {
			return line
		}
	}
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
