// Package scriptvm runs the Lua of a world: calls, natives, latent code, faults, hot reload. It loads class files (by
// package classfile), makes actors tables in Lua, calls their events under a budget (by package sandbox), and replaces
// code of live actors. It implements [engine.Script] and is, with its subfolders, the only package that uses
// gopher-lua.
//
// A VM belongs to one world and one goroutine. Package api holds the names that scripts may use, and every entry is
// bound here to a Go function; declared variables are in the engine, with a read copy in the actor's table
// (slots.go). Scripts cannot break it: errors, budgets and quarantine are in call.go, charge.go and quarantine.go.
//
// It does not decide what replicates, has no clock and reads no files.
//
//	vm := scriptvm.New(scriptvm.Options{Peer: "server"})
//	if d := vm.Load(sources); vm.Classes() == nil { … }
//	w := engine.NewWorld(engine.Config{Classes: vm.Classes(), Script: vm})
//	vm.Bind(w)
//
// Guarantees: Only packages in this folder import gopher-lua. The goroutine that steps a world owns its VM.
package scriptvm
