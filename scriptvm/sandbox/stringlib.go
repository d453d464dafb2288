package sandbox

import (
	"math"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

func (vm *VM) openString() map[string]lua.LGFunction {
	return map[string]lua.LGFunction{
		"byte":    vm.stringByte,
		"char":    vm.stringChar,
		"find":    func(L *lua.LState) int { return vm.find(L, true) },
		"format":  vm.format,
		"gmatch":  vm.gmatch,
		"gsub":    vm.gsub,
		"len":     func(L *lua.LState) int { vm.pushWhole(L, len(checkText(L, 1))); return 1 },
		"lower":   func(L *lua.LState) int { return vm.eachByte(L, lower) },
		"match":   func(L *lua.LState) int { return vm.find(L, false) },
		"rep":     vm.stringRep,
		"reverse": vm.stringReverse,
		"sub":     vm.stringSub,
		"upper":   func(L *lua.LState) int { return vm.eachByte(L, upper) },
	}
}

// work charges for processing this many bytes.
func (vm *VM) work(L *lua.LState, bytes int) {
	if bytes >= 64 {
		vm.Charge(L, int64(bytes)/32)
	}
}

// position converts an index from the end to one from the start, as Lua's negative indices mean.
func position(n float64, length int) int {
	if n < 0 {
		n += float64(length) + 1
	}
	if !(n > 0) {
		return 0
	}
	return int(math.Min(n, math.MaxInt32))
}

func (vm *VM) stringSub(L *lua.LState) int {
	s := checkText(L, 1)
	from := max(position(float64(L.CheckNumber(2)), len(s)), 1)
	to := min(position(float64(L.OptNumber(3, -1)), len(s)), len(s))
	if from > to {
		L.Push(lua.LString(""))
		return 1
	}
	L.Push(lua.LString(cut(s, from-1, to)))
	return 1
}

// worthCopying is how many bytes of a string its part must leave out to be copied.
const worthCopying = 64

// cut returns a part of a string. A part that is less than half of it is copied, because it would keep the whole
// string in memory: 4 MB of strings by their first letters (G8).
func cut(s string, from, to int) string {
	part := s[from:to]
	if rest := len(s) - len(part); rest >= worthCopying && rest > len(part) {
		return strings.Clone(part)
	}
	return part
}

func (vm *VM) stringByte(L *lua.LState) int {
	s := checkText(L, 1)
	first := float64(L.OptNumber(2, 1))
	from := position(first, len(s))
	to := min(position(float64(L.OptNumber(3, lua.LNumber(from))), len(s)), len(s))
	from = max(from, 1)
	if from > to {
		return 0
	}
	if to-from >= maxResults {
		L.RaiseError("string slice too long (at most %d bytes)", maxResults)
	}
	vm.Charge(L, int64(to-from)/2)
	for i := from; i <= to; i++ {
		vm.pushWhole(L, int(s[i-1]))
	}
	return to - from + 1
}

func (vm *VM) stringChar(L *lua.LState) int {
	n := L.GetTop()
	bytes := make([]byte, n)
	for i := range bytes {
		c := L.CheckNumber(i + 1)
		if !(c >= 0 && c < 256) {
			L.ArgError(i+1, "invalid value")
		}
		bytes[i] = byte(c)
	}
	L.Push(lua.LString(bytes))
	return 1
}

func (vm *VM) stringRep(L *lua.LState) int {
	s := checkText(L, 1)
	n := float64(L.CheckNumber(2))
	if !(n >= 1) || s == "" {
		L.Push(lua.LString(""))
		return 1
	}
	if n*float64(len(s)) > MaxString {
		L.RaiseError("string too long: at most %d bytes", MaxString)
	}
	vm.work(L, len(s)*int(n))
	L.Push(lua.LString(strings.Repeat(s, int(n))))
	return 1
}

func (vm *VM) stringReverse(L *lua.LState) int {
	s := checkText(L, 1)
	vm.work(L, 2*len(s))
	bytes := make([]byte, len(s))
	for i := range bytes {
		bytes[i] = s[len(s)-1-i]
	}
	L.Push(lua.LString(bytes))
	return 1
}

// eachByte maps ASCII letters; other letters depend on a locale, and there is none.
func (vm *VM) eachByte(L *lua.LState, mapping func(byte) byte) int {
	s := checkText(L, 1)
	vm.work(L, 2*len(s))
	bytes := make([]byte, len(s))
	for i := range bytes {
		bytes[i] = mapping(s[i])
	}
	L.Push(lua.LString(bytes))
	return 1
}

func upper(c byte) byte {
	if 'a' <= c && c <= 'z' {
		return c - 'a' + 'A'
	}
	return c
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c - 'A' + 'a'
	}
	return c
}

// find is string.find and string.match.
func (vm *VM) find(L *lua.LState, places bool) int {
	s, p := checkText(L, 1), checkText(L, 2)
	init := float64(L.OptNumber(3, 1))
	start := min(max(position(init, len(s)), 1)-1, len(s))
	if places && (L.ToBool(4) || !strings.ContainsAny(p, "^$*+?.([%-")) {
		vm.work(L, len(s)-start)
		at := strings.Index(s[start:], p)
		if at < 0 {
			L.Push(lua.LNil)
			return 1
		}
		L.Push(lua.LNumber(start + at + 1))
		L.Push(lua.LNumber(start + at + len(p)))
		return 2
	}
	vm.Charge(L, matchCall)
	m := matcher{vm: vm, L: L, src: s, pattern: p}
	anchor := strings.HasPrefix(p, "^")
	from := 0
	if anchor {
		from = 1
	}
	for {
		m.begin()
		if end := m.match(start, from); end >= 0 {
			if !places {
				return m.pushCaptures(start, end, true)
			}
			L.Push(lua.LNumber(start + 1))
			L.Push(lua.LNumber(end))
			return 2 + m.pushCaptures(start, end, false)
		}
		if start++; start > len(s) || anchor {
			L.Push(lua.LNil)
			return 1
		}
	}
}

// What a call costs beside its steps, in instructions: matchCall one that makes a matcher, gmatchCall one of what gmatch returned.
const matchCall, gmatchCall = 10, 4

func (vm *VM) gmatch(L *lua.LState) int {
	s, p := checkText(L, 1), checkText(L, 2)
	start := 0
	m := matcher{vm: vm, src: s, pattern: p} // of all calls, so that the steps of short ones add up
	L.Push(vm.NewFunction("string.gmatch", func(L *lua.LState) int {
		m.L = L
		vm.Charge(L, gmatchCall)
		for ; start <= len(s); start++ {
			m.begin()
			if end := m.match(start, 0); end >= 0 {
				from := start
				if start = end; end == from {
					start++
				}
				return m.pushCaptures(from, end, true)
			}
		}
		L.Push(lua.LNil)
		return 1
	}))
	return 1
}

func (vm *VM) gsub(L *lua.LState) int {
	s, p := checkText(L, 1), checkText(L, 2)
	replacement := L.Get(3)
	switch r := replacement.(type) {
	case lua.LNumber:
		replacement = lua.LString(formatNumber(float64(r)))
	case lua.LString, *lua.LTable, *lua.LFunction:
	default:
		L.ArgError(3, "string/function/table expected")
	}
	most := math.Inf(1)
	if L.Get(4) != lua.LNil {
		most = float64(L.CheckNumber(4))
	}
	vm.Charge(L, matchCall)
	m := matcher{vm: vm, L: L, src: s, pattern: p}
	anchor := strings.HasPrefix(p, "^")
	from := 0
	if anchor {
		from = 1
	}
	var result []byte // not the VM's scratch: the callback may use that
	at, count := 0, 0
	for float64(count) < most {
		m.begin()
		end := m.match(at, from)
		if end >= 0 {
			count++
			result = m.appendReplacement(result, at, end, replacement)
			vm.checkSize(L, len(result))
		}
		switch {
		case end > at:
			at = end
		case at < len(s):
			result = append(result, s[at])
			at++
		default:
			at = len(s) + 1
		}
		if at > len(s) || anchor {
			break
		}
	}
	if at < len(s) {
		result = append(result, s[at:]...)
	}
	vm.checkSize(L, len(result))
	vm.work(L, len(result))
	L.Push(lua.LString(result))
	L.Push(lua.LNumber(count))
	return 2
}
