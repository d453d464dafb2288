package sandbox

import (
	"errors"
	"strings"
	"testing"

	lua "github.com/yuin/gopher-lua"
)

// Explain is asked while the frames stand: it sees the instruction, the registers, and the arguments of a native.
func TestExplain(t *testing.T) {
	var seen []string
	vm := newVM(t, Options{Explain: func(f *Fault) string {
		op := int(f.Fn.Proto.Code[f.PC] >> 26)
		seen = append(seen, f.Message)
		switch {
		case f.Native:
			return "argument " + f.Argument(1).String()
		case op == lua.OP_GETTABLE:
			return "register " + f.Register(int(f.Fn.Proto.Code[f.PC]&0x1ff)).Type().String()
		}
		return ""
	}})
	for src, want := range map[string]string{
		`local a, b = 1 return b.x`: "t.lua:1: register nil",
		`local ok, text = pcall(function() local b return b.x end) return text`:                              "t.lua:1: register nil",
		`local ok, text = coroutine.resume(coroutine.create(function() local b return b.x end)) return text`: "t.lua:1: register nil",
		`string.rep(nil)`:      "t.lua:1: argument nil",
		`local a return a + 1`: "t.lua:1: cannot perform add operation between nil and number",
		`local ok, text = pcall(error, "plain", 0) return text`: "plain",
	} {
		value, err := vm.Call("", load(t, vm, src))
		got := value.String()
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %s, want %s (%q)", src, got, want, seen)
		}
		seen = nil
	}
}

// Captured variables keep their values after an error, though gopher-lua leaves closing them to the message handler.
func TestErrorsCloseCapturedVariables(t *testing.T) {
	vm := newVM(t, Options{})
	src := `local keep local ok = pcall(function() local x = 1 keep = function() x = x + 1 return x end local y y.z = 1 end)
		local function spread(a, b, c, d) return d, c, b, a end
		spread(1, 2, 3, 4)
		return tostring(ok) .. keep() .. keep()`
	got, err := vm.Call("", load(t, vm, src))
	if err != nil || got.String() != "false23" {
		t.Errorf("%v %v", got, err)
	}
}

// A Go panic in a native is reported as such and not as an error of the script; the report names the native where it has a name. The Lua
// state in which it happened is not used again.
func TestPanicIsNoScriptError(t *testing.T) {
	heard := ""
	vm := newVM(t, Options{OnPanic: func(native string, value any, stack []byte) { heard = native }})
	vm.SetGlobal("crash", vm.NewPlainFunction(func(*lua.LState) int { panic("boom") }))
	vm.SetGlobal("Boom", vm.NewFunction("Boom", func(*lua.LState) int { panic(errors.New("boom")) }))
	for src, native := range map[string]string{
		"crash()": "", "Boom()": "Boom", "coroutine.wrap(function() Boom() end)()": "Boom", "table.sort({ 1, 2 }, function() Boom() end)": "Boom",
	} {
		heard = ""
		_, err := eval(t, vm, src)
		if !errors.Is(err, ErrPanic) || heard != native || native != "" && !strings.HasPrefix(err.Error(), "t.lua:1: internal error in Boom: boom") {
			t.Errorf("%s: %v, heard %q", src, err, heard)
		}
		if _, err = eval(t, vm, `error("boom", 0)`); err == nil || errors.Is(err, ErrPanic) {
			t.Errorf("an error of a script counts as a panic: %v", err)
		}
	}
}

// Where no room is left even to handle the error, the call ends and the VM goes on.
func TestErrorsWithoutRoom(t *testing.T) {
	vm := newVM(t, Options{})
	for _, src := range []string{
		`local t = {} for i = 1, 240 do t[i] = i end local function f(...) return f(unpack(t)), ... end f(unpack(t))`,
		`local t = {} for i = 1, 240 do t[i] = i end local function f(...) return pcall(f, unpack(t)), ... end f(unpack(t)) error("deep")`,
		`local function f() return f() + 1 end f()`,
		`coroutine.wrap(function() local function f() return f() + 1 end f() end)()`,
	} {
		_, err := vm.Call("", load(t, vm, src))
		if err == nil || errors.Is(err, ErrPanic) {
			t.Errorf("%s: %v", src, err)
		}
		if got, err := vm.Call("", load(t, vm, `return 7`)); err != nil || got != lua.LNumber(7) {
			t.Errorf("after %s: %v %v", src, got, err)
		}
	}
}
