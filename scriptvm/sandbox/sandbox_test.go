package sandbox

import (
	"errors"
	"runtime"
	"strings"
	"testing"

	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/scriptvm/syntax"
)

// counter is a generator with a visible state.
type counter struct{ n uint64 }

func (c *counter) Uint64() uint64 {
	c.n = c.n*6364136223846793005 + 1442695040888963407
	return c.n ^ c.n>>33
}

func newVM(t testing.TB, options Options) *VM {
	t.Helper()
	if options.Rand == nil {
		options.Rand = &counter{n: 1}
	}
	vm, err := New(options)
	if err != nil {
		t.Fatal(err)
	}
	return vm
}

// load takes a source the whole way to a function.
func load(t testing.TB, vm *VM, src string) *lua.LFunction {
	t.Helper()
	chunk, err := syntax.Parse("t.lua", src)
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	if err := syntax.Harden(chunk, vm.HardenOptions()); err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	proto, err := syntax.Compile(chunk)
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	return vm.Load(proto, vm.Globals())
}

// eval runs a source and gives its results joined by commas.
func eval(t testing.TB, vm *VM, src string) (string, error) {
	t.Helper()
	results, err := vm.CallMulti("Test", load(t, vm, src))
	texts := make([]string, len(results))
	for i, v := range results {
		texts[i] = vm.plainString(v)
	}
	return strings.Join(texts, ","), err
}

// wants evaluates each source; a want that begins with ! is an error's text.
func wants(t *testing.T, table [][2]string) {
	t.Helper()
	vm := newVM(t, Options{})
	for _, test := range table {
		got, err := eval(t, vm, test[0])
		if message, isError := strings.CutPrefix(test[1], "!"); isError {
			if err == nil {
				t.Errorf("%s\n gave %s, want the error %s", test[0], got, message)
			} else if !strings.Contains(err.Error(), message) {
				t.Errorf("%s\n error %s, want %s", test[0], err, message)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s\n error %v, want %s", test[0], err, test[1])
		} else if got != test[1] {
			t.Errorf("%s\n  got %s\n want %s", test[0], got, test[1])
		}
	}
}

func TestBase(t *testing.T) {
	wants(t, [][2]string{
		{`return type(1), type("x"), type({}), type(type), type(true), type(coroutine.create(type))`, "number,string,table,function,boolean,thread"},
		{`return select("#", 1, nil, nil), select(2, "a", "b", "c"), (select(-1, "a", "b"))`, "3,b,b"},
		{`return select(2, "a", "b", "c")`, "b,c"},
		{`return select(0)`, "!bad argument #1 to select (index out of range)"},
		{`return tostring(1e15), tostring(1/3), tostring(0.1), tostring(100), tostring(-0.5), tostring(1e100)`, "1e+15,0.33333333333333,0.1,100,-0.5,1e+100"},
		{`return tostring(1/0), tostring(-1/0), 2^53 .. "", 1e14 .. "", 123456789012345 .. ""`, "inf,-inf,9.007199254741e+15,1e+14,1.2345678901234e+14"},
		{`return tonumber("0x10"), tonumber(" 12 "), tonumber("1e2"), tonumber("z", 36), tonumber("12", 3), tonumber("8", 8), tonumber("1_0"), tonumber("inf"), tonumber("")`, "16,12,100,35,5,nil,nil,nil,nil"},
		{`return tonumber("0b1"), tonumber("010"), tonumber("- 1"), tonumber("--1"), tonumber("-0x10"), tonumber({})`, "nil,10,nil,nil,-16,nil"},
		{`return pcall(error, "x")`, "false,x"},
		{`return pcall(error)`, "false,nil"},
		{`return pcall(error, { 1 })`, "false,table: 1"},
		{`return pcall(function() error("x") end)`, "false,t.lua:1: x"},
		{`return pcall(function() error("x", 0) end)`, "false,x"},
		{`local function f() error("x", 2) end return pcall(function() f() end)`, "false,t.lua:1: x"},
		{`return pcall(assert, false)`, "false,assertion failed!"},
		{`return pcall(assert, nil, "m")`, "false,m"},
		{`return assert(1, 2, 3)`, "1,2,3"},
		{`assert(false, "m")`, "!t.lua:1: m"},
		{`local e = setmetatable({}, { __tostring = function() return "E" end }) local ok, x = pcall(error, e) return ok, x == e, tostring(x)`, "false,true,E"},
		{`local x = {} return nil .. x`, "!attempt to concatenate a nil value"},
		{`local x return #x`, "!attempt to get length of a nil value"},
		{`return unpack({ 1, 2, 3 }, 2)`, "2,3"},
		{`return unpack({ 1, 2, nil, 4 }, 1, 4)`, "1,2,nil,4"},
		{`return unpack({}, 1, 1e9)`, "!too many results to unpack"},
		{`return unpack({}, 1, 1/0)`, "!too many results to unpack"},
		{`return rawget(setmetatable({}, { __index = { x = 1 } }), "x"), rawset({}, 1, 2)[1], rawequal("a", "a")`, "nil,2,true"},
		{`return getmetatable(""), pcall(setmetatable, "", {})`, "false,false,bad argument #1 to main chunk (table expected, got string)"},
		{`local t = setmetatable({}, { __metatable = "locked" }) return getmetatable(t), pcall(setmetatable, t, {})`, "locked,false,cannot change a protected metatable"},
		{`return require("x")`, "!module 'x' not found"},
		{`local t = setmetatable({}, { __len = function() return 7 end }) return #t`, "7"},
		{`local s = 0 for i, v in ipairs({ 1, 2, nil, 4 }) do s = s + v end return s`, "3"},
		{`return next({}), next({ 5 }), type(next)`, "nil,1,function"},
	})
}

// TestPcallKeepsClosures: in gopher-lua an error that pcall catches cuts every closure on the stack off
// from its variables.
func TestPcallKeepsClosures(t *testing.T) {
	wants(t, [][2]string{
		{`local x = 0 local f = function() return x end pcall(error, "e") x = 5 return f()`, "5"},
		{`local x = 0 local f = function() x = x + 1 end for i = 1, 3 do pcall(function() f() error("e") end) end x = x + 10 return x`, "13"},
		{`local x = 0 local f = function() return x end
		  local co = coroutine.create(function() local y = 1 local g = function() return y end error("e") end)
		  coroutine.resume(co) x = 5 return f()`, "5"},
		{`local fs = {} pcall(function() local y = 1 fs[1] = function() y = y + 1 return y end error("e") end) return fs[1](), fs[1]()`, "2,3"},
	})
}

func TestAnEngineCallWithinACallKeepsClosures(t *testing.T) {
	vm := newVM(t, Options{})
	inner := load(t, vm, `error("inner")`)
	vm.SetGlobal("Spawn", vm.NewFunction("Spawn", func(L *lua.LState) int {
		_, err := vm.Call("Inner", inner)
		L.Push(lua.LString(err.Error()))
		return 1
	}))
	got, err := eval(t, vm, `local x = 0 local f = function() return x end local e = Spawn() x = 5 return f(), e`)
	if err != nil || got != "5,t.lua:1: inner" {
		t.Errorf("%s, %v", got, err)
	}
}

func TestPairsGoesInOrderOfInsertion(t *testing.T) {
	wants(t, [][2]string{
		{`local t = {} for i = 1, 50 do t["k" .. i * 7 % 50] = i end local s = "" for k, v in pairs(t) do s = s .. v .. " " end
		  local want = "" for i = 1, 50 do want = want .. i .. " " end return s == want`, "true"},
		{`local keys, t = {}, {} for i = 1, 50 do keys[i] = i % 2 == 0 and {} or function() return i end t[keys[i]] = i end
		  local n = 0 for k, v in pairs(t) do n = n + 1 if keys[n] ~= k then return "not in order at " .. n end end return n`, "50"},
		{`local t = { 1, 2, x = 3, [2.5] = 4, [true] = 5 } local s = "" for k, v in pairs(t) do s = s .. tostring(k) .. "=" .. v .. " " end return s`, "1=1 2=2 x=3 2.5=4 true=5 "},
		{`local t = {} for i = 1, 100 do t[i] = i t["k" .. i] = i end local n = 0
		  for k, v in pairs(t) do n = n + v t[k] = nil local len = #t end return n, next(t)`, "10100,nil"},
		{`local t = {} for i = 1, 200 do t[i] = i end t.x = 1 for i = 200, 1, -1 do t[i] = nil end local _ = #t local s = ""
		  for k in pairs(t) do s = s .. k end return s, #t`, "x,0"},
		{`local t = {} for i = 1, 100 do t["k" .. i] = 1 t["k" .. i] = nil end t.a = 1 t.b = 2 local s = "" for k in pairs(t) do s = s .. k end return s`, "ab"},
		{`local t = { a = 1 } for i = 1, 100 do t["k" .. i] = 1 t["k" .. i] = nil end return next(t, "nothing")`, "!invalid key to 'next'"},
	})
}

func TestTextsOfTablesAreNumbersNotAddresses(t *testing.T) {
	wants(t, [][2]string{
		{`local t, f = {}, function() end return tostring(t), tostring(f), tostring(t) == tostring(t), tostring({}), ("%s"):format(t)`, "table: 1,function: 2,true,table: 3,table: 1"},
		{`local ok, e = pcall(function() local x return x[{}] end) return e`, "t.lua:1: attempt to index a non-table object(nil) with key 'table'"},
		{`return tostring(coroutine.create(type))`, "thread: 4"},
	})
}

func TestIdentitiesAreForgottenWithTheirTables(t *testing.T) {
	vm := newVM(t, Options{})
	for range 20 {
		if _, err := eval(t, vm, `for i = 1, 1000 do local s = tostring({}) end`); err != nil {
			t.Fatal(err)
		}
		runtime.GC() // when it runs by itself is nobody's promise
	}
	if n := len(vm.ids.tables); n > 4_000 {
		t.Errorf("%d of 20000 tables are still in the book", n)
	}
}

func TestTables(t *testing.T) {
	wants(t, [][2]string{
		{`local t = { 1, 2, 3 } t[3] = nil return table.remove(t), #t`, "2,1"},
		{`local t = { 1, 2, 3 } return table.remove(t, 1), t[1], t[2], t[3], #t`, "1,2,3,nil,2"},
		{`local t = {} return table.remove(t), table.remove(t, 5)`, "nil"},
		{`local t = { 1, 3 } table.insert(t, 2, 2) table.insert(t, 4) return unpack(t)`, "1,2,3,4"},
		{`table.insert({ 1 }, 3, 1)`, "!position out of bounds"},
		{`table.insert({}, 6e7, 1)`, "!position out of bounds"},
		{`table.insert({}, 0/0, 1)`, "!position out of bounds"},
		{`return table.concat({ 1, 2, 0.5 }, ", "), table.concat({ 1, 2, 3 }, "-", 2, 3), table.concat({})`, "1, 2, 0.5,2-3,"},
		{`return table.concat({ 1, {} })`, "!invalid value (table) at index 2 in table for 'concat'"},
		{`return table.maxn({ 1, 2, [10] = 1, [3.5] = 1, x = 1 }), table.maxn({})`, "10,0"},
		{`local t = { 3, 1, 2 } table.sort(t) return unpack(t)`, "1,2,3"},
		{`local t = { "b", "a" } table.sort(t, function(a, b) return a > b end) return unpack(t)`, "b,a"},
		{`local t = { 3, "x" } table.sort(t)`, "!attempt to compare"},
		{`local t = {} for i = 1, 100 do t[i] = i * 37 % 101 end table.sort(t) for i = 2, 100 do if t[i] < t[i - 1] then return i end end return "sorted"`, "sorted"},
		{`local t = { 1, 2, 3, 4, 5 } table.sort(t, function() return true end)`, "!invalid order function for sorting"},
		{`local t = {} for i = 1, 70000 do t[i] = i end table.insert(t, "x") return #t, t[70001], table.remove(t), #t`, "70001,x,x,70000"},
		{`local t = {} t[70000] = 1 return #t, t[70000]`, "0,1"},
		{`string.rep = nil`, "!string is read-only: 'rep' cannot be set"},
		{`rawset(string, "rep", nil)`, "!string is read-only"},
		{`setmetatable(string, {})`, "!string is read-only"},
		{`table.insert(math, 1)`, "!math is read-only"},
		{`getmetatable(string).__index = {}`, "!attempt to index a non-table object(boolean)"},
		{`local m = math return m.flor(1)`, "!math has no 'flor'; did you mean \"floor\"?"},
		{`local n = 0 for k, v in pairs(math) do n = n + 1 end return n > 20, rawget(math, "pi") == math.pi, next(math)`, "true,true,abs,function: 1"},
	})
}

func TestMath(t *testing.T) {
	wants(t, [][2]string{
		{`return math.floor(-1.5), math.ceil(1.2), math.max(1, 3, 2), math.min(2, 1), math.fmod(-5, 3), math.huge, -math.huge`, "-2,2,3,1,-2,inf,-inf"},
		{`return math.modf(3.7), math.modf(-1/0)`, "3,-inf,0"},
		{`local a, b = math.frexp(8) return a, b, math.ldexp(0.5, 4), math.ldexp(1, 1e300)`, "0.5,4,8,inf"},
		{`math.randomseed(1)`, "!seeded by its host"},
		{`return math.random(0)`, "!interval is empty"},
		{`return math.random(2, 1)`, "!interval is empty"},
		{`return math.random(-1/0, 1/0)`, "!interval is empty"},
		{`local low, high = 9, 0 for i = 1, 500 do local n = math.random(6) low, high = math.min(low, n), math.max(high, n) if n % 1 ~= 0 then return n end end return low, high`, "1,6"},
		{`for i = 1, 500 do local n = math.random() if n < 0 or n >= 1 then return n end end return math.random(5, 5)`, "5"},
	})
}

func TestRandomComesFromTheWorldsGeneratorOnly(t *testing.T) {
	src := `local s = "" for i = 1, 10 do s = s .. math.random(1000) .. " " end return s`
	var texts []string
	for _, seed := range []uint64{7, 7, 8} {
		text, err := eval(t, newVM(t, Options{Rand: &counter{n: seed}}), src)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, text)
	}
	if texts[0] != texts[1] || texts[0] == texts[2] {
		t.Errorf("seeds 7, 7, 8 gave\n%s", strings.Join(texts, "\n"))
	}
	if _, err := New(Options{}); err == nil {
		t.Error("a VM without a generator")
	}
}

func TestEnvironments(t *testing.T) {
	vm := newVM(t, Options{})
	vm.SetGlobal("world", lua.LString("the world"))
	vm.SetGlobal("class", lua.LString("a global"))
	own := load(t, vm, `return class .. " in " .. world, #class`).Proto
	vm.Globals().RawSetString("class", lua.LNil)
	env := vm.NewEnv(map[string]lua.LValue{"class": lua.LString("own")})
	if got, err := vm.Call("", vm.Load(own, env)); err != nil || got != lua.LString("own in the world") {
		t.Errorf("%v, %v", got, err)
	}
	_, err := vm.Call("", vm.Load(own, vm.Globals()))
	if want := "t.lua:1: unknown name 'class'"; err == nil || err.Error() != want {
		t.Errorf("in the shared environment: %v, want %s", err, want)
	}
	// What Harden refuses is refused by the environment too, should other bytecode come in.
	_, err = vm.Call("", vm.NewFunction("assign", func(L *lua.LState) int {
		L.SetField(env, L.CheckString(1), lua.LTrue)
		return 0
	}), lua.LString("stray"))
	if err == nil || !strings.Contains(err.Error(), "assignment to global 'stray'") {
		t.Errorf("assignment: %v", err)
	}
}

func TestNothingElseIsThere(t *testing.T) {
	vm := newVM(t, Options{})
	for _, name := range []string{
		"io", "os", "debug", "package", "load", "loadstring", "loadfile", "dofile", "getfenv", "setfenv", "collectgarbage",
		"newproxy", "module", "print", "_G", "_VERSION", "_GOPHER_LUA_VERSION", "_printregs", "xpcall", "channel", "arg",
	} {
		if vm.Globals().RawGetString(name) != lua.LNil {
			t.Errorf("%s is a global", name)
		}
		chunk, err := syntax.Parse("t.lua", "return "+name)
		if err != nil {
			t.Fatal(err)
		}
		if err := syntax.Harden(chunk, vm.HardenOptions()); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
	wants(t, [][2]string{
		{`return ("x").dump`, "!string has no 'dump'"},
		{`return coroutine.isyieldable`, "!coroutine has no 'isyieldable'"},
	})
}

func TestErrorsHavePlaceStackAndValue(t *testing.T) {
	vm := newVM(t, Options{})
	_, err := eval(t, vm, "local function inner()\n  local x\n  return x.y\nend\nlocal function outer() inner() end\nouter()")
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("%T: %v", err, err)
	}
	if e.File != "t.lua" || e.Line != 3 || !strings.HasPrefix(e.Message, "attempt to index") || e.Kind != KindScript {
		t.Errorf("%+v", e)
	}
	if len(e.Stack) != 3 || !strings.Contains(e.Stack[0], "t.lua:3:") || !strings.Contains(e.Stack[0], "'inner'") || !strings.Contains(e.Stack[1], "t.lua:5:") {
		t.Errorf("stack %q", e.Stack)
	}
	_, err = eval(t, vm, "error({ 1 })")
	if !errors.As(err, &e) || e.Line != 1 || e.Value.Type() != lua.LTTable || !strings.Contains(e.Message, "table: 1") {
		t.Errorf("%+v", e)
	}
	_, err = eval(t, vm, "local function f() return f() end\nf()")
	if err == nil || !strings.Contains(err.Error(), "t.lua:1: stack overflow") {
		t.Errorf("%v", err)
	}
}

func TestKindsAndStatusesHaveNames(t *testing.T) {
	for i := range 8 {
		if k, s := Kind(i), ThreadStatus(i); k <= KindPanic && k.String() == "unknown" || s <= ThreadDead && s.String() == "unknown" {
			t.Errorf("kind or status %d", i)
		}
	}
}
