package sandbox

import (
	"math"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// openBase returns the global functions.
func (vm *VM) openBase() map[string]lua.LGFunction {
	next := func(L *lua.LState) int {
		tb, s := vm.readable(L)
		from := L.Get(2)
		if s != nil && s.view != nil {
			from = vm.behindView(from)
		}
		key, value := vm.next(L, tb, from)
		L.Push(vm.shown(s, key))
		if key == lua.LNil {
			return 1
		}
		L.Push(vm.shown(s, value))
		return 2
	}
	nextFunction := vm.NewFunction("next", next)
	ipairsStep := vm.NewFunction("ipairs", func(L *lua.LState) int {
		i := L.CheckNumber(2) + 1
		tb, s := vm.readable(L)
		value := tb.RawGet(i)
		if value == lua.LNil {
			L.Push(lua.LNil)
			return 1
		}
		vm.pushNumber(L, float64(i))
		L.Push(vm.shown(s, value))
		return 2
	})
	return map[string]lua.LGFunction{
		"assert":       vm.assert,
		"error":        vm.raise,
		"getmetatable": func(L *lua.LState) int { L.Push(vm.metatableFor(L, L.GetMetatable(L.CheckAny(1)))); return 1 },
		"ipairs": func(L *lua.LState) int {
			L.CheckTable(1)
			L.Push(ipairsStep)
			L.Push(L.Get(1))
			L.Push(lua.LNumber(0))
			return 3
		},
		"next": next,
		"pairs": func(L *lua.LState) int {
			L.CheckTable(1)
			L.Push(nextFunction)
			L.Push(L.Get(1))
			L.Push(lua.LNil)
			return 3
		},
		"pcall":    vm.pcall,
		"rawequal": func(L *lua.LState) int { L.Push(lua.LBool(L.RawEqual(L.CheckAny(1), L.CheckAny(2)))); return 1 },
		"rawget": func(L *lua.LState) int {
			tb, s := vm.readable(L)
			L.Push(vm.shown(s, tb.RawGet(L.CheckAny(2))))
			return 1
		},
		"rawset": func(L *lua.LState) int {
			L.RawSet(vm.changeable(L), L.CheckAny(2), L.CheckAny(3))
			L.SetTop(1)
			return 1
		},
		"require":      vm.require,
		"select":       selectArguments,
		"setmetatable": vm.setMetatable,
		"tonumber":     toNumber,
		"tostring":     func(L *lua.LState) int { L.Push(vm.toString(L, L.CheckAny(1))); return 1 },
		"type":         func(L *lua.LState) int { L.Push(lua.LString(L.CheckAny(1).Type().String())); return 1 },
		"unpack":       vm.unpack,
	}
}

func (vm *VM) assert(L *lua.LState) int {
	if L.ToBool(1) {
		return L.GetTop()
	}
	L.CheckAny(1)
	message := L.Get(2)
	if message == lua.LNil {
		message = lua.LString("assertion failed!")
	}
	throw(L, message, 1)
	return 0
}

func (vm *VM) raise(L *lua.LState) int {
	throw(L, L.Get(1), L.OptInt(2, 1))
	return 0
}

// throw raises a value; a string is prefixed with the position of the caller at this level, 0 for none.
func throw(L *lua.LState, value lua.LValue, level int) {
	if text, ok := value.(lua.LString); ok && level > 0 {
		if place := L.Where(level); place != "" && !strings.HasPrefix(place, "[G]") {
			value = lua.LString(place + " " + string(text))
		}
	}
	L.Error(value, 0)
}

// pcall runs the function on a state of its own (states.go). A spent budget is raised through it.
func (vm *VM) pcall(L *lua.LState) int {
	L.CheckAny(1)
	n := L.GetTop()
	S, err := vm.enter(pcallName)
	if err != nil {
		L.Push(lua.LFalse)
		L.Push(lua.LString(err.Error()))
		return 2
	}
	for i := 1; i <= n; i++ {
		S.Push(L.Get(i))
	}
	failure := vm.protected(S, n-1, lua.MultRet)
	if failure == nil {
		L.SetTop(0)
		L.Push(lua.LTrue)
		for i := 1; i <= S.GetTop(); i++ {
			L.Push(S.Get(i))
		}
		S.SetTop(0)
		vm.leave(nil)
		return L.GetTop()
	}
	vm.leave(failure)
	if vm.budget.reason != nil {
		vm.raiseSpent(L)
	}
	vm.Charge(L, caughtError)
	L.Push(lua.LFalse)
	L.Push(vm.errorValue(failure))
	return 2
}

func (vm *VM) require(L *lua.LState) int {
	name := L.CheckString(1)
	if vm.options.Require == nil {
		L.RaiseError("module '%s' not found: nothing can be required here", name)
	}
	module, err := vm.options.Require(name)
	if err != nil {
		L.RaiseError("%s", err.Error())
	}
	if module == nil {
		module = lua.LTrue
	}
	L.Push(module)
	return 1
}

func selectArguments(L *lua.LState) int {
	count := L.GetTop() - 1
	if s, ok := L.Get(1).(lua.LString); ok && s == "#" {
		L.Push(lua.LNumber(count))
		return 1
	}
	n := L.CheckNumber(1)
	switch {
	case n < 0:
		n += lua.LNumber(count) + 1
	case n > lua.LNumber(count):
		return 0
	}
	if !(n >= 1) {
		L.ArgError(1, "index out of range")
	}
	return count - int(n) + 1
}

func (vm *VM) setMetatable(L *lua.LState) int {
	tb := vm.changeable(L)
	metatable := vm.behindView(L.Get(2))
	switch metatable.(type) {
	case *lua.LTable:
	case *lua.LNilType:
		if L.GetTop() < 2 {
			L.TypeError(2, lua.LTTable)
		}
	default:
		L.ArgError(2, "nil or table expected")
	}
	if old, ok := tb.Metatable.(*lua.LTable); ok && old.RawGetString("__metatable") != lua.LNil {
		L.RaiseError("cannot change a protected metatable")
	}
	tb.Metatable = metatable
	L.SetTop(1)
	return 1
}

// toNumber reads numbers as Lua 5.1 does with base 10: decimal or hexadecimal with blanks around.
// "inf" and "nan", which some C libraries read, are not numbers here.
func toNumber(L *lua.LState) int {
	base := L.OptInt(2, 10)
	switch v := L.CheckAny(1).(type) {
	case lua.LNumber:
		if base != 10 {
			L.Push(readNumber(formatNumber(float64(v)), base, L))
			return 1
		}
		L.Push(v)
	case lua.LString:
		L.Push(readNumber(string(v), base, L))
	default:
		L.Push(lua.LNil)
	}
	return 1
}

func readNumber(text string, base int, L *lua.LState) lua.LValue {
	if base < 2 || base > 36 {
		L.ArgError(2, "base out of range")
	}
	text = strings.Trim(text, " \t\n\v\f\r")
	if base == 10 {
		if n, ok := parseNumber(text); ok {
			return lua.LNumber(n)
		}
		return lua.LNil
	}
	negative := strings.HasPrefix(text, "-")
	text = strings.ToLower(strings.TrimPrefix(strings.TrimPrefix(text, "-"), "+"))
	if base == 16 {
		text = strings.TrimPrefix(text, "0x")
	}
	if text == "" || len(text) > 128 {
		return lua.LNil
	}
	n := 0.0
	for i := 0; i < len(text); i++ {
		digit := 99
		switch c := text[i]; {
		case '0' <= c && c <= '9':
			digit = int(c - '0')
		case 'a' <= c && c <= 'z':
			digit = int(c-'a') + 10
		}
		if digit >= base {
			return lua.LNil
		}
		n = n*float64(base) + float64(digit)
	}
	if negative {
		n = -n
	}
	return lua.LNumber(n)
}

// ToString returns the result of the script function tostring for a value: never an address (identity.go). It may
// call the value's __tostring, and raise its error.
func (vm *VM) ToString(L *lua.LState, v lua.LValue) string { return string(vm.toString(L, v)) }

// toString is tostring: the result of __tostring, otherwise a text without addresses.
func (vm *VM) toString(L *lua.LState, v lua.LValue) lua.LString {
	switch v.(type) {
	case lua.LString, lua.LNumber, lua.LBool, *lua.LNilType:
	default: // tables, and values of the host's own (SetTypeMetatable)
		if fn, ok := L.GetMetaField(v, "__tostring").(*lua.LFunction); ok {
			L.Push(fn)
			L.Push(v)
			L.Call(1, 1)
			result := L.Get(-1)
			L.Pop(1)
			text, ok := result.(lua.LString)
			if !ok {
				L.RaiseError("'tostring' must return a string")
			}
			return text
		}
	}
	return lua.LString(vm.plainString(v))
}

func (vm *VM) unpack(L *lua.LState) int {
	tb, s := vm.readable(L)
	from := L.OptNumber(2, 1)
	to := L.OptNumber(3, -1)
	if L.Get(3) == lua.LNil {
		to = lua.LNumber(vm.tableLen(L, tb))
	}
	if from > to {
		return 0
	}
	if !(to-from < maxResults) {
		L.RaiseError("too many results to unpack (at most %d)", maxResults)
	}
	vm.Charge(L, 2*int64(to-from))
	n := 0
	for i := from; i <= to; i++ {
		L.Push(vm.shown(s, tb.RawGet(i)))
		n++
	}
	return n
}

// next returns the pair after a key: the array in order, then the other keys in the order in which they were first
// set. gopher-lua keeps listing keys that were set to nil; skipping them has a cost.
func (vm *VM) next(L *lua.LState, tb *lua.LTable, key lua.LValue) (lua.LValue, lua.LValue) {
	array := vm.layout.arrayLen(tb)
	index, isIndex := arrayIndex(key)
	if isIndex && index > array {
		// The array was cut since (tableLen); continue after it.
		index = array
		key = lua.LNumber(index)
		if index == 0 {
			key = lua.LNil
		}
	}
	dead := vm.layout.deadKeys(tb)
	before := 0
	if dead > 32 && !isIndex && key != lua.LNil {
		if before = vm.layout.keyPlace(tb, key); before < 0 {
			L.RaiseError("invalid key to 'next'")
		}
	}
	nextKey, value := tb.Next(key)
	if isIndex || key == lua.LNil {
		after, stays := arrayIndex(nextKey)
		if !stays || after > array {
			after = array
		}
		if skipped := after - index; skipped > 16 {
			vm.Charge(L, int64(skipped)/8)
		}
	}
	if _, stays := arrayIndex(nextKey); dead > 32 && !stays {
		after := dead
		if nextKey != lua.LNil {
			after = vm.layout.keyPlace(tb, nextKey)
		} else {
			after += before
		}
		vm.Charge(L, int64(max(after-before, 0)))
	}
	return nextKey, value
}

// arrayIndex reports whether a key is in the array part, 0 for nil.
func arrayIndex(key lua.LValue) (int, bool) {
	n, ok := key.(lua.LNumber)
	if !ok || n < 1 || n >= maxArray || n != lua.LNumber(math.Trunc(float64(n))) {
		return 0, false
	}
	return int(n), true
}
