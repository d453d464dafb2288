package sandbox

import (
	"testing"

	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/scriptvm/syntax"
)

// function gives the function that a source returns.
func function(b *testing.B, vm *VM, src string) *lua.LFunction {
	b.Helper()
	fn, err := vm.Call("", load(b, vm, src))
	if err != nil {
		b.Fatal(err)
	}
	return fn.(*lua.LFunction)
}

func benchmarkCall(b *testing.B, src string) {
	vm := newVM(b, Options{})
	fn := function(b, vm, src)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := vm.Call("Bench", fn, lua.LTrue); err != nil {
			b.Fatal(err)
		}
	}
}

// benchmarkBare calls gopher-lua directly: the same function without budget, states or errors.
func benchmarkBare(b *testing.B, src string) {
	vm := newVM(b, Options{})
	fn := function(b, vm, src)
	L := vm.newState(lua.Options{CallStackSize: callDepth, RegistrySize: registryStart})
	L.RemoveContext()
	b.ReportAllocs()
	for b.Loop() {
		L.Push(fn)
		L.Push(lua.LTrue)
		if err := L.PCall(1, 1, nil); err != nil {
			b.Fatal(err)
		}
		L.SetTop(0)
	}
}

const (
	emptySource = `return function(x) end`
	tickSource  = `local t = { x = 0, v = 1 } return function() for i = 1, 20 do t.x = t.x + t.v * 0.5 if t.x > 100 then t.x = 0 end end end`
	loopSource  = `return function() local n = 0 for i = 1, 1000 do n = n + i end return n end`
)

func BenchmarkCallEmpty(b *testing.B)     { benchmarkCall(b, emptySource) }
func BenchmarkCallEmptyBare(b *testing.B) { benchmarkBare(b, emptySource) }
func BenchmarkCallTick(b *testing.B)      { benchmarkCall(b, tickSource) }
func BenchmarkCallTickBare(b *testing.B)  { benchmarkBare(b, tickSource) }
func BenchmarkCallLoop(b *testing.B)      { benchmarkCall(b, loopSource) }
func BenchmarkCallLoopBare(b *testing.B)  { benchmarkBare(b, loopSource) }

// BenchmarkSpan calls in one budget for many.
func BenchmarkSpan(b *testing.B) {
	vm := newVM(b, Options{})
	fn := function(b, vm, emptySource)
	span := vm.Begin(1 << 40)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := vm.Call("Bench", fn); err != nil {
			b.Fatal(err)
		}
	}
	_ = span.End()
}

func BenchmarkPcall(b *testing.B) {
	benchmarkCall(b, `local function f() end return function() for i = 1, 10 do pcall(f) end end`)
}

func BenchmarkPcallError(b *testing.B) {
	benchmarkCall(b, `return function() for i = 1, 10 do pcall(error) end end`)
}

func BenchmarkNative(b *testing.B) {
	benchmarkCall(b, `local t = { 1 } return function() for i = 1, 10 do local n = #t end end`)
}

func BenchmarkLibraryCall(b *testing.B) {
	benchmarkCall(b, `return function() for i = 1, 10 do local n = math.floor(1.5) end end`)
}

func BenchmarkLibraryCallThroughAlias(b *testing.B) {
	benchmarkCall(b, `local m = math return function() for i = 1, 10 do local n = m.floor(1.5) end end`)
}

func BenchmarkConcatOfTwo(b *testing.B) {
	benchmarkCall(b, `local a, c = "hello", "world" return function() for i = 1, 10 do local s = a .. c end end`)
}

func BenchmarkConcatOfSix(b *testing.B) {
	benchmarkCall(b, `local a, c = "hello", "world" return function() for i = 1, 10 do local s = a .. c .. i .. a .. c .. i end end`)
}

// BenchmarkConcatOfSixBare is gopher-lua's own operator.
func BenchmarkConcatOfSixBare(b *testing.B) {
	L := lua.NewState()
	defer L.Close()
	if err := L.DoString(`local a, c = "hello", "world" return function() for i = 1, 10 do local s = a .. c .. i .. a .. c .. i end end`); err != nil {
		b.Fatal(err)
	}
	fn := L.Get(1)
	b.ReportAllocs()
	for b.Loop() {
		L.Push(fn)
		if err := L.PCall(0, 0, nil); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPairs(b *testing.B) {
	benchmarkCall(b, `local t = { a = 1, b = 2, c = 3, d = 4, e = 5, 1, 2, 3, 4, 5 } return function() for k, v in pairs(t) do end end`)
}

func BenchmarkResume(b *testing.B) {
	vm := newVM(b, Options{})
	vm.SetGlobal("Sleep", vm.NewFunction("Sleep", func(L *lua.LState) int { return vm.Yield(L, "Sleep") }))
	thread, err := vm.NewThread("Bench", function(b, vm, `return function() while true do Sleep() end end`))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := vm.Resume(thread); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkNewThread(b *testing.B) {
	vm := newVM(b, Options{})
	body := function(b, vm, `return function() end`)
	b.ReportAllocs()
	for b.Loop() {
		thread, err := vm.NewThread("Bench", body)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := vm.Resume(thread); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkNewVM(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		newVM(b, Options{}).Close()
	}
}

// TestACallDoesNotAllocate: the engine calls thousands of times a tick.
func TestACallDoesNotAllocate(t *testing.T) {
	vm := newVM(t, Options{})
	fn, err := vm.Call("", load(t, vm, `local n = 0 return function(x) for i = 1, 20 do n = (n + i) % 100 end end`))
	if err != nil {
		t.Fatal(err)
	}
	call := fn.(*lua.LFunction)
	if n := testing.AllocsPerRun(200, func() {
		if _, err := vm.Call("A", call, lua.LTrue); err != nil {
			t.Fatal(err)
		}
	}); n > 1 { // numbers above 127 are boxed, 32 in one allocation
		t.Errorf("%v allocations a call", n)
	}
}

// FuzzScript runs what parses: nothing may panic, and the VM works afterwards.
func FuzzScript(f *testing.F) {
	for _, attack := range attacks() {
		if len(attack.src) < 400 {
			f.Add(attack.src)
		}
	}
	f.Add(`local a, b = 1, 2 a, b = b, a return a .. b, #"x", ("x"):rep(3), pcall(error, {}), next({})`)
	f.Fuzz(func(t *testing.T, src string) {
		vm := newVM(t, Options{Limits: Limits{Instructions: 20_000, Allocation: 32 << 20}})
		chunk, err := syntax.Parse("fuzz.lua", src)
		if err != nil {
			return
		}
		if err := syntax.Harden(chunk, vm.HardenOptions()); err != nil {
			return
		}
		proto, err := syntax.Compile(chunk)
		if err != nil {
			return
		}
		if _, err := vm.Call("", vm.Load(proto, vm.Globals())); err != nil && len(err.Error()) == 0 {
			t.Error("an error without a message")
		}
		if got, err := eval(t, vm, "return 6 * 7"); got != "42" {
			t.Errorf("afterwards %s, %v", got, err)
		}
	})
}

// BenchmarkUnit spends whole budgets, in plain instructions and in steps of patterns of each kind, and tells what a unit takes: the
// steps must not take longer than the instructions.
func BenchmarkUnit(b *testing.B) {
	subject := `local s = ("x"):rep(32768) local nested = ("("):rep(16000) .. ("x"):rep(16000) local m = ("ab"):rep(16000) return function() while true do `
	for _, c := range []struct{ name, body string }{
		{"instructions", `local n = 0 for i = 1, 1000 do n = n + i end`},
		{"lazy", `s:match(".-.-.-.-.-b", 255)`},
		{"greedy", `s:match(".*.*.*b")`},
		{"greedyCharacter", `s:match("x*x*b")`},
		{"greedyOnce", `s:match("^.*b")`},
		{"optional", `s:match("x?x?x?x?x?x?b")`},
		{"plain", `s:match("xxxxxxb")`},
		{"first", `s:match("b")`},
		{"balance", `nested:match("%b()")`},
		{"balanceMany", `m:match("%bab%bab%bab%bab%bba")`},
		{"set", `s:match("[a-w]-[^b]-[%d%u_]b")`},
		{"setLong", `s:match("[abcdefghijklmnopqrstuvw]")`},
		{"setShort", `s:match("[a]")`},
		{"setGreedy", `s:match("[^b]*b")`},
		{"class", `s:match("%d")`},
		{"classLazy", `s:match("%w-%w-%u")`},
		{"classPunctuation", `s:match("%P-%P-%p")`},
		{"frontier", `s:match("%f[%d]")`},
		{"captures", `s:match("(.-)(.-)(.-)b")`},
		{"position", `s:match("()()()()()b")`},
		{"back", `s:match("(x)%1%1%1b")`},
		{"backLong", `s:match("(x-)%1b")`},
		{"gsub", `s:gsub("x", "%0")`},
		{"gmatch", `for w in s:gmatch("x") do end`},
		{"short", `local a = s:match("x") local a = s:match("x") local a = s:match("x")`},
		{"find", `s:find("x", 1)`},
	} {
		b.Run(c.name, func(b *testing.B) {
			vm := newVM(b, Options{})
			fn := function(b, vm, subject+c.body+` end end`)
			before := vm.Spent()
			for b.Loop() {
				if _, err := vm.Call("Bench", fn); err == nil {
					b.Fatal("ended")
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(vm.Spent()-before), "ns/unit")
		})
	}
}
