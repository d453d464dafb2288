package sandbox

import (
	lua "github.com/yuin/gopher-lua"
)

// length is '#': a string's length in bytes, the result of __len, or a border of a table.
func (vm *VM) length(L *lua.LState) int {
	switch v := L.Get(1).(type) {
	case lua.LString:
		vm.pushWhole(L, len(v))
		return 1
	case *lua.LTable:
		if v.Metatable == lua.LNil {
			vm.pushWhole(L, vm.tableLen(L, v))
			return 1
		}
	}
	v := L.Get(1)
	if fn, ok := L.GetMetaField(v, "__len").(*lua.LFunction); ok {
		L.Push(fn)
		L.Push(v)
		L.Call(1, 1)
		return 1
	}
	if _, ok := v.(*lua.LTable); !ok {
		L.RaiseError("attempt to get length of a %s value", v.Type())
	}
	tb, _ := vm.readable(L)
	vm.pushWhole(L, vm.tableLen(L, tb))
	return 1
}

// tableLen returns a border of the table. gopher-lua searches for it from the end of the array every time; here a
// long empty tail is cut off, and items beyond maxArray count too.
func (vm *VM) tableLen(L *lua.LState, tb *lua.LTable) int {
	n := tb.Len()
	if array := vm.layout.arrayLen(tb); array-n > 16 {
		vm.Charge(L, int64(array-n)/8)
		for ; array > n; array-- {
			tb.Remove(-1)
		}
	}
	if n < maxArray-1 || tb.RawGet(lua.LNumber(n+1)) == lua.LNil {
		return n
	}
	low, high := n+1, 2*n // low is set; search a border above
	for tb.RawGet(lua.LNumber(high)) != lua.LNil {
		low, high = high, 2*high
		if high > 1<<40 {
			return low
		}
	}
	for high-low > 1 {
		if middle := (low + high) / 2; tb.RawGet(lua.LNumber(middle)) == lua.LNil {
			high = middle
		} else {
			low = middle
		}
	}
	return low
}

func (vm *VM) openTable() map[string]lua.LGFunction {
	return map[string]lua.LGFunction{
		"concat": vm.tableConcat,
		"insert": vm.tableInsert,
		"maxn":   vm.tableMaxN,
		"remove": vm.tableRemove,
		"sort":   vm.tableSort,
	}
}

// tableInsert inserts an item at the end or at a position from 1 to one after the end.
func (vm *VM) tableInsert(L *lua.LState) int {
	tb := vm.changeable(L)
	n := vm.tableLen(L, tb)
	switch L.GetTop() {
	case 2:
		if n == 0 {
			vm.Charge(L, firstItem)
		}
		tb.RawSetInt(n+1, L.Get(2))
		return 0
	case 3:
	default:
		L.RaiseError("wrong number of arguments to 'insert'")
	}
	at := L.CheckNumber(2)
	if !(at >= 1 && at <= lua.LNumber(n+1)) {
		L.ArgError(2, "position out of bounds")
	}
	position := int(at)
	vm.Charge(L, int64(n-position)/8+1)
	for i := n; i >= position; i-- {
		tb.RawSetInt(i+1, tb.RawGet(lua.LNumber(i)))
	}
	tb.RawSetInt(position, L.Get(3))
	return 0
}

// tableRemove removes an item, the last by default, and returns it.
func (vm *VM) tableRemove(L *lua.LState) int {
	tb := vm.changeable(L)
	n := vm.tableLen(L, tb)
	position := n
	if L.GetTop() >= 2 {
		at := L.CheckNumber(2)
		if !(at >= 1 && at <= lua.LNumber(n)) {
			return 0
		}
		position = int(at)
	}
	if position < 1 {
		return 0
	}
	value := tb.RawGet(lua.LNumber(position))
	vm.Charge(L, int64(n-position)/8+1)
	if array := vm.layout.arrayLen(tb); n < maxArray-1 && array-n < 32 {
		for ; array > n; array-- {
			tb.Remove(-1) // empty slots after the border
		}
		tb.Remove(position)
	} else {
		for i := position; i < n; i++ {
			tb.RawSetInt(i, tb.RawGet(lua.LNumber(i+1)))
		}
		tb.RawSetInt(n, lua.LNil)
	}
	L.Push(value)
	return 1
}

func (vm *VM) tableConcat(L *lua.LState) int {
	tb, _ := vm.readable(L)
	separator := L.OptString(2, "")
	if n, ok := L.Get(2).(lua.LNumber); ok {
		separator = formatNumber(float64(n))
	}
	from, to := L.OptInt(3, 1), L.OptInt(4, 0)
	if L.Get(4) == lua.LNil {
		to = vm.tableLen(L, tb)
	}
	buffer := vm.scratch[:0]
	for i := from; i <= to; i++ {
		switch v := tb.RawGet(lua.LNumber(i)).(type) {
		case lua.LString:
			buffer = append(buffer, v...)
		case lua.LNumber:
			buffer = appendNumber(buffer, float64(v))
		default:
			L.RaiseError("invalid value (%s) at index %d in table for 'concat'", v.Type(), i)
		}
		if i < to {
			buffer = append(buffer, separator...)
		}
		if len(buffer) > MaxString {
			vm.checkSize(L, len(buffer))
		}
		if (i-from)%16 == 15 {
			vm.Charge(L, 8)
		}
	}
	vm.scratch = buffer
	vm.Charge(L, int64(len(buffer))/32)
	L.Push(lua.LString(buffer))
	return 1
}

// tableMaxN returns the largest positive number among the keys.
func (vm *VM) tableMaxN(L *lua.LState) int {
	tb, _ := vm.readable(L)
	largest := lua.LNumber(0)
	for k, _ := vm.next(L, tb, lua.LNil); k != lua.LNil; k, _ = vm.next(L, tb, k) {
		if n, ok := k.(lua.LNumber); ok && n > largest {
			largest = n
		}
		vm.Charge(L, 2)
	}
	L.Push(largest)
	return 1
}

// tableSort is Lua 5.1's quicksort, step for step, so that an inconsistent comparator gives the same error here. It
// sorts a copy: a comparator that fails leaves the table unchanged.
func (vm *VM) tableSort(L *lua.LState) int {
	tb := vm.changeable(L)
	s := sorter{vm: vm, L: L}
	if L.Get(2) != lua.LNil {
		s.less = L.CheckFunction(2)
	}
	n := vm.tableLen(L, tb)
	vm.Charge(L, int64(n)/2+hashed*int64(max(n-vm.layout.arrayLen(tb), 0)))
	s.values = make([]lua.LValue, n)
	for i := range s.values {
		s.values[i] = tb.RawGet(lua.LNumber(i + 1))
	}
	s.sort(0, n-1)
	for i, v := range s.values {
		tb.RawSetInt(i+1, v)
	}
	return 0
}

const (
	// hashed is the cost of reading and writing an item outside of the array part.
	hashed = 5
	// calledBack is the cost of a native's call of a script function, in addition to the function's own.
	calledBack = 8
	// firstItem is the cost of the first item of an empty table: gopher-lua allocates an array of 32.
	firstItem = 10
)

type sorter struct {
	vm     *VM
	L      *lua.LState
	less   *lua.LFunction
	values []lua.LValue
}

func (s *sorter) before(a, b lua.LValue) bool {
	if s.less == nil {
		cost := int64(2)
		if text, ok := a.(lua.LString); ok {
			if other, ok := b.(lua.LString); ok {
				s.vm.Charge(s.L, cost)
				return text < other
			}
		}
		s.vm.Charge(s.L, cost)
		return s.L.LessThan(a, b)
	}
	s.vm.Charge(s.L, calledBack)
	s.L.Push(s.less)
	s.L.Push(a)
	s.L.Push(b)
	s.L.Call(2, 1)
	result := s.L.ToBool(-1)
	s.L.Pop(1)
	return result
}

// sort is auxsort of Lua 5.1's ltablib.c, for indices from 0.
func (s *sorter) sort(low, up int) {
	v := s.values
	for low < up {
		if s.before(v[up], v[low]) {
			v[low], v[up] = v[up], v[low]
		}
		if up-low == 1 {
			return
		}
		middle := (low + up) / 2
		if s.before(v[middle], v[low]) {
			v[middle], v[low] = v[low], v[middle]
		} else if s.before(v[up], v[middle]) {
			v[middle], v[up] = v[up], v[middle]
		}
		if up-low == 2 {
			return
		}
		pivot := v[middle]
		v[middle], v[up-1] = v[up-1], v[middle]
		i, j := low, up-1
		for {
			for i++; s.before(v[i], pivot); i++ {
				if i >= up {
					s.L.RaiseError("invalid order function for sorting")
				}
			}
			for j--; s.before(pivot, v[j]); j-- {
				if j <= low {
					s.L.RaiseError("invalid order function for sorting")
				}
			}
			if j < i {
				break
			}
			v[i], v[j] = v[j], v[i]
		}
		v[up-1], v[i] = v[i], v[up-1]
		if i-low < up-i {
			s.sort(low, i-1)
			low = i + 1
		} else {
			s.sort(i+1, up)
			up = i - 1
		}
	}
}

// concat evaluates a chain of '..' in one call. Strings and numbers are joined at once; values with __concat are
// called from the right, as '..' groups.
func (vm *VM) concat(L *lua.LState) int {
	n := L.GetTop()
	size := 0
	buffer := vm.scratch[:0]
	for i := 1; i <= n; i++ {
		switch v := L.Get(i).(type) {
		case lua.LString:
			if size = len(buffer) + len(v); size > MaxString {
				vm.checkSize(L, size)
			}
			buffer = append(buffer, v...)
		case lua.LNumber:
			buffer = appendNumber(buffer, float64(v))
		default:
			return vm.concatValues(L, n)
		}
	}
	vm.scratch = buffer
	vm.checkSize(L, len(buffer))
	if len(buffer) > 256 {
		vm.Charge(L, int64(len(buffer))/32)
	}
	L.Push(lua.LString(buffer))
	return 1
}

func (vm *VM) concatValues(L *lua.LState, n int) int {
	right := L.Get(n)
	for i := n - 1; i >= 1; i-- {
		left := L.Get(i)
		a, aText := textOf(left)
		b, bText := textOf(right)
		if aText && bText {
			vm.checkSize(L, len(a)+len(b))
			vm.Charge(L, int64(len(a)+len(b))/32+1)
			right = lua.LString(a + b)
			continue
		}
		fn := L.GetMetaField(left, "__concat")
		if fn == lua.LNil {
			fn = L.GetMetaField(right, "__concat")
		}
		if fn == lua.LNil {
			wrong := left
			if aText {
				wrong = right
			}
			L.RaiseError("attempt to concatenate a %s value", wrong.Type())
		}
		L.Push(fn)
		L.Push(left)
		L.Push(right)
		L.Call(2, 1)
		right = L.Get(-1)
		L.Pop(1)
	}
	L.Push(right)
	return 1
}

// textOf returns the text of a string or number.
func textOf(v lua.LValue) (string, bool) {
	switch v := v.(type) {
	case lua.LString:
		return string(v), true
	case lua.LNumber:
		return formatNumber(float64(v)), true
	}
	return "", false
}

// checkSize rejects a string that is too long.
func (vm *VM) checkSize(L *lua.LState, size int) {
	if size > MaxString {
		L.RaiseError("string too long: %d bytes, at most %d", size, MaxString)
	}
}

// checkText is L.CheckString with Lua's number format.
func checkText(L *lua.LState, n int) string {
	if v, ok := L.Get(n).(lua.LNumber); ok {
		return formatNumber(float64(v))
	}
	return L.CheckString(n)
}
