// Package sandbox runs scripts that nobody has read: it builds a gopher-lua state that holds only what
// docs/lua-api.md promises, counts what runs in it, and stops what runs too long or takes too much.
//
// A VM belongs to one goroutine, the one that owns its world. It owns its states, threads and the
// tables of the libraries; the world owns the generator behind math.random.
//
// Three things stop a script, all of them as an error that pcall cannot swallow, after which the VM is
// usable as before: instructions (deterministic: the same script stops at the same place in every
// process), allocation (the process's own count, generous and asked twice), and the time that the host
// may hand in (Options.Elapsed), for what the first two do not see. Natives charge for their work.
//
// Each call of the engine and each pcall runs on a state of its own (see states.go), because in
// gopher-lua any error closes the captured variables of every frame on the stack, also those below the
// pcall that catches it, and so cuts closures off from variables that live on.
//
// Bytecode comes from package syntax only: it has taken out '..' and '#', whose cost the instruction
// count cannot see, goto, tail calls and assignments to globals. Nothing here loads text.
//
// What it deliberately does not do: know classes, actors or files (package loader); keep a quarantine;
// log. It tells the caller and the caller decides.
//
//	vm, err := sandbox.New(sandbox.Options{Rand: world.Random()})
//	chunk, err := syntax.Parse("Rocket.lua", src)
//	err = syntax.Harden(chunk, vm.HardenOptions())
//	proto, err := syntax.Compile(chunk)
//	result, err := vm.Call("Rocket", vm.Load(proto, vm.Globals()))
package sandbox
