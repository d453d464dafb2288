package sandbox

import (
	"maps"
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm/syntax"
)

// Globals returns the environment that all files may share: scripts cannot reach it as a value, and syntax.Harden
// rejects assignments to globals, so sharing it is safe and every global takes one lookup.
func (vm *VM) Globals() *lua.LTable { return vm.globals }

// SetGlobal adds a global for all files, or replaces it. Do it before hardening the files that use it.
func (vm *VM) SetGlobal(name string, value lua.LValue) {
	vm.globals.RawSetString(name, value)
	if !vm.isKnown[name] {
		vm.isKnown[name] = true
		vm.known = append(vm.known, name)
	}
}

// NewEnv creates an environment for one file: its own names (read-only for scripts, the host sets them) above the
// shared globals. A file without names of its own should use Globals.
func (vm *VM) NewEnv(own map[string]lua.LValue) *lua.LTable {
	env := vm.root.CreateTable(0, len(own)+2)
	for _, name := range slices.Sorted(maps.Keys(own)) {
		env.RawSetString(name, own[name])
	}
	for _, name := range []string{syntax.ConcatNative, syntax.LenNative} {
		env.RawSetString(name, vm.globals.RawGetString(name))
	}
	env.Metatable = vm.envs
	return env
}

// Seal makes all tables with a metatable the engine's: scripts can index and assign them as the metatable defines,
// but rawset, setmetatable and the table library refuse to change them. The metatable should have a __metatable
// field so that scripts cannot get it. name is the name of such a table in errors.
func (vm *VM) Seal(metatable *lua.LTable, name string) {
	seals(metatable, &seal{name: name})
}

// Freeze returns a read-only table that shows the fields of another. Reading a missing field is an error that names
// the nearest one. The host may still change the underlying table.
func (vm *VM) Freeze(name string, behind *lua.LTable) *lua.LTable {
	refuse := vm.NewFunction(name, func(L *lua.LState) int {
		L.RaiseError("%s is read-only: '%s' cannot be set", name, vm.plainString(L.Get(2)))
		return 0
	})
	unknown := vm.NewFunction(name, func(L *lua.LState) int {
		key := vm.plainString(L.Get(2))
		L.RaiseError("%s has no '%s'%s", name, key, engine.Nearest(key, vm.stringKeys(behind)))
		return 0
	})
	end := vm.root.CreateTable(0, 1)
	end.RawSetString("__index", unknown)
	behind.Metatable = end
	metatable := vm.root.CreateTable(1, 3)
	metatable.RawSetString("__index", behind)
	metatable.RawSetString("__newindex", refuse)
	metatable.RawSetString("__metatable", lua.LFalse)
	seals(metatable, &seal{name: name, target: behind})
	proxy := vm.root.CreateTable(0, 0)
	proxy.Metatable = metatable
	return proxy
}

// stringKeys returns the string keys of a table in order of insertion.
func (vm *VM) stringKeys(tb *lua.LTable) []string {
	var keys []string
	for k, _ := tb.Next(lua.LNil); k != lua.LNil; k, _ = tb.Next(k) {
		if s, ok := k.(lua.LString); ok {
			keys = append(keys, string(s))
		}
	}
	return keys
}

// Sealed reports whether a table is the engine's: with a sealed metatable, frozen, or a view of a module.
func (vm *VM) Sealed(tb *lua.LTable) bool { return vm.sealOf(tb) != nil }

// sealOf returns the seal of a table, nil if it is an ordinary one.
func (vm *VM) sealOf(tb *lua.LTable) *seal {
	if metatable, ok := tb.Metatable.(*lua.LTable); ok {
		return sealIn(metatable)
	}
	return nil
}

// changeable returns the table of the first argument, which the native is about to change.
func (vm *VM) changeable(L *lua.LState) *lua.LTable {
	tb := L.CheckTable(1)
	if s := vm.sealOf(tb); s != nil {
		L.RaiseError("%s is read-only", s.name)
	}
	return tb
}

// readable returns the table of the first argument, or the table underlying a frozen one, and its seal if it has
// one: values read from the table must pass through shown.
func (vm *VM) readable(L *lua.LState) (*lua.LTable, *seal) {
	tb := L.CheckTable(1)
	s := vm.sealOf(tb)
	if s != nil && s.target != nil {
		return s.target, s
	}
	return tb, s
}

// openLibraries builds the globals.
func (vm *VM) openLibraries() {
	vm.ids.init()
	vm.globals = vm.root.CreateTable(0, 192)
	unknown := vm.NewFunction("global", func(L *lua.LState) int {
		name := vm.plainString(L.Get(2))
		if library, field, ok := strings.Cut(name, "."); ok { // a field that has no value of its own now
			L.Push(L.GetField(vm.globals.RawGetString(library), field))
			return 1
		}
		L.RaiseError("unknown name '%s'%s", name, engine.Nearest(name, vm.known))
		return 0
	})
	refuse := vm.NewFunction("global", func(L *lua.LState) int {
		L.RaiseError("assignment to global '%s': globals are read-only", vm.plainString(L.Get(2)))
		return 0
	})
	shared := vm.root.CreateTable(1, 3)
	shared.RawSetString("__index", unknown)
	shared.RawSetString("__newindex", refuse)
	shared.RawSetString("__metatable", lua.LFalse)
	vm.globals.Metatable = shared
	seals(shared, &seal{name: "the table of globals"})
	vm.envs = vm.root.CreateTable(1, 3)
	vm.envs.RawSetString("__index", vm.globals)
	vm.envs.RawSetString("__newindex", refuse)
	vm.envs.RawSetString("__metatable", lua.LFalse)
	seals(vm.envs, &seal{name: "the table of globals"})

	base := vm.openBase()
	for _, name := range slices.Sorted(maps.Keys(base)) {
		vm.SetGlobal(name, vm.NewFunction(name, base[name]))
	}
	vm.openLibrary("string", vm.openString(), nil)
	vm.openLibrary("table", vm.openTable(), nil)
	vm.openLibrary("coroutine", vm.openCoroutine(), nil)
	functions, constants := vm.openMath()
	vm.openLibrary("math", functions, constants)

	vm.globals.RawSetString(syntax.ConcatNative, vm.NewFunction("..", vm.concat))
	vm.globals.RawSetString(syntax.LenNative, vm.NewFunction("#", vm.length))

	// Strings find their methods in the library, and do not expose their metatable.
	strings := vm.root.CreateTable(1, 3)
	strings.RawSetString("__index", vm.globals.RawGetString("string").(*lua.LTable).Metatable.(*lua.LTable).RawGetString("__index"))
	strings.RawSetString("__metatable", lua.LFalse)
	vm.root.SetMetatable(lua.LString(""), strings)
}

// openLibrary adds a frozen library, and its members as globals of their own for hardened code.
func (vm *VM) openLibrary(name string, functions map[string]lua.LGFunction, constants map[string]lua.LValue) {
	guarded := name != "math" // arithmetic neither hangs nor panics
	behind := vm.root.CreateTable(0, len(functions)+len(constants))
	members := make(map[string]bool)
	add := func(field string, value lua.LValue) {
		behind.RawSetString(field, value)
		vm.globals.RawSetString(syntax.LibraryName(name, field), value)
		members[field] = true
	}
	for _, field := range slices.Sorted(maps.Keys(functions)) {
		if guarded {
			add(field, vm.NewFunction(name+"."+field, functions[field]))
		} else {
			add(field, vm.NewPlainFunction(functions[field]))
		}
	}
	for _, field := range slices.Sorted(maps.Keys(constants)) {
		add(field, constants[field])
	}
	vm.library[name] = members
	vm.SetGlobal(name, vm.Freeze(name, behind))
}
