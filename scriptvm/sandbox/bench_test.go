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
