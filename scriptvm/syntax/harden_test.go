package syntax

import (
	"strings"
	"testing"

	lua "github.com/yuin/gopher-lua"
)

// runHardened runs a source with natives that stand in for the sandbox's, and gives what it returned.
func runHardened(t testing.TB, src string, options HardenOptions) ([]string, error) {
	t.Helper()
	c, err := Parse("t.lua", src)
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	if err := Harden(c, options); err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	proto, err := Compile(c)
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	L := lua.NewState()
	defer L.Close()
	L.SetGlobal(ConcatNative, L.NewFunction(func(L *lua.LState) int {
		var parts []lua.LValue
		for i := 1; i <= L.GetTop(); i++ {
			parts = append(parts, L.Get(i))
		}
		L.Push(lua.LString(L.Concat(parts...)))
		return 1
	}))
	L.SetGlobal(LenNative, L.NewFunction(func(L *lua.LState) int {
		if L.Get(1) == lua.LNil {
			L.RaiseError("length of nil")
		}
		L.Push(lua.LNumber(L.ObjLen(L.Get(1))))
		return 1
	}))
	L.SetGlobal("math.floor", L.GetField(L.GetGlobal("math"), "floor"))
	L.SetGlobal("math", lua.LNil)
	L.Push(L.NewFunctionFromProto(proto))
	if err := L.PCall(0, lua.MultRet, nil); err != nil {
		return nil, err
	}
	var results []string
	for i := 1; i <= L.GetTop(); i++ {
		results = append(results, L.Get(i).String())
	}
	return results, nil
}

func TestHardenedCodeMeansTheSame(t *testing.T) {
	for _, test := range []struct{ src, want string }{
		{`return "a" .. "b" .. "c"`, "abc"},
		{`local x = 1 return x .. 2 .. "c" .. "d"`, "12cd"},
		{`local function f() return 1, 2 end return "x" .. f()`, "x1"},
		{`local function f() return 1, 2 end return f() .. "x"`, "1x"},
		{`local function f(...) return "x" .. ... end return f(1, 2)`, "x1"},
		{`local function f(...) return #{...} end return f(1, 2)`, "2"},
		{`local function f() return "abc", 2 end return #f()`, "3"},
		{`local function f() return "ab" .. 1 end local t = { f(), f() } return #t`, "2"},
		{`local function g() return "a" .. 1 end return (g())`, "a1"},
		{`local function f(s) s = s .. "!" return s end return f("x")`, "x!"},
		{`local function f(a, s) s = (s) .. a return s end return f("x", "y")`, "yx"},
		{`local function g(a) return a .. "!" end local function f(s) s = (g(s)) return s end return f("x")`, "x!"},
		{`local function g(a) return a .. "!" end local function f(s) local y s, y = g(s), 1 return s, y end return f("x")`, "x!,1"},
		{`local function g(a) return a .. "!", 5 end local function f(s) local y, z s, y, z = 1, g(s) return s, y, z end return f("x")`, "1,x!,5"},
		{`local function f(s) local t = {} s, t.x = s .. 1, s .. 2 return s, t.x end return f("x")`, "x1,x2"},
		{`local C = {} function C:m(s) self, s = self.n .. s, 3 return self, s end return C.m({ n = "n" }, "s")`, "ns,3"},
		{`local a, b, c = 1, 2, 3 a, b, c = c, a, b return a, b, c`, "3,1,2"},
		{`local function f(a, b) a, b = b, a return a, b end return f(1, 2)`, "2,1"},
		{`local t, x = { a = 1 }, 2 x, t.a = t.a, x return x, t.a`, "1,2"},
		{`local c, T = 1, {} local function f() local a, b = 5, 6 c, T.c = a, b end f() return c, T.c`, "5,6"},
		{`local function f() return false end local x = 1 x = f() and 5 return x`, "false"},
		{`local t, x = {}, 1 x = t.y and 5 return x`, "nil"},
		{`local function f(n) local s = 0 for k, v in pairs({ 1, 2, 3 }) do local z = (true or n) s = s + v end return s end return f(1)`, "6"},
		{`local s = 0 for k in pairs({ 1, 2, 3 }) do if false then s = 100 end s = s + 1 end return s`, "3"},
		{`local n = 0 while true do if nil then n = 50 end n = n + 1 if n > 4 then break end end return n`, "5"},
		{`local n = 0 for k in pairs({ 1, 2 }) do break end n = n + 1 return n`, "1"},
		{`local n = 0 repeat do if false then n = 9 end end n = n + 1 until n > 2 return n`, "3"},
		{`local t, i = { 1, 2 }, 1 t[i], i = 9, 2 return t[1], t[2], i`, "9,2,2"},
		{`local t, n = {}, 0 local function k() n = n + 1 return n, 7 end local x t[k()], x, t[k()] = k() return t[1], x, t[2]`, "3,7,nil"},
		{`local a, b a, b = (function() return 1, 2 end)() return a, b`, "1,2"},
		{`local a, b = 1, 2 a, b = (function() return 3, 4 end)(), nil, 5 return a, b`, "3,nil"},
		{`local i, t = 1, { 1, 2 } i, t[i] = i + 1, 20 return i, t[1], t[2]`, "2,20,2"},
		{`local t = { #"abc", "a" .. "b", [#"x"] = "y" .. 1 } return t[1], t[2]`, "3,ab"},
		{`local t = { "a", "b" } local s = "" for i = 1, #t do s = s .. t[i] end return s`, "ab"},
		{`local s = "" repeat local n = #s s = s .. n until n .. "" == "3" return s`, "0123"},
		{`local a = "x" return a .. "y" == "xy" and #a == 1 or "no" .. a`, "true"},
		{`return math.floor(2.5), (math.floor(3.5))`, "2,3"},
		{`local math = { floor = function() return "mine" end } return math.floor(2.5)`, "mine"},
		{`local mt = { __concat = function(a, b) return (type(a) == "table" and "T" or a) .. "+" .. (type(b) == "table" and "T" or b) end }
		  local o = setmetatable({}, mt) return "a" .. "b" .. o, o .. "a" .. "b"`, "ab+T,T+ab"},
		{`local function f(n) if n == 0 then return "done" end return f(n - 1) end return f(50)`, "done"},
		{`local co = coroutine.create(function() return coroutine.yield(1) end)
		  local _, a = coroutine.resume(co) local _, b = coroutine.resume(co, 7) return a, b, coroutine.status(co)`, "1,7,dead"},
	} {
		got, err := runHardened(t, test.src, HardenOptions{
			Library: func(library, field string) bool { return library == "math" && field == "floor" },
		})
		if err != nil {
			t.Errorf("%s: %v", test.src, err)
		} else if strings.Join(got, ",") != test.want {
			t.Errorf("%s: got %s, want %s", test.src, strings.Join(got, ","), test.want)
		}
	}
}

func TestErrorLinesSurviveHardening(t *testing.T) {
	for _, test := range []struct{ src, want string }{
		{"local a = {}\nlocal b = 'x'\n\nreturn b ..\na", "t.lua:4: "},
		{"\n\nreturn 'a' .. 'b' .. nil", "t.lua:3: "},
		{"local x\nreturn #\nx", "t.lua:3: "}, // gopher-lua's own line for an operator before a line end
		{"local function f()\n  error('here')\nend\nreturn 'x' .. f()", "t.lua:2: here"},
	} {
		_, err := runHardened(t, test.src, HardenOptions{})
		if err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%q: %v, want %s…", test.src, err, test.want)
		}
	}
}

func TestCompileNeedsHarden(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	_, _ = Compile(mustParse(t, "return 1"))
}
