package scenario

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/scriptvm"
	"github.com/tidelock/tidelock/scriptvm/sandbox"
)

// maxFailures bounds the reported failures of one run; a broken script fails every tick.
const maxFailures = 20

// Run says how to run a scenario.
type Run struct {
	Seed  uint64
	Stage Stage
	// Log, unless nil, receives each line that the scenario logs at once, besides Result.Log.
	Log func(line string)
}

// Result is the result of a run. It passed if Failures is empty.
type Result struct {
	Failures []Failure
	// Checks is how many checks held, Time the simulated seconds it took.
	Checks int
	Time   float64
	// Log holds what the scenario itself logged.
	Log []string
}

// Failure is one reason why a run failed.
type Failure struct {
	Message string
	// File and Line are those of the failing check, or "" and 0.
	File string
	Line int
	// Expected and Actual are set if Compared is.
	Compared         bool
	Expected, Actual string
	// Stack holds the callers, if the check is in a function of its own.
	Stack []string
}

// run is a run in progress.
type run struct {
	vm     *fileVM
	stage  Stage
	seed   uint64
	log    func(line string)
	result Result
	failed bool // a check failed or the run was ended; later failures are not reported

	server  *peer
	started bool // t:server was called
	peers   []*peer

	expected   []*expectation
	heard      map[string]bool // error messages that met an expectation or were counted as unexpected
	unexpected []string
	muted      bool

	t                         *tester
	tMethods, peerMethods     *lua.LTable
	handleIs                  *lua.LFunction
	callers                   map[string]*lua.LFunction // handle.Func by name
	partCallers               map[string]*lua.LFunction // handle.Arr.Func by name
	find                      *lua.LFunction            // string.find
	tMethodNames, peerMembers []string
}

// Run runs a scenario once.
func (s *Scenario) Run(o Run) Result {
	rand := &generator{}
	v, err := s.file.newVM(rand)
	if err != nil {
		return Result{Failures: []Failure{{Message: err.Error()}}}
	}
	defer v.sb.Close()
	if err := v.top(); err != nil {
		return Result{Failures: []Failure{{Message: err.Error()}}}
	}
	if s.index >= len(v.entries) {
		return Result{Failures: []Failure{{Message: fmt.Sprintf("%s: the file declares another number of scenarios each time it runs", s.file.Path)}}}
	}
	rand.Seed(o.Seed)
	r := &run{vm: v, stage: o.Stage, seed: o.Seed, log: o.Log, heard: map[string]bool{}}
	v.run = r
	r.bind()
	o.Stage.Listen(r.report)
	_, err = v.sb.Call("", v.entries[s.index].fn, r.t)
	r.finish(s, err)
	r.result.Time = o.Stage.Now()
	return r.result
}

// finish adds failures that only show at the end.
func (r *run) finish(s *Scenario, err error) {
	if err != nil && !r.failed {
		f := Failure{Message: err.Error()}
		var e *sandbox.Error
		if errors.As(err, &e) {
			f = Failure{Message: e.Message, File: e.File, Line: e.Line, Stack: luaFrames(e.Stack)}
			if text := s.file.spent(err); text != "" {
				f.Message = text
			}
		}
		r.result.Failures = append(r.result.Failures, f)
	}
	for _, text := range r.unexpected {
		r.add(Failure{Message: "a script raised an error that nobody expected: " + text})
	}
	if len(r.result.Failures) > 0 {
		return // an expectation after the failure could not be met
	}
	for _, e := range r.expected {
		if !e.met {
			r.add(Failure{Message: fmt.Sprintf("no script raised the error that was expected: %q", e.pattern), File: e.file, Line: e.line})
		}
	}
}

// spent returns which guard ended a run, or "" for any other error.
func (f *File) spent(err error) string {
	switch {
	case errors.Is(err, sandbox.ErrInstructions):
		return fmt.Sprintf("the scenario's own Lua ran more than %d instructions; is there an endless loop?", f.options.Limits.Instructions)
	case errors.Is(err, sandbox.ErrTime):
		return "the scenario ran longer than the host waits; is there an endless loop?"
	}
	return ""
}

func (r *run) add(f Failure) {
	if len(r.result.Failures) < maxFailures {
		r.result.Failures = append(r.result.Failures, f)
	}
}

// fail records the failure of a check at the position of its caller and ends the scenario's Lua.
func (r *run) fail(L *lua.LState, f Failure) {
	if !r.failed {
		r.failed = true
		if f.File == "" {
			f.File, f.Line = where(L)
		}
		f.Stack = callers(L)
		r.add(f)
	}
	L.RaiseError("%s", f.Message)
}

// where returns the nearest position in the script that led to the running native.
func where(L *lua.LState) (file string, line int) {
	for level := 1; level < 10; level++ {
		if _, ok := L.GetStack(level); !ok {
			break
		}
		if file, line, _ = sandbox.SplitPlace(L.Where(level) + " "); file != "" {
			return file, line
		}
	}
	return "", 0
}

// callers returns the positions that led to the running native, if there is more than one.
func callers(L *lua.LState) []string {
	var out []string
	for level := 1; level < 10; level++ {
		if _, ok := L.GetStack(level); !ok {
			break
		}
		if at := strings.TrimSuffix(L.Where(level), ":"); at != "" && !strings.HasPrefix(at, "[") {
			out = append(out, at)
		}
	}
	if len(out) < 2 {
		return nil
	}
	return out
}

// luaFrames returns the positions of a stack that are in scripts.
func luaFrames(stack []string) []string {
	var out []string
	for _, s := range stack {
		file, line, _ := sandbox.SplitPlace(s)
		if file != "" && !strings.HasPrefix(file, "[") {
			out = append(out, fmt.Sprintf("%s:%d", file, line))
		}
	}
	if len(out) < 2 {
		return nil
	}
	return out
}

// expectation is one t:expect_error.
type expectation struct {
	pattern string
	file    string
	line    int
	met     bool
}

// report receives reports of any peer's scripts. One message counts once, however often it is repeated.
func (r *run) report(m scriptvm.Report) {
	if m.Kind != scriptvm.ReportError || r.muted || r.heard[m.Text] {
		return
	}
	r.heard[m.Text] = true
	if e := r.waiting(m.Text); e != nil {
		e.met = true
		return
	}
	if len(r.unexpected) < maxFailures {
		r.unexpected = append(r.unexpected, m.Text)
	}
}

// waiting returns the first unmet expectation that a message would meet, or nil.
func (r *run) waiting(text string) *expectation {
	plain := column.ReplaceAllString(text, "$1: ")
	for _, e := range r.expected {
		if !e.met && (r.matches(text, e.pattern) || plain != text && r.matches(plain, e.pattern)) {
			return e
		}
	}
	return nil
}

// column matches a position with its column, which patterns may omit: "scripts:5: broken" means the whole line.
var column = regexp.MustCompile(`(:\d+):\d+: `)

// matches is string.find(text, pattern) ~= nil.
func (r *run) matches(text, pattern string) bool {
	x, err := r.vm.sb.Call("", r.find, lua.LString(text), lua.LString(pattern))
	return err == nil && x != lua.LNil
}

// misuse reports an error of the scenario itself in using a peer: spawning an unknown class, Lua that fails, a
// handle whose actor was destroyed. It is raised here, unless expect_error is waiting for it.
func (r *run) misuse(L *lua.LState, p *peer, text string) {
	if e := r.waiting(text); e != nil {
		e.met = true
		if vm := p.VM(); vm != nil {
			r.muted = true
			vm.Blame(nil, "scenario", text)
			r.muted = false
		}
		return
	}
	L.RaiseError("%s", text)
}
