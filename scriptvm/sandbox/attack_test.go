package sandbox

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	lua "github.com/yuin/gopher-lua"
)

// attacks are scripts that mean harm. Each must end, by the budget or by an error, within 128 MB, and
// leave the VM as it was. want is a sentinel of errors.Is, or a text of the error, or nil for "either
// ends by itself or is stopped".
func attacks() []struct {
	name, src string
	want      any
} {
	return []struct {
		name, src string
		want      any
	}{
		// Loops.
		{"while", `while true do end`, ErrInstructions},
		{"repeat", `repeat until false`, ErrInstructions},
		{"for", `for i = 1, 1/0 do end`, ErrInstructions},
		{"for with step 0", `for i = 2, 1, 0 do end`, ErrInstructions},
		{"recursion", `local function f() f() end f()`, "stack overflow"},
		{"mutual recursion through tables", `local t t = setmetatable({}, { __index = function(_, k) return t[k] end }) return t.x`, "stack overflow"},
		{"recursion in pcall", `local function f() pcall(f) end f() while true do end`, ErrInstructions},
		{"endless iterator", `for x in function() return 1 end do end`, ErrInstructions},
		{"coroutine as iterator", `for x in coroutine.wrap(function() while true do coroutine.yield(1) end end) do end`, ErrInstructions},

		// Swallowing the end.
		{"pcall in a loop", `while true do pcall(function() while true do end end) end`, ErrInstructions},
		{"pcall of pcall", `local function f() while true do pcall(pcall, f) end end f()`, ErrInstructions},
		{"coroutine in a loop", `while true do coroutine.resume(coroutine.create(function() while true do end end)) end`, ErrInstructions},
		{"wrap in pcall", `while true do pcall(coroutine.wrap(function() while true do end end)) end`, ErrInstructions},
		{"metamethods", `local t = setmetatable({}, { __index = function() while true do end end, __add = function() while true do end end })
			while true do pcall(function() return t.x end) pcall(function() return t + 1 end) end`, ErrInstructions},
		{"__tostring", `local t = setmetatable({}, { __tostring = function() while true do end end }) while true do pcall(tostring, t) end`, ErrInstructions},
		{"comparator", `while true do pcall(table.sort, { 1, 2, 3 }, function() while true do end end) end`, ErrInstructions},
		{"gsub callback", `while true do pcall(string.gsub, "abc", ".", function() while true do end end) end`, ErrInstructions},
		{"gsub table", `local t = setmetatable({}, { __index = function() while true do end end }) while true do pcall(string.gsub, "abc", ".", t) end`, ErrInstructions},
		{"iterator", `while true do pcall(function() for x in function() while true do end end do end end) end`, ErrInstructions},
		{"__concat", `local t = setmetatable({}, { __concat = function() while true do end end }) while true do pcall(function() return t .. "x" end) end`, ErrInstructions},
		{"__len", `local t = setmetatable({}, { __len = function() while true do end end }) while true do pcall(function() return #t end) end`, ErrInstructions},
		{"errors caught without end", `while true do pcall(error, "x") end`, ErrInstructions},
		{"many calls, errors caught", strings.Repeat("type(1) ", 20_000) + `while true do pcall(error) end`, ErrInstructions},

		// Patterns.
		{"find .-.-.-.-b", `return (("a"):rep(3000)):find(".-.-.-.-b")`, ErrInstructions},
		{"find a*a*a*a*b", `return (("a"):rep(3000)):find("a*a*a*a*b")`, ErrInstructions},
		{"gsub of everything", `while true do (("a"):rep(30000)):gsub("a*b", "") end`, ErrInstructions},
		{"gsub that grows", `local s = "a" while true do s = s:gsub(".", "%0%0%0%0%0%0%0%0") end`, "string too long"},
		{"gmatch", `local s = ("a"):rep(30000) while true do for w in s:gmatch("a-a-a-b") do end end`, ErrInstructions},
		{"balance", `local s = ("("):rep(30000) while true do s:find("%b()") end`, ErrInstructions},
		{"sets", `local s, p = ("a"):rep(3000), "[" .. ("b"):rep(3000) .. "]*c" while true do s:find(p) end`, ErrInstructions},
		{"back references", `local s = ("a"):rep(20000) while true do s:find("(.*)%1%1b") end`, ErrInstructions},
		{"nested captures", `return ("x"):find(("("):rep(1000))`, "too many captures"},
		{"deep pattern", `return (("a"):rep(1000)):find(("a?"):rep(1000) .. ("a"):rep(1000))`, "pattern too complex"},
		{"plain find", `local s = ("a"):rep(30000) while true do s:find("ab", 1, true) end`, ErrInstructions},

		// Strings.
		{"rep", `return ("a"):rep(2^31)`, "string too long"},
		{"rep of rep", `local s = "a" while true do s = s:rep(10) end`, "string too long"},
		{"doubling", `local s = "a" while true do s = s .. s end`, "string too long"},
		{"chain", `local s = ("a"):rep(30000) return s .. s .. s .. s`, "string too long"},
		{"table.concat", `local t = {} for i = 1, 100 do t[i] = ("a"):rep(30000) end return table.concat(t)`, "string too long"},
		{"table.concat separator", `local t = {} for i = 1, 1000 do t[i] = "" end return table.concat(t, ("a"):rep(30000))`, "string too long"},
		{"format width", `return ("%999999999d"):format(1)`, "width or precision too long"},
		{"format s", `local s = ("a"):rep(30000) return ("%s%s%s%s"):format(s, s, s, s)`, "string too long"},
		{"strings kept", `local t = {} for i = 1, 1e9 do t[i] = ("a"):rep(30000) .. i end`, nil},
		{"strings upper", `local s = ("a"):rep(30000) while true do local u = s:upper() end`, nil},
		{"long comparisons", `local a, b = ("a"):rep(32000) .. "a", ("a"):rep(32000) .. "b" for i = 1, 2000 do local c = a < b end`, nil},

		// Memory.
		{"tables", `local t = {} for i = 1, 1e9 do t[i] = {} end`, nil},
		{"linked tables", `local t = {} while true do t = { t } end`, nil},
		{"closures", `local t = {} for i = 1, 1e9 do t[i] = function() return i end end`, nil},
		{"numbers", `local t = {} for i = 1, 1e9 do t[i] = i + 0.5 end`, nil},
		{"keys", `local t = {} for i = 1, 1e9 do t[i + 0.5] = true end`, nil},
		{"keys set and removed", `local t = {} for i = 1, 1e9 do t[i + 0.5] = true t[i + 0.5] = nil end`, nil},
		{"far index", `local t = {} t[67108863] = 1`, nil},
		{"far indices", `while true do local t = {} t[65534] = 1 end`, nil},
		{"far indices kept", `local k = {} while true do local t = {} t[65534] = 1 k[#k + 1] = t end`, nil},
		{"far insert", `table.insert({}, 6e7, 1)`, "position out of bounds"},
		{"insert at the front", `local t = {} while true do table.insert(t, 1, 1) end`, nil},
		{"remove from the front", `local t = {} for i = 1, 50000 do t[i] = i end while true do table.remove(t, 1) t[#t + 1] = 1 end`, ErrInstructions},
		{"unpack", `return unpack({}, 1, 1e8)`, "too many results"},
		{"varargs that grow", `local function f(n, ...) if n > 0 then return f(n - 1, 1, 2, 3, 4, 5, 6, 7, 8, 9, ...) end return ... end while true do f(150) end`, nil},
		{"string.byte", `return ("a"):rep(30000):byte(1, -1)`, "slice too long"},
		{"length of an empty tail", `local t = {} t[65534] = 1 t[65534] = nil for i = 1, 1e9 do local n = #t t[60000] = 1 t[60000] = nil end`, nil},
		{"next over dead keys", `local t = {} for i = 1, 50000 do t[i + 0.5] = 1 t[i + 0.5] = nil end while true do next(t) end`, ErrInstructions},
		{"next over an empty array", `local t = {} t[65534] = 1 t[65534] = nil while true do next(t) end`, ErrInstructions},
		{"sort", `local t = {} for i = 1, 30000 do t[i] = -i end while true do table.sort(t) end`, nil},
		{"sort with a lie", `local t = {} for i = 1, 1000 do t[i] = i end table.sort(t, function() return true end)`, "invalid order function"},

		// Coroutines.
		{"coroutines kept", `local t = {} for i = 1, 1e9 do t[i] = coroutine.create(type) coroutine.resume(t[i]) end`, nil},
		{"coroutines suspended", `for i = 1, 1e9 do coroutine.wrap(coroutine.yield)() end`, "have not ended"},
		{"coroutines within coroutines", `local function f() coroutine.wrap(f)() end f()`, "nested"},
		{"coroutine that resumes its resumer", `local a, b a = coroutine.create(function() return coroutine.resume(b) end)
			b = coroutine.create(function() return coroutine.resume(a) end) local x, y, z, w = coroutine.resume(a) error(w)`, "normal"},
		{"coroutine that resumes itself", `local a a = coroutine.create(function() return coroutine.resume(a) end) local x, y, z = coroutine.resume(a) error(z)`, "running"},
		{"deep call in a coroutine", `coroutine.wrap(function() local function f() f() end f() end)()`, "stack overflow"},
		{"pcall tower", `local function f() return pcall(f) end local ok = f() while true do f() end`, ErrInstructions},
		{"yield from the main chunk", `coroutine.yield(1)`, "coroutine.yield can only be used in a coroutine"},

		// Escapes.
		{"string metatable", `getmetatable("").__index = nil`, "attempt to index"},
		{"library by rawset", `rawset(table, "sort", nil)`, "read-only"},
		{"library by name", `string.format = nil`, "read-only"},
		{"library by alias", `local s = string s.format = nil`, "read-only"},
		{"library by method", `local s = ("").format local t = { f = s } return t.f("%#v", t)`, "invalid option '%#v'"},
		{"library's metatable", `setmetatable(math, nil)`, "read-only"},
		{"format %#v", `return ("%#v"):format(coroutine.create(type))`, "invalid option"},
		{"tostring of a native", `error(tostring(type):find("0x") or "no address")`, "no address"},
	}
}

func TestAttacksAreContained(t *testing.T) {
	for _, attack := range attacks() {
		t.Run(attack.name, func(t *testing.T) {
			vm := newVM(t, Options{})
			fn := load(t, vm, attack.src)
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			_, err := vm.Call("Attacker", fn)
			runtime.ReadMemStats(&after)
			if mb := (int64(after.Sys) - int64(before.Sys)) >> 20; mb >= 128 {
				t.Errorf("the process grew by %d MB", mb)
			}
			switch want := attack.want.(type) {
			case nil:
				if err != nil && !errors.Is(err, ErrInstructions) && !errors.Is(err, ErrMemory) {
					var e *Error
					if !errors.As(err, &e) || e.Kind != KindScript {
						t.Errorf("ended by %v", err)
					}
				}
			case error:
				if !errors.Is(err, want) {
					t.Errorf("ended by %v, want %v", err, want)
				}
			case string:
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("ended by %v, want %q", err, want)
				}
			}
			got, err := eval(t, vm, `local t = {} for i = 1, 100 do t[i] = ("x"):rep(i) end return #table.concat(t), pcall(error, 1)`)
			if err != nil || got != "5050,false,1" {
				t.Errorf("afterwards: %s, %v", got, err)
			}
			if vm.nesting != 0 || vm.inUse != 0 || vm.thread != nil || vm.budget.depth != 0 {
				t.Errorf("left behind: nesting %d, states %d, thread %v, budgets %d", vm.nesting, vm.inUse, vm.thread, vm.budget.depth)
			}
		})
	}
}

// TestPatternsAreCharged: the steps of a pattern count as instructions, so that a search of eighty thousand steps does not pass for
// one call.
func TestPatternsAreCharged(t *testing.T) {
	vm := newVM(t, Options{Limits: Limits{Instructions: 20_000}})
	if _, err := vm.Call("", load(t, vm, `return ("a"):rep(400):find(".-.-b")`)); !errors.Is(err, ErrInstructions) {
		t.Errorf("ended by %v, want %v", err, ErrInstructions)
	}
}

// TestMemoryBombsEndByMemory: without the allocation budget these would go on for 100 M instructions.
func TestMemoryBombsEndByMemory(t *testing.T) {
	for _, src := range []string{
		`local t = {} for i = 1, 1e9 do t[i] = {} end`,
		`local t = {} for i = 1, 1e9 do t[i] = ("a"):rep(30000) .. i end`,
		`local t = {} for i = 1, 1e9 do t[i] = function() return i end end`,
		`while true do local t = {} t[65534] = 1 end`,
		`for i = 1, 1e9 do coroutine.wrap(type)(1) end`,
	} {
		vm := newVM(t, Options{Limits: Limits{Instructions: 100_000_000}})
		if _, err := vm.Call("", load(t, vm, src)); !errors.Is(err, ErrMemory) {
			t.Errorf("%s: %v", src, err)
		}
	}
}

// TestInstructionsEndAtTheSamePlace: the count is a property of the script.
func TestInstructionsEndAtTheSamePlace(t *testing.T) {
	seen := map[string]bool{}
	var garbage []byte
	for run := range 4 {
		vm := newVM(t, Options{Limits: Limits{Allocation: 1 << 40}})
		var reached string
		calls := 0
		vm.SetGlobal("reached", vm.NewFunction("reached", func(L *lua.LState) int {
			reached = L.Get(1).String()
			if calls++; run > 0 && calls%(50*run) == 0 {
				garbage = make([]byte, 1<<20) // how busy the process is makes no difference
			}
			return 0
		}))
		_, err := vm.Call("", load(t, vm, `local i = 0 while true do i = i + 1 reached(i) local s = ("x"):rep(i % 7000 + 70) pcall(type, #s) end`))
		if !errors.Is(err, ErrInstructions) {
			t.Fatal(err)
		}
		seen[reached] = true
	}
	if len(seen) != 1 {
		t.Errorf("ended at %v (%d bytes)", seen, len(garbage))
	}
}

func TestTimeBudget(t *testing.T) {
	now := int64(0)
	vm := newVM(t, Options{Elapsed: func() int64 { now++; return now }, Limits: Limits{Elapsed: 100}})
	_, err := vm.Call("", load(t, vm, `while true do pcall(function() while true do end end) end`))
	var e *Error
	if !errors.Is(err, ErrTime) || !errors.As(err, &e) || e.Kind != KindTime || now > 200 {
		t.Errorf("%v after %d looks", err, now)
	}
	if got, err := eval(t, vm, "return 1"); got != "1" {
		t.Errorf("afterwards: %s %v", got, err)
	}
}

// TestUncountedIsNotTheScripts: what the host does on a call's behalf takes neither its time nor its memory.
func TestUncountedIsNotTheScripts(t *testing.T) {
	now := int64(0)
	vm := newVM(t, Options{Elapsed: func() int64 { now++; return now }, Limits: Limits{Elapsed: 1000, Allocation: 1 << 20}})
	var kept [][]byte
	vm.SetGlobal("work", vm.NewFunction("work", func(*lua.LState) int {
		vm.Uncounted(func() {
			now += 100_000
			for range 8 {
				kept = append(kept, make([]byte, 1<<20))
			}
		})
		return 0
	}))
	_, err := vm.Call("", load(t, vm, `for i = 1, 20 do work() for j = 1, 5000 do end end`))
	if err != nil || len(kept) != 160 {
		t.Errorf("%v after %d", err, len(kept))
	}
}

func TestNestedCallsShareTheBudget(t *testing.T) {
	vm := newVM(t, Options{Limits: Limits{Instructions: 10_000}})
	inner := load(t, vm, `for i = 1, 1000 do end`)
	endless := load(t, vm, `while true do end`)
	calls := 0
	vm.SetGlobal("inner", vm.NewFunction("inner", func(L *lua.LState) int {
		if _, err := vm.Call("Inner", inner); err == nil {
			calls++
		}
		return 0
	}))
	var innerError error
	vm.SetGlobal("endless", vm.NewFunction("endless", func(L *lua.LState) int {
		span := vm.Begin(500)
		_, innerError = vm.Call("Inner", endless)
		if err := span.End(); err != nil {
			innerError = errors.Join(innerError, err)
		}
		return 0
	}))
	_, err := vm.Call("Outer", load(t, vm, `while true do inner() end`))
	if !errors.Is(err, ErrInstructions) || calls < 8 || calls > 10 {
		t.Errorf("%v after %d inner calls of 1000 in 10000", err, calls)
	}
	// An inner call of its own small budget does not take the outer one with it.
	got, err := eval(t, vm, `endless() return "outer goes on"`)
	if err != nil || got != "outer goes on" || !errors.Is(innerError, ErrInstructions) {
		t.Errorf("%s, %v; inner: %v", got, err, innerError)
	}
	if vm.Left() != 0 || vm.Owner() != "" {
		t.Errorf("%d left, owner %q", vm.Left(), vm.Owner())
	}
}

func TestNothingRunsOutsideOfACall(t *testing.T) {
	vm := newVM(t, Options{})
	L := vm.newState(lua.Options{CallStackSize: 8, RegistrySize: 128})
	L.Push(load(t, vm, `return 1`))
	if err := L.PCall(0, 0, nil); err == nil || !strings.Contains(err.Error(), "outside of a call") {
		t.Errorf("%v", err)
	}
}

func TestChargeStops(t *testing.T) {
	vm := newVM(t, Options{})
	vm.SetGlobal("work", vm.NewFunction("work", func(L *lua.LState) int { vm.Charge(L, 100_000); return 0 }))
	got := ""
	vm.SetGlobal("say", vm.NewFunction("say", func(L *lua.LState) int { got += fmt.Sprint(L.Get(1)); return 0 }))
	_, err := vm.Call("", load(t, vm, `for i = 1, 20 do pcall(work) say(i) end`))
	if !errors.Is(err, ErrInstructions) || got != "123456789" {
		t.Errorf("%v after %s", err, got)
	}
}
