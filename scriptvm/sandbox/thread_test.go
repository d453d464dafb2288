package sandbox

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	lua "github.com/yuin/gopher-lua"
)

func TestCoroutines(t *testing.T) {
	wants(t, [][2]string{
		{
			`local co = coroutine.create(function(a, b) local c = coroutine.yield(a + b) local d, e = coroutine.yield(c * 2) return d, e end)
		  local _, x = coroutine.resume(co, 1, 2) local _, y = coroutine.resume(co, 10) local s = coroutine.status(co)
		  local _, p, q = coroutine.resume(co, "p", "q") return x, y, s, p, q, coroutine.status(co), coroutine.resume(co)`,
			"3,20,suspended,p,q,dead,false,cannot resume dead coroutine",
		},
		{`local gen = coroutine.wrap(function() for i = 1, 3 do coroutine.yield(i) end end) return gen(), gen(), gen()`, "1,2,3"},
		{`local f = coroutine.wrap(function() error("x") end) return pcall(f)`, "false,t.lua:1: x"},
		{`local e = {} local f = coroutine.wrap(function() error(e) end) local ok, x = pcall(f) return ok, x == e`, "false,true"},
		{`return coroutine.resume(coroutine.create(function() error("x") end))`, "false,t.lua:1: x"},
		{`local f = coroutine.wrap(function() end) f() return pcall(f)`, "false,cannot resume dead coroutine"},
		{`return coroutine.wrap(math.max)(1, 3, 2)`, "3"},
		{`return coroutine.wrap(function() return coroutine.yield() end)()`, ""},
		{`local f = coroutine.wrap(function() return coroutine.yield(1) end) return f(), f(2)`, "1,2"},
		{`local co co = coroutine.create(function() return coroutine.status(co), coroutine.running() == co end) return coroutine.resume(co)`, "true,running,true"},
		{`local a a = coroutine.create(function() local b = coroutine.create(function() return coroutine.status(a) end) return coroutine.resume(b) end) return coroutine.resume(a)`, "true,true,normal"},
		{`return coroutine.running(), pcall(coroutine.resume, 1)`, "nil,false,bad argument #1 to main chunk (thread expected, got number)"},
		{`local x = 0 local co = coroutine.wrap(function() local y = 1 local f = function() y = y + 1 return y end coroutine.yield(f) y = 10 coroutine.yield(f()) end)
		  local f = co() f() return co(), f()`, "11,12"},
		{`local function walk(t) if t then walk(t[1]) coroutine.yield(t.v) walk(t[2]) end end
		  local s = "" for v in coroutine.wrap(function() walk({ { nil, nil, v = 1 }, { v = 3 }, v = 2 }) end) do s = s .. v end return s`, "123"},
		{`local f = coroutine.wrap(function() local x, y = coroutine.yield(1) local z = coroutine.yield(2) return x, y, z, type(z) end)
		  f() f("x") return f()`, "x,nil,nil,nil"},
		{`local f = coroutine.wrap(function() local t = { coroutine.yield() } local a = coroutine.yield() return #t, a end)
		  f() f(1, 2, 3) return f("a", "b")`, "3,a"},
		{`local f = coroutine.wrap(function() coroutine.yield() coroutine.yield(nil) return nil end)
		  return select("#", f()), select("#", f()), select("#", f())`, "0,1,1"},
		{`local f = coroutine.wrap(function(...) local n = select("#", ...) while true do n = select("#", coroutine.yield(n)) end end)
		  return f(1, nil, nil), f(), f(nil)`, "3,0,1"},
	})
}

func TestYieldsThatCannotBeAreRefusedByName(t *testing.T) {
	wants(t, [][2]string{
		{`coroutine.wrap(function() pcall(coroutine.yield, 1) error("went on", 0) end)()`, "!went on"},
		{`return coroutine.wrap(function() return select(2, pcall(function() coroutine.yield(1) end)) end)()`, "t.lua:1: coroutine.yield cannot be used inside pcall"},
		{`coroutine.wrap(function() table.sort({ 1, 2 }, function() coroutine.yield() end) end)()`, "!coroutine.yield cannot be used inside table.sort"},
		{`coroutine.wrap(function() ("abc"):gsub(".", function() coroutine.yield() end) end)()`, "!coroutine.yield cannot be used inside gsub"},
		{`coroutine.wrap(function() for x in function() coroutine.yield() end do end end)()`, "!coroutine.yield cannot be used inside an iterator"},
		{`coroutine.wrap(function() local t = setmetatable({}, { __index = function() coroutine.yield() end }) return t.x end)()`, "!coroutine.yield cannot be used inside a metamethod"},
		{`coroutine.wrap(function() local t = setmetatable({}, { __add = function() coroutine.yield() end }) return t + 1 end)()`, "!coroutine.yield cannot be used inside a metamethod"},
		{`coroutine.wrap(function() local t = setmetatable({}, { __concat = function() coroutine.yield() end }) return t .. 1 end)()`, "!coroutine.yield cannot be used inside .."},
		{`coroutine.wrap(function() return tostring(setmetatable({}, { __tostring = function() coroutine.yield() end })) end)()`, "!coroutine.yield cannot be used inside tostring"},
		{`for x in coroutine.yield do end`, "!coroutine.yield can only be used in a coroutine"},
		{`coroutine.wrap(function() for x in coroutine.yield do end end)()`, "!coroutine.yield cannot be used inside an iterator"},
		{`coroutine.wrap(function() for x in coroutine.wrap(function() coroutine.yield(1) end) do end coroutine.yield(2) error("fine", 0) end)() error("got on", 0)`, "!got on"},
	})
}

func TestCoroutinesAreCounted(t *testing.T) {
	vm := newVM(t, Options{Limits: Limits{CoroutinesPerOwner: 10, Coroutines: 15}})
	maker := load(t, vm, `local n = 0 while true do local co = coroutine.create(coroutine.yield)
		if not pcall(coroutine.resume, co) then break end n = n + 1 if n == 12 then break end end return n`)
	_, err := vm.Call("A", maker)
	if err == nil || !strings.Contains(err.Error(), "10 coroutines of A have not ended; at most 10") {
		t.Errorf("A: %v", err)
	}
	_, err = vm.Call("B", maker)
	if err == nil || !strings.Contains(err.Error(), "15 coroutines have not ended") {
		t.Errorf("B: %v", err)
	}
	if vm.live["A"] != 10 || vm.live["B"] != 5 || len(vm.threads) != 15 {
		t.Errorf("live %v, threads %d", vm.live, len(vm.threads))
	}
	vm.KillCoroutines("A")
	if vm.coroutine != 5 || len(vm.threads) != 5 {
		t.Errorf("after killing A's: %d live, %d threads", vm.coroutine, len(vm.threads))
	}
	ended := load(t, vm, `for i = 1, 100 do coroutine.wrap(type)(1) pcall(coroutine.wrap(error)) end return "done"`)
	if got, err := vm.Call("A", ended); err != nil || got != lua.LString("done") {
		t.Errorf("coroutines that end count: %v %v", got, err)
	}
}

// stateCode gives a VM with a Sleep and a thread of state code.
func stateCode(t *testing.T, src string) (*VM, *Thread, *[]string) {
	t.Helper()
	vm := newVM(t, Options{Limits: Limits{Instructions: 20_000}})
	said := new([]string)
	vm.SetGlobal("Sleep", vm.NewFunction("Sleep", func(L *lua.LState) int { return vm.Yield(L, "Sleep", L.CheckNumber(1)) }))
	vm.SetGlobal("say", vm.NewFunction("say", func(L *lua.LState) int { *said = append(*said, vm.plainString(L.Get(1))); return 0 }))
	vm.SetGlobal("call", vm.NewFunction("call", func(L *lua.LState) int {
		if _, err := vm.Call("Event", L.CheckFunction(1)); err != nil {
			*said = append(*said, err.Error())
		}
		return 0
	}))
	var thread *Thread
	vm.SetGlobal("kill", vm.NewFunction("kill", func(L *lua.LState) int { thread.Kill(); return 0 }))
	body, err := vm.Call("", load(t, vm, "return function(...) "+src+" end"))
	if err != nil {
		t.Fatal(err)
	}
	thread, err = vm.NewThread("Mover", body.(*lua.LFunction))
	if err != nil {
		t.Fatal(err)
	}
	return vm, thread, said
}

func TestSleepInTailPositionAndInFunctions(t *testing.T) {
	vm, thread, said := stateCode(t, `local function rest() return Sleep(1) end say(rest()) return Sleep(2)`)
	for i, want := range []string{"1", "2"} {
		values, err := vm.Resume(thread, lua.LString(fmt.Sprint("w", i)))
		if err != nil || values[0].String() != want {
			t.Fatalf("%v %v", values, err)
		}
	}
	values, err := vm.Resume(thread, lua.LString("last"))
	if err != nil || values[0].String() != "last" || (*said)[0] != "w1" {
		t.Errorf("%v %v %v", values, err, *said)
	}
}

func TestSleepOutsideOfStateCode(t *testing.T) {
	vm, thread, said := stateCode(t, `call(function() Sleep(1) end) call(coroutine.wrap(function() Sleep(1) end)) coroutine.yield(1)`)
	const want = "t.lua:1: coroutine.yield can only be used in a coroutine; state code waits with Sleep"
	if _, err := vm.Resume(thread); err == nil || err.Error() != want || (*said)[0] != "t.lua:1: Sleep can only be used in state code" ||
		(*said)[1] != "t.lua:1: Sleep cannot be used inside a coroutine, only in state code itself" {
		t.Errorf("in an event: %v %q", err, *said)
	}
	if _, err := eval(t, vm, "Sleep(1)"); err == nil || err.Error() != "t.lua:1: Sleep can only be used in state code" {
		t.Errorf("outside: %v", err)
	}
}

func TestAThreadHasABudgetPerResume(t *testing.T) {
	vm, thread, _ := stateCode(t, `for i = 1, 10 do for j = 1, 5000 do end Sleep(1) end while true do end`)
	for range 10 {
		if _, err := vm.Resume(thread); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := vm.Resume(thread); !errors.Is(err, ErrInstructions) || thread.Status() != ThreadDead {
		t.Errorf("%v, %s", err, thread.Status())
	}
	if _, err := vm.Resume(thread); err == nil || !strings.Contains(err.Error(), "cannot resume a thread that is dead") {
		t.Errorf("a dead thread: %v", err)
	}
}

func TestKill(t *testing.T) {
	vm, thread, said := stateCode(t, `Sleep(1) say("never")`)
	if _, err := vm.Resume(thread); err != nil {
		t.Fatal(err)
	}
	thread.Kill()
	thread.Kill()
	if thread.Status() != ThreadDead || vm.latent != 0 || len(*said) != 0 {
		t.Errorf("%s, %d alive, said %v", thread.Status(), vm.latent, *said)
	}

	// One that runs: functions it is in finish, the body does not go on.
	vm, thread, said = stateCode(t, `local function go() kill() say("function goes on") end go() say("never") Sleep(1)`)
	values, err := vm.Resume(thread)
	if err != nil || values != nil || thread.Status() != ThreadDead || strings.Join(*said, ",") != "function goes on" {
		t.Errorf("%v %v %s said %v", values, err, thread.Status(), *said)
	}

	// From an event that state code caused: the event finishes.
	vm, thread, said = stateCode(t, `call(function() kill() say("event goes on") end) say("never")`)
	_, err = vm.Resume(thread)
	if err != nil || thread.Status() != ThreadDead || strings.Join(*said, ",") != "event goes on" {
		t.Errorf("%v %s said %v", err, thread.Status(), *said)
	}

	// A loop cannot go on by catching, and the VM works afterwards.
	vm, thread, _ = stateCode(t, `while true do pcall(kill) end`)
	if _, err = vm.Resume(thread); err != nil || thread.Status() != ThreadDead {
		t.Errorf("%v %s", err, thread.Status())
	}
	if got, err := eval(t, vm, `local n = 0 for i = 1, 1000 do n = n + 1 end return n`); got != "1000" {
		t.Errorf("afterwards: %s %v", got, err)
	}
	if vm.budget.watch != nil {
		t.Error("the watch is still on")
	}
}

func TestThreadsAreCounted(t *testing.T) {
	vm := newVM(t, Options{Limits: Limits{Threads: 3}})
	body := load(t, vm, "return 1")
	var threads []*Thread
	for range 3 {
		thread, err := vm.NewThread("A", body)
		if err != nil {
			t.Fatal(err)
		}
		threads = append(threads, thread)
	}
	if _, err := vm.NewThread("A", body); !errors.Is(err, ErrTooManyThreads) {
		t.Errorf("a fourth: %v", err)
	}
	threads[0].Kill()
	if _, err := vm.NewThread("A", body); err != nil {
		t.Errorf("after one died: %v", err)
	}
}
