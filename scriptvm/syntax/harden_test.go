package syntax

import (
	"fmt"
	"strings"
	"testing"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/ast"
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

// TestGopherLuaStillCompilesTheseWrongly shows why Harden spells some assignments differently. When
// this fails, gopher-lua has been mended and hardener.stmt can go.
func TestGopherLuaStillCompilesTheseWrongly(t *testing.T) {
	for _, src := range []string{
		`local seen local function g(a) seen = type(a) end local function f(s) s = (g(s)) end f("x") return seen == "function"`,
		`local seen local function g(a) seen = type(a) end local function f(s) local y s, y = g(s), 1 end f("x") return seen == "function"`,
		`local a, b = 1, 2 a, b = b, a return a == b`,
		`local function f() return false end local x = 1 x = f() and 5 return x == 1`,
		`local up, t = 1, {} local function f() local a, b = 5, 6 up, t.x = a, b end f() return up == "x"`,
		`local n = 0 for k, v in pairs({ 1, 2, 3 }) do local z = (true or n) n = n + 1 if n > 9 then break end end return n ~= 3`,
	} {
		L := lua.NewState()
		if err := L.DoString(src); err != nil {
			t.Fatal(err)
		}
		if got := L.Get(1); got != lua.LTrue {
			t.Errorf("%s: %v", src, got)
		}
		L.Close()
	}
}

// TestGotoIsRefused also shows why: in gopher-lua a goto cuts closures off their variables.
func TestGotoIsRefused(t *testing.T) {
	src := "local x = 0 local f = function() return x end " +
		"for i = 1, 2 do if i == 1 then goto c end ::c:: end x = 5 return f()"
	if _, err := Parse("t.lua", src); err == nil || !strings.Contains(err.Error(), "t.lua:1:78: goto and labels") {
		t.Errorf("parsed: %v", err)
	}
	L := lua.NewState()
	defer L.Close()
	if err := L.DoString(src); err != nil {
		t.Fatal(err)
	}
	if got := L.Get(1).String(); got != "0" {
		t.Errorf("gopher-lua gives %s: goto works now and may be allowed", got)
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

func TestBytecodeIsCutToSizeAndHasNoTailCalls(t *testing.T) {
	var b strings.Builder
	for i := range 50 {
		fmt.Fprintf(&b, "local function f%d() return tostring(%d) end ", i, i)
	}
	c := mustParse(t, b.String())
	if err := Harden(c, HardenOptions{}); err != nil {
		t.Fatal(err)
	}
	proto, err := Compile(c)
	if err != nil {
		t.Fatal(err)
	}
	var check func(p *lua.FunctionProto)
	check = func(p *lua.FunctionProto) {
		if cap(p.Code) > len(p.Code)+8 || cap(p.DbgSourcePositions) > len(p.DbgSourcePositions)+8 {
			t.Errorf("code %d of %d, lines %d of %d", len(p.Code), cap(p.Code), len(p.DbgSourcePositions), cap(p.DbgSourcePositions))
		}
		for _, inst := range p.Code {
			if int(inst>>opcodeShift) == lua.OP_TAILCALL {
				t.Error("a tail call")
			}
		}
		for _, inner := range p.FunctionPrototypes {
			check(inner)
		}
	}
	check(proto)
	if len(proto.FunctionPrototypes) != 50 {
		t.Errorf("%d functions", len(proto.FunctionPrototypes))
	}
}

// TestRegisterEstimateIsNeverTooLow compares with what gopher-lua uses.
func TestRegisterEstimateIsNeverTooLow(t *testing.T) {
	args := strings.Repeat("1,", 60) + "1"
	for _, src := range []string{
		"return f(" + args + ")", "return a:f(" + args + ")", "return {" + args + "," + args + "}",
		"local a,b,c = f(g(h(1,2,3),4),5), {1,{2,{3,{4}}}}", "return 1+(2*(3-(a/(b%(c^d)))))",
		"a.b[c.d[e.f]].g, a[1], a[2] = f(1,2), 3, {4,5,6}", "return a..b..f(c..d..e)..g",
		"for i=1,f(1,2,3),#a do local x = {} end", "for k,v,w in f(1,2,3,4,5,6) do local x end",
		"return a and (b or c and {1,2,3}) or f(1,2,3,4)", "return -f(-a, not b, #c)",
		"function a.b.c:d(x,y,...) local t = {...} return self[x](y, ...) end",
		"local function f(a,b,c,d) return function() return a,b,c,d end end return f",
		"return {a=1,[b]={c,d},[{e}]=f(g),1,2,h()}", "repeat local a,b,c = 1,2,3 until a..b == c",
	} {
		c := mustParse(t, "local a,b,c,d,e,f,g,h "+src)
		estimates := map[int]int{}
		for _, f := range c.Functions() {
			line := 0
			if f.Expr != nil {
				line = len(estimates)
			}
			estimates[line] = f.registers
		}
		if err := Harden(c, HardenOptions{}); err != nil {
			t.Fatal(err)
		}
		proto, err := Compile(c)
		if err != nil {
			t.Fatalf("%s: %v", src, err)
		}
		// The prototype counts the registers from 0 and adds one for good measure.
		if got := int(proto.NumUsedRegisters); got > estimates[0]+2 {
			t.Errorf("%s: uses %d registers, estimated %d", src, got, estimates[0])
		}
	}
}

func TestRewriteReplacesInPlaceAndKeepsPositions(t *testing.T) {
	src := "local C = {}\nfunction C:Tick(dt)\n\tself.Fuse = self.Fuse - dt\n\tlocal self = {}\n\tself.Fuse = 1\nend\n" +
		"function C.Stop(self) self.Fuse = 2 end\nlocal t = setmetatable({}, { __index = C })\nt[7] = 5\nC.Tick(t, 2)\nreturn t[7], t.Fuse"
	c := mustParse(t, src)
	rewritten := 0
	c.Rewrite(Rewriter{Expr: func(e ast.Expr, at *Path) ast.Expr {
		access, ok := e.(*ast.AttrGetExpr)
		if !ok {
			return e
		}
		object, ok := access.Object.(*ast.IdentExpr)
		if !ok || at.Func == nil || at.Func.Self == nil || c.Symbol(object) != at.Func.Self || at.Func.Self.Assigned {
			return e
		}
		rewritten++
		slot := &ast.NumberExpr{Value: "7"}
		c.At(slot, access.Key)
		fresh := &ast.AttrGetExpr{Object: object, Key: slot}
		c.At(fresh, access)
		if pos := c.Pos(fresh); pos.Line != 3 || (at.Role == RoleTarget) != (pos.Column == 7) {
			t.Errorf("rewritten access as %d is at %s", at.Role, pos)
		}
		return fresh
	}})
	if rewritten != 2 {
		t.Errorf("%d rewritten, want the two through the method's own self", rewritten)
	}
	if err := Harden(c, HardenOptions{Globals: func(string) bool { return true }}); err != nil {
		t.Fatal(err)
	}
	proto, err := Compile(c)
	if err != nil {
		t.Fatal(err)
	}
	L := lua.NewState()
	defer L.Close()
	L.Push(L.NewFunctionFromProto(proto))
	if err := L.PCall(0, 2, nil); err != nil {
		t.Fatal(err)
	}
	if a, b := L.Get(-2), L.Get(-1); a != lua.LNumber(3) || b != lua.LNil {
		t.Errorf("slot %s, field %s; want 3, nil", a, b)
	}
}

func TestSymbols(t *testing.T) {
	c := mustParse(t, `
local a, b = 1
local f = function(x, ...) a = x; return arg, f, b end
function f.g:m() return self, function() return self, a end end
for i = 1, 2 do local i = i end
return undefined`)
	find := func(name string, nth int) *Symbol {
		var found *Symbol
		c.Walk(Visitor{Expr: func(e ast.Expr, _ *Path) bool {
			if id, ok := e.(*ast.IdentExpr); ok && id.Value == name {
				if nth--; nth == 0 {
					found = c.Symbol(id)
				}
			}
			return true
		}})
		return found
	}
	if s := find("a", 1); s == nil || s.Kind != SymbolLocal || !s.Assigned || !s.Captured {
		t.Errorf("a: %+v", s)
	}
	if s := find("x", 1); s == nil || s.Kind != SymbolParam || s.Assigned || s.Captured {
		t.Errorf("x: %+v", s)
	}
	if s := find("arg", 1); s == nil || s.Kind != SymbolArg {
		t.Errorf("arg: %+v", s)
	}
	if s := find("f", 1); s == nil || s.Init == nil {
		t.Errorf("f inside its own literal is not the local: %+v", s)
	}
	if s := find("self", 2); s == nil || s.Kind != SymbolSelf || !s.Captured || s.Func.Name != "f.g:m" {
		t.Errorf("self: %+v", s)
	}
	if s := find("i", 1); s == nil || s.Kind != SymbolLoop {
		t.Errorf("i: %+v", s)
	}
	if find("undefined", 1) != nil {
		t.Error("undefined is a local")
	}
	method := c.Functions()[2]
	if method.Name != "f.g:m" || method.Self == nil || len(method.Upvalues) != 1 || method.Upvalues[0].Name != "a" {
		t.Errorf("method: %+v", method)
	}
}
