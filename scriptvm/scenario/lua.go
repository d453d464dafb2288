package scenario

import (
	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/scriptvm"
)

// argument returns the argument at i, which must have the Lua type T. expected begins the message of the error otherwise.
func argument[T lua.LValue](r *run, L *lua.LState, i int, expected string) T {
	x, ok := L.Get(i).(T)
	if !ok {
		L.RaiseError("%s, got %s", expected, r.vm.show(L.Get(i)))
	}
	return x
}

// raise raises a Go error in the script; nil does nothing.
func raise(L *lua.LState, err error) {
	if err != nil {
		L.RaiseError("%s", err.Error())
	}
}

// record creates a table from alternating names and values.
func record(members ...any) *lua.LTable {
	t := scriptvm.NewTable(0, len(members)/2)
	for i := 0; i < len(members); i += 2 {
		t.RawSetString(members[i].(string), luaValue(members[i+1]))
	}
	return t
}

// luaValue converts an argument of record: numbers, strings, lists of strings, and values of Lua.
func luaValue(x any) lua.LValue {
	switch x := x.(type) {
	case int:
		return lua.LNumber(x)
	case float64:
		return lua.LNumber(x)
	case string:
		return lua.LString(x)
	case []string:
		return list(x, func(s *string) lua.LValue { return lua.LString(*s) })
	}
	return x.(lua.LValue)
}

// list creates an array with the result of of for each element.
func list[T any](elements []T, of func(*T) lua.LValue) *lua.LTable {
	t := scriptvm.NewTable(len(elements), 0)
	for i := range elements {
		t.RawSetInt(i+1, of(&elements[i]))
	}
	return t
}
