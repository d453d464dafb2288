package sandbox

import (
	"testing"

	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/scriptvm/syntax"
)

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
			fn, err := vm.Call("", load(b, vm, subject+c.body+` end end`))
			if err != nil {
				b.Fatal(err)
			}
			before := vm.Spent()
			for b.Loop() {
				if _, err := vm.Call("Bench", fn.(*lua.LFunction)); err == nil {
					b.Fatal("ended")
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(vm.Spent()-before), "ns/unit")
		})
	}
}
