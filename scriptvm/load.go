package scriptvm

import (
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm/classfile"
)

// Load loads all files of a game and creates its classes. It is called once, before the world is created; later
// changes use Reload. On errors nothing is loaded.
func (v *VM) Load(sources []classfile.Source) []engine.Diagnostic {
	prog, diags := classfile.Load(sources, classfile.Options{Cache: v.opt.Cache, Content: v.opt.Content, Reserved: v.opt.Reserved, Calls: v.opt.Calls})
	if prog == nil {
		return diags
	}
	s := v.stage(prog, nil)
	if errs := s.run(); len(errs) > 0 {
		return append(diags, errs...)
	}
	v.commit(s, nil)
	return diags
}

func (v *VM) stage(prog, old *classfile.Program) *staged {
	return &staged{vm: v, program: prog, old: old, modules: map[string]*module{}, classes: map[string]*class{}, rerun: map[string]bool{}, fns: make([]*bodyOf, len(prog.Defs))}
}

// run runs the top level of every file that changed, parents before children. Files that did not change
// keep their functions and the values of their local variables.
func (s *staged) run() []engine.Diagnostic {
	v := s.vm
	v.staging = s
	defer func() { v.staging = nil }()
	s.keepModules()
	var errs []engine.Diagnostic
	for _, f := range s.program.Files {
		if old := s.unchanged(f); old != nil {
			for i, d := range f.Defs {
				s.fns[d.Number] = v.fns[old.Defs[i].Number]
			}
			continue
		}
		s.rerun[f.Path] = true
		if _, err := s.runFile(f); err != nil {
			errs = append(errs, diagnose(err, f))
		}
	}
	// Modules that nobody requires run too, so that an error in one is found on load.
	for _, name := range sortedLibs(s.program.Libs) {
		if s.modules[name] == nil {
			if _, err := s.require(name, ""); err != nil {
				errs = append(errs, diagnose(err, s.program.Libs[name]))
			}
		}
	}
	return errs
}

// class returns the VM's data of a class by name: the existing one, or a new one.
func (s *staged) class(name string) *class {
	if c := s.vm.classes[name]; c != nil {
		return c
	}
	if c := s.classes[name]; c != nil {
		return c
	}
	c := &class{data: s.program.Classes.Find(name)}
	s.vm.makeClassTable(c)
	s.classes[name] = c
	return c
}

// unchanged returns the old program's file if nothing in it, nor in a module it uses, has changed.
func (s *staged) unchanged(f *classfile.File) *classfile.File {
	if s.old == nil {
		return nil
	}
	o := s.old.File(f.Path)
	if o == nil || o.Proto != f.Proto || len(o.Defs) != len(f.Defs) {
		return nil
	}
	for _, name := range f.Classes {
		if c := s.vm.classes[name]; c != nil && c.dropped {
			return nil
		}
	}
	for name, m := range s.vm.modules { // any order: it asks whether any changed
		if m.users[f.Path] && s.modules[name] != m {
			return nil
		}
	}
	return o
}

// keepModules keeps the modules that did not change and use only unchanged modules.
func (s *staged) keepModules() {
	if s.old == nil {
		return
	}
	changed := map[string]bool{}
	for name, m := range s.vm.modules { // any order: they become a set
		n := s.program.Libs[name]
		if n == nil || n.Proto != m.file.Proto || m.dropped {
			changed[name] = true
		}
	}
	// A file that uses a changed module has changed too; users includes indirect ones already.
	for _, name := range slices.Collect(maps.Keys(changed)) { // any order: a union of sets
		for user := range s.vm.modules[name].users { // any order: a union of sets
			for n, m := range s.vm.modules { // any order: a union of sets
				if m.file.Path == user {
					changed[n] = true
				}
			}
		}
	}
	for name, m := range s.vm.modules { // any order: from one map to another
		if !changed[name] {
			s.modules[name] = m
		}
	}
}

// runFile runs the top level of a file and returns its value.
func (s *staged) runFile(f *classfile.File) (lua.LValue, error) {
	v := s.vm
	outer := v.defining
	v.defining = f
	defer func() { v.defining = outer }()
	return v.vm.Call(f.Path, v.vm.Load(f.Proto, v.vm.Globals()), v.hidden...)
}

// requireNative returns the global require: while files load it runs a module the first time, later it returns the
// module's present value.
func (v *VM) requireNative(L *lua.LState) int {
	name := checkString(L, 1)
	if in := v.staging; in != nil {
		user := ""
		if v.defining != nil {
			user = v.defining.Path
		}
		val, err := in.require(name, user)
		if err != nil {
			L.RaiseError("%s", err.Error())
		}
		L.Push(val)
		return 1
	}
	m := v.modules[name]
	if m == nil {
		L.RaiseError("no module %q; modules are the files of scripts/lib, named lib.<name>%s", name, engine.Nearest(name, sortedLibs(v.program.Libs)))
	}
	L.Push(m.value)
	return 1
}

// require returns a module's value, and runs the module the first time. user is the path of the requiring file.
func (s *staged) require(name, user string) (lua.LValue, error) {
	v := s.vm
	for i, n := range v.loading {
		if n == name {
			return nil, fmt.Errorf("module %s requires itself: %s", name, strings.Join(append(append([]string(nil), v.loading[i:]...), name), " → "))
		}
	}
	m := s.modules[name]
	if m == nil {
		f := s.program.Libs[name]
		if f == nil {
			return nil, fmt.Errorf("no module %q; modules are the files of scripts/lib, named lib.<name>%s", name, engine.Nearest(name, sortedLibs(s.program.Libs)))
		}
		m = &module{file: f, users: map[string]bool{}}
		v.loading = append(v.loading, name)
		val, err := s.runFile(f)
		v.loading = v.loading[:len(v.loading)-1]
		if err != nil {
			return nil, err
		}
		m.raw = val
		m.value = v.vm.FreezeModule(name, f.Path, val)
		s.modules[name] = m
	}
	if user != "" {
		m.users[user] = true
	}
	// A module's users are also users of what it requires.
	for _, n := range v.loading {
		if f := s.program.Libs[n]; f != nil {
			m.users[f.Path] = true
		}
	}
	for other, om := range s.modules { // any order: no test reads what another round sets
		if other != name && om.users[m.file.Path] && user != "" {
			om.users[user] = true
		}
	}
	return m.value, nil
}

func sortedLibs(libs map[string]*classfile.File) []string {
	names := make([]string, 0, len(libs))
	for n := range libs { // any order: sorted below
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}

// diagnose converts the error of a top level to a load error.
func diagnose(err error, f *classfile.File) engine.Diagnostic {
	e := structured(err)
	pos := engine.Pos{File: e.File, Line: e.Line}
	if pos.File == "" {
		pos.File = f.Path
	}
	return engine.Diagnostic{Pos: pos, Severity: engine.SevError, Rule: "load-error", Text: e.Message}
}

// commit puts a staged program into use. touched are the classes that a reload changes.
func (v *VM) commit(s *staged, touched map[string]bool) {
	for n, c := range s.classes { // any order: from one map to another
		v.classes[n] = c
	}
	v.sources = s.program.Sources() // the same texts, and one copy of them for all worlds
	v.modules = s.modules
	v.places = nil
	v.adopt(s, touched)
}

// define is (def)(k, function): a class file passes the k-th of its functions.
func (v *VM) define(L *lua.LState) int {
	f := v.defining
	k, _ := L.Get(1).(lua.LNumber)
	fn, _ := L.Get(2).(*lua.LFunction)
	if f == nil || fn == nil || int(k) < 1 || int(k) > len(f.Defs) {
		L.RaiseError("a class's functions are defined while its file loads")
	}
	d := f.Defs[int(k)-1]
	v.staging.fns[d.Number] = &bodyOf{fn: fn, class: v.staging.class(d.Class)}
	return 0
}

// classNamed is (class)(name): the value that class(…) returns in a class file.
func (v *VM) classNamed(L *lua.LState) int {
	if v.staging == nil {
		L.RaiseError("class(…) stands at the top level of a class file")
	}
	L.Push(v.staging.class(checkString(L, 1)).table)
	return 1
}

// defAt returns the class function that contains a line of a file, or nil.
func (v *VM) defAt(file string, line int) *classfile.Def {
	if v.places == nil {
		v.places = map[string][]*classfile.Def{}
		for _, f := range v.program.Files {
			v.places[f.Path] = append(v.places[f.Path], f.Defs...)
		}
	}
	var best *classfile.Def
	for _, d := range v.places[file] {
		if d.Proto == nil || line < d.Proto.LineDefined || line > d.Proto.LastLineDefined {
			continue
		}
		if best == nil || d.Proto.LineDefined >= best.Proto.LineDefined {
			best = d
		}
	}
	return best
}

// adopt puts a program into use whose files were run. Values of existing classes stay the same tables, and so do
// the function tables of untouched classes: actors hold them, and a reload does not touch most classes of a game.
func (v *VM) adopt(s *staged, touched map[string]bool) {
	before, tables := v.program, v.tables
	v.program, v.fns = s.program, s.fns
	cs := v.program.Classes
	for _, ec := range cs.All() {
		c := v.classes[ec.Name]
		if c == nil {
			c = &class{}
			v.classes[ec.Name] = c
			v.makeClassTable(c)
		}
		c.data, c.bySlot, c.choosy = ec, ec.BySlot(), choosy(ec)
		c.defaults, c.stateSupers = nil, nil
	}
	for name := range v.classes { // any order: removed ones are dropped
		if cs.Find(name) == nil {
			delete(v.classes, name)
		}
	}
	v.keepAccounts(before)
	v.keepMemory()
	v.rebindRouters()
	v.tables = make([]*lua.LTable, cs.Dispatches())
	if before == nil {
		return
	}
	for _, ec := range cs.All() {
		old := before.Classes.Find(ec.Name)
		if old == nil || touched[ec.Name] {
			continue
		}
		v.tables[ec.Dispatch.Index] = tables[old.Dispatch.Index]
		for name, state := range ec.States { // any order: each has a place of its own
			if was := old.States[name]; was != nil {
				v.tables[state.Dispatch.Index] = tables[was.Dispatch.Index]
			}
		}
	}
}
