// Package sandbox runs untrusted scripts under budgets, with bounded libraries. It builds a gopher-lua state that holds
// only what docs/lua-api.md documents, counts what runs in it, and stops what runs too long or allocates too much.
//
// A VM belongs to one goroutine, the one that owns its world. It owns its states, threads and the
// tables of the libraries; the world owns the generator behind math.random.
//
// Three bounds stop a script, each with an error that pcall cannot catch, after which the VM is still usable:
// instructions (deterministic: the same script stops at the same place in every process), allocation (the process's
// counter, generous and checked twice), and the time that the host may provide (Options.Elapsed), for what the
// first two miss. Natives charge for their work.
//
// Each call of the engine and each pcall runs on a state of its own (see states.go), because in gopher-lua any
// error closes the captured variables of every frame on the stack, also those below the pcall that catches it, and
// so disconnects closures from variables that are still in use.
//
// Bytecode comes from package syntax only, which has removed '..' and '#', whose cost the instruction count does
// not include, goto, tail calls and assignments to globals. Nothing here loads text.
//
// It deliberately does not know classes, actors or files (package loader), keep a quarantine, or log. It reports to
// the caller, and the caller decides.
//
//	vm, err := sandbox.New(sandbox.Options{Rand: world.Random()})
//	chunk, err := syntax.Parse("Rocket.lua", src)
//	err = syntax.Harden(chunk, vm.HardenOptions())
//	proto, err := syntax.Compile(chunk)
//	result, err := vm.Call("Rocket", vm.Load(proto, vm.Globals()))
//
// Guarantees: Scripts cannot reach the machine; every call ends.
package sandbox
