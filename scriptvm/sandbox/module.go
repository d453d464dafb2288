package sandbox

import (
	"reflect"
	"weak"

	lua "github.com/yuin/gopher-lua"
)

// A module is shared by every class that requires it, so everything it exposes is deeply frozen (G13): its tables
// can be read, and a write raises an error in the function that writes. The module's own functions reach the tables
// themselves through locals; a module with state offers functions to change it.
//
// Invariant: code of other files never gets a table that is reachable from a module's value, only a view of it.

// view is a table of a module as other files see it.
type view struct {
	proxy *lua.LTable
	name  string // of the module
	file  string // whose functions see the table itself
}

// keptMetamethods work on a view as on the table; the others are the view's own.
var keptMetamethods = []string{
	"__call", "__tostring", "__len", "__lt", "__le", "__add", "__sub", "__mul", "__div", "__mod", "__pow", "__unm", "__concat",
}

// FreezeModule returns the view of a module's value; name is the module's, file the one whose functions see the
// tables themselves. A value without tables is returned unchanged.
func (vm *VM) FreezeModule(name, file string, value lua.LValue) lua.LValue {
	tb, ok := value.(*lua.LTable)
	if !ok || vm.sealOf(tb) != nil {
		return value
	}
	if v := vm.views[tb]; v != nil {
		return v.proxy
	}
	v := vm.newView(name, file, tb)
	vm.views[tb] = v
	for k, x := tb.Next(lua.LNil); k != lua.LNil; k, x = tb.Next(k) {
		vm.FreezeModule(name, file, k)
		vm.FreezeModule(name, file, x)
	}
	if metatable, ok := tb.Metatable.(*lua.LTable); ok {
		vm.FreezeModule(name, file, metatable)
	}
	return v.proxy
}

// newView creates a view of a table. Functions, which modules do not replace once they are loaded, are found
// without a call.
func (vm *VM) newView(name, file string, tb *lua.LTable) *view {
	v := &view{proxy: vm.root.CreateTable(0, 0), name: name, file: file}
	functions := vm.root.CreateTable(0, 8)
	for k, x := tb.Next(lua.LNil); k != lua.LNil; k, x = tb.Next(k) {
		if fn, ok := x.(*lua.LFunction); ok {
			functions.RawSet(k, fn)
		}
	}
	rest := vm.root.CreateTable(0, 1)
	rest.RawSetString("__index", vm.NewFunction(name, func(L *lua.LState) int {
		L.Push(vm.shownBy(v, L.GetTable(tb, vm.behindView(L.Get(2)))))
		return 1
	}))
	functions.Metatable = rest
	metatable := vm.root.CreateTable(1, 4)
	metatable.RawSetString("__index", functions)
	metatable.RawSetString("__newindex", vm.NewFunction(name, func(L *lua.LState) int {
		L.RaiseError("module %s is read-only: '%s' cannot be set; what changes is kept by the class, or by the module behind functions of its own",
			name, vm.plainString(L.Get(2)))
		return 0
	}))
	metatable.RawSetString("__metatable", lua.LFalse)
	if own, ok := tb.Metatable.(*lua.LTable); ok {
		for _, event := range keptMetamethods {
			if fn := own.RawGetString(event); fn != lua.LNil {
				metatable.RawSetString(event, fn)
			}
		}
	}
	seals(metatable, &seal{name: "module " + name, target: tb, view: v})
	v.proxy.Metatable = metatable
	return v
}

// shownBy returns a value found in a table of a module, as other files see it. A table that the module created
// after it was loaded keeps the same view as long as somebody holds that.
func (vm *VM) shownBy(v *view, x lua.LValue) lua.LValue {
	tb, ok := x.(*lua.LTable)
	if !ok || vm.sealOf(tb) != nil {
		return x
	}
	if known := vm.views[tb]; known != nil {
		return known.proxy
	}
	if known := vm.late.find(tb); known != nil {
		return known.proxy
	}
	made := vm.newView(v.name, v.file, tb)
	vm.late.add(tb, made)
	return made.proxy
}

// lateViews holds the views of tables that modules created after they were loaded; only holders of their proxy keep
// them alive. A view holds its table, so while it exists no other table has that address.
type lateViews struct {
	by    map[uintptr]weak.Pointer[lua.LTable] // proxies
	sweep int                                  // the number at which unreachable ones are dropped
}

func (l *lateViews) find(tb *lua.LTable) *view {
	proxy := l.by[addressOf(tb)].Value()
	if proxy == nil {
		return nil
	}
	return sealIn(proxy.Metatable.(*lua.LTable)).view
}

func (l *lateViews) add(tb *lua.LTable, v *view) {
	if l.by == nil || len(l.by) >= l.sweep {
		kept := make(map[uintptr]weak.Pointer[lua.LTable])
		for address, p := range l.by { // any order: from one map to another
			if p.Value() != nil {
				kept[address] = p
			}
		}
		l.by, l.sweep = kept, max(1024, 2*len(kept))
	}
	l.by[addressOf(tb)] = weak.Make(v.proxy)
}

func addressOf(tb *lua.LTable) uintptr { return reflect.ValueOf(tb).Pointer() }

// shown returns a value that the library read from a table, as the script may have it; seal is the table's, nil for
// none.
func (vm *VM) shown(s *seal, x lua.LValue) lua.LValue {
	if s == nil || s.view == nil {
		return x
	}
	return vm.shownBy(s.view, x)
}

// metatableFor returns a metatable for getmetatable: for other files, that of a module's object is a view unless
// the module hides it, so that nobody changes a module's functions through its objects.
func (vm *VM) metatableFor(L *lua.LState, metatable lua.LValue) lua.LValue {
	tb, ok := metatable.(*lua.LTable)
	if !ok {
		return metatable
	}
	v := vm.views[tb]
	if v == nil || callerFile(L) == v.file {
		return metatable
	}
	return v.proxy
}

// behindView returns the module's table for a view that a script passes as a metatable or a key; other values are
// returned unchanged.
func (vm *VM) behindView(x lua.LValue) lua.LValue {
	if tb, ok := x.(*lua.LTable); ok {
		if s := vm.sealOf(tb); s != nil && s.view != nil {
			return s.target
		}
	}
	return x
}

// callerFile returns the file of the Lua function that called the native.
func callerFile(L *lua.LState) string {
	d, ok := L.GetStack(1)
	if !ok {
		return ""
	}
	if _, err := L.GetInfo("S", d, lua.LNil); err != nil {
		return ""
	}
	return d.Source
}
